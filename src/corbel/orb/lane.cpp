// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/lane.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/routing/route_options.hpp"
#include "corbel/routing/unmet.hpp"

namespace corbel::orb {

using base::Code;

namespace {

/// What the writer of an endpoint's text may have meant.
std::string why_bad_endpoint(const std::string& form, std::string_view text, base::Error error) {
  if (text.find(',') != std::string_view::npos) return "several endpoints are separated by ';', not by ','";
  const std::size_t scheme = text.find("://");
  const std::string_view hint = routing::address_hint(text.substr(scheme == std::string_view::npos ? 0 : scheme + 3));
  return hint.empty() ? describe(error) + "; write [protocol+]address, where an address is " + form : std::string(hint);
}

std::string prefix_of(const routing::ListenPoint& point) {
  const std::string_view protocol = point.protocol->name();
  return protocol == "giop" ? std::string() : std::string(protocol) + '+';
}

/// As parse_endpoint() reads it.
std::string text_of(const routing::ListenPoint& point) {
  return prefix_of(point) + point.endpoint->text();
}

std::string text_of(const ListenEndpoint& endpoint) {
  return endpoint.protocol.empty() ? endpoint.endpoint : endpoint.protocol + '+' + endpoint.endpoint;
}

std::unique_ptr<connection::Server> make_server(const connection::Server::Settings& settings,
                                                connection::RequestHandler& handler) {
  auto server = connection::Server::create(settings, handler);
  if (!server) raise(server.error(), "creating the ORB's reactor");
  return *std::move(server);
}

}  // namespace

Lane::Lane(std::string name, const std::vector<ListenEndpoint>& endpoints, const routing::Registry& registry,
           const Options& options, const connection::Server::Settings& settings, connection::RequestHandler& handler)
    : name_(std::move(name)),
      beside_own_(endpoints.empty()),
      endpoints_(beside_own_ ? options.listen_endpoints : endpoints),
      registry_(registry),
      server_(make_server(settings, handler)),
      acceptors_(options.transport),
      names_host_(!options.transport.publish_host.empty()) {}

/// Closes what is opened while this exists, unless that is to stay: it would keep clients waiting for nobody, and be in
/// the way of another attempt.
class Lane::Opening {
 public:
  explicit Opening(Lane& lane) noexcept : lane_(lane), before_(lane.acceptors_.count()) {}
  ~Opening() {
    if (!stays_) lane_.acceptors_.close_behind(before_);
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  void stay() noexcept { stays_ = true; }

 private:
  Lane& lane_;
  const std::size_t before_;
  bool stays_ = false;
};

bool Lane::listen() {
  if (listening_) return false;
  std::vector<Opened> all;
  Opening opening(*this);
  for (const std::string& text : texts()) all.push_back(open_one(text, false));
  if (endpoints_.empty()) {
    for (const auto& transport : registry_.transports()) {
      const auto address = transport->factory().default_address();
      if (!address) continue;
      all.push_back(open_one(std::string(transport->factory().scheme()).append("://").append(*address), true));
    }
  }
  if (auto started = server_->start(); !started) fail("", started.error(), "starting the ORB's threads");
  publish();
  opening.stay();
  for (const Opened& each : all) tell(each);
  return listening_ = true;
}

std::vector<std::string> Lane::texts() const {
  std::vector<std::string> texts;
  for (const ListenEndpoint& each : endpoints_) {
    std::string text = beside_own_ ? beside(each) : text_of(each);
    const bool again = beside_own_ && std::find(texts.begin(), texts.end(), text) != texts.end();
    if (!text.empty() && !again) texts.push_back(std::move(text));
  }
  if (texts.empty() && !endpoints_.empty()) {
    fail("", base::error(base::Stage::configure, Code::bad_argument),
         "lane '" + name_ + "': beside none of the ORB's endpoints another one can be chosen: say where it listens");
  }
  return texts;
}

/// One that is reached as the ORB's own is, and by nobody else. Empty if there is none: a group has one address for
/// all, and not every transport chooses names.
std::string Lane::beside(const ListenEndpoint& own) const {
  std::string text = text_of(own);
  const auto point = of_parts(text, [&] { return registry_.parse_endpoint(text); });
  if (!point) return text;  // opening it says why
  const auto& factory = point->transport->factory();
  if (factory.traits().group_profile != 0) return {};
  // An address of hosts keeps them; any other is a name of this host, or of a network of the transport's own.
  const std::string& address = point->endpoint->text();
  std::string beside =
      prefix_of(*point) + (factory.address_form() == "host:port" ? address.substr(0, address.rfind(':')) + ":0"
                                                                 : std::string(factory.scheme()) + "://");
  const std::string options = routing::key_of(point->options);
  beside += options;
  if (point->bandwidth != 0)
    beside += (options.empty() ? "?bandwidth=" : "&bandwidth=") + std::to_string(point->bandwidth);
  return of_parts(beside, [&] { return registry_.parse_endpoint(beside); }) ? beside : std::string();
}

void Lane::publish() {
  published_ = std::make_shared<const std::vector<routing::ListenPoint>>(acceptors_.published());
}

bool Lane::close(base::FunctionRef<bool(const routing::ListenPoint&)> which) {
  auto left = std::make_shared<const std::vector<routing::ListenPoint>>(acceptors_.published_without(which));
  if (!acceptors_.close(which)) return false;
  published_ = std::move(left);
  return true;
}

/// What parts return that others have written; what they throw is told as any other failure.
template <class Ask>
auto Lane::of_parts(const std::string& text, const Ask& ask) const -> decltype(ask()) {
  std::string why;
  try {
    return ask();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    why = failure.what();
  } catch (...) {
    why = "nobody knows why";
  }
  fail(text, base::error(base::Stage::listen, Code::unsupported), "listening at '" + text + "': it failed: " + why);
}

Lane::Opened Lane::open_one(const std::string& text, bool by_default) {
  auto point = of_parts(text, [&] { return registry_.parse_endpoint(text); });
  if (!point) {
    const std::string unfit = registry_.why_unfit(text);
    fail(text, base::error(base::Stage::configure, Code::bad_argument),
         "listening endpoint '" + text +
             "': " + (unfit.empty() ? why_bad_endpoint(registry_.address_form(text), text, point.error()) : unfit));
  }
  auto opened = of_parts(text, [&] { return acceptors_.open(*point, *server_); });
  if (!opened) {
    const base::Error error = opened.error();
    fail(text, base::error(base::Stage::listen, error.code, error.os_error),
         "listening at '" + text + "': " + describe(error));
  }
  return {by_default, point->endpoint->reach(), *std::move(opened)};
}

std::vector<std::string> Lane::open(const std::string& text) {
  const auto asked = of_parts(text, [&] { return registry_.parse_endpoint(text); });
  if (asked && asked->transport->factory().traits().group_profile != 0 && listens_at(*asked)) return {text_of(*asked)};
  Opening opening(*this);
  const Opened opened = open_one(text, false);
  std::vector<std::string> texts;
  for (const auto& point : opened.published) texts.push_back(text_of(point));
  if (listening_) publish();
  opening.stay();
  tell(opened);
  return texts;
}

void Lane::open_group(const std::string& text) {
  Opening opening(*this);
  (void)open_one(text, false);
  if (listening_) publish();
  opening.stay();
}

bool Lane::listens_at(const routing::ListenPoint& point) const {
  return acceptors_.has([&](const routing::ListenPoint& each) {
    return each.protocol == point.protocol && each.endpoint->text() == point.endpoint->text();
  });
}

/// Tells what references will say: aloud, if the ORB chose an address itself that leads other hosts nowhere.
void Lane::tell(const Opened& opened) const noexcept {
  const base::Log& log = server_->log();
  for (const auto& point : opened.published) {
    const std::string& endpoint = point.endpoint->text();
    const transport::Reach reach = point.endpoint->reach();
    CORBEL_LOG(log, transport, info, "listening", {"endpoint", endpoint}, {"protocol", point.protocol->name()},
               {"reach", reach == transport::Reach::anybody     ? "anybody"
                         : reach == transport::Reach::this_link ? "this link"
                                                                : "this host"});
    const bool asked = names_host_ || (!opened.by_default && opened.asked == reach);
    if (asked || reach == transport::Reach::anybody || reach == transport::Reach::this_host) continue;
    CORBEL_LOG(log, transport, warning, "references name an address that other hosts cannot reach",
               {"endpoint", endpoint}, {"mend", "-ORBListenEndpoints with another HOST, or -ORBPublishHost HOST"});
  }
}

void Lane::fail(const std::string& text, base::Error error, const std::string& why) const {
  if (error.code == Code::out_of_resources && error.os_error == ENOMEM) throw std::bad_alloc();
  CORBEL_LOG(server_->log(), transport, error, "cannot listen", {"endpoint", text}, {"lane", name_}, {"why", why});
  raise(error, why);
}

}  // namespace corbel::orb

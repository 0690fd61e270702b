// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/lane.hpp"

#include <utility>

#include "corbel/orb/error_map.hpp"

namespace corbel::orb {

using base::Code;

namespace {

/// What the writer of an endpoint's text may have meant.
std::string why_bad_endpoint(std::string_view text, base::Error error) {
  const std::size_t colon = text.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (text.find(',') != std::string_view::npos) return "several endpoints are separated by ';', not by ','";
  if (!port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos) {
    return "a port is a number from 0 to 65535";
  }
  return describe(error) + "; write [protocol+]transport://address, such as tcp://localhost:4000 or unix:///path";
}

std::unique_ptr<connection::Server> make_server(const connection::Server::Settings& settings,
                                                connection::RequestHandler& handler) {
  auto server = connection::Server::create(settings, handler);
  if (!server) raise(server.error(), "creating the ORB's reactor");
  return *std::move(server);
}

}  // namespace

Lane::Lane(std::string name, std::vector<ListenEndpoint> endpoints, const routing::Registry& registry,
           const Options& options, const connection::Server::Settings& settings, connection::RequestHandler& handler)
    : name_(std::move(name)),
      endpoints_(std::move(endpoints)),
      registry_(registry),
      server_(make_server(settings, handler)),
      acceptors_(options.transport) {}

bool Lane::listen() {
  if (listening_) return false;
  for (const auto& each : endpoints_) {
    open(each.protocol.empty() ? each.endpoint : each.protocol + '+' + each.endpoint);
  }
  if (endpoints_.empty()) {
    for (const auto& transport : registry_.transports()) {
      const auto address = transport->factory().default_address();
      if (address) open(std::string(transport->factory().scheme()).append("://").append(*address));
    }
  }
  publish();
  if (auto started = server_->start(); !started) raise(started.error(), "starting the ORB's threads");
  return listening_ = true;
}

void Lane::publish() {
  published_ = std::make_shared<const std::vector<routing::ListenPoint>>(acceptors_.published());
}

bool Lane::close(base::FunctionRef<bool(const routing::ListenPoint&)> which) {
  if (!acceptors_.close(which)) return false;
  publish();
  return true;
}

std::vector<routing::ListenPoint> Lane::open(const std::string& text) {
  auto point = registry_.parse_endpoint(text);
  if (!point) {
    const std::string unfit = registry_.why_unfit(text);
    raise(base::error(base::Stage::configure, Code::bad_argument),
          "listening endpoint '" + text + "': " + (unfit.empty() ? why_bad_endpoint(text, point.error()) : unfit));
  }
  auto opened = acceptors_.open(*point, *server_);
  if (!opened) {
    const base::Error error = opened.error();
    raise(base::error(base::Stage::listen, error.code, error.os_error),
          "listening at '" + text + "': " + describe(error));
  }
  if (listening_) publish();
  return *std::move(opened);
}

}  // namespace corbel::orb

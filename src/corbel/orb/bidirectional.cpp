// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/bidirectional.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "corbel/base/log.hpp"
#include "corbel/cdr/encapsulation.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/transport/endpoint_text.hpp"

namespace corbel::orb {
namespace {

/// IIOP::BiDirIIOPServiceContext (CORBA 3.3 part 2, 9.8.1).
constexpr std::uint32_t kListenPoints = 5;
constexpr std::size_t kMostLookedAt = 4 * connection::Lender::kMostEndpoints;

base::Bytes encode(const std::vector<ior::HostPort>& points) {
  auto octets = cdr::encapsulate([&](cdr::Encoder& encoder) {
    encoder.put_count(points.size());
    for (const ior::HostPort& point : points) {
      encoder.put_plain_string(point.host);
      encoder.put(point.port);
    }
  });
  return octets ? *std::move(octets) : base::Bytes();
}

/// True if the thread that would have to read may be the one that waits.
bool is_single(const Options& options) noexcept {
  return options.serving.concurrency == policy::Concurrency::single || options.serving.threads <= 1;
}

}  // namespace

void Bidirectional::warn_if_single() const {
  if (!is_single(core_.options())) return;
  CORBEL_LOG(core_.log(), orb, warning, "BidirectionalPolicy has no effect with a single thread",
             {"option", "-ORBConcurrency"});
}

void Bidirectional::serve() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(offer_, &Bidirectional::offer) != nullptr) return;
  }
  warn_if_single();
  renew();
}

void Bidirectional::set_policy(std::optional<bool> both) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(policy_, both) == both) return;
  }
  if (both.value_or(false)) warn_if_single();
  renew();
}

void Bidirectional::note_endpoints() noexcept try {
  {
    const std::lock_guard lock(mutex_);
    if (offer_ == nullptr) return;
  }
  renew();
} catch (const std::bad_alloc&) {
  // New connections say what those before them said, until endpoints change again.
}

/// What connections that are made from now on say, by transport.
Bidirectional::Contexts Bidirectional::contexts() const {
  std::map<std::string, std::vector<ior::HostPort>, std::less<>> points;
  core_.for_each_listen_point([&](const routing::ListenPoint& point) {
    const transport::Traits traits = point.transport->factory().traits();
    if (!point.protocol->offers().both_ways || !traits.byte_stream || traits.group_profile != 0) return;
    const std::string& text = point.endpoint->text();
    const std::string_view scheme = point.endpoint->scheme();
    // Only hosts and ports can be said.
    const auto address = transport::parse_host_port(std::string_view(text).substr(scheme.size() + 3));
    if (address && address->port != 0) points[std::string(scheme)].push_back(*address);
  });
  Contexts contexts;
  for (const auto& [scheme, list] : points) contexts.emplace(scheme, encode(list));
  return contexts;
}

void Bidirectional::renew() {
  const bool single = is_single(core_.options());
  const std::lock_guard lock(mutex_);
  const bool allowed = policy_.value_or(true) && core_.options().giop_minor >= 2 && !single;
  const bool accepts = allowed && (offer_ != nullptr || policy_.value_or(false));
  accepts_.store(accepts, std::memory_order_relaxed);
  if (accepts) core_.set_both_ways();
  if (offer_ != nullptr) (this->*offer_)(allowed);
}

/// With the mutex.
void Bidirectional::offer(bool allowed) {
  Contexts offered = allowed ? contexts() : Contexts();
  if (offered == offered_) return;
  core_.offer(generation_ + 1, kListenPoints, offered);
  offered_ = std::move(offered);
  ++generation_;
}

LentPtr Bidirectional::lent(connection::Connection& connection, const messaging::IncomingRequest& request) {
  if (connection.is_opened_here()) return nullptr;
  connection::LenderPtr lender = connection.lender();
  base::ConstByteSpan context;
  if (request.contexts.count() != 0 && accepts() && request.contexts.find(kListenPoints, context) &&
      connection.session().goes_both_ways(request.origin)) {
    if (lender == nullptr) lender = connection.keep_lender(core_.face().lend(connection));
    if (lender != nullptr) take_points(context, connection, static_cast<Lent&>(*lender));
  }
  return {lender, static_cast<Lent*>(lender.get())};
}

/// Takes all points, or none if the context makes no sense. Hosts at which no connection of this ORB would have taken
/// the client for their server are left out.
void Bidirectional::take_points(base::ConstByteSpan context, connection::Connection& connection, Lent& lent) const {
  constexpr std::size_t kLeastPoint = 7;  // an empty string and a port
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(context);
  const std::size_t count = decoder.take_count(kLeastPoint);
  std::vector<std::string> endpoints;
  std::string refused;
  for (std::size_t i = 0; i < std::min(count, kMostLookedAt) && decoder.ok(); ++i) {
    const std::string_view host = decoder.get_plain_string();
    const auto port = decoder.get<std::uint16_t>();
    if (!decoder.ok() || port == 0 || host.size() > connection::Lender::kLongestHost) continue;
    auto name = transport::canonical_host(host);
    if (!name || name->empty()) continue;
    if (!connection.transport().stands_for(*name)) {
      refused = *std::move(name);
      continue;
    }
    endpoints.push_back(lent.scheme() + "://" + transport::to_string({*std::move(name), port}));
  }
  if (!decoder.ok()) {
    CORBEL_LOG(core_.log(), server, debug, "listen points make no sense", {"peer", connection.peer()});
    return;
  }
  if (!refused.empty()) {
    CORBEL_LOG(core_.log(), server, warning, "listen points of hosts that the client's certificate is not made out to",
               {"host", refused}, {"peer", connection.peer()}, {"subject", connection.transport().identity().subject});
  }
  for (std::string& endpoint : endpoints) {
    // Objects of this ORB are not called elsewhere, whatever a peer says.
    if (core_.publishes(endpoint)) continue;
    if (!lent.add(std::move(endpoint))) {
      CORBEL_LOG(core_.log(), server, debug, "too many listen points", {"peer", connection.peer()},
                 {"most", connection::Lender::kMostEndpoints});
      return;
    }
  }
}

void Core::for_each_listen_point(base::FunctionRef<void(const routing::ListenPoint&)> visit) {
  const std::lock_guard lock(listen_mutex_);
  for (const auto& lane : lanes_) {
    for (const auto& point : *lane->published()) visit(point);
  }
}

bool Core::publishes(std::string_view endpoint) {
  bool found = false;
  for_each_listen_point([&](const routing::ListenPoint& point) { found |= point.endpoint->text() == endpoint; });
  return found;
}

void Core::offer(std::uint64_t generation, std::uint32_t context_id,
                 const std::map<std::string, base::Bytes, std::less<>>& contexts) {
  auto offer = std::make_shared<connection::Offer>();
  offer->server = &server();
  offer->share = &connection::Server::share;
  offer->generation = generation;
  offer->context_id = context_id;
  offer->contexts = contexts;
  cache_.set_offer(std::move(offer));
  edges_.change();  // so that calls look whether their connections are the right ones
}

}  // namespace corbel::orb

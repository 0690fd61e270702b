// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/core.hpp"

#include <algorithm>
#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/branching_target.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/log_setup.hpp"
#include "corbel/orb/parts_setup.hpp"
#include "corbel/orb/remote_target.hpp"
#include "corbel/orb/serving_half.hpp"

namespace corbel::orb {

using base::Code;

namespace {

connection::ConnectionCache::Settings cache_settings(const Options& options, const base::Log& log,
                                                     connection::Watchers& watchers,
                                                     connection::SocketHooks& socket_hooks,
                                                     connection::InputMemory& input_memory,
                                                     std::function<void()> opened) {
  connection::ConnectionCache::Settings settings{options.transport, options.limits, options.connections_per_endpoint,
                                                 options.oneways, &log};
  settings.watchers = &watchers;
  settings.socket_hooks = &socket_hooks;
  settings.input_memory = &input_memory;
  settings.max_connections = options.outgoing_connections;
  if (options.client_idle > base::Duration::zero()) settings.opened = std::move(opened);
  return settings;
}

connection::Server::Settings server_settings(const Options& options, const base::Log& log) {
  connection::Server::Settings settings;
  settings.serving = options.serving;
  settings.limits = options.server_limits;
  settings.connection.limits = options.limits;
  settings.connection.gather_threshold = options.transport.gather_threshold;
  settings.connection.version = {1, options.giop_minor};
  settings.connection.log = &log;
  settings.connection.send_timeout = options.timeouts.server_send;
  settings.shutdown_timeout = options.timeouts.shutdown;
  return settings;
}

policy::ClientPolicies client_policies(const Options& options) {
  policy::ClientPolicies policies;
  policies.round_trip = options.timeouts.call;
  policies.connect = options.timeouts.connect;
  policies.head_start = options.timeouts.head_start;
  policies.sync_scope = options.sync_scope;
  policies.forward_limit = options.forward_limit;
  policies.overflow = options.oneways.overflow;
  return policies;
}

/// Takes the requests while there is no adapter: who sends one is cut off.
class Nobody final : public connection::RequestHandler {
 public:
  void on_request(connection::Connection& connection, const messaging::IncomingRequest&,
                  cdr::Decoder&) noexcept override {
    refuse(connection);
  }
  void on_locate_request(connection::Connection& connection,
                         const messaging::IncomingLocateRequest&) noexcept override {
    refuse(connection);
  }

 private:
  static void refuse(connection::Connection& connection) noexcept {
    connection.cut(base::error(base::Stage::receive, Code::unsupported));
  }
};

}  // namespace

Core::Core(Options options, CoreParts parts, FaceCore& face)
    : face_(face),
      context_(face.context()),
      options_(std::move(options)),
      log_(log_settings(options_, std::move(parts.log_sink))),
      policies_(client_policies(options_), options_.preference, edges_),
      request_policies_{options_.hold_timeout, options_.exception_detail},
      registry_(layered(std::move(parts.protocols), parts.layers, options_, log_),
                set_up(std::move(parts.transports), options_, log_), {1, options_.giop_minor}, options_.limits),
      cache_(registry_, cache_settings(options_, log_, *watchers_, *socket_hooks_, input_memory_,
                                       [this] { see_to_idle_connections(); })),
      dispatch_(std::make_unique<Nobody>()),
      requests_(std::move(parts.requests)) {
  make_lane({{}, options_.serving.threads, options_.listen_endpoints, 0});
  for (const LaneOptions& lane : options_.lanes) make_lane(lane);
  cache_.set_completions(&server().completions());
  note_log_levels();
  tell_settings();
}

void Core::make_lane(const LaneOptions& lane) {
  connection::RequestHandler& requests = requests_ != nullptr ? *requests_ : *dispatch_;
  auto settings = server_settings(options_, log_);
  settings.connection.watchers = watchers_.get();
  settings.connection.socket_hooks = socket_hooks_.get();
  settings.input_memory = &input_memory_;
  settings.serving.threads = lane.threads;
  settings.stack_size = lane.stack_size;
  if (lanes_.count() != 0) {
    settings.expects_short = false;  // what is urgent waits for nothing
    settings.completions = &server().completions();
    // The one thread of single mode is the first lane's.
    auto& concurrency = settings.serving.concurrency;
    if (concurrency == policy::Concurrency::single) concurrency = policy::Concurrency::pool;
  }
  auto made = std::make_unique<Lane>(lane.name, lane.endpoints, registry_, options_, settings, requests);
  if (lanes_.add(std::move(made))) return;
  corba::raise("IMP_LIMIT", 0, kNo, "an ORB has " + std::to_string(LaneList::kMost) + " lanes at most");
}

void Core::set_adapter(ObjectAdapter* adapter) {
  if (adapter != nullptr) serving_half_ = &adapter->serving_half();
  adapter_.store(adapter, std::memory_order_release);
  if (adapter == nullptr || requests_ != nullptr) return;
  auto dispatch = serving_half_->make_dispatch(*this);
  for (const auto& lane : lanes_) lane->server().set_handler(*dispatch);
  dispatch_ = std::move(dispatch);
}

void Core::note_log_levels() noexcept {
  edges_.set(Edges::kTrace, log_.on(base::LogModule::client, base::LogLevel::trace));
  edges_.set(Edges::kServerTrace, log_.on(base::LogModule::server, base::LogLevel::trace));
}

void Core::set_hooks(std::unique_ptr<CallHooks> hooks) noexcept {
  hooks_ = std::move(hooks);
}

void Core::attach_hooks() noexcept {
  hooks_attached_ = true;
  edges_.set(Edges::kClientHooks, hooks_->for_clients());
  edges_.set(Edges::kServerHooks, hooks_->for_servers());
}

Core::~Core() {
  shutdown(true);
}

corba::TargetPtr Core::make_target(ior::Ior ior, corba::PolicySetPtr overrides, LentPtr lent) {
  if (options_.collocation) {
    if (auto here = make_target_here(ior, overrides); here != nullptr) return here;
  }
  if (const CallHooks* const hooks = attached_hooks(); hooks != nullptr) {
    if (auto branches = hooks->branches_of(ior); branches != nullptr) {
      return base::make_shared<BranchingTarget>(*this, std::move(ior), std::move(overrides), std::move(lent),
                                                std::move(branches));
    }
  }
  return base::make_shared<RemoteTarget>(*this, std::move(ior), std::move(overrides), std::move(lent));
}

corba::TargetPtr Core::make_target_here(ior::Ior& ior, corba::PolicySetPtr overrides) {
  base::Bytes key;
  if (!is_here(ior, key)) return nullptr;
  return serving_half().make_target(*this, std::move(ior), std::move(key), std::move(overrides));
}

/// True if the reference leads to an adapter of this ORB: its key names this run of the process, or its endpoint is
/// ours.
bool Core::is_here(const ior::Ior& ior, base::Bytes& object_key) {
  if (adapter() == nullptr) return false;
  auto routes = registry_.routes(ior, {});
  if (!routes) return false;
  for (const auto& route : *routes) {
    if (!leads_here(route)) continue;
    object_key = route.object_key;
    return true;
  }
  return false;
}

bool Core::leads_here(const routing::Route& route) {
  const std::lock_guard lock(listen_mutex_);
  return adapter()->made_here(route.object_key) || is_published(route);
}

base::Result<std::vector<routing::Route>> Core::routes_elsewhere(const ior::Ior& ior,
                                                                 const policy::ProtocolPreference& preference) {
  auto routes = registry_.routes(ior, preference);
  if (!routes) return routes;
  std::erase_if(*routes, [&](const routing::Route& route) { return leads_here(route); });
  if (routes->empty()) return base::error(base::Stage::resolve, base::Code::no_profile);
  for (routing::Route& route : *routes) {
    if (route.oneways != nullptr && leads_here(*route.oneways)) route.oneways = nullptr;
  }
  return routes;
}

void Core::check_process() const {
  if (!left_behind()) return;
  raise(base::error(base::Stage::configure, Code::cancelled),
        "this ORB belongs to the process that forked; make a new one here, with a name of its own");
}

void Core::listen() {
  (void)listen(*lanes_.front());
}

Lane::PublishedPtr Core::listen(Lane& lane) {
  check_process();
  Lane::PublishedPtr published;
  bool begins = false;
  {
    const std::lock_guard lock(listen_mutex_);
    begins = lane.listen();
    published = lane.published();
  }
  if (begins) bidirectional_.note_endpoints();
  return published;
}

Lane* Core::find_lane(std::string_view name) const noexcept {
  for (const auto& lane : lanes_) {
    if (lane->name() == name) return lane.get();
  }
  return nullptr;
}

bool Core::on_own_thread() const noexcept {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->server().on_own_thread(); });
}

void Core::refuse_call() const {
  if (is_destroyed()) {
    corba::raise("OBJECT_NOT_EXIST", corba::minor::kAdapterGone, kNo, "the ORB has been destroyed");
  }
  corba::raise("BAD_INV_ORDER", corba::minor::kOrbShutDown, kNo, "the ORB has shut down");
}

void Core::start_threads() {
  check_process();
  if (shutting_down_.load(std::memory_order_acquire)) refuse_call();
  if (auto started = server().start(); !started) raise(started.error(), "starting the ORB's threads");
  calls_async_ = true;
  if (shutting_down_) calls_async_ = false;  // shutdown() may have been sooner
}

std::vector<ior::TaggedProfile> Core::make_profiles(base::ConstByteSpan object_key, std::string_view lane) {
  const Lane::PublishedPtr open = listen(*find_lane(lane));
  auto profiles = registry_.publish(*open, object_key);
  if (profiles.empty() && !open->empty() && !told_leads_nowhere_.exchange(true)) {
    CORBEL_LOG(log_, orb, warning, "references lead nowhere", {"why", "the ORB listens to groups alone"},
               {"endpoint", open->front().endpoint->text()},
               {"mend", "-ORBListenEndpoints with tcp://HOST:PORT, too, unless all objects are members of groups"});
  }
  return profiles;
}

void Core::listen_to_group(const ior::TaggedProfile& profile) {
  start_threads();
  if (const auto own = ior::decode_corbel_profile(profile, limits())) {
    const std::string endpoint = own->protocol + '+' + own->endpoint;
    if (is_of_group(endpoint, own->object_key)) return listen_to_group(endpoint);
    corba::raise("BAD_PARAM", 0, kNo, "the reference has '" + endpoint + "' listen elsewhere than where its group is");
  }
  for (const auto& transport : registry_.transports()) {
    if (transport->factory().traits().group_profile != profile.tag) continue;
    const auto reachable = transport->factory().decode(profile, limits());
    if (!reachable) raise(reachable.error(), "the address of a group");
    for (const auto& endpoint : reachable->endpoints) listen_to_group(endpoint->text());
    return;
  }
  raise(base::error(base::Stage::configure, Code::unsupported), "no transport of this ORB reaches groups");
}

/// True if the group that a UIPMC profile's body names has this endpoint: references come from anywhere.
bool Core::is_of_group(const std::string& endpoint, const base::Bytes& body) const {
  const auto point = registry_.parse_endpoint(endpoint);
  if (!point) return false;
  const auto& factory = point->transport->factory();
  const std::uint32_t tag = factory.traits().group_profile;
  if (tag != static_cast<std::uint32_t>(ior::ProfileTag::uipmc)) return false;
  const auto group = factory.decode({tag, body}, limits());
  if (!group) return false;
  return std::any_of(group->endpoints.begin(), group->endpoints.end(),
                     [&](const auto& one) { return one->text() == point->endpoint->text(); });
}

void Core::listen_to_group(const std::string& endpoint) {
  const std::lock_guard lock(listen_mutex_);
  // Each socket of a group hears all that is sent there: a second one would have it executed twice.
  const auto point = registry_.parse_endpoint(endpoint);
  const auto hears = [&](const auto& lane) { return lane->listens_at(*point); };
  if (point && std::any_of(lanes_.begin(), lanes_.end(), hears)) return;
  lanes_.front()->open_group(endpoint);
  CORBEL_LOG(log_, transport, info, "listening to a group", {"endpoint", endpoint});
}

std::vector<base::Bytes> Core::keys_of_ours(const ior::Ior& ior) {
  listen();
  std::vector<base::Bytes> keys;
  const auto routes = registry_.routes(ior, {});
  if (!routes) return keys;
  const std::lock_guard lock(listen_mutex_);
  for (const auto& route : *routes) {
    if (is_published(route)) keys.push_back(route.object_key);
  }
  return keys;
}

/// With listen_mutex_ locked.
bool Core::is_published(const routing::Route& route) const {
  if (route.transport->factory().traits().group_profile != 0) return false;  // others are in it, too
  const auto is_at = [&](const routing::ListenPoint& point) {
    return point.protocol == route.protocol && point.endpoint->text() == route.endpoint->text();
  };
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) {
    return std::any_of(lane->published()->begin(), lane->published()->end(), is_at);
  });
}

ior::Ior Core::make_ior(const ior::ObjectUrl& url) {
  ior::Ior ior;
  for (const auto& address : url.addresses) {
    auto point = registry_.from_url(address);
    if (!point) {
      const std::uint32_t minor = point.error().code == Code::unsupported ? 7 : 8;
      corba::raise("BAD_PARAM", corba::kOmgVmcid | minor, kNo,
                   "address '" + address.scheme + ':' + address.host + "': " + base::to_string(point.error()) + "; " +
                       registry_.why_bad_url(address));
    }
    ior::ProfileBase base;
    base.version = address.version;
    base.object_key = url.object_key;
    const std::vector<transport::EndpointPtr> endpoints{point->endpoint};
    std::vector<ior::TaggedProfile> profiles;
    if (!point->transport->factory().publish(endpoints, base, profiles)) {
      ior::CorbelProfile own;
      static_cast<ior::ProfileBase&>(own) = base;
      own.protocol = point->protocol->name();
      own.endpoint = point->endpoint->text();
      profiles.push_back(ior::encode_profile(own));
    }
    ior.profiles.insert(ior.profiles.end(), profiles.begin(), profiles.end());
  }
  return ior;
}

std::vector<connection::ConnectionPtr> Core::connections(bool accepted) {
  if (!accepted) return cache_.all();
  std::vector<connection::ConnectionPtr> all;
  for (const auto& lane : lanes_) {
    for (auto& connection : lane->server().all_live()) {
      if (!connection->is_opened_here()) all.push_back(std::move(connection));
    }
  }
  return all;
}

void Core::run() {
  check_process();
  if (work_handles_.load() != 0) {
    raise(base::error(base::Stage::configure, Code::cancelled), "the ORB has a WorkHandle: another loop runs it");
  }
  if (!main_thread_.enter()) {
    server().run();
  } else {
    if (server().run_until([this] { return main_thread_.wanted(); })) {
      main_thread_.serve();  // from now on nothing else keeps it
      server().run();
    }
    main_thread_.leave();
  }
  if (is_shut_down() && requests_ == nullptr) end_client_side(end_deadline());  // shutdown(false) may have left it
}

bool Core::work_pending() {
  check_process();
  return main_thread_.pending() || server().work_pending();
}

std::size_t Core::perform_work(std::size_t most) {
  check_process();
  const bool main = main_thread_.enter();
  std::size_t done = main ? main_thread_.serve_waiting(most) : 0;
  done += server().perform_work(most - done);
  if (main) main_thread_.leave();
  return done;
}

void Core::call_main_thread() {
  server().call_runner([this] { main_thread_.serve_waiting(); });
}

void Core::refuse_local_call() const {
  check_process();
  refuse_call();
}

}  // namespace corbel::orb

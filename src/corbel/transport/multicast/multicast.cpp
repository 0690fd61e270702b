// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/multicast/multicast.hpp"

#include <mutex>
#include <utility>

#include "corbel/base/fork.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/ipc/alarm.hpp"
#include "corbel/transport/connection_options.hpp"
#include "corbel/transport/multicast/carriers.hpp"

namespace corbel::transport {
namespace multicast {
namespace {

using base::Code;
using base::Stage;
using ipc::InetAddress;

base::Error bad_address() {
  return base::error(Stage::resolve, Code::bad_argument);
}

bool is_group(const InetAddress& address) {
  const std::string host = address.host();
  if (address.is_v6()) return host.starts_with("ff") && host.find(':') == 4;  // "ff::1" is 00ff::1
  const int first = std::stoi(host);
  return first >= 224 && first <= 239;
}

base::Result<EndpointPtr> endpoint_of(std::string_view host, std::uint16_t port,
                                      std::optional<ior::GroupIdentity> group = {}) {
  const auto address = InetAddress::parse(host, port);
  if (!address || !is_group(*address)) return bad_address();
  return EndpointPtr(std::make_shared<GroupEndpoint>(*address, std::move(group)));
}

base::Result<ipc::NetworkInterface> interface_of(const MulticastSettings& settings) {
  if (settings.interface.empty()) return ipc::NetworkInterface();
  return ipc::NetworkInterface::find(settings.interface);
}

ipc::DatagramOptions<InetAddress> socket_options(const ConnectionOptions& options) {
  ipc::DatagramOptions<InetAddress> with;
  if (options.send_buffer > 0) with.send_buffer = options.send_buffer;
  if (options.receive_buffer > 0) with.receive_buffer = options.receive_buffer;
  with.traffic = options.traffic;
  with.traffic.time_to_live = -1;  // what goes to groups has one of its own
  return with;
}

/// A socket that belongs to the group, and hears nothing else. Of a group that every link has one of (ff02::) the
/// address or the settings say which.
base::Result<ipc::MulticastSocket> join(const InetAddress& group, const ConnectionOptions& options,
                                        const MulticastSettings& settings) {
  auto with = socket_options(options);
  with.reuse_address = true;
  CORBEL_TRY(const auto interface, interface_of(settings));
  const InetAddress here = group.with_scope(interface.index());
  if (here.scope() != 0 && interface.index() != 0 && here.scope() != interface.index()) {
    return base::error(Stage::listen, Code::bad_argument);
  }
  CORBEL_TRY(auto socket, ipc::MulticastSocket::open(here, with));
  CORBEL_CHECK(socket.join(here, interface));
  return socket;
}

constexpr base::Duration kLookAgain = std::chrono::seconds(2);  // whether the interface is still the same

/// There is one carrier at a time; the next one begins as soon as that has ended.
class Place final : public Vacancy {
 public:
  /// `looks`: as long as it is taken, its handle is readable now and then, for a look at the interface.
  Place(ipc::Alarm alarm, bool looks) : alarm_(std::move(alarm)), looks_(looks) { alarm_.set({}); }
  /// The alarm first: the thread that vacates sets it last, and that of a place that is taken wakes no thread twice.
  bool take() noexcept {
    if (disowned_) return false;
    if (looks_) {
      alarm_.set(kLookAgain);
    } else {
      alarm_.clear();
    }
    return vacant_.exchange(false);
  }
  void hold(GroupEar& ear) noexcept {
    const std::lock_guard lock(mutex_);
    ear_ = &ear;
  }
  /// The carrier is of no more use.
  void end() noexcept {
    const std::lock_guard lock(mutex_);
    if (ear_ != nullptr) ear_->shutdown();
  }
  void vacate() noexcept override {
    if (disowned_) return;
    {
      const std::lock_guard lock(mutex_);
      ear_ = nullptr;
    }
    vacant_ = true;
    alarm_.set({});
  }
  /// In a child the place and the alarm are its parent's.
  void disown() noexcept { disowned_ = true; }
  int handle() const noexcept { return alarm_.handle(); }

 private:
  const ipc::Alarm alarm_;
  const bool looks_;
  std::atomic<bool> vacant_{true};
  std::atomic<bool> disowned_{false};
  base::Mutex mutex_;  // guards what follows
  GroupEar* ear_ = nullptr;
};

class GroupAcceptor final : public Acceptor {
 public:
  GroupAcceptor(ipc::MulticastSocket socket, std::shared_ptr<const GroupEndpoint> endpoint,
                const ConnectionOptions& options, MulticastSettings settings, const base::Log& log,
                std::shared_ptr<Place> place)
      : next_(std::move(socket)),
        endpoint_(std::move(endpoint)),
        options_(options),
        settings_(std::move(settings)),
        log_(log),
        place_(std::move(place)),
        interface_(interface_now()) {}

  base::Result<std::unique_ptr<Transport>> accept() override {
    if (!place_->take()) {
      look_at_interface();
      return base::error(Stage::accept, Code::would_block);
    }
    Taken taken{*place_};
    auto socket = next_.handle() >= 0 ? base::Result<ipc::MulticastSocket>(std::move(next_))
                                      : join(endpoint_->address(), options_, settings_);
    if (!socket) return base::error(Stage::accept, socket.error().code, socket.error().os_error);
    auto ear = std::make_unique<GroupEar>(*std::move(socket), endpoint_->text(), place_);
    taken.by_ear = true;
    place_->hold(*ear);
    return std::unique_ptr<Transport>(std::move(ear));
  }
  int handle() const noexcept override { return place_->handle(); }
  std::vector<EndpointPtr> endpoints() const override { return {endpoint_}; }
  void close() noexcept override {
    (void)place_->take();
    next_.close();
  }

 private:
  /// Nobody would hear the group any more if the place stayed taken, whatever fails or is thrown.
  struct Taken {
    Place& place;
    bool by_ear = false;
    ~Taken() {
      if (!by_ear) place.vacate();
    }
  };

  std::uint32_t interface_now() const noexcept {
    const auto found = interface_of(settings_);
    return found ? found->index() : 0;
  }
  /// A socket is a member at the interface that had the name when it joined, and hears nothing by another one that has
  /// it now: the next carrier does.
  void look_at_interface() {
    if (settings_.interface.empty()) return;
    const std::uint32_t now = interface_now();
    if (std::exchange(interface_, now) == now) return;
    if (now == 0) {
      CORBEL_LOG(log_, transport, warning, "the interface of a group has gone", {"endpoint", endpoint_->text()},
                 {"interface", settings_.interface});
    } else {
      CORBEL_LOG(log_, transport, warning, "the interface of a group is another one", {"endpoint", endpoint_->text()},
                 {"interface", settings_.interface});
      place_->end();
    }
  }
  void after_fork() noexcept {
    place_->disown();
    next_.close();
  }

  ipc::MulticastSocket next_;  // of the first carrier
  const std::shared_ptr<const GroupEndpoint> endpoint_;
  const ConnectionOptions options_;
  const MulticastSettings settings_;
  const base::Log& log_;
  const std::shared_ptr<Place> place_;
  std::uint32_t interface_;  // its number at the last look; 0: none is named, or it has gone
  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<GroupAcceptor*>(self)->after_fork(); }, this};
};

class GroupConnector final : public Connector {
 public:
  explicit GroupConnector(MulticastSettings settings) : settings_(std::move(settings)) {}

  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   base::Deadline) override {
    CORBEL_TRY(const GroupEndpoint* own, own_endpoint<GroupEndpoint>(endpoint, Stage::connect));
    auto socket = open(own->address(), options);
    if (!socket) return base::error(Stage::connect, socket.error().code, socket.error().os_error);
    return std::unique_ptr<Transport>(new GroupSender(*std::move(socket), own->address()));
  }

 private:
  base::Result<ipc::MulticastSocket> open(const InetAddress& group, const ConnectionOptions& options) const {
    CORBEL_TRY(const auto interface, interface_of(settings_));
    CORBEL_TRY(auto socket, ipc::MulticastSocket::open(group.is_v6() ? InetAddress::any_v6() : InetAddress::any_v4(),
                                                       socket_options(options)));
    if (!settings_.interface.empty()) CORBEL_CHECK(socket.set_interface(interface));
    const int hops = options.traffic.time_to_live;
    CORBEL_CHECK(socket.set_hops(hops >= 0 ? hops : settings_.hops));
    CORBEL_CHECK(socket.set_loopback(settings_.loopback));
    return socket;
  }

  const MulticastSettings settings_;
};

constexpr base::OptionRow<MulticastSettings> kOptions[] = {
    {"MulticastInterface", base::TextMember<MulticastSettings>{base::member_v<&MulticastSettings::interface>}, 0, 0, "",
     "network interface (such as eth0) by which groups are sent to and heard; else as the system chooses"},
    {"MulticastHops", base::IntMember<MulticastSettings>{base::member_v<&MulticastSettings::hops>}, 0, 255, "networks",
     "how far what is sent to a group gets: 0 stays on this host, 1 on its network"},
    {"MulticastLoopback", base::SwitchMember<MulticastSettings>{base::member_v<&MulticastSettings::loopback>}, 0, 0, "",
     "what is sent to a group is heard on this host as well"},
};

class GroupFactory final : public Factory {
 public:
  GroupFactory(MulticastSettings settings, const base::Log& log) : settings_(std::move(settings)), log_(log) {}

  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return "group:port"; }
  std::span<const ConnectionOption> connection_options() const noexcept override { return group_options(); }
  std::span<const ConnectionOption> endpoint_options() const noexcept override { return buffer_options(); }
  Traits traits() const noexcept override { return kTraits; }

  base::Result<EndpointPtr> parse(std::string_view address) const override {
    CORBEL_TRY(const ior::HostPort parsed, parse_host_port(address));
    return endpoint_of(parsed.host, parsed.port);
  }
  /// "miop:1.0@1.0-domain-id[-version]/host:port".
  base::Result<EndpointPtr> from_url(const ior::UrlAddress& address) const override {
    if (address.scheme != "miop") return base::error(Stage::resolve, Code::unsupported);
    CORBEL_TRY(auto group, ior::parse_group_url(address.host));
    CORBEL_TRY(const ior::HostPort parsed, parse_host_port(group.address));
    if (parsed.port == 0) return bad_address();
    return endpoint_of(parsed.host, parsed.port, std::move(group.identity));
  }
  std::string_view url_form() const noexcept override { return "1.0@1.0-DOMAIN-ID[-VERSION]/GROUP:PORT"; }
  std::string why_bad_url(const ior::UrlAddress& address) const override {
    const auto group = ior::parse_group_url(address.host);
    if (!group) return "it names no group";
    const auto parsed = parse_host_port(group->address);
    if (!parsed || parsed->port == 0) return "'" + std::string(group->address) + "' has no address and port of a group";
    return "'" + parsed->host + "' is no group: 224.0.0.0 to 239.255.255.255, or an IPv6 address that begins with ff";
  }
  std::unique_ptr<Connector> make_connector() const override { return std::make_unique<GroupConnector>(settings_); }

  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const GroupEndpoint* own, own_endpoint<GroupEndpoint>(endpoint, Stage::listen));
    auto socket = join(own->address(), options, settings_);
    if (!socket) return base::error(Stage::listen, socket.error().code, socket.error().os_error);
    CORBEL_TRY(const InetAddress bound, socket->local_address());
    CORBEL_TRY(auto alarm, ipc::Alarm::open());
    auto place = std::make_shared<Place>(std::move(alarm), !settings_.interface.empty() && bound.scope() == 0);
    auto at = std::make_shared<const GroupEndpoint>(bound, std::nullopt);
    return std::unique_ptr<Acceptor>(
        new GroupAcceptor(*std::move(socket), std::move(at), options, settings_, log_, std::move(place)));
  }

  /// A request names the group by the whole profile.
  base::Result<Reachable> decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const override {
    if (profile.tag != static_cast<std::uint32_t>(ior::ProfileTag::uipmc)) {
      return base::error(Stage::resolve, Code::unsupported);
    }
    CORBEL_TRY(auto uipmc, ior::decode_uipmc_profile(profile, limits));
    if (uipmc.port == 0) return base::error(Stage::resolve, Code::unsupported);
    // Nobody can be in what is not named: another profile may lead somewhere.
    const ior::TaggedComponent* const group = ior::find_component(uipmc.components, ior::ComponentTag::group);
    if (group == nullptr || !ior::decode_group(*group)) return base::error(Stage::resolve, Code::malformed);
    Reachable result;
    CORBEL_TRY(auto endpoint, endpoint_of(uipmc.host, uipmc.port));
    result.endpoints.push_back(std::move(endpoint));
    result.base.version = {1, 2};
    result.base.object_key = profile.data;
    result.base.components = std::move(uipmc.components);
    return result;
  }

  /// Objects that have not joined a group are not reached by it: only a group that a URL named is published.
  bool publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase&,
               std::vector<ior::TaggedProfile>& profiles) const override {
    for (const EndpointPtr& endpoint : endpoints) {
      const auto own = own_endpoint<GroupEndpoint>(*endpoint, Stage::encode);
      if (!own || !(*own)->group()) continue;
      ior::UipmcProfile profile;
      profile.host = (*own)->address().host();
      profile.port = (*own)->address().port();
      profile.components.push_back(ior::encode_group(*(*own)->group()));
      profiles.push_back(ior::encode_profile(profile));
    }
    return true;
  }

  std::unique_ptr<base::OptionSet> options() const override { return base::option_set(settings_, kOptions); }
  std::shared_ptr<const Factory> with(const Setup& setup) const override {
    return std::make_shared<GroupFactory>(setup.settings(settings_), *setup.log);
  }

 private:
  const MulticastSettings settings_;
  const base::Log& log_;
};

}  // namespace
}  // namespace multicast

std::shared_ptr<const Factory> make_multicast(MulticastSettings settings) {
  return std::make_shared<multicast::GroupFactory>(std::move(settings), base::Log::none());
}

}  // namespace corbel::transport

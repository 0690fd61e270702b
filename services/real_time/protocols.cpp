// SPDX-License-Identifier: Apache-2.0
#include "protocols.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <corbel/ior/profile.hpp>
#include <corbel/poa/lane_policy.hpp>

#include "corbel_real_time.hpp"
#include "parts.hpp"

namespace corbel::real_time {
namespace {

constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
constexpr auto kIiop = static_cast<std::uint32_t>(ior::ProfileTag::internet_iop);
constexpr auto kUiop = static_cast<std::uint32_t>(ior::ProfileTag::uiop);
constexpr auto kDiop = static_cast<std::uint32_t>(ior::ProfileTag::diop);
constexpr auto kUipmc = static_cast<std::uint32_t>(ior::ProfileTag::uipmc);
constexpr std::uint32_t kShmiop = 0x54414f02;  // TAO's; Corbel's profile for shared memory is its own

template <class T>
using Ref = typename IDL::traits<T>::ref_type;

[[noreturn]] void refuse(const char* what) {
  throw CORBA::BAD_PARAM(0, kNo, what);
}

/// What several kinds have, each in an interface of its own.
template <class Kind>
class WithBuffers : public Kind {
 public:
  WithBuffers(std::int32_t send, std::int32_t receive) : send_(send), receive_(receive) {}
  std::int32_t send_buffer_size() override { return send_; }
  void send_buffer_size(std::int32_t value) override { send_ = value; }
  std::int32_t recv_buffer_size() override { return receive_; }
  void recv_buffer_size(std::int32_t value) override { receive_ = value; }

 private:
  std::int32_t send_;
  std::int32_t receive_;
};

template <class Kind>
class OfStream : public WithBuffers<Kind> {
 public:
  OfStream(std::int32_t send, std::int32_t receive, bool keep_alive, bool dont_route, bool no_delay)
      : WithBuffers<Kind>(send, receive), keep_alive_(keep_alive), dont_route_(dont_route), no_delay_(no_delay) {}
  bool keep_alive() override { return keep_alive_; }
  void keep_alive(bool value) override { keep_alive_ = value; }
  bool dont_route() override { return dont_route_; }
  void dont_route(bool value) override { dont_route_ = value; }
  bool no_delay() override { return no_delay_; }
  void no_delay(bool value) override { no_delay_ = value; }

 private:
  bool keep_alive_;
  bool dont_route_;
  bool no_delay_;
};

using UnixDomainProperties = WithBuffers<RTCORBA::UnixDomainProtocolProperties>;

class TcpProperties final : public OfStream<RTCORBA::TCPProtocolProperties> {
 public:
  TcpProperties(std::int32_t send, std::int32_t receive, bool keep_alive, bool dont_route, bool no_delay, bool priority)
      : OfStream(send, receive, keep_alive, dont_route, no_delay), priority_(priority) {}
  bool enable_network_priority() override { return priority_; }
  void enable_network_priority(bool value) override { priority_ = value; }

 private:
  bool priority_;
};

class SharedMemoryProperties final : public OfStream<RTCORBA::SharedMemoryProtocolProperties> {
 public:
  SharedMemoryProperties(std::int32_t send, std::int32_t receive, bool keep_alive, bool dont_route, bool no_delay,
                         std::int32_t preallocate, std::string file, std::string lock)
      : OfStream(send, receive, keep_alive, dont_route, no_delay),
        preallocate_(preallocate),
        file_(std::move(file)),
        lock_(std::move(lock)) {}
  std::int32_t preallocate_buffer_size() override { return preallocate_; }
  void preallocate_buffer_size(std::int32_t value) override { preallocate_ = value; }
  std::string mmap_filename() override { return file_; }
  void mmap_filename(const std::string& value) override { file_ = value; }
  std::string mmap_lockname() override { return lock_; }
  void mmap_lockname(const std::string& value) override { lock_ = value; }

 private:
  std::int32_t preallocate_;
  std::string file_;
  std::string lock_;
};

void check(const RTCORBA::ProtocolList& protocols) {
  if (protocols.empty()) refuse("a protocol policy names protocols");
  for (auto one = protocols.begin(); one != protocols.end(); ++one) {
    const auto same = [&](const RTCORBA::Protocol& other) { return other.protocol_type() == one->protocol_type(); };
    if (std::any_of(protocols.begin(), one, same)) refuse("a protocol policy names one protocol twice");
    const auto& giop = one->orb_protocol_properties();
    if (giop != nullptr && IDL::traits<RTCORBA::GIOPProtocolProperties>::narrow(giop) == nullptr) {
      refuse("orb_protocol_properties are GIOPProtocolProperties, or nil");
    }
  }
}

/// By the names of TransportOptionsPolicy, in the order of these.
policy::TransportOptions buffers(std::int32_t send, std::int32_t receive) {
  if (send < 0 || receive < 0) refuse("the size of a socket's buffer is not negative; 0 is the system's default");
  return {{"recv_buffer_size", std::to_string(receive)}, {"send_buffer_size", std::to_string(send)}};
}

policy::TransportOptions options_of(RTCORBA::TCPProtocolProperties& tcp) {
  if (tcp.dont_route()) throw CORBA::NO_IMPLEMENT(0, kNo, "connections do not have dont_route");
  if (tcp.enable_network_priority()) throw CORBA::NO_IMPLEMENT(0, kNo, "connections do not have network priorities");
  const auto text = [](bool on) { return on ? "on" : "off"; };
  policy::TransportOptions options = {{"keep_alive", text(tcp.keep_alive())}, {"no_delay", text(tcp.no_delay())}};
  std::ranges::move(buffers(tcp.send_buffer_size(), tcp.recv_buffer_size()), std::back_inserter(options));
  return options;
}

policy::TransportOptions options_of(RTCORBA::SharedMemoryProtocolProperties& memory) {
  const bool sized =
      memory.send_buffer_size() != 0 || memory.recv_buffer_size() != 0 || memory.preallocate_buffer_size() != 0;
  if (sized || !memory.mmap_filename().empty() || !memory.mmap_lockname().empty()) {
    throw CORBA::NO_IMPLEMENT(0, kNo, "the sizes and names of shared memory are the transport's own");
  }
  return {};  // keep_alive and the like are of the socket that TAO has beside it
}

/// Of the protocol; null: as the ORB's options say.
policy::TransportOptionsPtr options_of(const RTCORBA::Protocol& protocol) {
  const auto& properties = protocol.transport_protocol_properties();
  if (properties == nullptr) return nullptr;
  policy::TransportOptions options;
  const auto tcp = IDL::traits<RTCORBA::TCPProtocolProperties>::narrow(properties);
  const auto local = IDL::traits<RTCORBA::UnixDomainProtocolProperties>::narrow(properties);
  const auto memory = IDL::traits<RTCORBA::SharedMemoryProtocolProperties>::narrow(properties);
  if (tcp != nullptr && protocol.protocol_type() == kIiop) {
    options = options_of(*tcp._shared());
  } else if (local != nullptr && protocol.protocol_type() == kUiop) {
    options = buffers(local->send_buffer_size(), local->recv_buffer_size());
  } else if (memory != nullptr && protocol.protocol_type() == kShmiop) {
    options = options_of(*memory._shared());
  } else {
    refuse("transport_protocol_properties are not of their protocol");
  }
  return options.empty() ? nullptr : std::make_shared<const policy::TransportOptions>(std::move(options));
}

/// Transports by the names of protocols.
struct Named {
  std::uint32_t protocol;
  std::string_view scheme;
  bool in_own_profile = false;  ///< references name it in Corbel's, whatever is spoken
};
constexpr Named kNamed[] = {
    {kIiop, "tcp"},
    {kIiop, "tls"},
    {kUiop, "unix"},
    {kDiop, "udp"},
    {kUipmc, "multicast"},
    {kShmiop, "shm", true},
    {kRudpProtocol, "rudp", true},
    {kPacketProtocol, "packet", true},
    {kInprocProtocol, "inproc", true},
};

/// True if the protocol of RTCORBA, "IIOP", is the name of a message protocol, "giop", over a transport, "tcp".
bool names(std::uint32_t protocol, std::string_view spoken, std::string_view scheme) {
  if (protocol == kOwnProtocols && spoken != "giop") return true;
  const auto* const named = std::ranges::find(kNamed, scheme, &Named::scheme);
  const bool known = named != std::end(kNamed);
  if (protocol == kOwnProtocols) return !known || named->in_own_profile;
  return known && named->protocol == protocol;
}

/// The same of what a profile of the server's leads by.
bool names(std::uint32_t protocol, const ior::TaggedProfile& profile) {
  if (profile.tag == protocol) return true;
  const auto own = ior::decode_corbel_profile(profile);
  if (!own) return false;
  const std::string_view endpoint = own->endpoint;
  return names(protocol, own->protocol, endpoint.substr(0, endpoint.find(':')));
}

class ClientProtocols final : public RTCORBA::ClientProtocolPolicy, public HasProtocols {
 public:
  using Carriers = std::vector<orb::Branch::Carrier>;
  ClientProtocols(RTCORBA::ProtocolList protocols, Carriers carriers, std::uint64_t number)
      : protocols_(std::move(protocols)), carriers_(std::move(carriers)), number_(number) {}
  RTCORBA::ProtocolList protocols() override { return protocols_; }
  CORBA::PolicyType policy_type() override { return RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE; }
  Ref<CORBA::Policy> copy() override { return CORBA::make_reference<ClientProtocols>(protocols_, carriers_, number_); }
  std::uint64_t number() const noexcept override { return number_; }
  const Carriers& carriers() const noexcept override { return carriers_; }

 private:
  const RTCORBA::ProtocolList protocols_;
  const Carriers carriers_;
  const std::uint64_t number_;
};

class ServerProtocols final : public RTCORBA::ServerProtocolPolicy, public poa::SelectsProfiles {
 public:
  explicit ServerProtocols(RTCORBA::ProtocolList protocols) : protocols_(std::move(protocols)) {}
  RTCORBA::ProtocolList protocols() override { return protocols_; }
  CORBA::PolicyType policy_type() override { return RTCORBA::SERVER_PROTOCOL_POLICY_TYPE; }
  Ref<CORBA::Policy> copy() override { return CORBA::make_reference<ServerProtocols>(protocols_); }
  bool _overrides() const noexcept override { return false; }  // the server's alone
  void select_profiles(std::vector<ior::TaggedProfile>& profiles) const override {
    const auto is_local = [](const RTCORBA::Protocol& one) { return one.protocol_type() == kUiop; };
    if (std::ranges::none_of(protocols_, is_local)) {
      std::ranges::for_each(profiles, forget_local);
      std::erase_if(profiles, leads_nowhere);
    }
    auto rest = profiles.begin();  // those that no protocol has named so far
    for (const RTCORBA::Protocol& protocol : protocols_) {
      rest = std::stable_partition(rest, profiles.end(), [&](const ior::TaggedProfile& profile) {
        return names(protocol.protocol_type(), profile);
      });
    }
    profiles.erase(rest, profiles.end());
  }

 private:
  /// An IIOP profile may name a UNIX-domain socket besides.
  static void forget_local(ior::TaggedProfile& profile) {
    auto iiop = ior::decode_iiop_profile(profile);
    if (!iiop) return;
    std::erase_if(iiop->components, [](const ior::TaggedComponent& one) {
      return one.tag == static_cast<std::uint32_t>(ior::ComponentTag::omniorb_unix_trans);
    });
    profile = ior::encode_profile(*iiop);
  }

  /// True if it named only that.
  static bool leads_nowhere(const ior::TaggedProfile& profile) {
    const auto iiop = ior::decode_iiop_profile(profile);
    if (!iiop || iiop->port != 0) return false;
    return ior::find_component(iiop->components, ior::ComponentTag::ssl_sec_trans) == nullptr;
  }

  const RTCORBA::ProtocolList protocols_;
};

}  // namespace

TcpRef make_tcp_properties(std::int32_t send, std::int32_t receive, bool keep_alive, bool dont_route, bool no_delay,
                           bool network_priority) {
  return CORBA::make_reference<TcpProperties>(send, receive, keep_alive, dont_route, no_delay, network_priority);
}

UnixDomainRef make_unix_domain_properties(std::int32_t send, std::int32_t receive) {
  return CORBA::make_reference<UnixDomainProperties>(send, receive);
}

SharedMemoryRef make_shared_memory_properties(std::int32_t send, std::int32_t receive, bool keep_alive, bool dont_route,
                                              bool no_delay, std::int32_t preallocate, std::string file,
                                              std::string lock) {
  return CORBA::make_reference<SharedMemoryProperties>(send, receive, keep_alive, dont_route, no_delay, preallocate,
                                                       std::move(file), std::move(lock));
}

Ref<RTCORBA::ClientProtocolPolicy> make_client_protocols(const RTCORBA::ProtocolList& protocols) {
  check(protocols);
  ClientProtocols::Carriers carriers;
  for (const RTCORBA::Protocol& one : protocols) {
    const auto takes = [protocol = one.protocol_type()](std::string_view spoken, std::string_view scheme) {
      return names(protocol, spoken, scheme);
    };
    carriers.push_back({takes, options_of(one)});
  }
  static std::atomic<std::uint64_t> last{0};
  return CORBA::make_reference<ClientProtocols>(protocols, std::move(carriers), ++last);
}

Ref<RTCORBA::ServerProtocolPolicy> make_server_protocols(const RTCORBA::ProtocolList& protocols) {
  check(protocols);
  for (const RTCORBA::Protocol& one : protocols) {
    if (one.transport_protocol_properties() == nullptr) continue;
    throw CORBA::NO_IMPLEMENT(0, kNo,
                              "the ORB's options say what the connections of servers have: -ORBSendBuffer, ...");
  }
  return CORBA::make_reference<ServerProtocols>(protocols);
}

}  // namespace corbel::real_time

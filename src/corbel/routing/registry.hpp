// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/fork.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/ior/url.hpp"
#include "corbel/policy/qos.hpp"
#include "corbel/routing/route.hpp"

namespace corbel::routing {

/// The protocols and transports of one ORB: turns references into routes, endpoint texts into listen points, and open
/// endpoints into profiles. Thread-safe; what is added or withdrawn concerns what is asked afterwards. What was made
/// before stays valid: it holds what it is made of.
class Registry {
 public:
  /// `max_version`: the highest GIOP version to speak and publish.
  Registry(std::vector<ProtocolPtr> protocols, std::vector<FactoryPtr> transports, messaging::Version max_version,
           const cdr::Limits& limits);

  /// Those that there are now, in order of preference.
  std::vector<TransportPtr> transports() const { return parts()->transports; }
  const cdr::Limits& limits() const noexcept { return limits_; }

  /// Adds all of them behind those that are there, or none. Returns why not, in words that follow "it brings"; empty if
  /// they have been added.
  std::string add(const std::vector<ProtocolPtr>& protocols, const std::vector<FactoryPtr>& transports);
  /// Takes out the protocol with this name; null if there is none.
  ProtocolPtr withdraw_protocol(std::string_view name);
  /// Takes out the transport with this scheme; null if there is none.
  TransportPtr withdraw_transport(std::string_view scheme);
  /// True if neither has been withdrawn.
  bool has(const ProtocolPtr& protocol, const TransportPtr& transport) const;
  /// Another number whenever something was added or withdrawn.
  std::uint32_t changes() const noexcept { return changes_.load(std::memory_order_acquire); }

  /// Reads "tcp://host:port", "iiop://..." (the same), "giop_lite+tcp://...", all perhaps with
  /// "?bandwidth=KBIT_S&dscp=46" behind: what references then say, and options of the transport
  /// (Factory::endpoint_options). Errors (stage resolve): bad_argument with unknown words, unsupported if the protocol
  /// needs what the transport does not give.
  base::Result<ListenPoint> parse_endpoint(std::string_view text) const;
  /// Why parse_endpoint() takes a text for nothing: which need of the protocol the transport does not meet, which
  /// option it does not have, or that there is no such protocol or transport, and which there are. Empty for any other
  /// text.
  std::string why_unfit(std::string_view text) const;
  /// How addresses of the transport that the text names look, "tcp://host:port"; of all there are, if it names none.
  std::string address_form(std::string_view text) const;
  /// All ways to reach the object that can carry replies, or if there is none, those that cannot; in the order of
  /// `preference` (combinations) and then of the profiles; local transports before TCP to this host. If one insists
  /// (Factory::insists), others that leave this host are left out. Unknown and damaged profiles are skipped. Errors:
  /// no_profile if nothing is left, too_many_components or key_too_long if that is why, wide or narrow code sets that
  /// cannot be agreed on.
  base::Result<std::vector<Route>> routes(const ior::Ior& ior, const policy::ProtocolPreference& preference) const;
  /// Profiles for an object with this key, reachable at the open endpoints.
  std::vector<ior::TaggedProfile> publish(const std::vector<ListenPoint>& open, base::ConstByteSpan object_key) const;
  /// Endpoint of one address of a corbaloc URL.
  base::Result<ListenPoint> from_url(const ior::UrlAddress& address) const;
  /// Of one that was refused, what is wrong and what to write.
  std::string why_bad_url(const ior::UrlAddress& address) const;

 private:
  /// What there is at one moment. Immutable.
  struct Parts {
    const ProtocolPtr* find_protocol(std::string_view name) const noexcept;
    const TransportPtr* find_transport(std::string_view scheme) const noexcept;
    /// The same for what an endpoint may call it: by the OMG's name as well (Factory::standard_scheme).
    const TransportPtr* find_transport_of_endpoint(std::string_view scheme) const noexcept;

    std::vector<ProtocolPtr> protocols;
    std::vector<TransportPtr> transports;
  };
  using PartsPtr = std::shared_ptr<const Parts>;
  /// What a text names: a protocol, a transport, and what follows "://".
  struct Named {
    ProtocolPtr protocol;
    TransportPtr transport;
    std::string_view address;
    std::uint32_t bandwidth = 0;
    policy::TransportOptionsPtr options{};
  };

  PartsPtr parts() const;
  void set(std::shared_ptr<Parts> parts);
  static base::Result<Named> find(const Parts& parts, std::string_view text);
  static std::string why_unknown(const Parts& parts, std::string_view text);
  static base::Result<ListenPoint> parse(const Parts& parts, std::string_view text);
  /// `limit` becomes the limit of this process that the profile is over, if it is.
  void add_routes(const Parts& parts, const ior::TaggedProfile& profile, std::vector<Route>& routes,
                  base::Code& limit) const;
  void add_route(const ior::ProfileBase& base, const ListenPoint& point, std::vector<Route>& routes) const;

  const messaging::Version max_version_;
  const cdr::Limits limits_;
  std::atomic<std::uint32_t> changes_{0};  // written under the mutex
  mutable base::ForkMutex mutex_;          // guards what follows
  PartsPtr parts_;
  std::size_t next_order_ = 0;
};

}  // namespace corbel::routing

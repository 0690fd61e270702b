// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/result.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/ior/url.hpp"
#include "corbel/messaging/protocol.hpp"
#include "corbel/policy/qos.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::connection {

using ProtocolPtr = std::shared_ptr<const messaging::Protocol>;
using TransportPtr = std::shared_ptr<const transport::Factory>;

/// One way to reach an object: a protocol over a transport to an endpoint, and what to call the object there.
struct Route {
  ProtocolPtr protocol;
  std::size_t transport = 0;  ///< index in Registry::transports()
  transport::EndpointPtr endpoint;
  messaging::Version version;
  base::Bytes object_key;
  ior::CodeSetChoice code_sets;
  std::string key;  ///< equal for routes that may share connections
  /// Where requests without a reply go instead: an endpoint that is preferred, and whose protocol has no replies. Null
  /// if there is none.
  std::shared_ptr<const Route> oneways;
};

/// Where to listen: a message protocol and a transport endpoint.
struct ListenPoint {
  ProtocolPtr protocol;
  std::size_t transport = 0;
  transport::EndpointPtr endpoint;
};

/// The protocols and transports of one ORB: turns references into routes, endpoint texts into listen points, and open
/// endpoints into profiles. Immutable after construction, so thread-safe.
class Registry {
 public:
  /// `max_version`: the highest GIOP version to speak and publish.
  Registry(std::vector<ProtocolPtr> protocols, std::vector<TransportPtr> transports, messaging::Version max_version,
           const cdr::Limits& limits);

  const std::vector<ProtocolPtr>& protocols() const noexcept { return protocols_; }
  const std::vector<TransportPtr>& transports() const noexcept { return transports_; }
  const cdr::Limits& limits() const noexcept { return limits_; }

  /// Reads "tcp://host:port", "iiop://..." (the same), "giop_lite+tcp://...". Errors (stage resolve): bad_argument with
  /// unknown words, unsupported if the protocol needs what the transport does not give.
  base::Result<ListenPoint> parse_endpoint(std::string_view text) const;
  /// Why parse_endpoint() calls a combination unsupported: which need of the protocol the transport does not meet.
  /// Empty for any other text.
  std::string why_unfit(std::string_view text) const;
  /// All ways to reach the object that can carry replies, or if there is none, those that cannot; in the order of
  /// `preference` (combinations) and then of the profiles; local transports before TCP to this host. If one insists
  /// (Factory::insists), others that leave this host are left out. Unknown and damaged profiles are skipped. Errors:
  /// no_profile if nothing is left, wide or narrow code sets that cannot be agreed on.
  base::Result<std::vector<Route>> routes(const ior::Ior& ior, const policy::ProtocolPreference& preference) const;
  /// Profiles for an object with this key, reachable at the open endpoints.
  std::vector<ior::TaggedProfile> publish(const std::vector<ListenPoint>& open, base::ConstByteSpan object_key) const;
  /// Endpoint of one address of a corbaloc URL.
  base::Result<ListenPoint> from_url(const ior::UrlAddress& address) const;

 private:
  const ProtocolPtr* find_protocol(std::string_view name) const noexcept;
  /// What a text names: a protocol, a transport, and what follows "://". Error: bad_argument.
  struct Named {
    const ProtocolPtr& protocol;
    std::size_t transport;
    std::string_view address;
  };
  base::Result<Named> find(std::string_view text) const;
  void add_routes(const ior::TaggedProfile& profile, std::vector<Route>& routes) const;
  void keep_to_insistent(std::vector<Route>& routes) const;
  base::Result<transport::Reachable> reachable(const ior::TaggedProfile& profile, std::size_t& transport,
                                               std::size_t from) const;

  const std::vector<ProtocolPtr> protocols_;
  const std::vector<TransportPtr> transports_;
  const messaging::Version max_version_;
  const cdr::Limits limits_;
};

}  // namespace corbel::connection

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "corbel/ior/profile.hpp"
#include "corbel/messaging/protocol.hpp"
#include "corbel/policy/transport_options.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::routing {

using ProtocolPtr = std::shared_ptr<const messaging::Protocol>;
using FactoryPtr = std::shared_ptr<const transport::Factory>;

/// A transport as one ORB has it. Whatever came of it (routes, open endpoints, connections) holds it, so that it may be
/// withdrawn while they are in use. Immutable; thread-safe.
class InstalledTransport {
 public:
  /// `order`: of preference; less comes first.
  InstalledTransport(FactoryPtr factory, std::size_t order)
      : factory_(std::move(factory)), connector_(factory_->make_connector()), order_(order) {}

  const transport::Factory& factory() const noexcept { return *factory_; }
  transport::Connector& connector() const noexcept { return *connector_; }
  std::size_t order() const noexcept { return order_; }

 private:
  const FactoryPtr factory_;
  const std::unique_ptr<transport::Connector> connector_;
  const std::size_t order_;
};
using TransportPtr = std::shared_ptr<const InstalledTransport>;

/// One way to reach an object: a protocol over a transport to an endpoint, and what to call the object there.
struct Route {
  ProtocolPtr protocol;
  TransportPtr transport;
  transport::EndpointPtr endpoint;
  messaging::Version version;
  base::Bytes object_key;
  ior::CodeSetChoice code_sets;
  std::uint32_t bandwidth = 0;          ///< that the server promises, in kbit/s; 0: it says nothing
  std::uint32_t profile = 0;            ///< of the reference: which it comes from
  policy::TransportOptionsPtr options;  ///< of its connections; null: the ORB's
  std::string key;                      ///< equal for routes that may share connections
  /// Where requests without a reply go instead: an endpoint that is preferred, and whose protocol has no replies. Null
  /// if there is none.
  std::shared_ptr<const Route> oneways;
  /// How requests name the object, if the server has said that it does not take the mere key; null: by that.
  std::shared_ptr<const messaging::TargetAddress> address;
};

/// Where to listen: a message protocol and a transport endpoint.
struct ListenPoint {
  ProtocolPtr protocol;
  TransportPtr transport;
  transport::EndpointPtr endpoint;
  std::uint32_t bandwidth = 0;            ///< that references promise, in kbit/s; 0: they say nothing
  policy::TransportOptionsPtr options{};  ///< of accepted connections; null: the ORB's
};

}  // namespace corbel::routing

// SPDX-License-Identifier: Apache-2.0
// Open endpoints to profiles.
#include <algorithm>

#include "corbel/routing/registry.hpp"
#include "corbel/routing/unmet.hpp"

namespace corbel::routing {
namespace {

ior::TaggedComponent orb_type() {
  cdr::Encoder encoder(cdr::Format{}, 16);
  encoder.put(static_cast<std::uint8_t>(encoder.format().little_endian ? 1 : 0));
  encoder.put(ior::kOrbType);
  return {static_cast<std::uint32_t>(ior::ComponentTag::orb_type), encoder.to_bytes()};
}

}  // namespace

std::vector<ior::TaggedProfile> Registry::publish(const std::vector<ListenPoint>& open,
                                                  base::ConstByteSpan object_key) const {
  const PartsPtr now = parts();
  ior::ProfileBase base;
  base.object_key.assign(object_key.begin(), object_key.end());
  std::vector<ior::TaggedProfile> profiles;
  for (const auto& transport : now->transports) {
    if (transport->factory().traits().group_profile != 0) continue;  // no object is reached by what it has not joined
    for (const auto& protocol : now->protocols) {
      std::vector<transport::EndpointPtr> endpoints;
      std::vector<ior::Bandwidth> bandwidths;
      for (const auto& point : open) {
        if (point.transport != transport || point.protocol != protocol) continue;
        endpoints.push_back(point.endpoint);
        if (point.bandwidth != 0) bandwidths.push_back({point.endpoint->text(), point.bandwidth});
      }
      if (endpoints.empty()) continue;
      base.version = std::min(max_version_, protocol->version());
      base.components.clear();
      if (base.version.minor >= 1) {
        base.components.push_back(orb_type());
        base.components.push_back(ior::encode_code_sets(ior::own_code_sets()));
        if (!bandwidths.empty()) base.components.push_back(ior::encode_bandwidths(bandwidths));
      }
      if (protocol->name() == kDefaultProtocol && transport->factory().publish(endpoints, base, profiles)) continue;
      for (const auto& endpoint : endpoints) {
        ior::CorbelProfile own;
        static_cast<ior::ProfileBase&>(own) = base;
        own.protocol = protocol->name();
        own.endpoint = endpoint->text();
        profiles.push_back(ior::encode_profile(own));
      }
    }
  }
  return profiles;
}

}  // namespace corbel::routing

// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/identity.hpp"

#include <algorithm>

#include "corbel/cdr/decoder.hpp"

namespace corbel::ior {

std::optional<IiopIdentity> iiop_identity(const TaggedProfile& profile) {
  if (profile.tag != static_cast<std::uint32_t>(ProfileTag::internet_iop)) return std::nullopt;
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(profile.data);
  decoder.take_octets(2);  // the version
  IiopIdentity identity;
  identity.host = decoder.get_plain_string();
  identity.port = decoder.get<std::uint16_t>();
  identity.object_key = decoder.get_octet_sequence();
  if (!decoder.ok() || identity.port == 0) return std::nullopt;
  return identity;
}

bool lead_to_same(const TaggedProfile& a, const TaggedProfile& b) {
  if (a == b) return true;
  const auto left = iiop_identity(a), right = iiop_identity(b);
  return left && right && left->host == right->host && left->port == right->port &&
         std::ranges::equal(left->object_key, right->object_key);
}

}  // namespace corbel::ior

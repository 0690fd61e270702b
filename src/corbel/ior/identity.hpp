// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "corbel/ior/ior.hpp"

/// Which object profiles lead to, in whatever version and byte order they are written: ORBs may write the profiles of
/// others anew when they pass references on.
namespace corbel::ior {

/// What says it in an IIOP profile.
struct IiopIdentity {
  std::string host;
  std::uint16_t port = 0;
  base::ConstByteSpan object_key;  ///< a part of the profile's data
};
/// Nothing of other profiles, of malformed ones, and of those without a port: where these lead is in their components.
CORBEL_API std::optional<IiopIdentity> iiop_identity(const TaggedProfile& profile);

/// True if both are known to lead to the same object.
CORBEL_API bool lead_to_same(const TaggedProfile& a, const TaggedProfile& b);

}  // namespace corbel::ior

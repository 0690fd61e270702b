// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "corbel/ior/ior.hpp"

namespace corbel::orb {

/// Of a profile of any of the kinds that ior/profile.hpp has; none of others, and of malformed ones.
std::vector<ior::TaggedComponent> components_of(const ior::TaggedProfile& profile);

/// True if what one profile of a reference leads to, and one of another, have the same policies, as far as their
/// servers say (TAG_POLICIES; CORBA 3.3 part 2, 7.7.3): of the same types, with values of the same octets. The order in
/// which they are said does not matter.
bool have_same_policies(const ior::Ior& one, std::uint32_t profile, const ior::Ior& other, std::uint32_t other_profile);

}  // namespace corbel::orb

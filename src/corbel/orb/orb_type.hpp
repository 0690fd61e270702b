// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/ior/ior.hpp"

namespace corbel::orb {

/// Which ORB made the reference, by the component TAG_ORB_TYPE of its profiles: "omniORB", "TAO", "JacORB", "Corbel",
/// the number of another one, or "unknown".
std::string orb_type_of(const ior::Ior& ior);

}  // namespace corbel::orb

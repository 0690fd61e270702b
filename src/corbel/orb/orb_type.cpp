// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/orb_type.hpp"

#include "corbel/cdr/decoder.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/exposed_policies.hpp"

namespace corbel::orb {
namespace {

std::string name_of(std::uint32_t type) {
  switch (type) {
    case ior::kOrbType:
      return "Corbel";
    case 0x41545400:
      return "omniORB";
    case 0x54414f00:
      return "TAO";
    case 0x4a414300:
      return "JacORB";
    default:
      return std::to_string(type);
  }
}

}  // namespace

std::string orb_type_of(const ior::Ior& ior) {
  for (const ior::TaggedProfile& profile : ior.profiles) {
    const auto components = components_of(profile);
    const ior::TaggedComponent* type = ior::find_component(components, ior::ComponentTag::orb_type);
    if (type == nullptr) continue;
    cdr::Decoder decoder = cdr::Decoder::from_encapsulation(type->data);
    const auto number = decoder.get<std::uint32_t>();
    if (decoder.ok()) return name_of(number);
  }
  return "unknown";
}

}  // namespace corbel::orb

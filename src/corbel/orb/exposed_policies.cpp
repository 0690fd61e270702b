// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/exposed_policies.hpp"

#include <algorithm>
#include <utility>

#include "corbel/cdr/decoder.hpp"
#include "corbel/ior/profile.hpp"

namespace corbel::orb {
namespace {

constexpr std::uint32_t kTagPolicies = 2;                        // IOP::TAG_POLICIES
constexpr std::size_t kLeastPolicy = 2 * sizeof(std::uint32_t);  // of one in a message
constexpr std::uint32_t kUnreadable = 0xffffffff;                // in place of a type

/// A Messaging::PolicyValue.
using ExposedPolicy = std::pair<std::uint32_t, base::Bytes>;

/// Octets that are no list of policies are taken as one of a kind of its own.
void add_policies(const base::Bytes& octets, std::vector<ExposedPolicy>& all) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(octets);
  std::vector<ExposedPolicy> policies(decoder.take_count(kLeastPolicy, sizeof(ExposedPolicy)));
  for (auto& [type, value] : policies) {
    type = decoder.get<std::uint32_t>();
    const base::ConstByteSpan said = decoder.get_octet_sequence();
    value.assign(said.begin(), said.end());
  }
  if (!decoder.ok()) policies.assign(1, {kUnreadable, octets});
  all.insert(all.end(), policies.begin(), policies.end());
}

std::vector<ExposedPolicy> policies_of(const ior::Ior& ior, std::uint32_t profile) {
  std::vector<ExposedPolicy> all;
  if (profile >= ior.profiles.size()) return all;
  for (const ior::TaggedComponent& component : components_of(ior.profiles[profile])) {
    if (component.tag == kTagPolicies) add_policies(component.data, all);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

std::vector<ior::TaggedComponent> components_of(const ior::TaggedProfile& profile) {
  if (auto iiop = ior::decode_iiop_profile(profile)) return std::move(iiop->components);
  if (auto diop = ior::decode_diop_profile(profile)) return std::move(diop->components);
  if (auto uiop = ior::decode_uiop_profile(profile)) return std::move(uiop->components);
  if (auto own = ior::decode_corbel_profile(profile)) return std::move(own->components);
  return {};
}

bool have_same_policies(const ior::Ior& one, std::uint32_t profile, const ior::Ior& other,
                        std::uint32_t other_profile) {
  return policies_of(one, profile) == policies_of(other, other_profile);
}

}  // namespace corbel::orb

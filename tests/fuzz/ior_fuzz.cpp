// SPDX-License-Identifier: Apache-2.0
// Object references: the input as the text of a reference, and as the octets behind "IOR:"; then every profile and
// component in it.
#include <string>

#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"

namespace {

using namespace corbel;

void read_components(const std::vector<ior::TaggedComponent>& components) {
  for (const ior::TaggedComponent& component : components) {
    (void)ior::decode_alternate_address(component);
    (void)ior::decode_unix_address(component);
    if (const auto sets = ior::decode_code_sets(component)) (void)ior::choose_code_sets(&*sets);
  }
}

void read_reference(std::string_view text) {
  const auto reference = ior::from_string(text);
  if (!reference) return;
  (void)ior::to_string(*reference);
  for (const ior::TaggedProfile& profile : reference->profiles) {
    if (const auto iiop = ior::decode_iiop_profile(profile)) read_components(iiop->components);
    if (const auto uiop = ior::decode_uiop_profile(profile)) read_components(uiop->components);
    if (const auto own = ior::decode_corbel_profile(profile)) read_components(own->components);
    (void)ior::object_key_of(profile.tag, profile.data);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const base::ConstByteSpan octets(data, size);
  read_reference(base::as_text(octets));
  read_reference("IOR:" + base::to_hex(octets));
  return 0;
}

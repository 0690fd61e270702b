// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/profile.hpp"
#include "messaging/giop/header_reader.hpp"

namespace corbel::messaging::giop {
namespace {

/// AddressingDisposition (9.4.2.1).
enum Disposition : std::uint16_t { kKeyAddr = 0, kProfileAddr = 1, kReferenceAddr = 2 };

struct Profile {
  std::uint32_t tag = 0;
  base::ConstByteSpan body;
};

Profile take_profile(cdr::Decoder& decoder) {
  Profile profile;
  profile.tag = decoder.get<std::uint32_t>();
  profile.body = decoder.get_octet_sequence();
  return profile;
}

/// IORAddressingInfo: the index of a profile and the reference that has it.
Profile take_selected_profile(cdr::Decoder& decoder, const cdr::Limits& limits) {
  const auto selected = decoder.get<std::uint32_t>();
  decoder.get_plain_string();
  const std::size_t count = decoder.take_count(8);
  if (count > limits.max_profiles) decoder.fail(base::Code::too_large);
  if (selected >= count) decoder.fail(base::Code::malformed);
  Profile profile;
  for (std::size_t i = 0; i < count && decoder.ok(); ++i) {
    const Profile next = take_profile(decoder);
    if (i == selected) profile = next;
  }
  return profile;
}

base::ConstByteSpan key_from(const Profile& profile, bool& needs_key) {
  const auto key = ior::object_key_of(static_cast<ior::ProfileTag>(profile.tag), profile.body);
  needs_key = !key;
  return key ? *key : base::ConstByteSpan{};
}

}  // namespace

base::ConstByteSpan take_target(cdr::Decoder& decoder, const Traits& traits, const cdr::Limits& limits,
                                bool& needs_key) {
  base::ConstByteSpan key;
  const auto disposition = traits.target_address ? decoder.get<std::uint16_t>() : std::uint16_t{kKeyAddr};
  if (disposition == kKeyAddr) [[likely]] {
    key = decoder.get_octet_sequence();
  } else if (disposition == kProfileAddr) {
    key = key_from(take_profile(decoder), needs_key);
  } else if (disposition == kReferenceAddr) {
    key = key_from(take_selected_profile(decoder, limits), needs_key);
  } else {
    decoder.fail(base::Code::malformed);
  }
  if (key.size() > limits.max_object_key) decoder.fail(base::Code::too_large);
  return key;
}

}  // namespace corbel::messaging::giop

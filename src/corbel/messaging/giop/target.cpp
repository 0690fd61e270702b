// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/profile.hpp"
#include "corbel/messaging/giop/header_reader.hpp"
#include "corbel/messaging/giop/header_writer.hpp"

// Targets of requests that are given otherwise than by a key (CORBA 3.3 part 2, 9.4.2.1).

namespace corbel::messaging::giop {
namespace {

/// AddressingDisposition (9.4.2.1).
enum Disposition : std::uint16_t { profile_addr = 1, reference_addr = 2 };

struct Profile {
  std::uint32_t tag = 0;
  base::ConstByteSpan body;
};

Profile take_profile(HeaderReader& reader) noexcept {
  Profile profile;
  profile.tag = reader.get();
  profile.body = reader.get_octets();
  return profile;
}

/// IORAddressingInfo: the index of a profile and the reference that has it.
Profile take_selected_profile(HeaderReader& reader, const cdr::Limits& limits) noexcept {
  const std::uint32_t selected = reader.get();
  reader.get_octets();  // the type id
  const std::uint32_t count = reader.get();
  constexpr std::size_t kLeastProfile = 8;
  if (count > limits.max_profiles) reader.fail_beyond(count, kLeastProfile);
  if (selected >= count) reader.fail(base::Code::malformed);
  Profile profile;
  for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
    const Profile next = take_profile(reader);
    if (i == selected) profile = next;
  }
  return profile;
}

}  // namespace

[[gnu::noinline]] HeaderReader::AfterTarget HeaderReader::after_target(HeaderReader reader,
                                                                       const cdr::Limits& limits) noexcept {
  reader.give_back(8);
  std::uint16_t disposition;
  std::memcpy(&disposition, reader.take(4).data(), sizeof disposition);
  if (reader.swapped()) disposition = cdr::byte_swap(disposition);
  Profile profile;
  if (disposition == profile_addr) {
    profile = take_profile(reader);
  } else if (disposition == reference_addr) {
    profile = take_selected_profile(reader, limits);
  } else {
    reader.fail(base::Code::malformed);
  }
  const auto key = ior::object_key_of(profile.tag, profile.body);
  if (!key) return {reader, {{}, true}};
  if (key->size() > limits.max_object_key) reader.fail(base::Code::too_large);
  return {reader, {*key, false}};
}

[[gnu::noinline]] void HeaderWriter::put_target_address(cdr::Encoder& encoder, const TargetAddress& address) {
  encoder.put(static_cast<std::uint16_t>(address.by));
  if (address.by == TargetAddress::By::reference) {
    encoder.put(address.selected);
    return ior::encode(encoder, address.ior);
  }
  const ior::TaggedProfile& profile = address.ior.profiles[address.selected];
  encoder.put(profile.tag);
  encoder.put_octet_sequence(profile.data);
}

}  // namespace corbel::messaging::giop

// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/profile.hpp"

#include "corbel/cdr/encapsulation.hpp"
#include "corbel/ior/tagged.hpp"

// Profile bodies: version, an address that differs by transport, object key and, from 1.1 on, components.
namespace corbel::ior {
namespace {

constexpr std::uint8_t kHighestMinor = 2;

base::Error refuse(base::Code code) noexcept {
  return base::error(base::Stage::decode, code);
}

using Decoder = cdr::Decoder;
using Encoder = cdr::Encoder;

void put_address(Encoder& encoder, const IiopProfile& profile) {
  encoder.put_plain_string(profile.host);
  encoder.put(profile.port);
}
void put_address(Encoder& encoder, const UiopProfile& profile) {
  encoder.put_plain_string(profile.path);
}
void put_address(Encoder& encoder, const CorbelProfile& profile) {
  encoder.put_plain_string(profile.protocol);
  encoder.put_plain_string(profile.endpoint);
}

void get_address(Decoder& decoder, IiopProfile& profile) {
  profile.host = decoder.get_plain_string();
  profile.port = decoder.get<std::uint16_t>();
}
void get_address(Decoder& decoder, UiopProfile& profile) {
  profile.path = decoder.get_plain_string();
}
void get_address(Decoder& decoder, CorbelProfile& profile) {
  profile.protocol = decoder.get_plain_string();
  profile.endpoint = decoder.get_plain_string();
}

template <class Profile>
TaggedProfile encode_body(ProfileTag tag, const Profile& profile) {
  auto body = cdr::encapsulate([&](Encoder& encoder) {
    encoder.put(profile.version.major);
    encoder.put(profile.version.minor);
    put_address(encoder, profile);
    encoder.put_count(profile.object_key.size());
    encoder.copy_octets(profile.object_key.data(), profile.object_key.size());
    if (profile.version.minor > 0) put_tagged(encoder, profile.components);
  });
  return {static_cast<std::uint32_t>(tag), body ? *std::move(body) : base::Bytes{}};
}

/// What follows the fields that we know is ignored: later minors may append to it.
template <class Profile>
base::Result<Profile> decode_body(ProfileTag tag, const TaggedProfile& tagged, const cdr::Limits& limits) {
  if (tagged.tag != static_cast<std::uint32_t>(tag)) return refuse(base::Code::unsupported);
  Decoder decoder = Decoder::from_encapsulation(tagged.data, {}, limits);
  Profile profile;
  profile.version.major = decoder.get<std::uint8_t>();
  profile.version.minor = decoder.get<std::uint8_t>();
  if (decoder.ok() && profile.version.major != 1) return refuse(base::Code::unsupported);
  if (profile.version.minor > kHighestMinor) profile.version.minor = kHighestMinor;
  get_address(decoder, profile);
  const base::ConstByteSpan key = decoder.get_octet_sequence();
  if (key.size() > limits.max_object_key) decoder.fail(base::Code::key_too_long);
  profile.object_key.assign(key.begin(), key.end());
  if (profile.version.minor > 0) {
    get_tagged(decoder, profile.components, limits.max_components, base::Code::too_many_components);
  }
  if (!decoder.ok()) return decoder.error();
  return profile;
}

}  // namespace

TaggedProfile encode_profile(const IiopProfile& profile) {
  return encode_body(ProfileTag::internet_iop, profile);
}
TaggedProfile encode_profile(const DiopProfile& profile) {
  return encode_body(ProfileTag::diop, profile);
}
TaggedProfile encode_profile(const UiopProfile& profile) {
  return encode_body(ProfileTag::uiop, profile);
}
TaggedProfile encode_profile(const CorbelProfile& profile) {
  return encode_body(ProfileTag::corbel, profile);
}

base::Result<IiopProfile> decode_iiop_profile(const TaggedProfile& profile, const cdr::Limits& limits) {
  return decode_body<IiopProfile>(ProfileTag::internet_iop, profile, limits);
}
base::Result<DiopProfile> decode_diop_profile(const TaggedProfile& profile, const cdr::Limits& limits) {
  return decode_body<DiopProfile>(ProfileTag::diop, profile, limits);
}
base::Result<UiopProfile> decode_uiop_profile(const TaggedProfile& profile, const cdr::Limits& limits) {
  return decode_body<UiopProfile>(ProfileTag::uiop, profile, limits);
}
base::Result<CorbelProfile> decode_corbel_profile(const TaggedProfile& profile, const cdr::Limits& limits) {
  return decode_body<CorbelProfile>(ProfileTag::corbel, profile, limits);
}

base::Result<base::ConstByteSpan> object_key_of(std::uint32_t tag, base::ConstByteSpan body) {
  if (tag == static_cast<std::uint32_t>(ProfileTag::uipmc)) return body;  // it has no other
  Decoder decoder = Decoder::from_encapsulation(body);
  decoder.take_octets(2);
  decoder.get_plain_string();
  switch (static_cast<ProfileTag>(tag)) {
    case ProfileTag::internet_iop:
    case ProfileTag::diop:
      decoder.get<std::uint16_t>();
      break;
    case ProfileTag::uiop:
      break;
    case ProfileTag::corbel:
      decoder.get_plain_string();
      break;
    default:
      return refuse(base::Code::unsupported);
  }
  const base::ConstByteSpan key = decoder.get_octet_sequence();
  if (!decoder.ok()) return decoder.error();
  return key;
}

bool add_component(TaggedProfile& profile, const TaggedComponent& component, const cdr::Limits& limits) {
  const auto add = [&](auto decoded) {
    if (!decoded || decoded->version.minor == 0) return false;
    decoded->components.push_back(component);
    profile = encode_profile(*decoded);
    return true;
  };
  switch (static_cast<ProfileTag>(profile.tag)) {
    case ProfileTag::internet_iop:
      return add(decode_iiop_profile(profile, limits));
    case ProfileTag::diop:
      return add(decode_diop_profile(profile, limits));
    case ProfileTag::uiop:
      return add(decode_uiop_profile(profile, limits));
    case ProfileTag::corbel:
      return add(decode_corbel_profile(profile, limits));
    default:
      return false;
  }
}

}  // namespace corbel::ior

// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/group.hpp"

#include <charconv>

#include "corbel/cdr/encapsulation.hpp"
#include "corbel/ior/tagged.hpp"

namespace corbel::ior {
namespace {

base::Error refuse_group(base::Code code) noexcept {
  return base::error(base::Stage::decode, code);
}

template <class Number>
bool read_number(std::string_view text, Number& number) noexcept {
  const char* end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, number);
  return code == std::errc() && rest == end;
}

bool read_version(std::string_view text, Version& version) noexcept {
  const std::size_t dot = text.find('.');
  return dot != std::string_view::npos && read_number(text.substr(0, dot), version.major) &&
         read_number(text.substr(dot + 1), version.minor) && version.major == 1;
}

/// Takes off what comes before `delimiter`, or all of it.
std::string_view take_until(std::string_view& text, char delimiter) noexcept {
  const std::string_view part = text.substr(0, text.find(delimiter));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

}  // namespace

TaggedComponent encode_group(const GroupIdentity& group) {
  auto body = cdr::encapsulate([&](cdr::Encoder& encoder) {
    encoder.put(group.version.major);
    encoder.put(group.version.minor);
    encoder.put_plain_string(group.domain);
    encoder.put(group.id);
    encoder.put(group.reference_version);
  });
  return {static_cast<std::uint32_t>(ComponentTag::group), body ? *std::move(body) : base::Bytes{}};
}

base::Result<GroupIdentity> decode_group(const TaggedComponent& component) {
  if (component.tag != static_cast<std::uint32_t>(ComponentTag::group)) return refuse_group(base::Code::unsupported);
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(component.data);
  GroupIdentity group;
  group.version.major = decoder.get<std::uint8_t>();
  group.version.minor = decoder.get<std::uint8_t>();
  group.domain = decoder.get_plain_string();
  group.id = decoder.get<std::uint64_t>();
  group.reference_version = decoder.get<std::uint32_t>();
  if (!decoder.ok()) return decoder.error();
  return group;
}

TaggedProfile encode_profile(const UipmcProfile& profile) {
  auto body = cdr::encapsulate([&](cdr::Encoder& encoder) {
    encoder.put(profile.version.major);
    encoder.put(profile.version.minor);
    encoder.put_plain_string(profile.host);
    encoder.put(profile.port);
    put_tagged(encoder, profile.components);
  });
  return {static_cast<std::uint32_t>(ProfileTag::uipmc), body ? *std::move(body) : base::Bytes{}};
}

base::Result<UipmcProfile> decode_uipmc_profile(const TaggedProfile& tagged, const cdr::Limits& limits) {
  if (tagged.tag != static_cast<std::uint32_t>(ProfileTag::uipmc)) return refuse_group(base::Code::unsupported);
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(tagged.data, {}, limits);
  UipmcProfile profile;
  profile.version.major = decoder.get<std::uint8_t>();
  profile.version.minor = decoder.get<std::uint8_t>();
  if (decoder.ok() && profile.version.major != 1) return refuse_group(base::Code::unsupported);
  profile.host = decoder.get_plain_string();
  profile.port = decoder.get<std::uint16_t>();
  get_tagged(decoder, profile.components, limits.max_components, base::Code::too_many_components);
  if (!decoder.ok()) return decoder.error();
  return profile;
}

base::Result<GroupIdentity> group_of(const TaggedProfile& profile, const cdr::Limits& limits) {
  CORBEL_TRY(const UipmcProfile uipmc, decode_uipmc_profile(profile, limits));
  const TaggedComponent* component = find_component(uipmc.components, ComponentTag::group);
  if (component == nullptr) return refuse_group(base::Code::malformed);
  return decode_group(*component);
}

base::Result<GroupUrl> parse_group_url(std::string_view text) {
  const base::Error bad = base::error(base::Stage::resolve, base::Code::bad_argument);
  Version miop{1, 0};
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    if (!read_version(text.substr(0, at), miop)) return bad;
    text.remove_prefix(at + 1);
  }
  GroupUrl url;
  std::string_view group = take_until(text, '/');
  url.address = text;
  // A domain may have dashes; the numbers behind it have none.
  if (!read_version(take_until(group, '-'), url.identity.version)) return bad;
  const std::size_t last = group.rfind('-');
  if (last == std::string_view::npos || last == 0 || url.address.empty()) return bad;
  const std::size_t before = group.rfind('-', last - 1);
  std::uint64_t id = 0;
  const bool versioned = before != std::string_view::npos && before != 0 &&
                         read_number(group.substr(before + 1, last - before - 1), id) &&
                         read_number(group.substr(last + 1), url.identity.reference_version);
  if (!versioned && !read_number(group.substr(last + 1), id)) return bad;
  if (!versioned) url.identity.reference_version = 0;
  url.identity.id = id;
  url.identity.domain = group.substr(0, versioned ? before : last);
  return url;
}

}  // namespace corbel::ior

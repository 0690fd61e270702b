// SPDX-License-Identifier: Apache-2.0
#include "giop_writer.hpp"

#include <stdexcept>

namespace corbel::test {

std::uint8_t Reader::octet() {
  if (position_ >= octets_.size()) throw std::runtime_error("the message ends too early");
  return octets_[position_++];
}

std::uint32_t Reader::number(std::size_t size) {
  align(size);
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint32_t{octet()} << 8 * (little_endian_ ? i : size - 1 - i);
  return value;
}

Octets Reader::octets() {
  Octets data(u32());
  for (auto& each : data) each = octet();
  return data;
}

std::string Reader::string() {
  const Octets data = octets();
  if (data.empty() || data.back() != 0) throw std::runtime_error("a string without its end");
  return {data.begin(), data.end() - 1};
}

namespace {

Octets code_sets_component(bool wide) {
  Writer body;
  body.octet(1).u32(0x05010001).u32(1).u32(0x00010001);  // UTF-8, and ISO 8859-1 by conversion
  body.u32(wide ? 0x00010109 : 0).u32(0);                // UTF-16
  return body.written();
}

Octets iiop_profile(const ProfileData& profile) {
  Writer body;
  body.octet(1).octet(1).octet(profile.minor).string(profile.host).u16(profile.port).octets(octets_of(profile.key));
  if (profile.minor == 0) return body.written();
  body.u32(profile.code_sets ? 1 : 0);
  if (profile.code_sets) body.u32(1).octets(code_sets_component(profile.wide_code_set));
  return body.written();
}

}  // namespace

void write_ior(Writer& writer, const std::vector<ProfileData>& profiles, std::string_view type_id) {
  writer.string(profiles.empty() ? "" : type_id).u32(static_cast<std::uint32_t>(profiles.size()));
  for (const auto& profile : profiles) writer.u32(0).octets(iiop_profile(profile));
}

std::string ior_string(const std::vector<ProfileData>& profiles, std::string_view type_id) {
  Writer writer;
  writer.octet(1);
  write_ior(writer, profiles, type_id);
  std::string text = "IOR:";
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::uint8_t octet : writer.written()) {
    text += kDigits[octet >> 4];
    text += kDigits[octet & 15];
  }
  return text;
}

}  // namespace corbel::test

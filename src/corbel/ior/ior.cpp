// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/ior.hpp"

#include "corbel/cdr/encapsulation.hpp"

namespace corbel::ior {
namespace {

constexpr std::string_view kPrefix = "ior:";

bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool has_prefix(std::string_view text) noexcept {
  if (text.size() < kPrefix.size()) return false;
  for (std::size_t i = 0; i < kPrefix.size(); ++i) {
    if (text[i] != kPrefix[i] && text[i] != (kPrefix[i] == ':' ? ':' : kPrefix[i] - 'a' + 'A')) return false;
  }
  return true;
}

}  // namespace

void encode(cdr::Encoder& encoder, const Ior& ior) {
  encoder.put_plain_string(ior.type_id);
  put_tagged(encoder, ior.profiles);
}

void decode(cdr::Decoder& decoder, Ior& ior, const cdr::Limits& limits) {
  const std::string_view type_id = decoder.get_plain_string();
  ior.type_id.clear();
  if (decoder.charge(type_id.size())) ior.type_id = type_id;
  get_tagged(decoder, ior.profiles, limits.max_profiles, base::Code::too_many_profiles);
}

std::string to_string(const Ior& ior) {
  const auto octets = cdr::encapsulate([&](cdr::Encoder& encoder) { encode(encoder, ior); });
  return octets ? "IOR:" + base::to_hex(*octets) : std::string();
}

base::Result<Ior> from_string(std::string_view text, const cdr::Limits& limits) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  base::Bytes octets;
  if (!has_prefix(text) || !base::from_hex(text.substr(kPrefix.size()), octets)) {
    return base::error(base::Stage::resolve, base::Code::malformed);
  }
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(octets, {}, limits);
  Ior ior;
  decode(decoder, ior, limits);
  if (!decoder.ok()) return base::error(base::Stage::resolve, decoder.error().code);
  return ior;
}

const TaggedComponent* find_component(const std::vector<TaggedComponent>& components, ComponentTag tag) {
  for (const TaggedComponent& component : components) {
    if (component.tag == static_cast<std::uint32_t>(tag)) return &component;
  }
  return nullptr;
}

}  // namespace corbel::ior

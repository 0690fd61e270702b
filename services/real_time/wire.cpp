// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <new>

#include <corbel/cdr/decoder.hpp>
#include <corbel/cdr/encapsulation.hpp>

namespace corbel::real_time {
namespace {

constexpr std::size_t kLeastPolicy = 8;

Octets encapsulated(base::FunctionRef<void(cdr::Encoder&)> write) {
  auto octets = cdr::encapsulate(write);
  if (!octets) throw std::bad_alloc();  // a few octets: nothing else can be the matter
  return {octets->begin(), octets->end()};
}

}  // namespace

Octets encode_priority(std::int16_t priority) {
  return encapsulated([&](cdr::Encoder& encoder) { encoder.put(priority); });
}

std::optional<std::int16_t> decode_priority(const Octets& octets) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(octets);
  const auto priority = decoder.get<std::int16_t>();
  return decoder.ok() ? std::optional(priority) : std::nullopt;
}

Octets encode_policies(const Model& model) {
  const Octets value = encapsulated([&](cdr::Encoder& encoder) {
    encoder.put(std::uint32_t{model.declared ? 1U : 0U});
    encoder.put(model.priority);
  });
  return encapsulated([&](cdr::Encoder& encoder) {
    encoder.put_count(1);
    encoder.put(kModelPolicy);
    encoder.put_count(value.size());
    for (const std::uint8_t octet : value) encoder.put(octet);
  });
}

std::optional<Model> find_model(const Octets& octets) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(octets);
  const std::size_t count = decoder.take_count(kLeastPolicy);
  for (std::size_t i = 0; i < count && decoder.ok(); ++i) {
    const auto type = decoder.get<std::uint32_t>();
    cdr::Decoder value = decoder.get_encapsulation();
    if (type != kModelPolicy) continue;
    const auto kind = value.get<std::uint32_t>();
    const auto priority = value.get<std::int16_t>();
    if (!decoder.ok() || !value.ok() || kind > 1) return std::nullopt;
    return Model{kind == 1, priority};
  }
  return std::nullopt;
}

}  // namespace corbel::real_time

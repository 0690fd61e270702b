// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <corbel/cdr/decoder.hpp>
#include <corbel/cdr/encapsulation.hpp>

namespace corbel::real_time {
namespace {

constexpr std::size_t kLeastPolicy = 8;
constexpr std::size_t kBandOctets = 4;

Octets encapsulated(base::FunctionRef<void(cdr::Encoder&)> write) {
  auto octets = cdr::encapsulate(write);
  if (!octets) throw std::bad_alloc();  // a few octets: nothing else can be the matter
  return {octets->begin(), octets->end()};
}

std::optional<Model> decode_model(cdr::Decoder& value) {
  const auto kind = value.get<std::uint32_t>();
  const auto priority = value.get<std::int16_t>();
  if (!value.ok() || kind > 1) return std::nullopt;
  return Model{kind == 1, priority};
}

Bands decode_bands(cdr::Decoder& value) {
  const std::size_t count = value.take_count(kBandOctets);
  if (count > kMostBands) return {};
  Bands bands(count);
  for (Band& band : bands) {
    band.low = value.get<std::int16_t>();
    band.high = value.get<std::int16_t>();
  }
  const bool sound =
      std::ranges::all_of(bands, [](const Band& band) { return band.low >= 0 && band.low <= band.high; });
  return value.ok() && sound ? bands : Bands();
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

Octets encode_policies(const Exposed& exposed) {
  std::vector<std::pair<std::uint32_t, Octets>> policies;
  if (exposed.model) {
    policies.emplace_back(kModelPolicy, encapsulated([&](cdr::Encoder& encoder) {
                            encoder.put(std::uint32_t{exposed.model->declared ? 1U : 0U});
                            encoder.put(exposed.model->priority);
                          }));
  }
  if (!exposed.bands.empty()) {
    policies.emplace_back(kBandsPolicy, encapsulated([&](cdr::Encoder& encoder) {
                            encoder.put_count(exposed.bands.size());
                            for (const Band& band : exposed.bands) {
                              encoder.put(band.low);
                              encoder.put(band.high);
                            }
                          }));
  }
  return encapsulated([&](cdr::Encoder& encoder) {
    encoder.put_count(policies.size());
    for (const auto& [type, value] : policies) {
      encoder.put(type);
      encoder.put_count(value.size());
      for (const std::uint8_t octet : value) encoder.put(octet);
    }
  });
}

Exposed decode_policies(const Octets& octets) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(octets);
  const std::size_t count = decoder.take_count(kLeastPolicy);
  Exposed exposed;
  for (std::size_t i = 0; i < count && decoder.ok(); ++i) {
    const auto type = decoder.get<std::uint32_t>();
    cdr::Decoder value = decoder.get_encapsulation();
    if (!decoder.ok()) break;
    if (type == kModelPolicy && !exposed.model) exposed.model = decode_model(value);
    if (type == kBandsPolicy && exposed.bands.empty()) exposed.bands = decode_bands(value);
    decoder.settle(value);
  }
  return exposed;
}

}  // namespace corbel::real_time

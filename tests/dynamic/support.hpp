// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "corbel/dynamic/any.hpp"
#include "corbel/dynamic/type_factory.hpp"

namespace corbel::dynamic {

/// What Codec<T> writes after `offset` octets.
template <class T>
base::Bytes octets_of(const T& value, bool little_endian, std::size_t offset = 0) {
  cdr::Encoder encoder({.little_endian = little_endian});
  for (std::size_t i = 0; i < offset; ++i) encoder.put(std::uint8_t{0});
  mapping::Codec<T>::encode(encoder, value);
  EXPECT_TRUE(encoder.ok());
  return encoder.to_bytes();
}

/// What Codec<T> reads from octets that begin at `offset`; `left` gets how many follow.
template <class T>
T value_of(const base::Bytes& octets, bool little_endian, std::size_t offset = 0) {
  cdr::Decoder decoder(octets, {.little_endian = little_endian}, {}, offset);
  T value{};
  mapping::Codec<T>::decode(decoder, value);
  EXPECT_TRUE(decoder.ok()) << (decoder.ok() ? "" : to_string(decoder.error()));
  EXPECT_EQ(decoder.remaining(), 0U);
  return value;
}

/// Decodes every truncation and many single-octet mutations; nothing may crash, and what is accepted can be sent on.
template <class T>
void expect_survives_mutation(const base::Bytes& octets) {
  const auto try_one = [](const base::Bytes& mutated) {
    for (const bool little_endian : {false, true}) {
      cdr::Decoder decoder(mutated, {.little_endian = little_endian});
      T value{};
      mapping::Codec<T>::decode(decoder, value);
      if (!decoder.ok()) continue;
      cdr::Encoder encoder({.little_endian = !little_endian});
      mapping::Codec<T>::encode(encoder, value);
    }
  };
  for (std::size_t size = 0; size < octets.size(); ++size) {
    try_one(base::Bytes(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  for (std::size_t i = 0; i < octets.size(); ++i) {
    for (const int octet : {0, 1, 4, 15, 19, 20, 21, 0x7f, 0x80, 0xff, octets[i] ^ 1, octets[i] ^ 8}) {
      base::Bytes mutated = octets;
      mutated[i] = static_cast<base::Octet>(octet);
      try_one(mutated);
    }
  }
}

}  // namespace corbel::dynamic

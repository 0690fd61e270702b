// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "corbel/base/bytes.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/mapping/codec.hpp"

/// What the tests of generated code share: values written and read by their codecs.
namespace idl_test {

template <class T>
corbel::base::Bytes octets_of(const T& value, bool little = false) {
  corbel::cdr::Encoder encoder({.little_endian = little});
  corbel::mapping::Codec<T>::encode(encoder, value);
  EXPECT_TRUE(encoder.ok());
  return encoder.to_bytes();
}

/// All of the octets must be the value's.
template <class T>
T back_from(const corbel::base::Bytes& octets, bool little = false) {
  corbel::cdr::Decoder decoder(octets, {.little_endian = little});
  T value{};
  corbel::mapping::Codec<T>::decode(decoder, value);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.remaining(), 0U);
  return value;
}

}  // namespace idl_test

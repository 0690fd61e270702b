// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/mapping/codec.hpp"

namespace corbel::mapping {

/// Bitmasks and bitsets travel as the unsigned integer that holds them. A bit without meaning is malformed.
template <class T>
struct BitsCodec {
  using Holder = typename T::_holder;
  static constexpr std::size_t kMinSize = sizeof(Holder);
  static void encode(cdr::Encoder& encoder, const T& value) { encoder.put(value._bits()); }
  static void decode(cdr::Decoder& decoder, T& value) {
    const auto bits = decoder.get<Holder>();
    if ((bits & static_cast<Holder>(~T::_mask)) != 0) [[unlikely]]
      decoder.fail(base::Code::malformed);
    value._bits(bits & T::_mask);
  }
};

}  // namespace corbel::mapping

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "corbel/mapping/codec.hpp"

/// Members with @optional, with a wire form of ours (docs/mapping.md).
namespace IDL {

template <class T>
using optional = std::optional<T>;

template <class T>
struct traits<std::optional<T>> : common_traits<std::optional<T>> {};

}  // namespace IDL

namespace corbel::mapping {

/// An optional member travels as a boolean, and the value if that is true.
template <class T>
struct Codec<std::optional<T>> {
  static constexpr std::size_t kMinSize = 1;
  static void encode(cdr::Encoder& encoder, const std::optional<T>& value) {
    encoder.put(value.has_value());
    if (value) Codec<T>::encode(encoder, *value);
  }
  static void decode(cdr::Decoder& decoder, std::optional<T>& value) {
    value.reset();
    if (decoder.get<bool>()) Codec<T>::decode(decoder, value.emplace());
  }
};

}  // namespace corbel::mapping

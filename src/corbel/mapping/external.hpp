// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/mapping/codec.hpp"

/// @external members: a std::shared_ptr to the value, on the wire the value itself. Null cannot be sent (MARSHAL).
namespace corbel::mapping {

template <class T>
struct Codec<std::shared_ptr<T>> {
  static constexpr std::size_t kMinSize = Codec<T>::kMinSize;
  static void encode(cdr::Encoder& encoder, const std::shared_ptr<T>& value) {
    if (value == nullptr) return encoder.fail(base::Code::bad_argument);
    Codec<T>::encode(encoder, *value);
  }
  static void decode(cdr::Decoder& decoder, std::shared_ptr<T>& value) {
    value = std::make_shared<T>();
    Codec<T>::decode(decoder, *value);
  }
};

}  // namespace corbel::mapping

namespace IDL {
template <class T>
struct traits<std::shared_ptr<T>> : common_traits<std::shared_ptr<T>> {};
}  // namespace IDL

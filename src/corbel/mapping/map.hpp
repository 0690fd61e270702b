// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "corbel/mapping/codec.hpp"

/// IDL's map, with a wire form of ours (docs/mapping.md).
namespace IDL {

/// map<K, V, N>: a std::map whose bound is checked when it is marshalled.
template <class K, class V, std::uint32_t N>
class bounded_map : public std::map<K, V> {
 public:
  using std::map<K, V>::map;
  using bound = std::integral_constant<std::uint32_t, N>;
  bounded_map() = default;
  bounded_map(std::map<K, V> entries) : std::map<K, V>(std::move(entries)) {}
};

template <class K, class V>
struct traits<std::map<K, V>> : common_traits<std::map<K, V>> {
  using is_bounded = std::false_type;
  using key_traits = traits<K>;
  using value_traits = traits<V>;
};
template <class K, class V, std::uint32_t N>
struct traits<bounded_map<K, V, N>> : common_traits<bounded_map<K, V, N>> {
  using is_bounded = std::true_type;
  using bound = std::integral_constant<std::uint32_t, N>;
  using key_traits = traits<K>;
  using value_traits = traits<V>;
};

}  // namespace IDL

namespace corbel::mapping {

/// A map travels as a sequence of key and value; a key that comes twice is malformed.
template <class K, class V>
struct Codec<std::map<K, V>> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const std::map<K, V>& value) {
    encoder.put_count(value.size());
    for (const auto& [key, mapped] : value) {
      Codec<K>::encode(encoder, key);
      Codec<V>::encode(encoder, mapped);
    }
  }
  static void decode(cdr::Decoder& decoder, std::map<K, V>& value) {
    const std::size_t count = decoder.take_count(Codec<K>::kMinSize + Codec<V>::kMinSize, sizeof(K) + sizeof(V) + 32);
    value.clear();
    for (std::size_t i = 0; i < count && decoder.ok(); ++i) {
      K key{};
      Codec<K>::decode(decoder, key);
      V mapped{};
      Codec<V>::decode(decoder, mapped);
      if (!value.emplace(std::move(key), std::move(mapped)).second) decoder.fail(base::Code::malformed);
    }
  }
};
template <class K, class V, std::uint32_t N>
struct Codec<IDL::bounded_map<K, V, N>> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const IDL::bounded_map<K, V, N>& value) {
    if (value.size() > N) [[unlikely]]
      encoder.fail(base::Code::bad_bound);
    Codec<std::map<K, V>>::encode(encoder, value);
  }
  static void decode(cdr::Decoder& decoder, IDL::bounded_map<K, V, N>& value) {
    Codec<std::map<K, V>>::decode(decoder, value);
    if (value.size() > N) [[unlikely]]
      decoder.fail(base::Code::bad_bound);
  }
};

}  // namespace corbel::mapping

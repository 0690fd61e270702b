// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "corbel/mapping/codec.hpp"

/// What IDL 4 adds: map, @optional, bitmask and bitset. CORBA has no wire form for them; these are ours
/// (docs/mapping.md), so both ends must be Corbel or agree with it.
namespace IDL {

template <class T>
using optional = std::optional<T>;

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
template <class T>
struct traits<std::optional<T>> : common_traits<std::optional<T>> {};

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "corbel/mapping/codec.hpp"

/// Parameters with @view: std::string_view and std::span<const T>.
namespace corbel::mapping {

namespace detail {

/// What owns the values that a view of type V is of.
template <class V>
struct Owner;
template <>
struct Owner<std::string_view> {
  using type = std::string;
};
template <class T>
struct Owner<std::span<const T>> {
  using type = std::vector<T>;
};

/// Whether values of T may be looked at where they lie in a message.
template <class T>
constexpr bool may_lie_in_place() {
  if constexpr (BulkPrimitive<T>) {
    return true;
  } else if constexpr (Bulk<T>) {
    return !requires {
      requires cdr::BulkLayout<T>::has_padding;
    };  // which would have to be cleared
  } else {
    return false;
  }
}

/// A view and, if the values could not be read in place, what it is a view of.
template <class V>
class ViewArgument {
 public:
  using Owned = typename Owner<V>::type;

  ViewArgument() = default;
  ViewArgument(const ViewArgument&) = delete;
  /// Keeps a copy.
  ViewArgument& operator=(const V& view) {
    owned_.assign(view.begin(), view.end());
    view_ = owned_;
    return *this;
  }
  operator const V&() const noexcept { return view_; }    // NOLINT: it is the parameter
  const V* operator&() const noexcept { return &view_; }  // NOLINT: collocated calls pass addresses of parameters

  void decode(cdr::Decoder& decoder) {
    if (!decode_in_place(decoder)) {
      Codec<Owned>::decode(decoder, owned_);
      view_ = owned_;
    }
  }

 private:
  bool decode_in_place(cdr::Decoder& decoder) {
    if constexpr (std::is_same_v<V, std::string_view>) {
      if (decoder.format().char_set == cdr::CodeSet::iso_8859_1) return false;
      view_ = decoder.get_plain_string();
      return true;
    } else {
      return decode_elements_in_place(decoder);
    }
  }
  bool decode_elements_in_place(cdr::Decoder& decoder) {
    using T = typename Owned::value_type;
    if constexpr (may_lie_in_place<T>()) {
      if ((decoder.format().swapped() && sizeof(T) > 1) || decoder.has_joints()) return false;
      if (decoder.has_rest() && view_rest(decoder)) [[unlikely]]
        return true;
      cdr::Decoder ahead = decoder;
      const std::size_t count = ahead.take_count(Codec<T>::kMinSize);
      if (count != 0) {
        if constexpr (BulkPrimitive<T>) {
          ahead.align(sizeof(T));
        } else if (ahead.position() % cdr::BulkLayout<T>::alignment != 0) {
          return false;
        }
      }
      const base::ConstByteSpan octets = ahead.take_octets(count * sizeof(T));
      if (reinterpret_cast<std::uintptr_t>(octets.data()) % alignof(T) != 0) return false;
      if (ahead.ok()) view_ = {reinterpret_cast<const T*>(octets.data()), count};
      decoder = ahead;
      return true;
    } else {
      return false;
    }
  }

  /// If the elements were received apart, at an address where they may lie.
  [[gnu::cold, gnu::noinline]] bool view_rest(cdr::Decoder& decoder) {
    using T = typename Owned::value_type;
    constexpr std::size_t kAlignment = [] {
      if constexpr (BulkPrimitive<T>) {
        return sizeof(T);
      } else {
        return std::size_t{cdr::BulkLayout<T>::alignment};
      }
    }();
    base::ConstByteSpan rest;
    if (reinterpret_cast<std::uintptr_t>(decoder.rest().data()) % alignof(T) != 0) return false;
    if (!decoder.view_rest(rest, sizeof(T), kAlignment)) return false;
    view_ = {reinterpret_cast<const T*>(rest.data()), rest.size() / sizeof(T)};
    return true;
  }

  V view_{};
  Owned owned_;
};

template <class P>
struct Parameter;
template <class P>
struct Kept;

}  // namespace detail

/// An `in` parameter that is read in place where byte order and alignment allow, else from a copy of the skeleton's.
/// N: the bound, 0 for none.
template <class V, std::uint32_t N = 0>
struct View {
  V value;
  void encode_out(cdr::Encoder& encoder) const { encode(encoder, value); }
  void decode_back(cdr::Decoder&) const {}
  void* address() const { return const_cast<V*>(&value); }

  static void encode(cdr::Encoder& encoder, const V& view) {
    if (N != 0 && view.size() > N) [[unlikely]]
      encoder.fail(base::Code::bad_bound);
    if constexpr (std::is_same_v<V, std::string_view>) {
      encoder.put_string(view);
    } else {
      encoder.put_count(view.size());
      detail::encode_elements(encoder, view.data(), view.size());
    }
  }
};

namespace detail {

template <class V, std::uint32_t N>
struct Parameter<View<V, N>> {
  using Value = ViewArgument<V>;
  using Local = const V;
  static void decode(cdr::Decoder& decoder, Value& value) {
    value.decode(decoder);
    if (N != 0 && static_cast<const V&>(value).size() > N) [[unlikely]]
      decoder.fail(base::Code::bad_bound);
  }
  static void encode(cdr::Encoder&, const Value&) {}
};

template <class V, std::uint32_t N>
struct Kept<View<V, N>> {
  using Value = ViewArgument<V>;
  static constexpr bool kOut = true, kBack = false;
  static void encode(cdr::Encoder& encoder, const Value& value) { View<V, N>::encode(encoder, value); }
};

}  // namespace detail

}  // namespace corbel::mapping

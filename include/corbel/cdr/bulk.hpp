// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

/// Copies of arrays whose C++ layout is their CDR layout.
namespace corbel::cdr {

/// Whether a struct's object representation is its CDR form wherever the stream position is a multiple of `alignment`.
/// Generated code specialises it for structs of fixed-size members that end on a multiple of their largest alignment,
/// and proves the claim with a static_assert. Padding is explicit members that are always zero, so that arrays can be
/// sent from where they lie without showing the peer what memory held before. A specialisation has: `value` (true),
/// `alignment` (of the largest member), `first_alignment` (of the first member), `has_padding`, and
/// `clear_padding(T&)`.
template <class T>
struct BulkLayout {
  static constexpr bool value = false;
};

namespace detail {

/// Reads consecutive T out of unaligned octets, so that vector::assign constructs each element once, in place.
template <class T>
class RawIterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;

  explicit RawIterator(const std::uint8_t* raw) noexcept : raw_(raw) {}
  T operator*() const noexcept {
    T value;
    std::memcpy(static_cast<void*>(&value), raw_, sizeof(T));
    if constexpr (std::is_class_v<T>) {
      if constexpr (BulkLayout<T>::has_padding) BulkLayout<T>::clear_padding(value);
    }
    return value;
  }
  RawIterator& operator++() noexcept {
    raw_ += sizeof(T);
    return *this;
  }
  RawIterator operator++(int) noexcept {
    RawIterator before = *this;
    raw_ += sizeof(T);
    return before;
  }
  RawIterator& operator--() noexcept {
    raw_ -= sizeof(T);
    return *this;
  }
  RawIterator& operator+=(difference_type n) noexcept {
    raw_ += n * static_cast<difference_type>(sizeof(T));
    return *this;
  }
  friend RawIterator operator+(RawIterator it, difference_type n) noexcept { return it += n; }
  friend difference_type operator-(RawIterator a, RawIterator b) noexcept {
    return (a.raw_ - b.raw_) / static_cast<difference_type>(sizeof(T));
  }
  friend bool operator==(RawIterator a, RawIterator b) noexcept { return a.raw_ == b.raw_; }

 private:
  const std::uint8_t* raw_;
};

}  // namespace detail

/// Writes `count` structs; the position must be a multiple of their alignment and the byte order native.
template <class T>
void put_bulk(Encoder& encoder, const T* values, std::size_t count) {
  static_assert(BulkLayout<T>::value && std::is_trivially_copyable_v<T>);
  if (count != 0) encoder.put_octets(values, count * sizeof(T));
}

/// Reads `count` structs in native byte order; `decode_one` serves those before the position is a multiple of their
/// alignment. `count` has passed Decoder::take_count.
template <class T, class DecodeOne>
void get_bulk(Decoder& decoder, std::vector<T>& out, std::size_t count, DecodeOne decode_one) {
  static_assert(BulkLayout<T>::value && std::is_trivially_copyable_v<T>);
  out.clear();
  while (out.size() < count && decoder.ok()) {
    if (decoder.position() % BulkLayout<T>::alignment == 0) {
      const std::size_t rest = count - out.size();
      const base::ConstByteSpan raw = decoder.take_octets(rest * sizeof(T));
      if (raw.size() != rest * sizeof(T)) return;
      const detail::RawIterator<T> first(raw.data());
      if (out.empty()) {
        out.assign(first, first + static_cast<std::ptrdiff_t>(rest));
      } else {
        out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(rest));
      }
      return;
    }
    out.reserve(count);
    decode_one(decoder, out.emplace_back());
  }
}

/// Reads `count` primitives in either byte order, without a pass that zeroes them first.
template <Primitive T>
void get_vector(Decoder& decoder, std::vector<T>& out, std::size_t count) {
  if (count == 0) {
    out.clear();
    return;
  }
  decoder.align(sizeof(T));
  const base::ConstByteSpan raw = decoder.take_octets(count * sizeof(T));
  if (raw.size() != count * sizeof(T)) {
    out.clear();
    return;
  }
  if constexpr (sizeof(T) == 1) {
    const T* first = reinterpret_cast<const T*>(raw.data());
    out.assign(first, first + count);
  } else {
    const detail::RawIterator<T> first(raw.data());
    out.assign(first, first + static_cast<std::ptrdiff_t>(count));
    if (decoder.format().swapped()) {
      for (T& value : out) value = byte_swap(value);
    }
  }
}

}  // namespace corbel::cdr

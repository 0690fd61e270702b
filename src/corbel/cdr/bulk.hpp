// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

/// Arrays and sequences in bulk: of primitives, and of structs whose C++ layout equals their CDR layout.
namespace corbel::cdr {

/// Says whether runs of T can be copied between memory and the wire as they lie. Generated code specialises it for
/// structs whose members lie at the same offsets in C++ and in CDR and whose last member ends where the next element
/// begins. Members are integers, floating point numbers, octets, characters and structs like itself; no booleans, no
/// enums: any octets must be a value. A specialisation has:
///
///     static constexpr bool value = true;
///     static constexpr std::size_t alignment;        // of the most aligned member: the layouts are equal where the
///                                                    // stream position is a multiple of this
///     static constexpr std::size_t first_alignment;  // of the first member: where CDR would begin an element
///     static constexpr bool has_padding;             // gaps between members; T keeps them zero at all times
///     static void clear_padding(T& value) noexcept;  // makes them zero, nested ones too
template <class T>
struct BulkLayout {
  static constexpr bool value = false;
};

namespace detail {

/// Words of `Word` that keep all octets of a T but the paddings: pairs of where one begins and how long it is.
template <class Word, class T, std::size_t... kPaddings>
constexpr auto masks_without() noexcept {
  constexpr std::array<std::size_t, sizeof...(kPaddings)> kPairs = {kPaddings...};
  std::array<std::uint8_t, sizeof(T)> kept{};
  kept.fill(0xff);
  for (std::size_t i = 0; i < kPairs.size(); i += 2) {
    for (std::size_t k = 0; k < kPairs[i + 1]; ++k) kept[kPairs[i] + k] = 0;
  }
  return std::bit_cast<std::array<Word, sizeof(T) / sizeof(Word)>>(kept);
}

template <auto kMask>
[[gnu::always_inline]] inline void mask_word(std::uint8_t* at) noexcept {
  auto word = kMask;
  if constexpr (static_cast<decltype(kMask)>(~kMask) != 0) {
    std::memcpy(&word, at, sizeof word);
    word = static_cast<decltype(word)>(word & kMask);
    std::memcpy(at, &word, sizeof word);
  }
}

}  // namespace detail

/// Makes octets of `value` zero, a word at a time: pairs of where some begin and how many they are.
template <std::size_t... kPaddings, class T>
[[gnu::always_inline]] inline void clear_octets(T& value) noexcept {
  using Half = std::conditional_t<sizeof(T) % 4 == 0, std::uint32_t, std::uint16_t>;
  using Word = std::conditional_t<sizeof(T) % 8 == 0, std::uint64_t, Half>;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(Word) == 0);
  auto* const octets = reinterpret_cast<std::uint8_t*>(&value);
  [octets]<std::size_t... I>(std::index_sequence<I...>) {
    (detail::mask_word<detail::masks_without<Word, T, kPaddings...>()[I]>(octets + I * sizeof(Word)), ...);
  }
  (std::make_index_sequence<sizeof(T) / sizeof(Word)>());
}

/// Writes `count` structs as they lie; large runs are referred to. The position must be a multiple of
/// BulkLayout<T>::alignment and the byte order this machine's.
template <class T>
requires(BulkLayout<T>::value) void put_bulk(Encoder& encoder, const T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % BulkLayout<T>::alignment == 0);
  encoder.put_octets(values, count * sizeof(T));
}

namespace detail {

/// Walks unaligned octets as values of T, so that a vector can be filled without being zeroed first.
template <class T>
class RawIterator {
 public:
  // Without <iterator>, which has streams in it: vectors, which this is for, have the tag, too.
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;

  explicit RawIterator(const std::uint8_t* at) noexcept : at_(at) {}
  T operator*() const noexcept {
    T value;
    std::memcpy(static_cast<void*>(&value), at_, sizeof(T));
    return value;
  }
  RawIterator& operator++() noexcept {
    at_ += sizeof(T);
    return *this;
  }
  RawIterator& operator--() noexcept {
    at_ -= sizeof(T);
    return *this;
  }
  RawIterator& operator+=(difference_type n) noexcept {
    at_ += n * static_cast<difference_type>(sizeof(T));
    return *this;
  }
  friend RawIterator operator+(RawIterator a, difference_type n) noexcept { return a += n; }
  friend difference_type operator-(RawIterator a, RawIterator b) noexcept {
    return (a.at_ - b.at_) / static_cast<difference_type>(sizeof(T));
  }
  friend bool operator==(RawIterator, RawIterator) noexcept = default;

 private:
  const std::uint8_t* at_;
};

/// After a copy from the wire: a pass of its own, so that the copy itself moves whole words.
template <class T>
void clear_padding(T* values, std::size_t count) noexcept {
  if constexpr (requires { requires BulkLayout<T>::has_padding; }) {
    std::size_t done = 0;
    for (; done + 8 <= count; done += 8) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (BulkLayout<T>::clear_padding(values[done + I]), ...);
      }
      (std::make_index_sequence<8>());
    }
    for (; done < count; ++done) BulkLayout<T>::clear_padding(values[done]);
  }
}

/// Copies octets over values that are there, or to where some are to be, whatever T is; padding is cleared on the way.
template <class T>
void overwrite_raw(T* values, const std::uint8_t* raw, std::size_t count) noexcept {
  if constexpr (requires { requires BulkLayout<T>::has_padding; }) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i) {
      alignas(T) std::uint8_t octets[sizeof(T)];
      std::memcpy(octets, raw + i * sizeof(T), sizeof(T));
      BulkLayout<T>::clear_padding(*reinterpret_cast<T*>(octets));
      std::memcpy(static_cast<void*>(values + i), octets, sizeof(T));
    }
  } else {
    base::copy_octets(static_cast<void*>(values), raw, count * sizeof(T));
  }
}

#if defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG) && !defined(_GLIBCXX_SANITIZE_VECTOR)
/// A vector of libstdc++ that can be told where it ends. There is no other way to add values to one than to construct
/// them one by one, unless their default constructor is trivial, too.
template <class T>
struct Opened : std::vector<T> {
  static auto& memory(std::vector<T>& values) noexcept { return values.*(&Opened::_M_impl); }
  /// `values` has room for `count` more, which were copied there: T is trivially copyable, so that they exist.
  static void add(std::vector<T>& values, std::size_t count) noexcept { memory(values)._M_finish += count; }
  /// Exchanges the memory of both: `octets` are values then, and what were values are octets. False if it is memory
  /// that a vector of values would not have asked for.
  static bool exchange(std::vector<T>& values, base::Bytes& octets) noexcept {
    if (octets.capacity() % sizeof(T) != 0 || octets.size() % sizeof(T) != 0) return false;
    auto& mine = memory(values);
    auto& theirs = Opened<base::Octet>::memory(octets);
    exchange(mine._M_start, theirs._M_start);
    exchange(mine._M_finish, theirs._M_finish);
    exchange(mine._M_end_of_storage, theirs._M_end_of_storage);
    return true;
  }

 private:
  static void exchange(T*& mine, base::Octet*& theirs) noexcept {
    auto* const octets = reinterpret_cast<base::Octet*>(mine);
    mine = reinterpret_cast<T*>(std::exchange(theirs, octets));
  }
};
template <class T>
inline constexpr bool kOpens = true;
#else
template <class T>
struct Opened {
  static void add(std::vector<T>& values, std::size_t count) noexcept = delete;
};
template <class T>
inline constexpr bool kOpens = false;
#endif

/// Adds the values that lie in `raw`.
template <class T>
void append_raw(std::vector<T>& out, base::ConstByteSpan raw) {
  const std::size_t before = out.size();
  if constexpr (kOpens<T> && !std::is_trivially_default_constructible_v<T>) {
    const std::size_t count = raw.size() / sizeof(T);
    if (out.capacity() - before < count) out.reserve(before + (before < count ? count : before));
    overwrite_raw(out.data() + before, raw.data(), count);
    return Opened<T>::add(out, count);
  }
  if (reinterpret_cast<std::uintptr_t>(raw.data()) % alignof(T) == 0) {
    // The vector only copies octets from here: T is trivially copyable.
    const T* values = reinterpret_cast<const T*>(raw.data());
    const std::size_t count = raw.size() / sizeof(T);
    if (out.capacity() - before < count) out.reserve(before + (before < count ? count : before));
    std::size_t run = count;
    if (base::copies_slowly(out.data() + before, values, raw.size())) run = 1 + base::kCopyPiece / 2 / sizeof(T);
    for (std::size_t i = 0; i < count; i += run)
      out.insert(out.end(), values + i, values + (count - i < run ? count : i + run));
  } else {
    out.insert(out.end(), RawIterator<T>(raw.data()), RawIterator<T>(raw.data() + raw.size()));
  }
  clear_padding(out.data() + before, out.size() - before);
}

/// Puts the values that lie in `raw` into `out` from `first` on: over those that are there, then adding the rest.
template <class T>
void replace_raw(std::vector<T>& out, std::size_t first, base::ConstByteSpan raw) {
  const std::size_t count = raw.size() / sizeof(T);
  if (out.size() - first > count) out.erase(out.begin() + static_cast<std::ptrdiff_t>(first + count), out.end());
  const std::size_t over = out.size() - first;
  overwrite_raw(out.data() + first, raw.data(), over);
  if (over != count) append_raw(out, raw.subspan(over * sizeof(T)));
}
template <class T>
inline void assign_raw(std::vector<T>& out, std::size_t first, base::ConstByteSpan raw) {
  out.size() == first ? append_raw(out, raw) : replace_raw(out, first, raw);
}

}  // namespace detail

/// Reads `count` structs into memory that has room for them. The position must be a multiple of
/// BulkLayout<T>::alignment and the byte order this machine's. Nothing is written on failure.
template <class T>
requires(BulkLayout<T>::value) void get_bulk(Decoder& decoder, T* out, std::size_t count) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  const base::ConstByteSpan raw = decoder.take_octets(count * sizeof(T));
  if (raw.empty()) return;
  base::copy_octets(out, raw.data(), raw.size());
  detail::clear_padding(out, count);
}

/// Reads `count` structs, under the same conditions; `out` has its first `first` elements then and these, or on failure
/// the former only. New elements are not initialised before they are read; those that were there are written over.
template <class T>
requires(BulkLayout<T>::value) void get_bulk_after(Decoder& decoder, std::vector<T>& out, std::size_t first,
                                                   std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  detail::assign_raw(out, first, decoder.take_octets(count * sizeof(T)));
}

/// The same, making `out` exactly these `count` (from Decoder::take_count) elements; empty on failure.
template <class T>
requires(BulkLayout<T>::value) void get_bulk(Decoder& decoder, std::vector<T>& out, std::size_t count) {
  get_bulk_after(decoder, out, 0, count);
}

/// Reads `count` (from Decoder::take_count) primitives in either byte order; `out` is empty on failure. Elements are
/// not initialised before they are read.
template <Primitive T>
requires(!std::is_same_v<T, bool>) void get_vector(Decoder& decoder, std::vector<T>& out, std::size_t count) {
  if (count == 0) return out.clear();
  decoder.align(sizeof(T));
  if (sizeof(T) == 1 || !decoder.format().swapped()) {
    return detail::assign_raw(out, 0, decoder.take_octets(count * sizeof(T)));
  }
  // Swapped in a small buffer that stays in the cache, then appended: a vector has no memory without values.
  out.clear();
  if (decoder.remaining() < count * sizeof(T)) return decoder.fail(base::Code::truncated);
  if (decoder.has_joints()) {
    out.resize(count);
    return decoder.get_array(out.data(), count);
  }
  out.reserve(count);
  constexpr std::size_t kRun = 4096 / sizeof(T);
  T run[kRun];
  while (count > 0) {
    const std::size_t length = count < kRun ? count : kRun;
    decoder.get_array(run, length);
    out.insert(out.end(), run, run + length);
    count -= length;
  }
}

/// If a sequence comes next whose values are the rest of the message, as they lie in memory, but for a first one that
/// may have come before: `out` is that sequence then, in the memory that it was received in. Else false, and nothing
/// was read. `decode_first`: reads one value.
template <class T, class DecodeFirst>
[[gnu::cold, gnu::noinline]] bool take_rest(Decoder& decoder, std::vector<T>& out, DecodeFirst decode_first) {
  if constexpr (detail::kOpens<T>) {
    if (decoder.format().swapped()) return false;
    Decoder ahead = decoder;
    const std::size_t count = ahead.get<std::uint32_t>();
    T first{};
    std::size_t before = 0;
    if constexpr (BulkLayout<T>::value) {
      ahead.align_if_more(BulkLayout<T>::first_alignment);
      if (ahead.position() % BulkLayout<T>::alignment != 0 && count != 0 && ahead.remaining() <= sizeof(T)) {
        decode_first(ahead, first);
        before = 1;
      }
    } else {
      ahead.align_if_more(sizeof(T));
    }
    if (!ahead.ok() || count - before > SIZE_MAX / sizeof(T)) return false;
    base::Bytes* const rest = ahead.open_rest(before * sizeof(T), (count - before) * sizeof(T));
    if (rest == nullptr || !detail::Opened<T>::exchange(out, *rest)) return false;
    if (before != 0) std::memcpy(static_cast<void*>(out.data()), &first, sizeof(T));
    detail::clear_padding(out.data(), out.size());
    ahead.end_rest();
    decoder = std::move(ahead);
    return true;
  }
  return false;
}

/// sequence<boolean>, octet by octet.
inline void get_vector(Decoder& decoder, std::vector<bool>& out, std::size_t count) {
  out.clear();
  out.reserve(count);
  for (std::size_t i = 0; i < count && decoder.ok(); ++i) out.push_back(decoder.get<bool>());
  if (!decoder.ok()) out.clear();
}

}  // namespace corbel::cdr

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstring>

#include "corbel/messaging/protocol.hpp"
#include "messaging/giop/traits.hpp"

namespace corbel::messaging::giop {

/// True if a message is not in this machine's byte order.
inline bool is_swapped(const FrameHeader& frame) noexcept {
  return frame.little_endian != (std::endian::native == std::endian::little);
}

/// Reads a message header: a pared-down cdr::Decoder that fits into registers, so it is passed to functions that are
/// not inlined by value only. The first failure sticks, and everything read after it is zero or empty.
class HeaderReader {
 public:
  /// Stands after the 12 octets of the message header.
  HeaderReader(base::ConstByteSpan message, bool swapped) noexcept
      : begin_(message.data()), cursor_(begin_), end_(begin_ + message.size()), swap_(swapped) {
    take(kHeaderSize);
  }

  bool ok() const noexcept { return code_ == base::Code::none; }
  base::Error error() const noexcept { return base::error(base::Stage::decode, code_); }
  void fail(base::Code code) noexcept {
    if (ok()) code_ = code;
    end_ = cursor_;
  }
  std::size_t position() const noexcept { return static_cast<std::size_t>(cursor_ - begin_); }

  base::ConstByteSpan take(std::size_t size) noexcept {
    if (static_cast<std::size_t>(end_ - cursor_) < size) [[unlikely]] {
      fail(base::Code::truncated);
      return {};
    }
    const base::ConstByteSpan octets(cursor_, size);
    cursor_ += size;
    return octets;
  }
  /// `kSize` octets that the position is aligned to 4 for; zeros after a failure.
  template <std::size_t kSize>
  const std::uint8_t* take_group() noexcept {
    static constexpr std::uint8_t kZeros[kSize] = {};
    const std::size_t gap = static_cast<std::size_t>(begin_ - cursor_) & 3;
    if (static_cast<std::size_t>(end_ - cursor_) < gap + kSize) [[unlikely]] {
      fail(base::Code::truncated);
      return kZeros;
    }
    cursor_ += gap + kSize;
    return cursor_ - kSize;
  }
  /// A ulong in a group.
  std::uint32_t load(const std::uint8_t* from) const noexcept {
    std::uint32_t value;
    std::memcpy(&value, from, sizeof value);
    return swap_ ? cdr::byte_swap(value) : value;
  }
  std::uint32_t get() noexcept { return load(take_group<4>()); }
  /// sequence<octet>.
  base::ConstByteSpan get_octets() noexcept { return take(get()); }
  /// A string of at most `limit` octets, given without its NUL. It is not searched for others: it will match no name.
  std::string_view get_string(std::uint32_t limit) noexcept {
    const base::ConstByteSpan octets = get_octets();
    if (octets.size() > limit) [[unlikely]]
      fail(base::Code::too_large);
    if (octets.empty() || octets.back() != 0) [[unlikely]] {
      fail(base::Code::bad_string);
      return {};
    }
    return base::as_text(octets.first(octets.size() - 1));
  }

  /// The entries of a service context list, in place, given its count.
  ServiceContextView get_contexts(std::uint32_t count, const cdr::Limits& limits) noexcept {
    if (count == 0) [[likely]]
      return {};
    const std::size_t begin = position();
    *this = after_contexts(*this, count, limits);
    if (!ok()) return {};
    return {base::ConstByteSpan(begin_ + begin, cursor_), count, swap_};
  }

  /// What a request is for: an object key or, if `needs_key`, an address that gives none.
  struct Target {
    base::ConstByteSpan key;
    bool needs_key = false;
  };
  Target get_target(const Traits& traits, const cdr::Limits& limits) noexcept {
    if (!traits.target_address) return {get_key(get(), limits)};
    const std::uint8_t* address = take_group<8>();
    return get_target(address, limits);
  }
  /// The same, given the eight octets that a target address begins with: the disposition, a gap, and the length of the
  /// key (or whatever other dispositions have there).
  Target get_target(const std::uint8_t* address, const cdr::Limits& limits) noexcept {
    if ((address[0] | address[1]) == 0) [[likely]]
      return {get_key(load(address + 4), limits)};
    return get_other_target(limits);
  }
  base::ConstByteSpan get_key(std::uint32_t size, const cdr::Limits& limits) noexcept {
    if (size > limits.max_object_key) [[unlikely]]
      fail(base::Code::too_large);
    return take(size);
  }

 private:
  static HeaderReader after_contexts(HeaderReader reader, std::uint32_t count, const cdr::Limits& limits) noexcept;
  /// Reads a target address of another disposition than KeyAddr, of which eight octets were taken.
  struct AfterTarget;
  static AfterTarget after_target(HeaderReader reader, const cdr::Limits& limits) noexcept;
  Target get_other_target(const cdr::Limits& limits) noexcept;

  const std::uint8_t* begin_;
  const std::uint8_t* cursor_;
  const std::uint8_t* end_;
  bool swap_;
  base::Code code_ = base::Code::none;
};

struct HeaderReader::AfterTarget {
  HeaderReader reader;
  Target target;
};

inline HeaderReader::Target HeaderReader::get_other_target(const cdr::Limits& limits) noexcept {
  const AfterTarget after = after_target(*this, limits);
  *this = after.reader;
  return after.target;
}

/// A decoder of the message's body, which begins at `position` or, if it is aligned and there is one, at the next
/// multiple of 8.
inline cdr::Decoder body_decoder(const FrameHeader& frame, base::ConstByteSpan message, const cdr::Limits& limits,
                                 std::size_t position, bool aligned) noexcept {
  if (aligned) position = (position + 7) & ~std::size_t{7};
  return cdr::Decoder(message, {.little_endian = frame.little_endian, .giop_minor = frame.version.minor}, limits,
                      position < message.size() ? position : message.size());
}

}  // namespace corbel::messaging::giop

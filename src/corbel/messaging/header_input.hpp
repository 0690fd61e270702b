// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "corbel/base/result.hpp"
#include "corbel/messaging/message.hpp"

namespace corbel::messaging {

/// Reads a message header: a pared-down cdr::Decoder that fits into registers, so it is passed to functions that are
/// not inlined by value only. The first failure sticks, and everything read after it is zero or empty. What protocols
/// share; each adds what its headers have.
class HeaderInput {
 public:
  /// Stands after the first `header_size` octets of the message.
  HeaderInput(base::ConstByteSpan message, std::size_t header_size, bool swapped) noexcept
      : begin_(message.data()), cursor_(begin_), end_(begin_ + message.size()), swap_(swapped) {
    take(header_size);
  }

  bool ok() const noexcept { return code_ == base::Code::none; }
  base::Error error() const noexcept { return base::error(base::Stage::decode, code_); }
  void fail(base::Code code) noexcept {
    if (ok()) code_ = code;
    end_ = cursor_;
  }
  /// For a number of something, of at least so many octets each, that is beyond a limit: one that the message has no
  /// room for is nonsense, and no limit's matter.
  void fail_beyond(std::uint32_t count, std::size_t least = 1) noexcept {
    fail(count > static_cast<std::size_t>(end_ - cursor_) / least ? base::Code::truncated : base::Code::too_large);
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
  base::ConstByteSpan get_key(std::uint32_t size, const cdr::Limits& limits) noexcept {
    if (size > limits.max_object_key) [[unlikely]]
      fail_beyond(size);
    return take(size);
  }

 protected:
  /// Goes back over what was taken just before.
  void give_back(std::size_t size) noexcept { cursor_ -= size; }
  bool swapped() const noexcept { return swap_; }
  /// What lies between two positions.
  base::ConstByteSpan from(std::size_t position) const noexcept { return {begin_ + position, cursor_}; }

 private:
  const std::uint8_t* begin_;
  const std::uint8_t* cursor_;
  const std::uint8_t* end_;
  bool swap_;
  base::Code code_ = base::Code::none;
};

}  // namespace corbel::messaging

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "corbel/messaging/message.hpp"

namespace corbel::messaging {

/// Copies a few octets without a library call.
inline void copy_short(std::uint8_t* to, const void* from, std::size_t size) noexcept {
  const auto* source = static_cast<const std::uint8_t*>(from);
  if (size > 64) {
    std::memcpy(to, source, size);
  } else if (size >= 16) {
    for (std::size_t i = 0; i + 16 < size; i += 16) std::memcpy(to + i, source + i, 16);
    std::memcpy(to + size - 16, source + size - 16, 16);
  } else if (size >= 8) {
    std::memcpy(to, source, 8);
    std::memcpy(to + size - 8, source + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(to, source, 4);
    std::memcpy(to + size - 4, source + size - 4, 4);
  } else {
    for (std::size_t i = 0; i < size; ++i) to[i] = source[i];
  }
}

/// Lays out a message header in room reserved beforehand, so that no write asks for space. What protocols share; each
/// adds its own framing.
class HeaderOutput {
 public:
  /// `room`: what may be written before commit(). `swapped`: the message is not in this machine's byte order.
  HeaderOutput(cdr::Encoder& encoder, std::size_t room, bool swapped)
      : encoder_(encoder), room_(room), swap_(swapped), begin_(encoder.reserve(room)), cursor_(begin_) {}

  void put(std::uint32_t value) noexcept { store(swap_ ? cdr::byte_swap(value) : value); }
  void put(std::uint8_t value) noexcept { *cursor_++ = value; }
  void put_zero() noexcept { store(std::uint32_t{0}); }
  /// ulong count and octets.
  void put_octets(base::ConstByteSpan octets) noexcept {
    put(static_cast<std::uint32_t>(octets.size()));
    copy_short(cursor_, octets.data(), octets.size());
    cursor_ += octets.size();
  }
  /// ulong count, octets and NUL.
  void put_string(std::string_view text) noexcept {
    put(static_cast<std::uint32_t>(text.size() + 1));
    copy_short(cursor_, text.data(), text.size());
    cursor_ += text.size();
    *cursor_++ = 0;
  }
  /// To a multiple of `kTo` (4 or 8; the message lies at a multiple of 8), with zeros. Returns their number.
  template <std::size_t kTo = 4>
  std::size_t align() noexcept {
    std::memset(cursor_, 0, kTo);
    const std::size_t gap = (0 - reinterpret_cast<std::uintptr_t>(cursor_)) & (kTo - 1);
    cursor_ += gap;
    return gap;
  }

 protected:
  /// Octets as they lie in memory.
  template <class Word>
  void store(Word raw) noexcept {
    std::memcpy(cursor_, &raw, sizeof raw);
    cursor_ += sizeof raw;
  }
  /// Gives what was written to the encoder.
  void commit() noexcept { encoder_.commit(static_cast<std::size_t>(cursor_ - begin_)); }
  /// After commit() and writes to the encoder: reserves room again.
  void resume() { begin_ = cursor_ = encoder_.reserve(room_); }
  cdr::Encoder& encoder() noexcept { return encoder_; }
  /// Commits, and writes a body that begins at a multiple of 8; without one there is no gap. Returns where it ends.
  std::size_t put_aligned(BodyWriter body) {
    const std::size_t gap = align<8>();
    commit();
    const std::size_t from = encoder_.position();
    body(encoder_);
    const std::size_t end = encoder_.position();
    if (end != from) return end;
    encoder_.uncommit(gap);
    return end - gap;
  }
  /// Writes the size of a message that ends at `end` where its header has it.
  void patch_size(std::size_t at, std::size_t header_size, std::size_t end) noexcept {
    const std::size_t size = end - header_size;
    if (size > 0xffffffffU) encoder_.fail(base::Code::too_large);
    encoder_.patch_u32(at, static_cast<std::uint32_t>(size));
  }

 private:
  cdr::Encoder& encoder_;
  std::size_t room_;
  bool swap_;
  std::uint8_t* begin_;
  std::uint8_t* cursor_;
};

}  // namespace corbel::messaging

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstring>

#include "corbel/messaging/protocol.hpp"
#include "messaging/giop/traits.hpp"

namespace corbel::messaging::giop {

/// Copies a few octets without a library call.
inline void copy_short(std::uint8_t* to, const void* from, std::size_t size) noexcept {
  const auto* source = static_cast<const std::uint8_t*>(from);
  if (size > 64) {
    std::memcpy(to, source, size);
  } else if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) std::memcpy(to + i, source + i, 8);
    std::memcpy(to + size - 8, source + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(to, source, 4);
    std::memcpy(to + size - 4, source + size - 4, 4);
  } else {
    for (std::size_t i = 0; i < size; ++i) to[i] = source[i];
  }
}

/// Lays out a message header in room reserved beforehand, so that no write asks for space. `room` is what the whole
/// header needs at most, service contexts excepted; eight octets more are kept for the alignment of the body.
class HeaderWriter {
 public:
  HeaderWriter(cdr::Encoder& encoder, MessageType type, std::size_t room)
      : encoder_(encoder), room_(kHeaderSize + room + 8), swap_(encoder.format().swapped()) {
    begin_ = cursor_ = encoder.reserve(room_);
    frame_header(type);
  }

  void put(std::uint32_t value) noexcept {
    if (swap_) value = cdr::byte_swap(value);
    store(value);
  }
  /// An octet and three that are zero.
  void put_padded(std::uint8_t value) noexcept {
    store(std::endian::native == std::endian::little ? value : std::uint32_t{value} << 24);
  }
  void put_zero() noexcept { store(0); }
  /// ulong count and octets, then alignment to 4.
  void put_octets(base::ConstByteSpan octets) noexcept {
    put(static_cast<std::uint32_t>(octets.size()));
    copy_short(cursor_, octets.data(), octets.size());
    cursor_ += octets.size();
    align();
  }
  /// ulong count, octets and NUL, then alignment to 4.
  void put_string(std::string_view text) noexcept {
    put(static_cast<std::uint32_t>(text.size() + 1));
    copy_short(cursor_, text.data(), text.size());
    cursor_ += text.size();
    *cursor_++ = 0;
    align();
  }
  void put_contexts(std::span<const ServiceContext> contexts) {
    if (contexts.empty()) return put_zero();
    finish();
    put_context_list(contexts);
    begin_ = cursor_ = encoder_.reserve(room_);
  }
  /// The header is complete.
  void finish() noexcept { encoder_.commit(static_cast<std::size_t>(cursor_ - begin_)); }

 private:
  void store(std::uint32_t raw) noexcept {
    std::memcpy(cursor_, &raw, sizeof raw);
    cursor_ += sizeof raw;
  }
  void align() noexcept {
    std::memset(cursor_, 0, 4);
    cursor_ += (0 - reinterpret_cast<std::uintptr_t>(cursor_)) & 3;
  }
  /// Magic, version, flags and type in one store; then the size, which finish_message() patches.
  void frame_header(MessageType type) noexcept {
    const cdr::Format& format = encoder_.format();
    std::uint64_t word = 0x01'50'4f'49'47 | std::uint64_t{format.giop_minor} << 40 |
                         std::uint64_t{format.little_endian} << 48 | std::uint64_t{static_cast<std::uint8_t>(type)} << 56;
    if constexpr (std::endian::native == std::endian::big) word = cdr::byte_swap(word);
    std::memcpy(cursor_, &word, sizeof word);
    cursor_ += sizeof word;
    put_zero();
  }
  void put_context_list(std::span<const ServiceContext> contexts);

  cdr::Encoder& encoder_;
  std::size_t room_;
  bool swap_;
  std::uint8_t* begin_;
  std::uint8_t* cursor_;
};

/// Writes the body of a request or reply: aligned to 8 from GIOP 1.2 on, but only if there is one (9.4.2.2).
inline void write_body(cdr::Encoder& encoder, const Traits& traits, BodyWriter body) {
  if (!traits.body_aligned) return body(encoder);
  const cdr::Encoder::Mark mark = encoder.mark();
  encoder.align(8);
  const std::size_t from = encoder.position();
  body(encoder);
  encoder.rewind_if_empty(mark, from);
}

/// Patches the size.
inline void finish_message(cdr::Encoder& encoder) noexcept {
  const std::size_t size = encoder.position() - kHeaderSize;
  if (size > 0xffffffffU) encoder.fail(base::Code::too_large);
  encoder.patch_u32(8, static_cast<std::uint32_t>(size));
}

}  // namespace corbel::messaging::giop

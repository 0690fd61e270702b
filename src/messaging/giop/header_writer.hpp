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
  HeaderWriter(cdr::Encoder& encoder, MessageType type, std::size_t room, bool swapped)
      : encoder_(encoder), room_(kHeaderSize + room + 8), swap_(swapped) {
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
  void align() noexcept {
    std::memset(cursor_, 0, 4);
    cursor_ += (0 - reinterpret_cast<std::uintptr_t>(cursor_)) & 3;
  }
  void put_contexts(std::span<const ServiceContext> contexts) {
    if (contexts.empty()) return put_zero();
    commit();
    put_context_list(encoder_, contexts);
    begin_ = cursor_ = encoder_.reserve(room_);
  }
  /// Completes a message that is nothing but a header.
  void finish() noexcept {
    commit();
    patch_size(encoder_.position());
  }
  /// Completes a message with a body where plain alignment puts it.
  void finish(BodyWriter body) {
    commit();
    body(encoder_);
    patch_size(encoder_.position());
  }
  /// Completes a request or reply: from GIOP 1.2 on the body is aligned to 8, but only if there is one (9.4.2.2).
  void finish(const Traits& traits, BodyWriter body) {
    if (!traits.body_aligned) return finish(body);
    const std::size_t gap = (0 - reinterpret_cast<std::uintptr_t>(cursor_)) & 7;
    std::memset(cursor_, 0, 8);
    cursor_ += gap;
    commit();
    const std::size_t from = encoder_.position();
    body(encoder_);
    std::size_t size = encoder_.position();
    if (size == from) {
      encoder_.uncommit(gap);
      size -= gap;
    }
    patch_size(size);
  }

 private:
  void commit() noexcept { encoder_.commit(static_cast<std::size_t>(cursor_ - begin_)); }
  void patch_size(std::size_t message_size) noexcept {
    const std::size_t size = message_size - kHeaderSize;
    if (size > 0xffffffffU) encoder_.fail(base::Code::too_large);
    encoder_.patch_u32(8, static_cast<std::uint32_t>(size));
  }
  void store(std::uint32_t raw) noexcept {
    std::memcpy(cursor_, &raw, sizeof raw);
    cursor_ += sizeof raw;
  }
  /// Magic, version, flags and type in one store; then the size, which finish_message() patches.
  void frame_header(MessageType type) noexcept {
    const cdr::Format& format = encoder_.format();
    std::uint64_t word = 0x01'50'4f'49'47 | std::uint64_t{format.giop_minor} << 40 |
                         std::uint64_t{format.little_endian} << 48 |
                         std::uint64_t{static_cast<std::uint8_t>(type)} << 56;
    if constexpr (std::endian::native == std::endian::big) word = cdr::byte_swap(word);
    std::memcpy(cursor_, &word, sizeof word);
    cursor_ += sizeof word;
    put_zero();
  }
  static void put_context_list(cdr::Encoder& encoder, std::span<const ServiceContext> contexts);

  cdr::Encoder& encoder_;
  std::size_t room_;
  bool swap_;
  std::uint8_t* begin_;
  std::uint8_t* cursor_;
};

}  // namespace corbel::messaging::giop

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "corbel/messaging/giop/traits.hpp"
#include "corbel/messaging/header_output.hpp"

namespace corbel::messaging::giop {

/// Lays out a GIOP message header. `room` is what the whole header needs at most, service contexts excepted; eight
/// octets more are kept for the alignment of the body.
class HeaderWriter : public HeaderOutput {
 public:
  HeaderWriter(cdr::Encoder& encoder, MessageType type, std::size_t room, bool swapped)
      : HeaderOutput(encoder, kHeaderSize + room + 8, swapped) {
    frame_header(type);
  }

  /// An octet and three that are zero.
  void put_padded(std::uint8_t value) noexcept {
    store(std::endian::native == std::endian::little ? value : std::uint32_t{value} << 24);
  }
  void put_contexts(std::span<const ServiceContext> contexts) {
    if (contexts.empty()) return put_zero();
    commit();
    put_context_list(encoder(), contexts);
    resume();
  }
  /// The target of a request by a profile or a reference.
  void put_target(const TargetAddress& address) {
    commit();
    put_target_address(encoder(), address);
    resume();
  }
  /// Completes a message that is nothing but a header.
  void finish() noexcept {
    commit();
    patch_size(encoder().position());
  }
  /// Completes a message with a body where plain alignment puts it.
  void finish(BodyWriter body) {
    commit();
    body(encoder());
    patch_size(encoder().position());
  }
  /// Completes a request or reply: from GIOP 1.2 on the body is aligned to 8, but only if there is one (9.4.2.2).
  void finish(const Traits& traits, BodyWriter body) {
    if (!traits.body_aligned) return finish(body);
    patch_size(put_aligned(body));
  }

 private:
  void patch_size(std::size_t message_size) noexcept { HeaderOutput::patch_size(8, kHeaderSize, message_size); }
  /// Magic, version, flags and type in one store; then the size, which finish() patches.
  void frame_header(MessageType type) noexcept {
    const cdr::Format& format = encoder().format();
    std::uint64_t word = 0x01'50'4f'49'47 | std::uint64_t{format.giop_minor} << 40 |
                         std::uint64_t{format.little_endian} << 48 |
                         std::uint64_t{static_cast<std::uint8_t>(type)} << 56;
    if constexpr (std::endian::native == std::endian::big) word = cdr::byte_swap(word);
    store(word);
    put_zero();
  }
  static void put_target_address(cdr::Encoder& encoder, const TargetAddress& address);
  static void put_context_list(cdr::Encoder& encoder, std::span<const ServiceContext> contexts);
};

}  // namespace corbel::messaging::giop

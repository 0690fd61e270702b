// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "corbel/messaging/giop/traits.hpp"
#include "corbel/messaging/header_input.hpp"

namespace corbel::messaging::giop {

/// True if a message is not in this machine's byte order.
inline bool is_swapped(const FrameHeader& frame) noexcept {
  return frame.little_endian != (std::endian::native == std::endian::little);
}

/// Reads a GIOP message header.
class HeaderReader : public HeaderInput {
 public:
  /// Stands after the 12 octets that every message begins with.
  HeaderReader(base::ConstByteSpan message, bool swapped) noexcept : HeaderInput(message, kHeaderSize, swapped) {}

  /// The entries of a service context list, in place, given its count.
  ServiceContextView get_contexts(std::uint32_t count, const cdr::Limits& limits) noexcept {
    if (count == 0) [[likely]]
      return {};
    const std::size_t begin = position();
    *this = after_contexts(*this, count, limits);
    if (!ok()) return {};
    return {from(begin), count, swapped()};
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

 private:
  static HeaderReader after_contexts(HeaderReader reader, std::uint32_t count, const cdr::Limits& limits) noexcept;
  /// Reads a target address of another disposition than KeyAddr, of which eight octets were taken.
  struct AfterTarget;
  static AfterTarget after_target(HeaderReader reader, const cdr::Limits& limits) noexcept;
  Target get_other_target(const cdr::Limits& limits) noexcept;
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

/// Makes `body` the decoder of the message's body, which begins at `position` or, if it is aligned and there is one, at
/// the next multiple of 8.
inline void begin_body(cdr::Decoder& body, const FrameHeader& frame, base::ConstByteSpan message,
                       const cdr::Limits& limits, std::size_t position, bool aligned) noexcept {
  if (aligned) position = (position + 7) & ~std::size_t{7};
  body.begin(message, {.little_endian = frame.little_endian, .giop_minor = frame.version.minor}, limits,
             position < message.size() ? position : message.size());
}

}  // namespace corbel::messaging::giop

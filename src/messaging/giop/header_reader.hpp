// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/messaging/protocol.hpp"
#include "messaging/giop/traits.hpp"

namespace corbel::messaging::giop {

/// A decoder of a whole message, standing after the 12 octets of the message header.
inline cdr::Decoder after_frame(const FrameHeader& frame, base::ConstByteSpan message, const cdr::Limits& limits = {}) {
  cdr::Decoder decoder(message, {.little_endian = frame.little_endian, .giop_minor = frame.version.minor}, limits);
  decoder.take_octets(kHeaderSize);
  return decoder;
}

/// Reads a list with at least one context, given its count.
ServiceContextView take_context_list(cdr::Decoder& decoder, base::ConstByteSpan message, std::uint32_t count,
                                     const cdr::Limits& limits);

/// Reads a service context list in place.
inline ServiceContextView take_contexts(cdr::Decoder& decoder, base::ConstByteSpan message, const cdr::Limits& limits) {
  const auto count = decoder.get<std::uint32_t>();
  return count == 0 ? ServiceContextView() : take_context_list(decoder, message, count, limits);
}

/// Reads an object key or, where the version has one, a target address. `needs_key` is set if it names the target in a
/// way that gives no key.
base::ConstByteSpan take_target(cdr::Decoder& decoder, const Traits& traits, const cdr::Limits& limits,
                                bool& needs_key);

}  // namespace corbel::messaging::giop

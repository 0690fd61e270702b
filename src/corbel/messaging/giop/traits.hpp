// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "corbel/messaging/codec_types.hpp"

namespace corbel::messaging::giop {

inline constexpr std::size_t kHeaderSize = 12;
inline constexpr std::size_t kTypeAt = 7;  // in it
inline constexpr std::uint8_t kHighestMinor = 2;

constexpr std::uint32_t bit(MessageType type) noexcept {
  return 1U << static_cast<unsigned>(type);
}

/// What tells the versions apart (9.4); everything else is common code.
struct Traits {
  std::uint8_t flag_bits;      ///< bits that may be set in header octet 6
  MessageType last_type;       ///< highest message type
  std::uint32_t fragmentable;  ///< bit set of the types that "more fragments follow" may mark
  bool contexts_first;         ///< service contexts precede the request id, not follow the header fields
  bool reserved;               ///< three reserved octets follow the response octet
  bool response_flags;         ///< the response octet has two bits, not one
  bool target_address;         ///< the target is a TargetAddress union, not a bare object key
  bool principal;              ///< requests end with a requesting principal
  bool body_aligned;           ///< request and reply bodies begin at a multiple of 8
  bool fragment_id;            ///< fragments carry a request id
  ReplyStatus last_reply_status;
  LocateStatus last_locate_status;
};

inline constexpr Traits kTraits[kHighestMinor + 1] = {
    {.flag_bits = 0x01,
     .last_type = MessageType::message_error,
     .fragmentable = 0,
     .contexts_first = true,
     .reserved = false,
     .response_flags = false,
     .target_address = false,
     .principal = true,
     .body_aligned = false,
     .fragment_id = false,
     .last_reply_status = ReplyStatus::location_forward,
     .last_locate_status = LocateStatus::object_forward},
    {.flag_bits = 0x03,
     .last_type = MessageType::fragment,
     .fragmentable = bit(MessageType::request) | bit(MessageType::reply) | bit(MessageType::fragment),
     .contexts_first = true,
     .reserved = true,
     .response_flags = false,
     .target_address = false,
     .principal = true,
     .body_aligned = false,
     .fragment_id = false,
     .last_reply_status = ReplyStatus::location_forward,
     .last_locate_status = LocateStatus::object_forward},
    {.flag_bits = 0x03,
     .last_type = MessageType::fragment,
     .fragmentable = bit(MessageType::request) | bit(MessageType::reply) | bit(MessageType::locate_request) |
                     bit(MessageType::locate_reply) | bit(MessageType::fragment),
     .contexts_first = false,
     .reserved = true,
     .response_flags = true,
     .target_address = true,
     .principal = false,
     .body_aligned = true,
     .fragment_id = true,
     .last_reply_status = ReplyStatus::needs_addressing_mode,
     .last_locate_status = LocateStatus::needs_addressing_mode},
};

/// The traits of a minor version; one that is too high counts as the highest.
constexpr const Traits& traits_of(std::uint8_t minor) noexcept {
  return kTraits[minor < kHighestMinor ? minor : kHighestMinor];
}

/// A version as a type, so that the common code is compiled once for each without a test for any.
template <std::uint8_t kMinor>
struct MinorVersion {
  static constexpr Traits kTraits = giop::kTraits[kMinor];
};

/// What nearly every message is: 1.2 in this machine's byte order. The codecs compile that apart from the rest.
constexpr bool is_common(std::uint8_t minor, bool swapped) noexcept {
  return minor >= 2 && !swapped;
}

/// Calls `code.operator()<MinorVersion<minor>>()`.
template <class Code>
auto with_version(std::uint8_t minor, const Code& code) {
  if (minor >= 2) return code.template operator()<MinorVersion<2>>();
  if (minor == 1) return code.template operator()<MinorVersion<1>>();
  return code.template operator()<MinorVersion<0>>();
}

}  // namespace corbel::messaging::giop

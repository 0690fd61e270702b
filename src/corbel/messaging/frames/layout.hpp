// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// A frame, in the sender's byte order:
///
///   octet  'F'
///   octet  flags: bit 0 little-endian, bit 1 the names follow, bits 4 to 7 the version, 1; the rest is zero
///   ushort index of object and operation, or kNoIndex
///   ulong  octets of the frame, this header included
///   ulong  sequence number: one more for each frame
///   ulong  time stamp: microseconds of the sender's clock when the frame was made
///   if the names follow: sequence<octet> object key, string operation
///   the body, if there is one, at a multiple of 8 (CDR as in GIOP 1.2)
///
/// Numbers wrap. The first frame for an object and operation carries the names and an index that has not been used
/// before; from then on the index means them for as long as the conversation lasts. Names without an index (kNoIndex)
/// are for this frame only.
namespace corbel::messaging::frames {

inline constexpr std::size_t kHeaderSize = 16;
inline constexpr std::uint8_t kMagic = 'F';
inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::uint8_t kLittleEndian = 0x01;
inline constexpr std::uint8_t kNames = 0x02;
inline constexpr std::uint8_t kFlagBits = kLittleEndian | kNames;

/// Indices are below this.
inline constexpr std::uint16_t kMaxIndices = 256;
inline constexpr std::uint16_t kNoIndex = 0xffff;
/// Octets of all keys and operation names that have an index in one conversation.
inline constexpr std::size_t kMaxNameOctets = 64U << 10;

}  // namespace corbel::messaging::frames

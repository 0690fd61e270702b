// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

/// A frame, in the sender's byte order:
///
///   octet  'F'
///   octet  flags: bit 0 little-endian, bit 1 the names follow, bit 2 a piece of a frame, bit 3 a word of control,
///          bits 4 to 7 the version, 1; of bits 1 to 3 one at most
///   ushort index of object and operation, or kNoIndex; of control which word it is
///   ulong  octets of the message, this header included
///   ulong  sequence number: one more for each frame
///   ulong  time stamp: microseconds of the sender's clock when the frame was made, or what it shows was captured
///   over carriers that lose messages: ulong source, a random number by which a sender is told from all others
///   if the names follow: sequence<octet> object key, string operation
///   the body, if there is one, at a multiple of 8 (CDR as in GIOP 1.2)
///
/// A piece has after this header
///
///   ulong  octets of the whole frame, its own header included
///   ushort number of the piece, from 0 on
///   ushort octets of every piece but the last, divided by 8
///   octets of the frame
///
/// Numbers wrap. The first frame for an object and operation carries the names and an index that has not been used
/// before; from then on the index means them for as long as the conversation lasts. Names without an index (kNoIndex)
/// are for this frame only.
namespace corbel::messaging::frames {

inline constexpr bool kNativeIsLittle = std::endian::native == std::endian::little;

inline constexpr std::size_t kHeaderSize = 16;
inline constexpr std::size_t kSourceSize = 4;
inline constexpr std::size_t kPieceSize = 8;
inline constexpr std::uint8_t kMagic = 'F';
inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::uint8_t kLittleEndian = 0x01;
inline constexpr std::uint8_t kNames = 0x02;
inline constexpr std::uint8_t kPiece = 0x04;
inline constexpr std::uint8_t kControl = 0x08;

/// Indices are below this.
inline constexpr std::uint16_t kMaxIndices = 256;
inline constexpr std::uint16_t kNoIndex = 0xffff;
/// Octets of all keys and operation names that have an index in one conversation.
inline constexpr std::size_t kMaxNameOctets = 64U << 10;

inline constexpr std::size_t kMostPieces = 4096;
inline constexpr std::size_t kPieceUnit = 8;

/// What a word of control is. All have as many octets, so that a sender with a forged address gains nothing.
///
/// A question, from the side that sends frames: ulong its number, ulong and ulong the time (seconds and nanoseconds
/// since 1970) at which the sender's clock showed the time stamp; sequence number: of the next frame; the rest is zero.
///
/// A report, from the side that receives them: ulong number of the question that it answers, or 0; ulong that one's
/// time stamp; ulong microseconds since it came; ulong jitter in microseconds; ulong frames received; ulong frames
/// lost; ulong lost of the last 256 sent; ulong frames dropped because their index is unknown; 8 ulongs with a bit for
/// each index that is known. Sequence number: the highest that has come. Source: whose frames it is about.
///
/// A refusal, from the side that receives them and over carriers that lose nothing: a frame is none, or larger than
/// this side takes, and the conversation ends; all zero.
enum class Word : std::uint16_t { question = 0, report = 1, refusal = 2 };
inline constexpr std::size_t kWordSize = 64;

}  // namespace corbel::messaging::frames

// SPDX-License-Identifier: Apache-2.0
// How compressed messages lie on the wire, and how the policies of compression do in references and service contexts
// (CORBA 3.3 part 2, ZIOP; 7.6.3.2 and 7.7.3 for TAG_POLICIES and INVOCATION_POLICIES). Knows no ORB. Strangers' octets
// are safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <corbel/base/bytes.hpp>
#include <corbel/base/result.hpp>

namespace corbel::ziop {

inline constexpr std::uint32_t kTagPolicies = 2;         ///< IOP::TAG_POLICIES
inline constexpr std::uint32_t kInvocationPolicies = 7;  ///< IOP::INVOCATION_POLICIES
inline constexpr std::uint32_t kEnablingPolicy = 64;     ///< ZIOP::COMPRESSION_ENABLING_POLICY_ID
inline constexpr std::uint32_t kCompressorsPolicy = 65;  ///< ZIOP::COMPRESSOR_ID_LEVEL_LIST_POLICY_ID
inline constexpr std::uint32_t kLowValuePolicy = 66;     ///< ZIOP::COMPRESSION_LOW_VALUE_POLICY_ID
inline constexpr std::uint32_t kMinRatioPolicy = 67;     ///< ZIOP::COMPRESSION_MIN_RATIO_POLICY_ID

inline constexpr std::uint16_t kZlib = 4;  ///< Compression::COMPRESSORID_ZLIB

/// Compression::CompressorIdLevel.
struct IdLevel {
  std::uint16_t id = 0;
  std::uint16_t level = 0;
  friend bool operator==(const IdLevel&, const IdLevel&) = default;
};
using Levels = std::vector<IdLevel>;
inline constexpr std::size_t kMostLevels = 32;  ///< of one list; what comes behind is not looked at

/// "zlib:6" or, of numbers without names, "101:3".
std::string to_string(const IdLevel& one);
/// Reads a list of these, separated by commas; a level that is not given is 6. "off" is no compressor at all. Nothing
/// if the text is neither.
std::optional<Levels> read_levels(std::string_view text);

/// Those of `mine`, in their order, that `theirs` has as well, each with the lower of the two levels.
Levels in_common(const Levels& mine, const Levels& theirs);

/// The policies of compression that the other side is told.
struct Exposed {
  bool enabled = false;
  Levels compressors;
  friend bool operator==(const Exposed&, const Exposed&) = default;
};
/// A Messaging::PolicyValueSeq, as an encapsulation: the data of the component TAG_POLICIES and of the context
/// INVOCATION_POLICIES.
base::Bytes encode(const Exposed& exposed);
/// What such octets say of compression; nothing of that is that it is not enabled.
Exposed decode_exposed(base::ConstByteSpan octets);

/// Octets of a compressed message before its data: those of GIOP's header, then ushort compressor, ulong original
/// length, ulong length of the data.
inline constexpr std::size_t kGiopHeader = 12;
inline constexpr std::size_t kDataAt = 24;

/// The beginning of a compressed message.
struct Head {
  std::uint32_t size = 0;             ///< octets of the message in all
  std::uint16_t compressor = 0;       ///< from here on only if kDataAt octets have come
  std::uint32_t original_length = 0;  ///< octets that GIOP's header is followed by when the data are decompressed
};
/// True if octets, at least kGiopHeader of them, begin a compressed message rather than one of GIOP.
inline bool is_compressed(base::ConstByteSpan octets) noexcept {
  return octets[0] == 'Z' && octets[1] == 'I' && octets[2] == 'O' && octets[3] == 'P';
}
/// Reads the head of a message of at most `most` octets, compressed and decompressed. Fails (stage receive) with
/// unsupported (a version of GIOP that has no compression), malformed or too_large, as soon as that can be seen.
base::Result<Head> read_head(base::ConstByteSpan octets, std::uint32_t most);
/// GIOP's header of the message, decompressed: 12 octets.
void put_giop_header(base::ConstByteSpan compressed, std::uint32_t original_length, base::Octet* to) noexcept;
/// The first kDataAt octets of a compressed message: `giop` is its header of GIOP, in `swapped` byte order or this
/// machine's.
void put_head(base::ConstByteSpan giop, bool swapped, std::uint16_t compressor, std::uint32_t original_length,
              std::uint32_t data_length, base::Octet* to) noexcept;

}  // namespace corbel::ziop

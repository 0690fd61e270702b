// SPDX-License-Identifier: Apache-2.0
// The compressor that ships: zlib's (RFC 1950).
#pragma once

#include <corbel/base/bytes.hpp>

#include "Compression.hpp"

namespace corbel::ziop {

/// Makes compressors of levels 0 to 9; BAD_PARAM for others. decompress() writes no more than `target` has room for
/// when it is called: give it the length that is expected. Thread-safe.
IDL::traits<Compression::CompressorFactory>::ref_type make_zlib();

/// A compressor that also works without buffers of its own.
class InPlace {
 public:
  /// All of `target`, or an exception as of Compressor::decompress.
  virtual void decompress_to(base::ConstByteSpan source, base::ByteSpan target) = 0;

 protected:
  ~InPlace() = default;
};

/// Nothing that zlib makes is longer, decompressed, than this many times its length (zlib's "Technical Details").
inline constexpr std::uint64_t kZlibMostRatio = 1032;

}  // namespace corbel::ziop

// SPDX-License-Identifier: Apache-2.0
// Compressed messages of GIOP (ZIOP), for the commands that look at what passes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "corbel/base/bytes.hpp"

namespace corbel::tool {

/// A message as it was before it was compressed, or why it could not be made that again.
struct Opened {
  std::string compressor = {};  ///< "zlib", or a number; empty if even that cannot be read
  base::Bytes message = {};     ///< of GIOP; empty if there is a problem
  std::string problem = {};
};

/// As far as it has come.
bool is_ziop(base::ConstByteSpan octets);
/// Decompresses a whole message; what it becomes has at most `most` octets, and takes no memory before it is known that
/// it can be so many. A stranger's octets are safe.
Opened open_compressed(base::ConstByteSpan message, std::uint32_t most);

}  // namespace corbel::tool

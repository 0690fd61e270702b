// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"

namespace corbel::poa {

/// What an object key of ours says. A view into the key.
///
/// Keys begin with "CB", a format number and flags. A transient key goes on with the 64-bit id of this run of the
/// process, the POA's slot and its generation (32 bits each), a persistent one with the length (16 bits) and the text
/// of the POA's path; the object id is what remains. Numbers are in little-endian order, so a key means the same on
/// every machine.
struct ObjectKey {
  bool persistent = false;
  std::uint64_t run = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::string_view path;
  base::ConstByteSpan id;
};

/// Octets before the object id of a transient key.
inline constexpr std::size_t kTransientPrefix = 20;
/// Between the names of a persistent POA's path, which therefore cannot contain it.
inline constexpr char kPathSeparator = '\0';
/// Of the POA that all paths begin below.
inline constexpr std::string_view kRootName = "RootPOA";
/// Longest path that fits into a key.
inline constexpr std::size_t kLongestPath = 0xffff;

/// False if the key is not of this form (another adapter's, or a plain name).
bool parse_key(base::ConstByteSpan octets, ObjectKey& key) noexcept;
base::Bytes make_key(const ObjectKey& key);
/// The path of what has that name there; the root's is empty.
std::string path_below(const std::string& parent_path, std::string_view name);
/// The names in a path.
std::vector<std::string> names_of(std::string_view path);

}  // namespace corbel::poa

// SPDX-License-Identifier: Apache-2.0
// Reads what omniNames keeps: omninames-HOST.dat (4.2 and later), omninames-HOST.log (before).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>

#include "names.hpp"
#include "store.hpp"

namespace corbel::naming {

/// What an import found.
struct Imported {
  std::size_t lines = 0;
  std::optional<std::string> port;  ///< that omniNames listened on
  std::size_t skipped = 0;          ///< bindings in contexts that were destroyed meanwhile
};

/// Replays the file into an empty store, as one change: all of it or nothing. Its contexts become contexts of the
/// store; references to them that lie elsewhere stay what they are, references to omniNames. Throws std::runtime_error
/// naming the line that makes no sense or is beyond the limits, those of names included; StoreError.
Imported import_omninames(std::istream& file, Store& store, const NameLimits& limits);

}  // namespace corbel::naming

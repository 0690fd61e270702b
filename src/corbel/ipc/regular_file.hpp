// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace corbel::ipc {

/// What read_regular_file() has read, or why it could not.
struct FileText {
  std::string text;
  std::string why;  ///< in words that follow the file's name, "cannot be opened (No such file or directory)"; or empty
};

/// The text of a regular file, at most so many octets of it. Nothing else is opened: reading it might wait, or never
/// end.
FileText read_regular_file(const std::string& path, std::size_t most);

}  // namespace corbel::ipc

// SPDX-License-Identifier: Apache-2.0
// Files that commands write while clients and servers work through them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corbel/ipc/handle.hpp"

namespace corbel::tool {

/// A file that is written by one command at a time, or a FIFO. One thread at a time.
class OutputFile {
 public:
  /// Opens and empties it; waits until somebody reads a FIFO. Throws std::runtime_error if it cannot be written,
  /// another OutputFile has it open, or SIGINT or SIGTERM, which must be blocked, came while it waited.
  explicit OutputFile(std::string path);

  /// Writes all of it, or what is in the file already stays as it is, and nothing is written any more: false. Waits
  /// while a FIFO's reader is slow, but not beyond the end of wait_for_end().
  bool write(std::string_view octets);

  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void open();

  const std::string path_;
  ipc::Handle file_;
  std::uint64_t size_ = 0;
  bool failed_ = false;
};

/// Writes a file that is nothing but this text and the end of its line. Throws std::runtime_error as OutputFile does.
void write_line_to(const std::string& path, const std::string& text);

}  // namespace corbel::tool

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bench {

/// A new folder that only this user can enter; removed with all it holds when this object goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "common/temporary.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace bench {

TemporaryFolder::TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "corbel-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("cannot make a folder " + path_ + ": " + std::strerror(errno));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bench

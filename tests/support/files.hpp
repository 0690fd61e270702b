// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

namespace corbel::test {

/// A folder of its own, gone with all that is in it when this goes.
class Folder {
 public:
  Folder() {
    constexpr std::size_t kRoom = 40;  // a socket's path has 107 octets, its folder and name need the others
    const std::string usual = std::filesystem::temp_directory_path();
    std::string pattern = (usual.size() < kRoom ? usual : "/tmp") + "/corbel-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The path of what is called so in it.
  std::string operator/(const std::string& name) const { return path_ / name; }
  /// Writes a file there; its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// All that a file holds; nothing if it cannot be read.
inline std::string text_of_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// How many descriptors the process has.
inline std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace corbel::test

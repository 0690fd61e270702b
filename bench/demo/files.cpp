// SPDX-License-Identifier: Apache-2.0
#include "demo/files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace demo {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSmallest = 64U << 10;

struct Candidate {
  std::uint64_t size;
  std::string path;
};

void collect(const fs::path& folder, std::uint64_t largest, std::vector<Candidate>& candidates) {
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    std::error_code ignored;
    if (entries->is_symlink(ignored) || !entries->is_regular_file(ignored)) continue;
    const std::uint64_t size = entries->file_size(ignored);
    if (!ignored && size >= kSmallest && size <= largest) candidates.push_back({size, entries->path().string()});
  }
}

/// Octets of memory that may be used without hurting other processes; unlimited if the system does not say.
std::uint64_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibi = 0;
  for (std::string unit; file >> name >> kibi; std::getline(file, unit)) {
    if (name == "MemAvailable:") return kibi * 1024;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

std::string printable_name(std::size_t number, const std::string& path) {
  std::string name = std::to_string(number) + " " + fs::path(path).filename().string();
  for (char& c : name) {
    if (c < ' ' || c > '~') c = '_';
  }
  return name;
}

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw std::runtime_error("cannot read " + path + ": " + why);
}

File load_file(const std::string& path, std::size_t number, std::size_t block_size) {
  if (!fs::is_regular_file(path))
    cannot_read(path, fs::exists(path) ? "it is no regular file" : "there is no such file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) cannot_read(path, std::strerror(errno));
  File file{path, printable_name(number, path), 0, {}, {}};
  while (stream) {
    Block block(block_size);
    stream.read(reinterpret_cast<char*>(block.data()), static_cast<std::streamsize>(block.size()));
    block.resize(static_cast<std::size_t>(stream.gcount()));
    file.size += block.size();
    if (!block.empty()) file.blocks.push_back(std::move(block));
  }
  if (stream.bad()) cannot_read(path, std::strerror(errno));
  file.digest = sha256(file.blocks);
  return file;
}

}  // namespace

std::vector<std::string> large_files(std::uint64_t octets) {
  std::vector<Candidate> candidates;
  for (const char* const folder : {"/usr/bin", "/usr/lib", "/usr/libexec", "/usr/share"})
    collect(folder, octets / 2, candidates);
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.size != b.size ? a.size > b.size : a.path < b.path;
  });
  std::vector<std::string> chosen;
  std::uint64_t sum = 0;
  for (const Candidate& candidate : candidates) {
    if (sum >= octets) break;
    if (access(candidate.path.c_str(), R_OK) != 0) continue;
    chosen.push_back(candidate.path);
    sum += candidate.size;
  }
  return chosen;
}

std::vector<File> load(const std::vector<std::string>& paths, std::size_t block_size) {
  std::uint64_t wanted = 0;
  for (const std::string& path : paths) {
    std::error_code ignored;
    const std::uint64_t size = fs::file_size(path, ignored);
    if (!ignored) wanted += size;
  }
  // The client holds all files and one more; each server holds one.
  if (wanted > free_memory() / 4) throw std::runtime_error("the files do not fit into a quarter of the free memory");
  std::vector<File> files;
  for (const std::string& path : paths) files.push_back(load_file(path, files.size() + 1, block_size));
  return files;
}

std::uint64_t total_size(const std::vector<File>& files) {
  std::uint64_t sum = 0;
  for (const File& file : files) sum += file.size;
  return sum;
}

}  // namespace demo

// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/socket_folder.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {
namespace {

constexpr int kMostEntries = 4096;

bool make_private(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & 0077U) == 0;
}

/// True if the name is one of next_name(), perhaps with an extension, and its process is gone.
bool is_orphan(const std::string& name) {
  pid_t owner = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), owner);
  return failed == std::errc() && owner > 0 && *end == '-' && ::kill(owner, 0) != 0 && errno == ESRCH;
}

}  // namespace

base::Result<SocketFolder> SocketFolder::open() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') {
    const std::string path = std::string(runtime) + "/corbel";
    if (path.size() + 32 <= UnixAddress::kMaxLength && make_private(path)) return SocketFolder(path);
  }
  std::string path = "/tmp/corbel-" + std::to_string(::geteuid());
  if (make_private(path)) return SocketFolder(path);
  path += "-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return last_failure(base::Stage::listen);
  return SocketFolder(path);
}

base::Result<UnixAddress> SocketFolder::next_name() const {
  static std::atomic<unsigned> made{0};
  return UnixAddress::path(path_ + '/' + std::to_string(::getpid()) + '-' + std::to_string(++made));
}

void SocketFolder::sweep() const {
  std::error_code failed;
  std::filesystem::directory_iterator entry(path_, failed);
  for (int looked = 0; !failed && entry != std::filesystem::directory_iterator() && looked < kMostEntries; ++looked) {
    const std::string name = entry->path().filename();
    entry.increment(failed);
    if (!is_orphan(name)) continue;
    // Of "NAME.lock", too: taking that lock and letting go of it removes the file.
    const auto address = UnixAddress::path(path_ + '/' + name.substr(0, name.find('.')));
    if (address) (void)remove_stale(*address);
  }
}

void SocketFolder::leave() noexcept {
  if (!path_.empty()) ::rmdir(path_.c_str());
  path_.clear();
}

}  // namespace corbel::ipc

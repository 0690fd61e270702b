// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/socket_folder.hpp"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "corbel/base/function_ref.hpp"
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {
namespace {

constexpr int kMostEntries = 4096;
constexpr int kMostNeighbours = 1 << 16;  // in a folder that every user may fill
constexpr std::string_view kRandom = "-XXXXXX";

/// True if it is this user's, and no other user may enter.
bool is_private(const struct stat& status) {
  return S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 0077U) == 0;
}
bool is_private(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && is_private(status);
}

/// The last user that leaves takes it away, perhaps between making it and looking at it.
bool make_private(const std::string& path) {
  constexpr int kMostAttempts = 100;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return false;
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) return is_private(status);
    if (errno != ENOENT) return false;
  }
  return false;
}

/// Shows the names in a folder, so many at most. Not by std::filesystem, whose iterator ends the process where there is
/// no memory for it.
void for_each_name(const std::string& folder, int most, base::FunctionRef<void(const std::string&)> see) {
  const std::unique_ptr<DIR, int (*)(DIR*)> all(::opendir(folder.c_str()), [](DIR* one) { return ::closedir(one); });
  for (; all != nullptr && most > 0; --most) {
    const dirent* const entry = ::readdir(all.get());
    if (entry == nullptr) return;
    see(entry->d_name);
  }
}

/// The folders of this user's that stand in for the one called `name`, in order.
std::vector<std::string> find_substitutes(const std::string& parent, const std::string& name) {
  std::vector<std::string> found;
  for_each_name(parent, kMostNeighbours, [&](const std::string& other) {
    if (other.size() == name.size() + kRandom.size() && other.starts_with(name + '-') &&
        is_private(parent + '/' + other)) {
      found.push_back(parent + '/' + other);
    }
  });
  std::sort(found.begin(), found.end());
  return found;
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
  return open_below("/tmp");
}

base::Result<SocketFolder> SocketFolder::open_below(const std::string& parent) {
  const std::string name = "corbel-" + std::to_string(::geteuid());
  std::string path = parent + '/' + name;
  if (make_private(path)) return SocketFolder(path);
  // One is enough for all processes. Of what killed ones have left beside it nothing stays but sockets that are in use.
  const std::vector<std::string> substitutes = find_substitutes(parent, name);
  for (std::size_t i = 1; i < substitutes.size(); ++i) SocketFolder(substitutes[i]).sweep();
  if (!substitutes.empty()) return SocketFolder(substitutes.front());
  path += kRandom;
  if (::mkdtemp(path.data()) == nullptr) return last_failure(base::Stage::listen);
  return SocketFolder(path);
}

base::Result<UnixAddress> SocketFolder::next_name() const {
  static std::atomic<unsigned> made{0};
  return UnixAddress::path(path_ + '/' + std::to_string(::getpid()) + '-' + std::to_string(++made));
}

void SocketFolder::sweep() const {
  for_each_name(path_, kMostEntries, [&](const std::string& name) {
    if (!is_orphan(name)) return;
    // Of "NAME.lock", too: taking that lock and letting go of it removes the file.
    const auto address = UnixAddress::path(path_ + '/' + name.substr(0, name.find('.')));
    if (address) (void)remove_stale(*address);
  });
}

void SocketFolder::leave() noexcept {
  if (!path_.empty()) ::rmdir(path_.c_str());
  path_.clear();
}

}  // namespace corbel::ipc

// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/opening.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace corbel::ipc::detail {
namespace {

using base::Stage;

/// True if the open file is still the one that has the name.
bool is_named(int descriptor, const char* path) noexcept {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path, &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

bool is_stale(const UnixAddress& address) noexcept {
  struct stat status {};
  if (::lstat(path_of(address), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  Handle probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe && ::connect(probe.get(), address.native(), address.size()) != 0 && errno == ECONNREFUSED;
}

base::Result<PathLock> PathLock::take(const UnixAddress& address, bool wanted) noexcept {
  PathLock lock;
  if (!wanted || address.is_abstract() || address.is_unnamed()) return lock;
  std::strcat(std::strcpy(lock.path_.data(), path_of(address)), kSuffix);
  const char* const path = lock.path_.data();
  for (const auto deadline = base::Deadline::after(std::chrono::seconds(5));;) {
    Handle handle(::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!handle) return lock;
    if (::flock(handle.get(), LOCK_EX | LOCK_NB) == 0) {
      if (!is_named(handle.get(), path)) continue;  // its last owner has just removed it
      lock.handle_ = std::move(handle);
      return lock;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) return lock;
    if (deadline.expired()) return base::error(Stage::listen, base::Code::address_in_use, EWOULDBLOCK);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

PathLock::~PathLock() {
  if (handle_) ::unlink(path_.data());  // while it is ours
}

SocketFile::SocketFile(const UnixAddress& address) noexcept : address_(address) {
  struct stat status {};
  if (::lstat(path_of(address), &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
}

void SocketFile::remove() noexcept {
  if (address_.is_unnamed()) return;
  const UnixAddress made = std::exchange(address_, UnixAddress());
  // Who comes next may find that nobody listens any more, and put a file of its own here, between looking and removing.
  const auto lock = PathLock::take(made, true);
  if (!lock) return;  // it is replaced by whoever comes next
  struct stat status {};
  if (::lstat(path_of(made), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_) {
    ::unlink(path_of(made));
  }
}

base::Status set_int(int descriptor, int level, int name, std::optional<int> value, Stage stage) noexcept {
  if (value && ::setsockopt(descriptor, level, name, &*value, sizeof *value) != 0) return last_failure(stage);
  return {};
}

base::Result<Handle> open_socket(int family, int type, Stage stage) noexcept {
  Handle handle(::socket(family, type | SOCK_CLOEXEC, 0));
  if (!handle) return last_failure(stage);
  return handle;
}

base::Status bind_local(int descriptor, const UnixAddress& address, bool replace_stale, bool remove_on_close,
                        std::optional<unsigned> mode, SocketFile& file) noexcept {
  // Before bind(2), so that the file never exists with wider permissions.
  if (mode && ::fchmod(descriptor, *mode) != 0) return last_failure(Stage::listen);
  const bool has_file = !address.is_abstract() && !address.is_unnamed();
  if (::bind(descriptor, address.native(), address.size()) != 0) {
    const int os_error = errno;
    if (os_error != EADDRINUSE || !has_file || !replace_stale || !is_stale(address)) {
      return failure(Stage::listen, os_error);
    }
    ::unlink(path_of(address));
    if (::bind(descriptor, address.native(), address.size()) != 0) return last_failure(Stage::listen);
  }
  if (has_file && remove_on_close) file = SocketFile(address);
  return {};
}

}  // namespace corbel::ipc::detail

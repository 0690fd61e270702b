// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Stage;

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr unsigned kNeverExecutable = 0x8;  // MFD_NOEXEC_SEAL, Linux 6.3; sysctl vm.memfd_noexec=2 asks for it

base::Result<std::size_t> size_of(int descriptor, std::size_t max_size) noexcept {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return last_failure(Stage::configure);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > max_size) return base::error(Stage::configure, Code::too_large);
  return size;
}

/// Gives the segment its size and its memory, so that touching it later cannot fail.
base::Status reserve(int descriptor, std::size_t size) noexcept {
  if (size == 0) return base::error(Stage::configure, Code::bad_argument);
  if (size > static_cast<std::size_t>(std::numeric_limits<off_t>::max())) {
    return base::error(Stage::configure, Code::too_large);
  }
  // Beyond this limit the system sends SIGXFSZ, which ends a process that does not expect it.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur) {
    return base::error(Stage::configure, Code::too_large, EFBIG);
  }
  int os_error;
  do {
    os_error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(size));
  } while (os_error == EINTR);
  if (os_error == EFBIG) return base::error(Stage::configure, Code::too_large, os_error);
  return os_error == 0 ? base::Status() : base::Status(failure(Stage::configure, os_error));
}

}  // namespace

base::Result<SharedMemory> SharedMemory::map(Handle handle, std::size_t size) noexcept {
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, handle.get(), 0);
  if (memory == MAP_FAILED) return last_failure(Stage::configure);
  SharedMemory segment;
  segment.handle_ = std::move(handle);
  segment.bytes_ = {static_cast<base::Octet*>(memory), size};
  return segment;
}

base::Result<SharedMemory> SharedMemory::create(std::size_t size) noexcept {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  Handle handle(::memfd_create("corbel", kFlags | kNeverExecutable));
  if (!handle && errno == EINVAL) handle = Handle(::memfd_create("corbel", kFlags));
  if (!handle) return last_failure(Stage::configure);
  CORBEL_CHECK(reserve(handle.get(), size));
  if (::fcntl(handle.get(), F_ADD_SEALS, kSeals | F_SEAL_SEAL) != 0) return last_failure(Stage::configure);
  return map(std::move(handle), size);
}

base::Result<SharedMemory> SharedMemory::attach(Handle handle, std::size_t max_size) noexcept {
  const int seals = ::fcntl(handle.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) return base::error(Stage::configure, Code::refused);
  CORBEL_TRY(const std::size_t size, size_of(handle.get(), max_size));
  return map(std::move(handle), size);
}

base::Result<SharedMemory> SharedMemory::create_named(std::string_view name, std::size_t size, unsigned mode) {
  const std::string text(name);
  Handle handle(::shm_open(text.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!handle && errno == EEXIST) return base::error(Stage::configure, Code::address_in_use, EEXIST);
  if (!handle) return last_failure(Stage::configure);
  auto reserved = reserve(handle.get(), size);
  auto segment = reserved ? map(std::move(handle), size) : base::Result<SharedMemory>(reserved.error());
  if (segment) {
    segment->name_ = text;
  } else {
    ::shm_unlink(text.c_str());
  }
  return segment;
}

base::Result<SharedMemory> SharedMemory::open_named(std::string_view name, std::size_t max_size) {
  Handle handle(::shm_open(std::string(name).c_str(), O_RDWR | O_CLOEXEC, 0));
  if (!handle) return last_failure(Stage::configure);
  CORBEL_TRY(const std::size_t size, size_of(handle.get(), max_size));
  return map(std::move(handle), size);
}

void SharedMemory::close() noexcept {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
  bytes_ = {};
  handle_.reset();
  if (!name_.empty()) ::shm_unlink(name_.c_str());
  name_.clear();
}

}  // namespace corbel::ipc

// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program under measurement: counts its heap allocations in a file that it shares with the laboratory.
// The environment variable CORBEL_BENCH_ALLOCATIONS names the file, which holds one 64-bit number.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

using Counter = std::atomic<std::uint64_t>;
static_assert(Counter::is_always_lock_free && sizeof(Counter) == 8);

constinit Counter counter_of_own{0};
constinit std::atomic<Counter*> counter{&counter_of_own};

void count() noexcept {
  counter.load(std::memory_order_relaxed)->fetch_add(1, std::memory_order_relaxed);
}

[[gnu::constructor]] void share_counter() {
  const char* const name = std::getenv("CORBEL_BENCH_ALLOCATIONS");
  const int file = name != nullptr ? open(name, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* const shared = mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (shared != MAP_FAILED) counter = static_cast<Counter*>(shared);
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}

[[gnu::visibility("default")]] void* calloc(std::size_t number, std::size_t size) {
  count();
  return __libc_calloc(number, size);
}

[[gnu::visibility("default")]] void* realloc(void* block, std::size_t size) {
  count();
  return __libc_realloc(block, size);
}

[[gnu::visibility("default")]] void* memalign(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

[[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

[[gnu::visibility("default")]] int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  count();
  *block = __libc_memalign(alignment, size);
  return *block != nullptr ? 0 : ENOMEM;
}

}  // extern "C"

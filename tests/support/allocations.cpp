// SPDX-License-Identifier: Apache-2.0
#include "support/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t counted_allocations = 0;
thread_local std::size_t counted_octets = 0;
std::atomic<std::size_t> counted_of_all = 0;

std::atomic<std::size_t> refused_first = 0;
std::atomic<std::size_t> refused_count = 0;
std::atomic<std::size_t> since = 0;

void* counted(std::size_t size) noexcept {
  if (const std::size_t count = refused_count.load(std::memory_order_relaxed); count != 0) {
    if (since.fetch_add(1, std::memory_order_relaxed) - refused_first.load(std::memory_order_relaxed) < count) {
      return nullptr;
    }
  }
  ++counted_allocations;
  counted_octets += size;
  counted_of_all.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

// Kept out of line: otherwise the compiler sees malloc and free where it expects new and delete to pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = counted(size)) return memory;
  throw std::bad_alloc();
}
// What does not throw is of the same kin: stable_sort and the encoder use it, and address sanitizers look whether what
// gives and what takes back match.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace corbel::test {

std::size_t allocations() noexcept {
  return counted_allocations;
}

std::size_t allocations_of_all() noexcept {
  return counted_of_all.load(std::memory_order_relaxed);
}

void refuse_allocations(std::size_t first, std::size_t count) noexcept {
  refused_count = 0;
  refused_first = first;
  since = 0;
  refused_count = count;
}

std::size_t allocations_since() noexcept {
  return since.load(std::memory_order_relaxed);
}

std::size_t allocated_octets() noexcept {
  return counted_octets;
}

}  // namespace corbel::test

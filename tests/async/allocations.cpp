// SPDX-License-Identifier: Apache-2.0
// Counts what is allocated.
#include <atomic>
#include <cstdlib>
#include <new>

#include "support.hpp"

std::atomic<std::size_t> corbel::async_test::allocations{0};

// GCC takes the pair of malloc and free for a mistake when it inlines one of them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  ++corbel::async_test::allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++corbel::async_test::allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

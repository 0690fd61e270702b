// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/call_memory.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <new>
#include <type_traits>

namespace corbel::base {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepsMemory = false;  // they are to see uses of what is gone
#else
constexpr bool kKeepsMemory = true;
#endif

/// The lowest place that is free is taken, so that few requests under way need little memory.
class Places {
 public:
  /// nullptr if there is none for so many octets.
  void* take(std::size_t size) noexcept {
    if (!kKeepsMemory || size > kSize) return nullptr;
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    while (~taken != 0) {
      const std::uint64_t lowest = ~taken & (taken + 1);
      if (taken_.compare_exchange_weak(taken, taken | lowest, std::memory_order_acquire, std::memory_order_relaxed))
        return memory_.data() + kSize * static_cast<std::size_t>(std::countr_zero(lowest));
    }
    return nullptr;
  }
  /// False if the memory is none of these.
  bool give(const void* memory) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(memory) - reinterpret_cast<std::uintptr_t>(memory_.data());
    if (at >= memory_.size()) return false;
    taken_.fetch_and(~(std::uint64_t{1} << (at / kSize)), std::memory_order_release);
    return true;
  }

 private:
  static constexpr std::size_t kSize = 1024;
  static constexpr std::size_t kMost = 64;

  std::atomic<std::uint64_t> taken_{0};
  alignas(std::max_align_t) std::array<std::byte, kMost * kSize> memory_{};
};

// A request may end when everything static has gone: this has no destructor.
constinit Places g_places;
static_assert(std::is_trivially_destructible_v<Places>);

}  // namespace

void* take_call_memory(std::size_t size) {
  void* const place = g_places.take(size);
  if (place != nullptr) [[likely]]
    return place;
  return ::operator new(size);
}

void give_call_memory(void* memory) noexcept {
  if (!g_places.give(memory)) ::operator delete(memory);
}

}  // namespace corbel::base

// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/async_call.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace corbel::corba {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepsMemory = false;  // they are to see uses of what is gone
#else
constexpr bool kKeepsMemory = true;
#endif

/// Places for calls, of the process: they are given back by other threads than those that took them, and one atomic
/// instruction does either. The lowest one that is free is taken, so that few calls under way need little memory. After
/// a fork, those of the parent's calls stay taken in the child. Thread-safe.
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

// A call may end when everything static has gone: this has no destructor.
constinit Places g_places;
static_assert(std::is_trivially_destructible_v<Places>);

}  // namespace

AsyncCall::~AsyncCall() {
  if (carrier_ != nullptr) carrier_->~AsyncCarrier();
}

void* AsyncCall::operator new(std::size_t size) {
  void* const place = g_places.take(size);
  if (place != nullptr) [[likely]]
    return place;
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    refuse_for_memory();
  }
}

void AsyncCall::refuse_for_memory() {
  raise("NO_MEMORY", vendor_minor(base::Stage::encode, base::Code::out_of_resources), Completed::no);
}

void AsyncCall::operator delete(void* memory) noexcept {
  if (!g_places.give(memory)) ::operator delete(memory);
}

void Target::invoke_async(AsyncCall&) {
  raise("NO_IMPLEMENT", 0, Completed::no, "no asynchronous calls to this kind of object");
}

}  // namespace corbel::corba

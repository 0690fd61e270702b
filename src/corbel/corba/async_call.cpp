// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/async_call.hpp"

#include <array>
#include <mutex>

#include "corbel/base/fork.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace corbel::corba {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepsMemory = false;  // they are to see uses of what is gone
#else
constexpr bool kKeepsMemory = true;
#endif

/// Memory of calls that have ended, by size: at most 32 KiB. Thread-safe.
class KeptCalls {
 public:
  /// Of the process. Never destroyed: a call may end when everything static has gone.
  static KeptCalls& all() {
    static auto& kept = *new KeptCalls;
    return kept;
  }
  static constexpr std::size_t rounded(std::size_t size) noexcept { return (size + kStep - 1) / kStep * kStep; }

  /// nullptr if there is none of that size.
  void* take(std::size_t size) noexcept {
    const std::size_t shelf = size / kStep;
    if (!kKeepsMemory || shelf >= kShelves) return nullptr;
    const std::lock_guard lock(mutex_);
    Block* const block = shelves_[shelf];
    if (block == nullptr) return nullptr;
    shelves_[shelf] = block->next;
    --count_;
    return block;
  }
  /// False if there is enough.
  bool give(void* memory, std::size_t size) noexcept {
    const std::size_t shelf = size / kStep;
    if (!kKeepsMemory || shelf >= kShelves) return false;
    const std::lock_guard lock(mutex_);
    if (count_ == kMost) return false;
    ++count_;
    shelves_[shelf] = ::new (memory) Block{shelves_[shelf]};
    return true;
  }

 private:
  struct Block {
    Block* next;
  };
  static constexpr std::size_t kStep = 64;
  static constexpr std::size_t kShelves = 16;
  static constexpr std::size_t kMost = 32;

  base::ForkMutex mutex_;  // guards what follows
  std::array<Block*, kShelves> shelves_{};
  std::size_t count_ = 0;
};

}  // namespace

AsyncCall::~AsyncCall() {
  if (carrier_ != nullptr) carrier_->~AsyncCarrier();
}

void* AsyncCall::operator new(std::size_t size) {
  size = KeptCalls::rounded(size);
  void* const kept = KeptCalls::all().take(size);
  if (kept != nullptr) return kept;
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    refuse_for_memory();
  }
}

void AsyncCall::refuse_for_memory() {
  raise("NO_MEMORY", vendor_minor(base::Stage::encode, base::Code::out_of_resources), Completed::no);
}

void AsyncCall::operator delete(void* memory, std::size_t size) noexcept {
  size = KeptCalls::rounded(size);
  if (!KeptCalls::all().give(memory, size)) ::operator delete(memory);
}

void Target::invoke_async(AsyncCall&) {
  raise("NO_IMPLEMENT", 0, Completed::no, "no asynchronous calls to this kind of object");
}

}  // namespace corbel::corba

// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace corbel::ipc {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kUnderstood = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kUnderstood = false;
#else
constexpr bool kUnderstood = true;
#endif
#else
constexpr bool kUnderstood = true;
#endif

bool ask(int command) noexcept {
  return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool enlist() noexcept {
  return ask(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

}  // namespace

bool has_asymmetric_fences() noexcept {
  static const bool kHas = kUnderstood && enlist() && ask(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  return kHas;
}

void asymmetric_fence_heavy() noexcept {
  // It cannot fail once it has worked, but in a process that has forbidden it to itself since.
  if (ask(MEMBARRIER_CMD_PRIVATE_EXPEDITED) || (enlist() && ask(MEMBARRIER_CMD_PRIVATE_EXPEDITED))) [[likely]]
    return;
  // What a processor has stored does not stay in its buffer for so long, whatever it runs.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace corbel::ipc

// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/process.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace corbel::ipc {
namespace {

constexpr int kLess = 10;
constexpr int kLeast = 19;
constexpr std::uint64_t kTurn = 100'000;  // ns, the shortest that there is

/// What sched_setattr(2) takes, which the C library has no type for.
struct SchedulingAttributes {
  std::uint32_t size = 48;
  std::uint32_t policy = SCHED_BATCH;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = kTurn;  // from Linux 6.12 on: how long a turn is; ignored before that
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

}  // namespace

bool on_first_thread() noexcept {
  return ::syscall(SYS_gettid) == ::getpid();
}

void give_way() noexcept {
  if (::sched_getscheduler(0) == SCHED_IDLE) return;  // less is not to be had
  SchedulingAttributes attributes;
  attributes.nice = std::min(::getpriority(PRIO_PROCESS, 0) + kLess, kLeast);
  if (::syscall(SYS_sched_setattr, 0, &attributes, 0) == 0) return;
  (void)::setpriority(PRIO_PROCESS, 0, attributes.nice);
}

}  // namespace corbel::ipc

// SPDX-License-Identifier: Apache-2.0
// The system is asked to allow fences for all threads before requests are served: once there are several threads it
// takes its time, and a request would wait.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>

#include <cstdarg>
#include <cstdlib>

#include "test_support.hpp"

namespace {

int enlisted = 0;

}  // namespace

extern "C" long syscall(long number, ...) noexcept {
  long argument[6];
  va_list list;
  va_start(list, number);
  for (long& each : argument) each = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier && argument[0] == MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) ++enlisted;
  using Call = long(long, ...);
  static auto* const call = reinterpret_cast<Call*>(::dlsym(RTLD_NEXT, "syscall"));
  return call(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

namespace corbel::poa::testing {
namespace {

/// In a process of its own: it is done once.
TEST(FencesDeathTest, AreAskedForBeforeRequestsCome) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer does not know these fences, and none are used";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const OrbRef orb = make_orb("fences");
        (void)orb->resolve_initial_references("RootPOA");
        std::_Exit(enlisted == 1 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace corbel::poa::testing

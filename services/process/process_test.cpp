// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

namespace corbel::process {
namespace {

TEST(Process, LargeBlocksGoBackToTheSystemHoweverLargeOnesHaveBeenFreed) {
#ifdef __GLIBC__
  ::unsetenv("MALLOC_MMAP_THRESHOLD_");
  give_back_large_blocks();
  const auto own = [] { return mallinfo2().hblks; };  // blocks that the system gave for one piece of memory each
  const auto none = own();
  void* volatile block = std::malloc(16 << 20);
  const bool answers = own() != none;
  std::free(block);
  if (!answers) GTEST_SKIP() << "another allocator stands before the C library's";
  block = std::malloc(1 << 20);
  EXPECT_EQ(own(), none + 1);
  std::free(block);
  EXPECT_EQ(own(), none);
#else
  GTEST_SKIP() << "the C library is another one";
#endif
}

}  // namespace
}  // namespace corbel::process

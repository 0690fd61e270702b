// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/handle.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Stage;

Handle open_null() {
  return Handle(::open("/dev/null", O_RDWR | O_CLOEXEC));
}
bool is_open(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) != -1;
}

TEST(Handle, ClosesWhenItGoes) {
  int descriptor;
  {
    const Handle handle = open_null();
    descriptor = handle.get();
    EXPECT_TRUE(is_open(descriptor));
  }
  EXPECT_FALSE(is_open(descriptor));
}

TEST(Handle, MovesOwnership) {
  Handle first = open_null();
  const int descriptor = first.get();
  Handle second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT: a moved-from handle owns nothing, by contract
  Handle third = open_null();
  const int replaced = third.get();
  third = std::move(second);
  EXPECT_EQ(third.get(), descriptor);
  EXPECT_FALSE(is_open(replaced));
}

TEST(Handle, GivesItsDescriptorAway) {
  Handle handle = open_null();
  const int descriptor = handle.release();
  EXPECT_FALSE(handle);
  EXPECT_TRUE(is_open(descriptor));
  handle.reset(descriptor);
  handle.reset();
  EXPECT_FALSE(is_open(descriptor));
}

TEST(Handle, DuplicatesCloseOnExec) {
  const Handle handle = open_null();
  const auto copy = handle.duplicate();
  ASSERT_TRUE(copy);
  EXPECT_NE(copy->get(), handle.get());
  EXPECT_EQ(::fcntl(copy->get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(Handle().duplicate().error().code, Code::bad_argument);
}

TEST(Handle, SwitchesNonBlockingMode) {
  const Handle handle = open_null();
  ASSERT_TRUE(set_non_blocking(handle.get(), true));
  EXPECT_TRUE(::fcntl(handle.get(), F_GETFL) & O_NONBLOCK);
  ASSERT_TRUE(set_non_blocking(handle.get(), false));
  EXPECT_FALSE(::fcntl(handle.get(), F_GETFL) & O_NONBLOCK);
  EXPECT_FALSE(set_non_blocking(-1, true));
}

TEST(OsError, DependsOnTheStageWhereTheNumberIsAmbiguous) {
  EXPECT_EQ(code_of(ETIMEDOUT, Stage::connect), Code::timed_out);
  EXPECT_EQ(code_of(ETIMEDOUT, Stage::receive), Code::lost);
  EXPECT_EQ(code_of(EHOSTUNREACH, Stage::connect), Code::unreachable);
  EXPECT_EQ(code_of(EHOSTUNREACH, Stage::send), Code::lost);
  EXPECT_EQ(code_of(EINVAL, Stage::accept), Code::cancelled);
  EXPECT_EQ(code_of(EINVAL, Stage::listen), Code::bad_argument);
}

TEST(OsError, NeverSaysNone) {
  for (int os_error = 0; os_error < 200; ++os_error) {
    EXPECT_NE(code_of(os_error, Stage::send), Code::none) << os_error;
  }
}

}  // namespace
}  // namespace corbel::ipc

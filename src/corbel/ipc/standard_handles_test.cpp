// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/standard_handles.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace corbel;  // NOLINT: tests

bool is_null_device(int handle) {
  struct stat status {};
  struct stat null {};
  return ::fstat(handle, &status) == 0 && ::stat("/dev/null", &null) == 0 && status.st_rdev == null.st_rdev;
}

/// In a child that has closed those of the three whose bit is set: true if exactly they are held afterwards.
bool holds(unsigned closed) {
  const pid_t child = ::fork();
  if (child == 0) {
    struct stat before[3] = {};
    for (int handle = 0; handle < 3; ++handle) {
      ::fstat(handle, &before[handle]);
      if ((closed >> handle & 1U) != 0) ::close(handle);
    }
    ipc::hold_standard_handles();
    for (int handle = 0; handle < 3; ++handle) {
      struct stat after {};
      if (::fstat(handle, &after) != 0) ::_exit(1);
      const bool kept = after.st_dev == before[handle].st_dev && after.st_ino == before[handle].st_ino;
      if ((closed >> handle & 1U) != 0 ? !is_null_device(handle) : !kept) ::_exit(2);
    }
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::_exit(next >= 3 ? 0 : 3);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(StandardHandles, WhatIsClosedLeadsToTheNullDeviceAndTheRestStays) {
  for (unsigned closed = 0; closed < 8; ++closed) EXPECT_TRUE(holds(closed)) << closed;
}

}  // namespace

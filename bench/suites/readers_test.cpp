// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "common/temporary.hpp"
#include "suites/callgrind.hpp"
#include "suites/strace.hpp"

namespace bench {
namespace {

class Readers : public testing::Test {
 protected:
  std::string written(const std::string& text) const {
    const std::string path = folder_.path() + "/file";
    std::ofstream(path) << text;
    return path;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Readers, CallgrindCostsBelongToTheFunctionItself) {
  const auto costs = read_callgrind(written(
      "positions: line\nevents: Ir\nfl=(1) a.c\nfn=(1) main\n10 5\n+1 2\ncfn=(2) work\ncalls=3 20\n* 300\n-1 4\n\n"
      "fn=(2)\n20 90\ntotals: 101\n"));
  EXPECT_EQ(costs.at("main"), 11);
  EXPECT_EQ(costs.at("work"), 90);
}

TEST_F(Readers, StraceCallsAreCountedOnceEvenIfInterrupted) {
  const Trace trace = read_strace(written(
      "10 recvfrom(5,  <unfinished ...>\n11 futex(0x1, FUTEX_WAKE, 1) = 0\n10 <... recvfrom resumed>\"\"..., 64) = 64\n"
      "10 sendto(5, \"\"..., 24, MSG_NOSIGNAL, NULL, 0) = 24\n10 sendmsg(5, {...}, 0 <unfinished ...>\n"
      "10 <... sendmsg resumed>) = 100\n10 write(1, \"\"..., 3) = 3\n10 sendto(5, ...) = -1 EAGAIN (...)\n"
      "10 +++ exited with 0 +++\n"));
  EXPECT_EQ(trace.calls.at("recvfrom"), 1);
  EXPECT_EQ(trace.calls.at("futex"), 1);
  EXPECT_EQ(trace.calls.at("sendto"), 2);
  EXPECT_EQ(trace.calls.at("sendmsg"), 1);
  EXPECT_EQ(trace.octets_sent, 124);
}

TEST_F(Readers, MissingFilesAreErrors) {
  EXPECT_THROW(read_callgrind("/nowhere/at/all"), std::runtime_error);
  EXPECT_THROW(read_strace("/nowhere/at/all"), std::runtime_error);
}

}  // namespace
}  // namespace bench

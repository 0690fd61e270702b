// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "corbel/base/probe.hpp"

namespace {

/// The lines that a process which runs `body` and ends in order leaves behind.
template <class Body>
std::vector<std::string> written_by(Body body) {
  const std::string path = testing::TempDir() + "/probes" + std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    setenv("CORBEL_PROBE_FILE", path.c_str(), 1);
    body();
    std::exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  unlink(path.c_str());
  return lines;
}

TEST(Probe, EachThreadWritesItsLayersInOrder) {
  const auto lines = written_by([] {
    CORBEL_PROBE("first layer");
    CORBEL_PROBE("second");
    std::thread([] { CORBEL_PROBE("other"); }).join();
  });
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[0].starts_with("ticks_per_second "));
  EXPECT_EQ(lines[1], "thread");
  EXPECT_TRUE(lines[2].ends_with(" first layer"));
  EXPECT_TRUE(lines[3].ends_with(" second"));
  EXPECT_LE(std::stoull(lines[2]), std::stoull(lines[3]));
  EXPECT_EQ(lines[4], "thread");
  EXPECT_TRUE(lines[5].ends_with(" other"));
}

TEST(Probe, AFullRingKeepsTheLastOnes) {
  const auto lines = written_by([] {
    CORBEL_PROBE("lost");
    for (int i = 0; i < 65536; ++i) CORBEL_PROBE("kept");
  });
  ASSERT_EQ(lines.size(), 65538U);
  EXPECT_TRUE(lines[2].ends_with(" kept"));
}

}  // namespace

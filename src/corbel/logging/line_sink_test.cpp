// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "corbel/logging/sinks.hpp"
#include "support/files.hpp"

namespace corbel::logging {
namespace {

class LineSinkTest : public testing::Test {
 protected:
  std::string path(const char* name = "log") const { return folder_ / name; }
  /// A record as if `second` seconds had passed since 1970.
  static void write(base::LogSink& sink, std::string_view event, std::int64_t second = 1) {
    sink.write({second * 1'000'000'000, base::LogLevel::info, base::LogModule::orb, event, {}, "", 7});
  }
  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  const test::Folder folder_;
};

TEST_F(LineSinkTest, LinesAreAppended) {
  std::ofstream(path()) << "before\n";
  auto sink = to_file(path(), Format::text);
  ASSERT_TRUE(sink);
  write(**sink, "one");
  write(**sink, "two");
  const std::string text = test::text_of_file(path());
  EXPECT_EQ(lines(text), 3U);
  EXPECT_TRUE(text.starts_with("before\n1970-01-01T00:00:01.000000Z [")) << text;
  EXPECT_TRUE(text.ends_with(" info orb: two\n")) << text;
}

TEST_F(LineSinkTest, JsonIsAnObjectPerLine) {
  auto sink = to_file(path(), Format::json);
  ASSERT_TRUE(sink);
  write(**sink, "one");
  write(**sink, "two");
  std::istringstream text(test::text_of_file(path()));
  std::string line;
  ASSERT_TRUE(std::getline(text, line));
  EXPECT_EQ(nlohmann::json::parse(line)["event"], "one");
  ASSERT_TRUE(std::getline(text, line));
  EXPECT_EQ(nlohmann::json::parse(line)["event"], "two");
}

TEST_F(LineSinkTest, AFileIsForItsOwnerAndGroup) {
  ASSERT_TRUE(to_file(path(), Format::text));
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0027U, 0U);
}

TEST_F(LineSinkTest, WhatCannotBeOpenedIsSaid) {
  const auto folder = to_file(folder_.path(), Format::text);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().stage, base::Stage::configure);
  EXPECT_EQ(folder.error().os_error, EISDIR);
  EXPECT_EQ(to_file(path("none/log"), Format::text).error().os_error, ENOENT);
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(to_file(path("fifo"), Format::text).error().os_error, ENXIO);  // no process reads it
}

TEST_F(LineSinkTest, ARotatedFileIsLeftWithinASecond) {
  auto sink = to_file(path(), Format::text);
  ASSERT_TRUE(sink);
  write(**sink, "first", 1);
  std::filesystem::rename(path(), path("log.1"));
  write(**sink, "in the same second", 1);
  write(**sink, "later", 2);
  std::filesystem::remove(path());
  write(**sink, "later still", 3);
  EXPECT_EQ(lines(test::text_of_file(path("log.1"))), 2U);
  const std::string text = test::text_of_file(path());
  EXPECT_EQ(lines(text), 1U);
  EXPECT_NE(text.find("later still"), std::string::npos);
}

TEST_F(LineSinkTest, WithoutANewFileTheOldOneIsKept) {
  std::filesystem::create_directory(path("sub"));
  auto sink = to_file(path("sub/log"), Format::text);
  ASSERT_TRUE(sink);
  std::filesystem::rename(path("sub"), path("moved"));
  write(**sink, "nowhere else to go", 5);
  EXPECT_EQ(lines(test::text_of_file(path("moved/log"))), 1U);
}

TEST_F(LineSinkTest, AFullDiskLosesLinesAndSaysSoAfterwards) {
  std::filesystem::create_symlink("/dev/full", path());
  auto sink = to_file(path(), Format::text);
  ASSERT_TRUE(sink);
  write(**sink, "lost", 1);
  write(**sink, "lost", 1);
  std::filesystem::remove(path());
  write(**sink, "written", 2);
  const std::string text = test::text_of_file(path());
  EXPECT_EQ(lines(text), 2U);
  EXPECT_NE(text.find("warning orb: records could not be written records=2\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(" info orb: written\n"));
}

TEST_F(LineSinkTest, AReaderThatDoesNotReadLosesLinesAndStopsNobody) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const ipc::Handle reader(ends[0]);
  const SinkPtr sink = to_descriptor(ipc::Handle(ends[1]), Format::text);
  const std::string event(2000, 'x');
  for (int i = 0; i < 100; ++i) write(*sink, event);  // more than a pipe holds
  std::string octets(1 << 20, '\0');
  ASSERT_GT(::read(reader.get(), octets.data(), octets.size()), 0);
  write(*sink, "heard");
  const ssize_t size = ::read(reader.get(), octets.data(), octets.size());
  ASSERT_GT(size, 0);
  octets.resize(static_cast<std::size_t>(size));
  EXPECT_NE(octets.find("records could not be written records="), std::string::npos);
  EXPECT_TRUE(octets.ends_with("heard\n"));
}

TEST_F(LineSinkTest, AReaderThatIsGoneEndsNobody) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  const SinkPtr to_pipe = to_descriptor(ipc::Handle(ends[1]), Format::text);
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  ::close(ends[0]);
  const SinkPtr to_socket = to_descriptor(ipc::Handle(ends[1]), Format::text);
  for (const SinkPtr& sink : {to_pipe, to_socket}) write(*sink, "to nobody");  // SIGPIPE would end the test
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGPIPE), 0);
}

TEST_F(LineSinkTest, LinesOfManyThreadsAreWhole) {
  auto sink = to_file(path(), Format::json);
  ASSERT_TRUE(sink);
  constexpr int kEach = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        if (t == 0 && i % 50 == 0) std::filesystem::rename(path(), path("old") + std::to_string(i));
        write(**sink, "whole", 10 + i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  int whole = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    std::istringstream text(test::text_of_file(file.path()));
    for (std::string line; std::getline(text, line);) {
      whole += nlohmann::json::parse(line)["event"] == "whole" ? 1 : 0;
    }
  }
  EXPECT_EQ(whole, 4 * kEach);
}

}  // namespace
}  // namespace corbel::logging

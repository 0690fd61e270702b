// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/socket_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/stream.hpp"
#include "support/files.hpp"

namespace corbel::ipc {
namespace {

namespace files = std::filesystem;
using UnixAcceptor = Acceptor<UnixAddress, UnixStream>;

/// A folder where another user has taken the user's name: others may enter that one.
class TakenSocketFolder : public ::testing::Test {
 protected:
  TakenSocketFolder() { make(usual_, 0755); }

  static void make(const std::string& path, mode_t mode) {
    files::create_directory(path);
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  }
  SocketFolder open() const {
    auto folder = SocketFolder::open_below(parent_);
    EXPECT_TRUE(folder.ok());
    return folder ? *std::move(folder) : SocketFolder();
  }
  std::vector<std::string> all() const {
    std::vector<std::string> found;
    for (const auto& entry : files::directory_iterator(parent_)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }
  static std::size_t entries(const std::string& path) {
    return static_cast<std::size_t>(std::distance(files::directory_iterator(path), files::directory_iterator()));
  }

  const test::Folder folder_;
  const std::string parent_ = folder_.path();
  const std::string usual_ = parent_ + "/corbel-" + std::to_string(::geteuid());
};

TEST_F(TakenSocketFolder, IsReplacedByOneThatNobodyElseMayEnterAndThatGoesWithItsLastUser) {
  {
    const SocketFolder first = open();
    EXPECT_TRUE(first.path().starts_with(usual_ + '-'));
    struct stat status {};
    ASSERT_EQ(::stat(first.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
    SocketFolder second = open();
    EXPECT_EQ(second.path(), first.path());
    const auto acceptor = UnixAcceptor::open(*first.next_name(), {});
    ASSERT_TRUE(acceptor.ok());
    second.leave();
    EXPECT_EQ(all().size(), 2U);
  }
  EXPECT_EQ(all(), std::vector{usual_});
}

TEST_F(TakenSocketFolder, LosesWhatAKilledProcessLeftWhenTheNextOneStarts) {
  const pid_t child = ::fork();
  if (child == 0) {
    const SocketFolder folder = open();
    const auto acceptor = UnixAcceptor::open(*folder.next_name(), {});
    ::kill(::getpid(), acceptor.ok() ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
  const std::vector<std::string> left = all();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_GE(entries(left[1]), 1U);
  {
    const SocketFolder next = open();
    EXPECT_EQ(next.path(), left[1]);
    next.sweep();
    EXPECT_EQ(entries(next.path()), 0U);
  }
  EXPECT_EQ(all(), std::vector{usual_});
}

TEST_F(TakenSocketFolder, IsReplacedByOneForAllAndOthersAreCleared) {
  // Not the user's alone, or no folder, or of another name: left as they are.
  make(usual_ + "-000000", 0777);
  files::create_directory_symlink(parent_, usual_ + "-111111");
  make(usual_ + "9-22222", 0700);
  const std::vector<std::string> others = all();
  make(usual_ + "-aaaaaa", 0700);
  make(usual_ + "-bbbbbb", 0700);
  make(usual_ + "-cccccc", 0700);
  make(usual_ + "-cccccc/kept", 0700);
  {
    const SocketFolder folder = open();
    EXPECT_EQ(folder.path(), usual_ + "-aaaaaa");
    EXPECT_EQ(all().size(), others.size() + 2);
  }
  std::vector<std::string> expected = others;
  expected.push_back(usual_ + "-cccccc");
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(all(), expected);
}

TEST_F(TakenSocketFolder, IsUsedAgainWhenItIsFree) {
  ASSERT_TRUE(files::remove(usual_));
  EXPECT_EQ(open().path(), usual_);
}

}  // namespace
}  // namespace corbel::ipc

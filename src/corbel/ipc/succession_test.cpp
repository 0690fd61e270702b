// SPDX-License-Identifier: Apache-2.0
// A server that ends while the next one starts at the same path.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "corbel/ipc/datagram.hpp"
#include "corbel/ipc/socket_folder.hpp"
#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

TEST(Succession, WhoEndsDoesNotRemoveTheFileOfWhoComesNext) {
  const test::Folder directory;
  const auto address = *UnixAddress::path(directory / "s");
  std::atomic<bool> over{false};
  std::thread ends([&] {
    while (!over) {
      auto acceptor = UnixAcceptor::open(address);
      if (acceptor) acceptor->refuse_more();  // from here on its file is as good as none
    }
  });
  int opened = 0;
  int unreachable = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end && unreachable == 0) {
    const auto acceptor = UnixAcceptor::open(address);
    if (!acceptor) continue;
    ++opened;
    std::this_thread::yield();
    unreachable += UnixConnector().connect(address, testing::soon()) ? 0 : 1;
  }
  over = true;
  ends.join();
  EXPECT_GT(opened, 0);
  EXPECT_EQ(unreachable, 0) << "after " << opened;
}

TEST(Succession, OfDatagramSocketsThatStartAtOnceOneGetsTheName) {
  const test::Folder directory;
  const auto address = *UnixAddress::path(directory / "s");
  for (int round = 0; round < 300; ++round) {
    // Another process left a stale one.
    ASSERT_TRUE(UnixDatagramSocket::open(address, {.remove_on_close = false}));
    constexpr int kStarters = 3;
    std::vector<std::optional<base::Result<UnixDatagramSocket>>> opened(kStarters);
    std::atomic<int> ready{0};
    std::vector<std::thread> starters;
    for (auto& mine : opened) {
      starters.emplace_back([&] {
        ++ready;
        while (ready < kStarters) std::this_thread::yield();
        mine.emplace(UnixDatagramSocket::open(address));
      });
    }
    for (auto& starter : starters) starter.join();
    const auto bound = std::count_if(opened.begin(), opened.end(), [](const auto& each) { return each->ok(); });
    ASSERT_EQ(bound, 1) << "in round " << round;
    ASSERT_TRUE(ConnectedUnixDatagram::open(address));
  }
}

TEST(Succession, WhoLeavesTheFolderDoesNotDriveWhoComesIntoAnother) {
  const test::Folder parent;
  std::atomic<bool> over{false};
  std::thread leaves([&] {
    while (!over) SocketFolder::open_below(parent.path().string())->leave();
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  const std::string expected = SocketFolder::open_below(parent.path().string())->path();
  int elsewhere = 0;
  while (std::chrono::steady_clock::now() < end && elsewhere == 0) {
    elsewhere += SocketFolder::open_below(parent.path().string())->path() == expected ? 0 : 1;
  }
  over = true;
  leaves.join();
  EXPECT_EQ(elsewhere, 0);
}

}  // namespace
}  // namespace corbel::ipc

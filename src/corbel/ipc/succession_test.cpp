// SPDX-License-Identifier: Apache-2.0
// A server that ends while the next one starts at the same path.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

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

}  // namespace
}  // namespace corbel::ipc

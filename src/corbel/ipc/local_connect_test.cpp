// SPDX-License-Identifier: Apache-2.0
// Connecting where the acceptor's queue is full.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "corbel/base/cancellation.hpp"
#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using namespace std::chrono_literals;

TEST(UnixConnect, ThatWaitsForRoomIsEndedByAnotherThreadAndGoesOnWhenThereIsRoom) {
  testing::Place<UnixAddress> place;
  Acceptor<UnixAddress>::Options options;
  options.backlog = 0;
  auto full = *Acceptor<UnixAddress>::open(place.address(), options);
  const auto address = *full.local_address();
  std::vector<UnixStream> queued;
  while (auto stream = UnixConnector().connect(address, Deadline::now())) queued.push_back(*std::move(stream));
  const auto begin = std::chrono::steady_clock::now();
  for (const auto deadline : {Deadline::none(), Deadline::after(600s)}) {
    for (const auto pause : {0us, 100us, 20'000us}) {
      base::Cancellation cancellation;
      std::thread ending([&] {
        std::this_thread::sleep_for(pause);
        cancellation.cancel();
      });
      const base::Cancellation::Scope scope(cancellation);
      const auto stream = UnixConnector().connect(address, deadline);
      ending.join();
      ASSERT_FALSE(stream);
      EXPECT_EQ(stream.error(), base::error(Stage::connect, Code::cancelled));
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
  std::thread accepting([&] {
    std::this_thread::sleep_for(20ms);
    (void)full.accept();
  });
  base::Cancellation never;
  const base::Cancellation::Scope scope(never);
  const auto stream = UnixConnector().connect(address, Deadline::after(60s));
  accepting.join();
  ASSERT_TRUE(stream);
  EXPECT_EQ(::fcntl(stream->handle(), F_GETFL) & O_NONBLOCK, 0);
}

}  // namespace
}  // namespace corbel::ipc

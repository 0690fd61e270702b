// SPDX-License-Identifier: Apache-2.0
// Memory that runs out while a connection is made.
#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <new>

#include "corbel/transport/rudp/rudp.hpp"
#include "corbel/transport/rudp/service.hpp"
#include "corbel/transport/rudp/test_support.hpp"
#include "support/allocations.hpp"

namespace corbel::transport::rudp_tests {
namespace {

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

TEST_F(Rudp, AConnectionForWhichThereIsNoMemoryLeavesNothingOpen) {
  listen();
  const InetAddress where = address();
  (void)connect_to(where);  // the service's thread is there from now on
  while (acceptor_->accept()) {
  }
  const auto settled = [&](std::ptrdiff_t most) {
    for (int i = 0; i < 500; ++i) {
      while (acceptor_->accept()) {
      }
      if (open_descriptors() <= most) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  };
  std::this_thread::sleep_for(200ms);  // what the first one had goes within moments
  const std::ptrdiff_t before = open_descriptors();
  int refused = 0;
  for (std::size_t allocation = 0; allocation < 40; ++allocation) {
    const auto endpoint = *factory_->parse(where.to_string());
    test::refuse_allocations(allocation, 1);
    try {
      (void)connector_->connect(*endpoint, {}, Deadline::after(2s));
    } catch (const std::bad_alloc&) {
      ++refused;
    }
    test::refuse_allocations(0, 0);
  }
  EXPECT_GT(refused, 0);
  EXPECT_TRUE(settled(before)) << open_descriptors() - before;
}

TEST_F(Rudp, AConnectionWithDataUnderWayEndsWithoutMemory) {
  for (int under_way = 0; under_way <= 30; ++under_way) {
    listen();
    make_pair(address());
    exchange(1 << 20);  // from now on more may be under way
    std::latch busy(1), free(1);
    const auto service = *Service::get(base::Log::none());
    service->reactor().post([&] {
      busy.count_down();
      free.wait();
    });
    busy.wait();  // nothing is acknowledged now
    for (int i = 0; i < under_way; ++i) ASSERT_TRUE(send(*client_, pattern(1)));
    test::refuse_allocations(0, SIZE_MAX);
    client_->shutdown();
    test::refuse_allocations(0, 0);
    free.count_down();
    if (under_way != 0) {
      EXPECT_EQ(receive(*server_, static_cast<std::size_t>(under_way)).size(), static_cast<std::size_t>(under_way));
    }
    EXPECT_EQ(end_of(*server_), Code::closed);
  }
}

}  // namespace
}  // namespace corbel::transport::rudp_tests

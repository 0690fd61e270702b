// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/event.hpp"

#include <gtest/gtest.h>

#include "corbel/ipc/interfaces.hpp"

namespace corbel::ipc {
namespace {

bool is_set(const Event& event) {
  return wait_ready(event.handle(), Ready::readable, base::Deadline::now(), base::Stage::wait).ok();
}

TEST(Event, IsReadableExactlyWhileItIsSet) {
  auto event = Event::open();
  ASSERT_TRUE(event);
  EXPECT_FALSE(is_set(*event));
  for (int round = 0; round < 2; ++round) {
    event->set();
    event->set();
    EXPECT_TRUE(is_set(*event));
    event->clear();
    event->clear();
    EXPECT_FALSE(is_set(*event));
  }
}

TEST(Event, OwnsNothingUntilOpened) {
  EXPECT_FALSE(Event().is_open());
}

TEST(InterfaceAddresses, AreRealAndLoopbackOnlyWhenAlone) {
  const auto addresses = interface_addresses();
  ASSERT_FALSE(addresses.empty());
  for (const auto& address : addresses) {
    EXPECT_FALSE(address.is_any());
    EXPECT_EQ(address.port(), 0);
    EXPECT_EQ(address.is_loopback(), addresses.front().is_loopback());
  }
}

}  // namespace
}  // namespace corbel::ipc

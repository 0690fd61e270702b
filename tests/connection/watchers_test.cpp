// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/watchers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace corbel::connection {
namespace {

ConnectionEvent event_number(std::uint64_t number) {
  ConnectionEvent event;
  event.id = number;
  event.peer = "tcp://192.0.2.1:" + std::to_string(number);
  return event;
}

TEST(Watchers, AskNothingOfWhoTellsAsLongAsThereAreNone) {
  Watchers watchers(base::Log::none());
  EXPECT_FALSE(watchers.any());
  const auto watcher = watchers.add([](const ConnectionEvent&) {});
  EXPECT_TRUE(watchers.any());
  watchers.remove(watcher);
  EXPECT_FALSE(watchers.any());
}

TEST(Watchers, AreCalledByOneThreadInTheOrderOfTelling) {
  Watchers watchers(base::Log::none());
  std::vector<std::uint64_t> heard;
  std::vector<std::thread::id> by;
  const auto watcher = watchers.add([&](const ConnectionEvent& event) {
    heard.push_back(event.id);
    by.push_back(std::this_thread::get_id());
  });
  for (std::uint64_t i = 1; i <= 100; ++i) watchers.tell(event_number(i));
  watchers.end();
  ASSERT_EQ(heard.size(), 100U) << "the end waits for what was told";
  for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(heard[i], i + 1);
  EXPECT_EQ(std::count(by.begin(), by.end(), by.front()), 100);
  EXPECT_NE(by.front(), std::this_thread::get_id());
  EXPECT_EQ(watchers.add([](const ConnectionEvent&) {}), nullptr) << "after the end";
  watchers.remove(watcher);
}

TEST(Watchers, RemovingOneWaitsForTheCallThatRunsAndForNoOther) {
  Watchers watchers(base::Log::none());
  std::latch entered{1}, go{1};
  int calls = 0;
  bool returned = false;
  const auto watcher = watchers.add([&](const ConnectionEvent&) {
    ++calls;
    entered.count_down();
    go.wait();
    returned = true;
  });
  watchers.tell(event_number(1));
  watchers.tell(event_number(2));
  entered.wait();
  std::thread helper([&] {
    while (watchers.any()) std::this_thread::yield();  // it is being removed
    go.count_down();
  });
  watchers.remove(watcher);
  EXPECT_TRUE(returned);
  EXPECT_EQ(calls, 1) << "what waited is not heard any more";
  helper.join();
}

TEST(Watchers, TheOthersGoOnHearingWhenOneIsRemoved) {
  Watchers watchers(base::Log::none());
  std::vector<std::uint64_t> heard;
  const auto stays = watchers.add([&](const ConnectionEvent& event) { heard.push_back(event.id); });
  const auto goes = watchers.add([](const ConnectionEvent&) {});
  watchers.remove(goes);
  watchers.tell(event_number(1));
  watchers.end();
  EXPECT_EQ(heard, std::vector<std::uint64_t>{1});
  watchers.remove(stays);
}

TEST(Watchers, TheEndDoesNotWaitLongForOneThatIsStuck) {
  auto watchers = std::make_unique<Watchers>(base::Log::none());
  std::latch entered{1}, go{1};
  const auto watcher = watchers->add([&](const ConnectionEvent&) {
    entered.count_down();
    go.wait();
  });
  watchers->tell(event_number(1));
  entered.wait();
  watchers->end();
  go.count_down();
  watchers->remove(watcher);
}

TEST(Watchers, ComeAndGoWhileThreadsTell) {
  Watchers watchers(base::Log::none());
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> last = 0;
  std::vector<std::thread> tellers;
  tellers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    tellers.emplace_back([&] {
      while (!stop) {
        watchers.tell(event_number(last.fetch_add(1) + 1));
        std::this_thread::sleep_for(std::chrono::microseconds(50));  // so that others get the lock
      }
    });
  }
  for (int i = 0; i < 30; ++i) {
    std::atomic<int> calls = 0;
    std::latch some{1};
    const auto watcher = watchers.add([&](const ConnectionEvent& event) {
      EXPECT_EQ(event.peer, "tcp://192.0.2.1:" + std::to_string(event.id));
      if (++calls == 3) some.count_down();
    });
    some.wait();
    watchers.remove(watcher);
    const int before = calls;
    std::this_thread::yield();
    EXPECT_EQ(calls, before);
  }
  stop = true;
  for (auto& teller : tellers) teller.join();
}

}  // namespace
}  // namespace corbel::connection

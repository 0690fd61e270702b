// SPDX-License-Identifier: Apache-2.0
// What call-backs for connections hear.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "corbel/orb/connection_watch.hpp"
#include "fake_peer.hpp"

namespace corbel::log_test {

using orb::ConnectionEvent;
using orb::ConnectionWatch;
using What = ConnectionEvent::What;

constexpr auto kWatchPatience = std::chrono::seconds(30);

inline test::Answer three() {
  return test::answer::status(0, [](test::Writer& writer) { writer.u32(3); });
}

/// What a call-back has heard.
class Heard {
 public:
  ConnectionWatch::CallBack call_back() {
    return [this](const ConnectionEvent& event) { add(event); };
  }
  void add(const ConnectionEvent& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
    changed_.notify_all();
  }
  std::vector<ConnectionEvent> events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  /// The events, as soon as there are so many.
  std::vector<ConnectionEvent> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kWatchPatience, [&] { return events_.size() >= count; }))
        << events_.size() << " instead of " << count;
    events_.resize(std::max(events_.size(), count));
    return events_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ConnectionEvent> events_;
};

}  // namespace corbel::log_test

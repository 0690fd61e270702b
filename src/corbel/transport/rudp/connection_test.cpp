// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/connection.hpp"

#include <gtest/gtest.h>

#include <chrono>

using namespace std::chrono_literals;

namespace corbel::transport::rudp {
namespace {

/// Into nowhere.
class Nowhere final : public Way {
 public:
  explicit Nowhere(reactor::Reactor& reactor) noexcept : reactor_(reactor) {}
  base::Status send(base::ConstByteSpan, const ipc::InetAddress&, const ipc::InetAddress&) noexcept override {
    return {};
  }
  reactor::Reactor& reactor() noexcept override { return reactor_; }
  void opened(Connection&) noexcept override {}
  void forget(Connection&) noexcept override { forgotten = true; }
  void on_event(reactor::Events) noexcept override {}

  bool forgotten = false;

 private:
  reactor::Reactor& reactor_;
};

// One that is due just after another one has run is set for a moment later than that, and was set anew, later still,
// whenever something else was done.
TEST(RudpConnection, ATimerIsNotPutOffByWhatGoesOnAllTheTime) {
  const auto reactor = *reactor::Reactor::create();
  const base::IntrusivePtr<Nowhere> way(new Nowhere(*reactor));
  Terms terms;
  terms.give_up = 200ms + 150us;  // the HELLO is said again after 200 ms
  const ConnectionPtr connection(new Connection(way, {}, {}, 1, terms, nullptr, {}));
  const auto late = std::chrono::steady_clock::now() + terms.give_up + 1ms;
  int after_that = 0;
  while (!way->forgotten && after_that < 10) {
    if (std::chrono::steady_clock::now() >= late) ++after_that;
    connection->go_on();
    (void)reactor->run_once(base::Deadline::now());
  }
  EXPECT_TRUE(way->forgotten);
  connection->release();
}

}  // namespace
}  // namespace corbel::transport::rudp

// SPDX-License-Identifier: Apache-2.0
// Signals while something waits for a deadline: such as have no SA_RESTART, and where a socket's time-out is the
// deadline, all of them.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "corbel/ipc/datagram.hpp"
#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using testing::soon;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// While it lives, the thread that made it gets a signal after `first`, and then each `next`.
class Signals {
 public:
  Signals(base::Duration first, base::Duration next) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGUSR1, &action, &before_);
    sender_ = std::thread([this, first, next, whom = ::pthread_self()] {
      for (auto when = Clock::now() + first; !over_; when += next) {
        while (!over_ && Clock::now() < when) std::this_thread::sleep_for(1ms);
        if (!over_) ::pthread_kill(whom, SIGUSR1);
      }
    });
  }
  ~Signals() {
    over_ = true;
    sender_.join();
    ::sigaction(SIGUSR1, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  struct sigaction before_ {};
  std::atomic<bool> over_{false};
  std::thread sender_;
};

TEST(Interruptions, OfASenderOfLocalDatagramsDoNotPutOffItsDeadline) {
  auto receiver = *UnixDatagramSocket::open();
  const auto to = *receiver.local_address();
  auto sender = *UnixDatagramSocket::open();
  const auto fill = base::as_bytes("fill");
  while (sender.send_to(fill, to, SendFlags::dont_wait)) {
  }
  // One that waits for ever is helped out in the end.
  std::atomic<bool> over{false};
  std::thread helps([&] {
    for (int i = 0; i < 500 && !over; ++i) std::this_thread::sleep_for(10ms);
    std::array<base::Octet, 8> room{};
    UnixAddress from;
    EXPECT_TRUE(receiver.recv_from(room, from, soon()));
  });
  {
    const Signals often(10ms, 10ms);
    const auto sent = sender.send_to(fill, to, Deadline::after(100ms));
    over = true;
    EXPECT_FALSE(sent);
    EXPECT_TRUE(sent || sent.error().code == Code::timed_out);
  }
  helps.join();
}

template <class Address>
class InterruptedConnect : public ::testing::Test {
 protected:
  static typename Acceptor<Address>::Options without_queue() {
    typename Acceptor<Address>::Options options;
    options.backlog = 0;
    return options;
  }
  testing::Place<Address> place_;
  Acceptor<Address> full_ = *Acceptor<Address>::open(place_.address(), without_queue());
  Address address_ = *full_.local_address();
  Connector<Address> connector_;
};
using Families = ::testing::Types<InetAddress, UnixAddress>;
TYPED_TEST_SUITE(InterruptedConnect, Families, );

TYPED_TEST(InterruptedConnect, EndsAtItsDeadline) {
  std::vector<Stream<TypeParam>> queued;
  while (auto stream = this->connector_.connect(this->address_, Deadline::after(50ms))) {
    queued.push_back(*std::move(stream));
  }
  auto took = Clock::duration::max();
  for (int tries = 0; tries < 5 && took >= 1700ms; ++tries) {  // a loaded machine is late now and then
    const auto begin = Clock::now();
    const Signals once(900ms, 1h);
    const auto stream = this->connector_.connect(this->address_, Deadline::after(1s));
    took = Clock::now() - begin;
    EXPECT_FALSE(stream);
    EXPECT_TRUE(stream || stream.error().code == Code::timed_out);
  }
  EXPECT_LT(took, 1700ms);
}

}  // namespace
}  // namespace corbel::ipc

// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/stream_transport.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "corbel/ipc/unix_address.hpp"

namespace corbel::transport {
namespace {

using base::Bytes;
using base::Code;
using base::Deadline;
using namespace std::chrono_literals;
using LocalTransport = StreamTransport<ipc::UnixAddress>;

struct Pair {
  Pair() {
    auto streams = ipc::make_stream_pair();
    near = std::make_unique<LocalTransport>("unix", std::move(streams->first));
    far = std::make_unique<LocalTransport>("unix", std::move(streams->second));
  }
  std::unique_ptr<LocalTransport> near, far;
};

/// Interrupts one thread with signals, without SA_RESTART, for as long as it lives.
class SignalStorm {
 public:
  explicit SignalStorm(pthread_t target) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGUSR1, &action, nullptr);
    thread_ = std::thread([this, target] {
      while (!stop_) {
        ::pthread_kill(target, SIGUSR1);
        std::this_thread::yield();
      }
    });
  }
  ~SignalStorm() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(StreamTransport, SignalsNeitherFailNorProlongAReceive) {
  Pair pair;
  const SignalStorm storm(::pthread_self());
  Bytes room(10);
  const auto begin = std::chrono::steady_clock::now();
  const auto none = pair.near->receive(room, Deadline::after(50ms));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

TEST(StreamTransport, SignalsDoNotHarmTransfersInEitherDirection) {
  Pair pair;
  const Bytes octets(8U << 20, 0x5a);
  std::thread sender([&] {
    const SignalStorm storm(::pthread_self());
    const cdr::Segment whole{octets.data(), octets.size()};
    EXPECT_TRUE(pair.far->send({&whole, 1}, Deadline::after(20s)));
  });
  const SignalStorm storm(::pthread_self());
  Bytes room(10000);
  std::size_t done = 0;
  while (done < octets.size()) {
    const auto count = pair.near->receive(room, Deadline::after(20s));
    ASSERT_TRUE(count) << base::to_string(count.error());
    done += *count;
  }
  EXPECT_EQ(done, octets.size());
  sender.join();
}

TEST(StreamTransport, APeerThatReadsDropByDropDoesNotStretchADeadline) {
  Pair pair;
  const Bytes octets(16U << 20);
  std::atomic<bool> stop{false};
  // The sender is woken before its time is over, again and again: the system does so for each 180 KiB.
  std::thread reader([&] {
    Bytes room(256U << 10);
    for (; !stop; std::this_thread::sleep_for(900ms)) (void)pair.near->receive(room, Deadline::now()).ok();
  });
  const auto begin = std::chrono::steady_clock::now();
  const cdr::Segment whole{octets.data(), octets.size()};
  const auto sent = pair.far->send({&whole, 1}, Deadline::after(1s));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);  // woken ten times for each two MiB
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, base::Code::timed_out);
  stop = true;
  pair.far->shutdown();
  reader.join();
}

/// Counts how often an option would be set.
struct CountingStream {
  int calls = 0;
  base::Duration last{};
  base::Status set(int, base::Duration value) {
    ++calls;
    last = value;
    return {};
  }
};

TEST(SocketTimeout, IsSetOnceForDeadlinesOfTheSameLength) {
  CountingStream stream;
  SocketTimeout timeout;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(timeout.prepare(stream, 0, Deadline::after(60s), base::Stage::receive));
  }
  EXPECT_EQ(stream.calls, 1);
}

TEST(SocketTimeout, CostsNothingWithoutADeadline) {
  CountingStream stream;
  SocketTimeout timeout;
  ASSERT_TRUE(timeout.prepare(stream, 0, Deadline::none(), base::Stage::receive));
  EXPECT_EQ(stream.calls, 0);
}

TEST(SocketTimeout, FollowsADeadlineThatDiffers) {
  CountingStream stream;
  SocketTimeout timeout;
  ASSERT_TRUE(timeout.prepare(stream, 0, Deadline::after(60s), base::Stage::receive));
  ASSERT_TRUE(timeout.prepare(stream, 0, Deadline::after(1s), base::Stage::receive));
  EXPECT_EQ(stream.calls, 2);
  EXPECT_LE(stream.last, 1s);
  ASSERT_TRUE(timeout.prepare(stream, 0, Deadline::none(), base::Stage::receive));
  EXPECT_EQ(stream.calls, 3);
  EXPECT_EQ(stream.last, 0s);
}

TEST(SocketTimeout, RefusesADeadlineThatHasPassed) {
  CountingStream stream;
  SocketTimeout timeout;
  const Deadline passed = Deadline::after(1ns);
  while (!passed.expired()) std::this_thread::yield();
  const auto status = timeout.prepare(stream, 0, passed, base::Stage::send);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), base::error(base::Stage::send, Code::timed_out));
  EXPECT_EQ(stream.calls, 0);
}

}  // namespace
}  // namespace corbel::transport

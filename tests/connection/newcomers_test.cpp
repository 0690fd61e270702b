// SPDX-License-Identifier: Apache-2.0
// Newcomers whose hand-shakes cost the server something: how many at a time, who has its turn, and who does not wait.
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using base::Code;
using base::Deadline;
using base::Stage;

constexpr auto kPatience = 20s;

/// What hand-shakes do, and what was seen of them. They wait until they may go on.
class Desk {
 public:
  /// What a hand-shake does: it works, for as long as the test wants.
  void step(const std::string& who) {
    std::unique_lock lock(mutex_);
    order_.push_back(who);
    most_ = std::max(most_, ++now_);
    changed_.notify_all();
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return open_; })) << who << " was kept";
    --now_;
    changed_.notify_all();
  }
  void gone() {
    const std::lock_guard lock(mutex_);
    ++gone_;
    changed_.notify_all();
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void await_steps(std::size_t count) {
    await([&] { return order_.size() >= count && (open_ ? now_ == 0 : true); });
  }
  void await_gone(std::size_t count) {
    await([&] { return gone_ >= count; });
  }
  /// Waits for the first step; false if so many have gone without any.
  bool await_step_of(std::size_t count) {
    await([&] { return !order_.empty() || gone_ >= count; });
    return !order().empty();
  }
  std::vector<std::string> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }
  std::size_t most() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  template <class Condition>
  void await(Condition condition) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, condition)) << order_.size() << " steps, " << gone_ << " gone";
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> order_;
  std::size_t now_ = 0;
  std::size_t most_ = 0;
  std::size_t gone_ = 0;
  bool open_ = false;
};

/// A newcomer's carrier. Its hand-shake takes one step, and then nothing comes.
class Newcomer final : public transport::Transport {
 public:
  Newcomer(Desk& desk, std::string peer) : desk_(desk), peer_(std::move(peer)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    mine_ = ipc::Handle(ends[0]);
    theirs_ = ipc::Handle(ends[1]);
  }
  ~Newcomer() override { desk_.gone(); }

  base::Status handshake(Deadline) override {
    desk_.step(peer_);
    return {};
  }
  base::Result<std::size_t> send(std::span<const cdr::Segment>, Deadline) override {
    return base::error(Stage::send, Code::lost);
  }
  base::Result<std::size_t> receive(base::ByteSpan, Deadline) override {
    return base::error(Stage::receive, Code::would_block);
  }
  void shutdown() noexcept override {}
  int handle() const noexcept override { return mine_.get(); }
  transport::Traits traits() const noexcept override { return {.shakes_hands = true}; }
  std::string local() const override { return "fake://192.0.2.1:1"; }
  std::string peer() const override { return peer_; }

 private:
  Desk& desk_;
  const std::string peer_;
  ipc::Handle mine_, theirs_;
};

class Newcomers : public testing::Test {
 protected:
  void TearDown() override { desk_.open(); }
  void begin(const std::string& endpoint = "tcp://127.0.0.1:0") { harness_.emplace(endpoint, settings_); }
  void come(const std::string& host, int count = 1) {
    for (int i = 0; i < count; ++i) {
      const std::string peer = "fake://" + host + ":" + std::to_string(++port_);
      harness_->server().adopt(std::make_unique<Newcomer>(desk_, peer), messaging::make_giop());
    }
  }
  std::string call(Connection& connection) {
    std::string answer;
    EXPECT_TRUE(harness_->call(connection, "hello", answer));
    return answer;
  }

  Desk desk_;
  Server::Settings settings_;
  std::optional<Harness> harness_;
  int port_ = 1000;
};

TEST_F(Newcomers, NeverShakeMoreHandsAtATimeThanMayBe) {
  settings_.limits.hand_shakes = 3;
  begin();
  come("192.0.2.7", 30);
  desk_.await_steps(3);
  come("192.0.2.8", 10);
  desk_.open();
  desk_.await_steps(40);
  EXPECT_EQ(desk_.most(), 3U);
  EXPECT_EQ(harness_->server().all_live().size(), 40U) << "all of them have come";
}

TEST_F(Newcomers, KeepNoThreadOfThePoolFromThoseThatAreThere) {
  settings_.serving.threads = 1;
  settings_.limits.hand_shakes = 2;
  begin();
  const auto connection = harness_->connect();
  ASSERT_TRUE(connection);
  ASSERT_EQ(call(*connection), "hello");
  come("192.0.2.7", 10);
  desk_.await_steps(2);
  EXPECT_EQ(call(*connection), "hello");
  EXPECT_EQ(desk_.order().size(), 2U) << "none of them goes on";
}

TEST_F(Newcomers, OfAnotherHostWaitForOneOfEachHostAndNoMore) {
  settings_.limits.hand_shakes = 1;
  begin();
  come("192.0.2.7");
  desk_.await_steps(1);
  come("192.0.2.7", 20);
  come("192.0.2.8", 2);
  come("192.0.2.9");
  desk_.open();
  desk_.await_steps(24);
  std::string hosts;
  for (const auto& peer : desk_.order()) hosts += peer[peer.rfind(':') - 1];
  EXPECT_EQ(hosts,
            "7789"
            "78" +
                std::string(18, '7'));
}

TEST_F(Newcomers, OfOneHostHaveTheirTurnsAsTheyCame) {
  settings_.limits.hand_shakes = 1;
  begin();
  come("192.0.2.7", 10);
  desk_.open();
  desk_.await_steps(10);
  const auto order = desk_.order();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(Newcomers, ThatWaitForTheirTurnTooLongHaveNone) {
  settings_.limits.hand_shakes = 1;
  settings_.limits.message = 50ms;
  begin();
  std::size_t came = 0;
  do {  // on a busy machine even one that waits for nobody may have no turn in time
    come("192.0.2.7");
  } while (!desk_.await_step_of(++came) && came < 50);
  come("192.0.2.7", 5);
  desk_.await_gone(came + 4);  // while one still keeps the only thread
  desk_.open();
  EXPECT_EQ(desk_.order().size(), 1U);
}

TEST_F(Newcomers, ThatWaitForTheirTurnTakePlacesAndMakeRoom) {
  settings_.limits.hand_shakes = 1;
  settings_.limits.connections = 4;
  settings_.limits.connections_of_host = 4;
  settings_.patience = 0s;
  begin();
  come("192.0.2.7");
  desk_.await_steps(1);
  come("192.0.2.7", 9);
  desk_.await_gone(6);
  EXPECT_EQ(harness_->server().all_live().size(), 4U);
  desk_.open();
  desk_.await_steps(4);
  EXPECT_EQ(desk_.order(), (std::vector<std::string>{"fake://192.0.2.7:1001", "fake://192.0.2.7:1008",
                                                     "fake://192.0.2.7:1009", "fake://192.0.2.7:1010"}));
}

TEST_F(Newcomers, ThatWaitGoWhenTheServerEnds) {
  settings_.limits.hand_shakes = 1;
  begin();
  come("192.0.2.7", 10);
  desk_.await_steps(1);
  EXPECT_TRUE(harness_->server().stop(true)) << "nothing waits for a hand-shake";
  desk_.open();
  harness_.reset();
  EXPECT_EQ(desk_.order().size(), 1U);
  desk_.await_gone(10);
}

TEST_F(Newcomers, AreServedOneByOneWhereThereIsOneThread) {
  settings_.serving.concurrency = policy::Concurrency::single;
  begin("unix://");
  std::size_t steps_before = 0;
  harness_->serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    steps_before = desk_.order().size();
    Harness::echo(c, request, body);
  };
  std::thread serving([&] { harness_->server().run(); });
  const auto connection = harness_->connect();
  ASSERT_TRUE(connection);
  ASSERT_EQ(call(*connection), "hello");
  come("192.0.2.7", 50);
  desk_.await_steps(1);
  // Sent while the one thread is busy, and therefore there when it looks next.
  std::thread calling([&] { EXPECT_EQ(call(*connection), "hello"); });
  for (int octets = 0; octets == 0; std::this_thread::yield()) {
    ASSERT_EQ(::ioctl(connection->transport().handle(), SIOCOUTQ, &octets), 0);
  }
  desk_.open();
  calling.join();
  desk_.await_steps(50);
  EXPECT_LE(steps_before, 2U) << "those that are there wait for one newcomer, not for all";
  EXPECT_EQ(desk_.most(), 1U);
  harness_->server().stop(false);
  serving.join();
}

}  // namespace
}  // namespace corbel::connection

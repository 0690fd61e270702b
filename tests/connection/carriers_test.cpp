// SPDX-License-Identifier: Apache-2.0
// Carriers that are no sockets: one that no reactor can wait for, one that keeps octets inside.
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "corbel/connection/completions.hpp"
#include "corbel/ipc/event.hpp"
#include "harness.hpp"
#include "scripted.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

/// Asynchronous requests that are counted when they are finished.
class Counted final : public AsyncReply {
 public:
  explicit Counted(std::atomic<int>& finished) : finished_(finished) {}
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override { replied = true; }
  void on_queued() noexcept override {}
  void finish() noexcept override { ++finished_; }
  base::Status start_on(Connection& connection) {
    request_id = connection.take_request_id();
    return connection.start(
        request_named("counted"), [](cdr::Encoder&) {}, *this);
  }

  std::atomic<bool> replied{false};

 private:
  std::atomic<int>& finished_;
};

/// A peer that answers every request at once; the replies wait inside the carrier.
class Inside {
 public:
  explicit Inside(Scripted::Acts& acts) {
    acts.on_send = [this](const base::Bytes& octets) {
      std::uint32_t id = 0;
      std::memcpy(&id, &octets[12], sizeof id);
      const std::lock_guard lock(mutex_);
      ids_.push_back(id);
      changed_.notify_all();
    };
    acts.receive = [this](base::ByteSpan buffer, Deadline deadline) { return receive(buffer, deadline); };
    acts.shutdown = [this] {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    };
  }
  void of(Connection& connection) { connection_ = &connection; }
  /// One reply, however much there is room for.
  base::Result<std::size_t> receive(base::ByteSpan buffer, Deadline deadline) {
    std::unique_lock lock(mutex_);
    const auto there = [this] { return ended_ || !ids_.empty(); };
    if (!deadline.is_now()) changed_.wait_for(lock, std::min<base::Duration>(deadline.remaining(), 20s), there);
    if (ended_) return base::error(Stage::receive, Code::closed);
    if (ids_.empty()) return base::error(Stage::receive, deadline.is_now() ? Code::would_block : Code::timed_out);
    const std::uint32_t id = ids_.front();
    ids_.pop_front();
    return Octets().reply(id).into(buffer);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint32_t> ids_;
  bool ended_ = false;
  Connection* connection_ = nullptr;
};

template <class Done>
bool eventually(const Done& done) {
  const Deadline bound = Deadline::after(20s);
  while (!done() && !bound.expired()) std::this_thread::yield();
  return done();
}

class Carriers : public testing::Test {
 protected:
  void begin() {
    connection_ = connect(acts_);
    inside_.of(*connection_);
    connection_->set_completions(&harness_.server().completions());
  }
  void end() {
    connection_->close();
    EXPECT_TRUE(eventually([&] { return connection_->load() == static_cast<std::size_t>(-1); }));
    harness_.server().stop(true);
    harness_.server().completions().close();
  }

  Harness harness_{"tcp://127.0.0.1:0"};  // for its threads
  Scripted::Acts acts_;
  Inside inside_{acts_};
  ConnectionPtr connection_;
  std::atomic<int> finished_{0};
};

TEST_F(Carriers, OfWhichNoReactorCanWaitAreReadByAThreadOfTheirOwn) {
  acts_.handle = -1;
  begin();
  std::deque<Counted> replies;
  for (int round = 1; round <= 3; ++round) {  // the thread comes again when it is needed again
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(replies.emplace_back(finished_).start_on(*connection_).ok());
    ASSERT_TRUE(eventually([&] { return finished_ == 10 * round; })) << finished_;
  }
  EXPECT_FALSE(connection_->failed());
  for (const Counted& reply : replies) EXPECT_TRUE(reply.replied);
  EXPECT_TRUE(call(*connection_).ok());
  end();
}

TEST_F(Carriers, OfWhichNoReactorCanWaitEndWhileTheirThreadReads) {
  acts_.handle = -1;
  acts_.on_send = nullptr;  // a peer that never answers
  begin();
  Counted reply(finished_);
  ASSERT_TRUE(reply.start_on(*connection_).ok());
  end();
  EXPECT_EQ(finished_, 1);
  EXPECT_FALSE(reply.replied);
}

// The handle tells once that there is something, as that of a carrier does which decodes records of several messages.
TEST_F(Carriers, ThatKeepOctetsInsideAreAskedUntilTheyHaveNone) {
  auto told = ipc::Event::open();
  acts_.handle = told->handle();
  begin();
  const auto receive = acts_.receive;
  acts_.receive = [&](base::ByteSpan buffer, Deadline deadline) {
    told->clear();
    return receive(buffer, deadline);
  };
  std::deque<Counted> replies;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(replies.emplace_back(finished_).start_on(*connection_).ok());
  told->set();
  EXPECT_TRUE(eventually([&] { return finished_ == 100; })) << finished_;
  end();
}

}  // namespace
}  // namespace corbel::connection

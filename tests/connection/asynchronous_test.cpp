// SPDX-License-Identifier: Apache-2.0
// Requests that no caller waits for, threads that help them nevertheless, and what their peer says in between.
#include <future>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include "asynchronous.hpp"
#include "corbel/ipc/stream.hpp"
#include "support/allocations.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

TEST_F(Asynchronous, RequestsUnderWayAreToldOfAnOrderlyEndAlthoughTheNextCannotBeSent) {
  for (const bool oneway : {false, true}) {
    begin();
    WatchedReply first;
    start(first);
    acts_.send = [](std::size_t, Deadline) { return base::Result<std::size_t>(base::error(Stage::send, Code::lost)); };
    receive([](Octets& octets) { octets.control(messaging::MessageType::close_connection); });
    WatchedReply second;
    second.token = connection_->take_token();
    const auto sent = oneway ? connection_->post_oneway(
                                   request_named("oneway"), [](cdr::Encoder&) {}, Deadline::none())
                             : second.start_on(*connection_);
    EXPECT_EQ(sent.error(), base::error(Stage::send, Code::lost));
    while (first.finished == 0) ASSERT_TRUE(reactor_->run_once(Deadline::after(5s)).ok());
    EXPECT_EQ(first.error, base::error(Stage::wait, Code::closed));
    acts_.send = [](std::size_t size, Deadline) { return base::Result<std::size_t>(size); };
  }
}

TEST_F(Asynchronous, ACloseThatCameBehindTheReplyOfWhoReadsIsNotLost) {
  begin();
  WatchedReply reply;
  start(reply);
  receive([&](Octets& octets) { octets.reply(reply.token).control(messaging::MessageType::close_connection); });
  EXPECT_TRUE(connection_->help(reply, reply.token, Deadline::after(5s)));
  EXPECT_EQ(reply.replies, 1);
  EXPECT_TRUE(connection_->failed());
  EXPECT_EQ(call(*connection_).error(), base::error(Stage::send, Code::closed));
  end();
}

TEST_F(Asynchronous, ACloseThatCameBehindAReplyEndsTheOthersAsNotExecuted) {
  begin();
  WatchedReply first;
  WatchedReply second;
  start(first);
  start(second);
  receive([&](Octets& octets) { octets.reply(first.token).control(messaging::MessageType::close_connection); });
  EXPECT_TRUE(connection_->help(first, first.token, Deadline::after(5s)));
  EXPECT_FALSE(connection_->help(second, second.token, Deadline::after(5s)));
  completions_.close();
  EXPECT_EQ(second.finished, 1);
  EXPECT_EQ(second.error, base::error(Stage::wait, Code::closed));
  end();
}

TEST_F(Asynchronous, AllWhoHelpOneRequestAreToldThatItIsOver) {
  begin();
  WatchedReply reply;
  start(reply);
  std::promise<void> answer;
  acts_.receive = [&, told = answer.get_future().share()](base::ByteSpan buffer, Deadline) {
    told.wait();
    return Octets().reply(reply.token).into(buffer);
  };
  std::vector<std::future<bool>> helpers;
  for (int i = 0; i < 3; ++i) {
    helpers.push_back(
        std::async(std::launch::async, [&] { return connection_->help(reply, reply.token, Deadline::after(20s)); }));
  }
  while (connection_->waiting() < 2) std::this_thread::yield();  // and the third reads
  const auto begun = std::chrono::steady_clock::now();
  answer.set_value();
  int mine = 0;
  for (auto& helper : helpers) mine += helper.get() ? 1 : 0;
  EXPECT_EQ(mine, 1);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
  EXPECT_EQ(connection_->load(), 0U);
  end();
}

TEST_F(Asynchronous, WhoLeavesTakesOnlyItselfOffTheListOfHelpers) {
  begin();
  WatchedReply reply;
  start(reply);
  std::latch first_reads(1);
  std::latch second_waits(1);
  acts_.receive = [&, leaves = true](base::ByteSpan buffer, Deadline) mutable {
    if (std::exchange(leaves, false)) {
      first_reads.count_down();
      second_waits.wait();
      return base::Result<std::size_t>(base::error(Stage::receive, Code::timed_out));
    }
    return Octets().reply(reply.token).into(buffer);
  };
  auto first =
      std::async(std::launch::async, [&] { return connection_->help(reply, reply.token, Deadline::after(20s)); });
  first_reads.wait();
  auto second =
      std::async(std::launch::async, [&] { return connection_->help(reply, reply.token, Deadline::after(20s)); });
  while (connection_->waiting() < 1) std::this_thread::yield();
  const auto begun = std::chrono::steady_clock::now();
  second_waits.count_down();
  EXPECT_FALSE(first.get());
  EXPECT_TRUE(second.get());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
  end();
}

TEST_F(Asynchronous, AReplyWithAnIdBetweenThoseThatAreGivenIsNotOurs) {
  begin();
  WatchedReply reply;
  start(reply);
  receive([&](Octets& octets) { octets.reply(reply.token | 1); });
  EXPECT_FALSE(connection_->help(reply, reply.token, Deadline::after(5s)));
  EXPECT_EQ(call(*connection_).error(), base::error(Stage::send, Code::unknown_reply));
  end();
}

TEST_F(Asynchronous, RepliesNobodyAskedForEndTheConnectionAndLateOnesDoNot) {
  for (const std::uint32_t id : {0U, 4U, 0xfffffffeU}) {
    begin();
    WatchedReply reply;
    start(reply);  // 2
    receive([&](Octets& octets) { octets.reply(id); });
    (void)connection_->help(reply, reply.token, Deadline::after(5s));
    EXPECT_TRUE(connection_->failed()) << id;
    end();
  }
  begin();
  WatchedReply late;
  start(late);
  AsyncReplyList cancelled;
  connection_->cancel_async(cancelled);
  receive([&](Octets& octets) { octets.reply(2).reply(4); });
  EXPECT_TRUE(call(*connection_).ok());
  end();
}

TEST_F(Asynchronous, AfterTheLastRequestIdComesTheFirstAgain) {
  begin(0xfffffffeU);
  WatchedReply last;
  WatchedReply zero;
  start(last);
  zero.token = connection_->take_token();
  EXPECT_EQ(last.token, 0xfffffffeU);
  EXPECT_EQ(zero.token, 0U);
  ASSERT_TRUE(zero.start_on(*connection_).ok());
  receive([&](Octets& octets) { octets.reply(last.token).reply(0xfffffff0U).reply(0); });
  EXPECT_TRUE(connection_->help(last, last.token, Deadline::after(5s)));
  EXPECT_EQ(last.replies, 1);
  EXPECT_EQ(zero.replies, 1);
  EXPECT_FALSE(connection_->failed());
  end();
}

TEST_F(Asynchronous, AnIdThatIsInUseIsNotGivenAgain) {
  begin((std::uint64_t{1} << 32) + 10);
  WatchedReply old;
  old.token = 12;
  start(old);
  WatchedReply other;
  start(other);
  EXPECT_EQ(other.token, 10U);
  EXPECT_EQ(connection_->take_token(), 14U);
  end();
}

TEST_F(Asynchronous, NorIsItGivenToACallThatWaits) {
  begin((std::uint64_t{1} << 32) + 10);
  WatchedReply old;
  old.token = 10;
  start(old);
  base::Bytes sent;
  acts_.on_send = [&](const base::Bytes& octets) { sent = octets; };
  receive([&](Octets& octets) { octets.reply(10).reply(12); });
  EXPECT_TRUE(call(*connection_).ok());
  EXPECT_EQ(sent.at(12), 12);
  EXPECT_EQ(old.replies, 1);
  end();
}

TEST_F(Asynchronous, OneTimerServesOneDeadlineAfterTheOther) {
  begin();
  WatchedReply replies[4];
  const Deadline now = Deadline::after(5ms);
  start(replies[0], Deadline::after(40ms));
  start(replies[1], now);
  start(replies[2], now);  // two in one tick
  start(replies[3]);       // never
  const Deadline bound = Deadline::after(20s);
  const auto over = [&] { return replies[0].finished + replies[1].finished + replies[2].finished; };
  while (over() < 3 && !bound.expired()) (void)reactor_->run_once(Deadline::after(1s));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(replies[i].finished, 1) << i;
    EXPECT_EQ(replies[i].error, base::error(Stage::wait, Code::timed_out)) << i;
  }
  EXPECT_EQ(replies[3].finished, 0);
  end();
}

// While the carrier is full nothing is tried in vain, and when it has room again the reactor says so.
TEST_F(Asynchronous, OneThatFindsNoMemoryLeavesTheOthersTheirTimer) {
  for (std::size_t refused = 0, failed = 0;; ++refused) {
    begin();
    WatchedReply first;
    start(first, Deadline::after(60ms));
    WatchedReply sooner;
    sooner.token = connection_->take_token();
    sooner.deadline = Deadline::after(30ms);
    test::refuse_allocations(refused, 1);
    bool started = true;
    try {
      started = sooner.start_on(*connection_).ok();
    } catch (const std::bad_alloc&) {
      started = false;
    }
    test::refuse_allocations(0, 0);
    for (const auto bound = Deadline::after(5s); first.finished == 0 && !bound.expired();) {
      (void)reactor_->run_once(Deadline::after(100ms));
    }
    EXPECT_EQ(first.finished, 1) << "without allocation " << refused;
    end();
    if (started) {
      EXPECT_GT(failed, 0U);
      return;
    }
    ++failed;
  }
}

TEST_F(Asynchronous, OnewaysThatWaitAreSentWhenTheCarrierHasRoom) {
  auto [near, far] = *ipc::make_stream_pair();
  base::Bytes octets(4096);
  while (near.send(octets, ipc::SendFlags::dont_wait)) continue;
  begin();
  acts_.handle = acts_.send_handle = near.handle();
  std::atomic<bool> room{false};
  int sends = 0;
  acts_.send = [&](std::size_t size, Deadline) {
    ++sends;
    return room ? base::Result<std::size_t>(size)
                : base::Result<std::size_t>(base::error(Stage::send, Code::would_block));
  };
  const auto post = [&] {
    EXPECT_TRUE(connection_
                    ->post_oneway(
                        request_named("tell"), [](cdr::Encoder&) {}, Deadline::now())
                    .ok());
  };
  post();
  for (int i = 0; i < 3; ++i) (void)reactor_->run_once(Deadline::after(30ms));
  EXPECT_EQ(sends, 1);
  EXPECT_TRUE(connection_->has_backlog());
  WatchedReply reply;  // both directions at once
  room = true;
  while (far.recv(octets, ipc::RecvFlags::dont_wait)) continue;
  const Deadline bound = Deadline::after(20s);
  while (connection_->has_backlog() && !bound.expired()) (void)reactor_->run_once(Deadline::after(1s));
  EXPECT_FALSE(connection_->has_backlog());
  EXPECT_EQ(sends, 2);
  start(reply);
  receive([&](Octets& out) { out.reply(reply.token); });
  room = false;
  (void)far.send({octets.data(), 1});
  while (near.send(octets, ipc::SendFlags::dont_wait)) continue;
  post();
  while (reply.finished == 0 && !bound.expired()) (void)reactor_->run_once(Deadline::after(1s));
  EXPECT_EQ(reply.finished, 1);
  room = true;
  while (far.recv(octets, ipc::RecvFlags::dont_wait)) continue;
  while (connection_->has_backlog() && !bound.expired()) (void)reactor_->run_once(Deadline::after(1s));
  EXPECT_FALSE(connection_->has_backlog());
  end();
}

TEST_F(Asynchronous, WhoIsBehindABrokenSendMayHaveBeenExecutedAndTheBrokenOneWasNot) {
  begin();
  WatchedReply before;
  start(before);
  acts_.send = [](std::size_t, Deadline) { return base::Result<std::size_t>(base::error(Stage::send, Code::lost)); };
  EXPECT_EQ(call(*connection_).error(), base::error(Stage::send, Code::lost));
  completions_.close();
  EXPECT_EQ(before.error, base::error(Stage::wait, Code::lost));
  end();
}

// The first has just decided to register the connection when a reply makes the reactor read and arm it, too.
TEST(AsynchronousArming, OfTwoThatArmTheConnectionAtOnceBothSucceed) {
  Harness harness("tcp://127.0.0.1:0");  // for its threads
  const auto silent = ipc::Event::open();
  Scripted::Acts acts;
  std::promise<void> registering;
  std::promise<void> go_on;
  acts.handle = silent->handle();
  acts.on_handle = [&, once = false]() mutable {
    if (std::exchange(once, true)) return;
    registering.set_value();
    go_on.get_future().wait();
  };
  auto connection = connect(acts);
  connection->set_completions(&harness.server().completions());
  WatchedReply first;
  WatchedReply second;
  first.token = connection->take_token();
  second.token = connection->take_token();
  std::thread starter([&] { EXPECT_TRUE(first.start_on(*connection).ok()); });
  registering.get_future().wait();
  ASSERT_TRUE(second.start_on(*connection).ok());
  acts.receive = [&](base::ByteSpan buffer, Deadline deadline) {
    if (deadline.is_now()) return base::Result<std::size_t>(base::error(Stage::receive, Code::would_block));
    return Octets().reply(second.token + 2).reply(second.token).into(buffer);
  };
  EXPECT_TRUE(call(*connection).ok());  // leaves the other reply to the reactor, which arms again for the first
  const Deadline bound = Deadline::after(20s);
  while (second.finished == 0 && !bound.expired()) std::this_thread::yield();
  EXPECT_EQ(second.finished, 1);
  go_on.set_value();
  starter.join();
  EXPECT_FALSE(connection->failed());
  EXPECT_EQ(first.finished, 0);
  connection->close();
  while (first.finished == 0 && !bound.expired()) std::this_thread::yield();
  harness.server().stop(true);
}

base::Status call_out_while_encoding(Harness& harness, Connection& connection, bool fail) {
  return connection.call(
      request_named("echo"),
      [&](cdr::Encoder& encoder) {
        encoder.put_string("outer");
        encoder.before_foreign_code();
        std::string inner;
        EXPECT_TRUE(harness.call(connection, "inner", inner).ok());
        EXPECT_EQ(inner, "inner");
        if (fail) throw std::runtime_error("thrown");
      },
      Deadline::after(20s),
      [](const messaging::IncomingReply&, cdr::Decoder& body) {
        std::string text;
        body.get_string(text);
        EXPECT_EQ(text, "outer");
      });
}

TEST(AsynchronousArguments, MayCallOutOverTheSameConnectionWhileTheyAreEncoded) {
  Harness harness("tcp://127.0.0.1:0");
  auto connection = harness.connect();
  EXPECT_TRUE(call_out_while_encoding(harness, *connection, false).ok());
  EXPECT_THROW((void)call_out_while_encoding(harness, *connection, true), std::runtime_error);
  EXPECT_TRUE(call_out_while_encoding(harness, *connection, false).ok());
  EXPECT_EQ(connection->load(), 0U);
}

TEST(AsynchronousArguments, OfManyThreadsMayCallOutAtOnce) {
  Harness harness("tcp://127.0.0.1:0");
  auto connection = harness.connect();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) ASSERT_TRUE(call_out_while_encoding(harness, *connection, false).ok());
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace corbel::connection

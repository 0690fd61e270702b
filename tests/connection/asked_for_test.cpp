// SPDX-License-Identifier: Apache-2.0
// Requests that a thread is probably going to ask for: who reads for them, and when.
#include <chrono>
#include <future>
#include <latch>

#include "asynchronous.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

// Nobody reads for it yet, so that the reactor's thread does not wake for what another one is about to read.
TEST_F(Asynchronous, WhatIsToBeAskedForIsReadByWhoAsks) {
  begin();
  WatchedReply replies[2];
  for (WatchedReply& reply : replies) {
    reply.ask_for();
    start(reply);
  }
  receive([&](Octets& octets) { octets.reply(replies[0].token).reply(replies[1].token); });
  silent_->set();
  (void)reactor_->run_once(Deadline::now());  // at most looks, on a slow machine
  EXPECT_EQ(replies[0].replies, 0);
  EXPECT_TRUE(connection_->help(replies[0], replies[0].token, Deadline::after(5s)));
  EXPECT_EQ(replies[0].replies, 1);
  EXPECT_EQ(replies[1].replies, 1);
  EXPECT_EQ(connection_->load(), 0U);
  end();
}

TEST_F(Asynchronous, WhatNobodyAsksForIsReadByTheReactorAfterAWhile) {
  begin();
  WatchedReply reply;
  reply.ask_for();
  const auto begun = std::chrono::steady_clock::now();
  start(reply);
  receive([&](Octets& octets) { octets.reply(reply.token); });
  silent_->set();
  const Deadline bound = Deadline::after(20s);
  while (reply.finished == 0 && !bound.expired()) (void)reactor_->run_once(Deadline::after(1s));
  EXPECT_EQ(reply.finished, 1);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 5ms);
  end();
}

TEST_F(Asynchronous, WhatIsAttendedToIsReadByTheReactorAtOnce) {
  begin();
  WatchedReply reply;
  reply.ask_for();
  start(reply);
  connection_->attend(reply, reply.token);
  receive([&](Octets& octets) { octets.reply(reply.token); });
  silent_->set();
  (void)reactor_->run_once(Deadline::after(5s));
  EXPECT_EQ(reply.finished, 1);
  end();
}

// A thread that reads for one reads for all: the others need no thread of the reactor, however long it takes.
TEST_F(Asynchronous, WhileAThreadReadsWhatIsToBeAskedForIsLeftToIt) {
  begin();
  WatchedReply replies[2];
  for (WatchedReply& reply : replies) {
    reply.ask_for();
    start(reply);
  }
  std::latch reads(1);
  std::latch looked(1);
  acts_.receive = [&](base::ByteSpan buffer, Deadline) {
    reads.count_down();
    looked.wait();
    return Octets().reply(replies[0].token).into(buffer);
  };
  auto helper = std::async(std::launch::async,
                           [&] { return connection_->help(replies[0], replies[0].token, Deadline::after(20s)); });
  reads.wait();
  const Deadline bound = Deadline::after(50ms);
  while (!bound.expired()) (void)reactor_->run_once(bound);  // looks several times
  looked.count_down();
  EXPECT_TRUE(helper.get());
  receive([&](Octets& octets) { octets.reply(replies[1].token); });
  silent_->set();
  (void)reactor_->run_once(Deadline::now());
  EXPECT_EQ(replies[1].finished, 0);
  end();
}

}  // namespace
}  // namespace corbel::connection

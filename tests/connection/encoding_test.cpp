// SPDX-License-Identifier: Apache-2.0
// Asynchronous requests whose arguments run code of the application while they are encoded: what may happen meanwhile.
#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "corbel/connection/completions.hpp"
#include "corbel/ipc/event.hpp"
#include "scripted.hpp"

#include <gtest/gtest.h>

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

/// A request with an argument that calls `meanwhile` while it is encoded, and another one of so many octets.
class Lengthy final : public AsyncReply {
 public:
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override { ++replies; }
  void on_queued() noexcept override {}
  void finish() noexcept override { ++finished; }
  base::Status start_on(Connection& connection) {
    token = connection.take_token();
    return connection.start(
        request_named("lengthy"),
        [this](cdr::Encoder& encoder) {
          if (meanwhile) {
            encoder.before_foreign_code();
            meanwhile();
          }
          encoder.put_octet_sequence(argument);
        },
        *this);
  }

  std::function<void()> meanwhile;
  base::Bytes argument = base::Bytes(10, 1);
  std::atomic<int> replies{0};
  std::atomic<int> finished{0};
};

class WhileEncoded : public testing::Test {
 protected:
  WhileEncoded() {
    Connection::Settings settings;
    settings.version = {1, 2};
    acts_.handle = silent_->handle();
    acts_.on_send = [this](const base::Bytes&) { ++sent_; };
    connection_ = ConnectionPtr(new Connection(std::make_unique<Scripted>(acts_), messaging::make_giop(), settings));
    connection_->set_completions(&completions_);
  }
  ~WhileEncoded() override { end(); }
  /// Whatever is left is finished.
  void end() {
    connection_->close();
    completions_.close();
  }
  /// The peer says so, once.
  void receive(const std::function<void(Octets&)>& fill) {
    acts_.receive = [fill, said = false](base::ByteSpan buffer, Deadline) mutable {
      if (std::exchange(said, true)) return base::Result<std::size_t>(base::error(Stage::receive, Code::would_block));
      Octets octets;
      fill(octets);
      return octets.into(buffer);
    };
  }

  const std::unique_ptr<reactor::Reactor> reactor_ = *reactor::Reactor::create();
  Completions completions_{*reactor_, false};
  base::Result<ipc::Event> silent_ = ipc::Event::open();
  Scripted::Acts acts_;
  ConnectionPtr connection_;
  int sent_ = 0;
};

TEST_F(WhileEncoded, AnotherThatBeginsDoesNotLetItsReplyComeBeforeItHasLeft) {
  Lengthy other;
  other.argument.resize(100'000);
  Lengthy outer;
  outer.argument.resize(100'000);  // sent from where it lies
  outer.meanwhile = [&] { EXPECT_TRUE(other.start_on(*connection_).ok()); };
  int early = 0;
  acts_.send = [&](std::size_t size, Deadline) {
    if (sent_ != 2) return base::Result<std::size_t>(size);
    // Half of the outer one is on its way: a peer that answers already is not believed.
    receive([&](Octets& octets) { octets.reply(outer.token); });
    std::thread reader([&] { (void)connection_->help(outer, outer.token, Deadline::after(20s)); });
    reader.join();
    early = outer.replies;
    return base::Result<std::size_t>(size);
  };
  EXPECT_TRUE(outer.start_on(*connection_).ok());
  EXPECT_EQ(sent_, 2);
  EXPECT_EQ(early, 0);
  EXPECT_TRUE(connection_->failed());
  end();
  EXPECT_EQ(outer.replies, 0);
  EXPECT_EQ(outer.finished, 1);
  EXPECT_EQ(other.finished, 1);
}

TEST_F(WhileEncoded, AReplyIsNoneAndEndsTheConnection) {
  Lengthy outer;
  outer.meanwhile = [&] {
    receive([&](Octets& octets) { octets.reply(outer.token); });
    EXPECT_FALSE(call(*connection_).ok());
  };
  EXPECT_EQ(outer.start_on(*connection_).error(), base::error(Stage::send, Code::unknown_reply));
  EXPECT_EQ(sent_, 1);
  end();
  EXPECT_EQ(outer.replies, 0);
  EXPECT_EQ(outer.finished, 0);
}

TEST_F(WhileEncoded, TheEndOfItsTimeIsToldToWhoSendsAndToNobodyElse) {
  Lengthy outer;
  outer.deadline = Deadline::after(1ms);
  outer.meanwhile = [&] {
    while (!outer.deadline.expired()) std::this_thread::yield();
    connection_->expire();
    completions_.close();
    EXPECT_EQ(outer.finished, 0);
  };
  EXPECT_EQ(outer.start_on(*connection_).error().code, Code::timed_out);
  EXPECT_EQ(sent_, 0);
  EXPECT_FALSE(connection_->failed());
  EXPECT_EQ(outer.finished, 0);
  EXPECT_EQ(connection_->load(), 0U);
}

TEST_F(WhileEncoded, TheEndOfTheConnectionIsToldToWhoSendsAndToNobodyElse) {
  Lengthy before;
  EXPECT_TRUE(before.start_on(*connection_).ok());
  Lengthy outer;
  outer.meanwhile = [&] {
    connection_->close();
    completions_.close();
    EXPECT_EQ(before.finished, 1);
    EXPECT_EQ(outer.finished, 0);
  };
  sent_ = 0;
  acts_.on_send = [&](const base::Bytes& octets) { sent_ += octets.at(7) == 0 ? 1 : 0; };
  EXPECT_EQ(outer.start_on(*connection_).error(), base::error(Stage::send, Code::cancelled));
  EXPECT_EQ(sent_, 0);
  EXPECT_EQ(outer.finished, 0);
}

TEST_F(WhileEncoded, WhatIsGivenUpIsNotSent) {
  Lengthy before;
  EXPECT_TRUE(before.start_on(*connection_).ok());
  Lengthy outer;
  outer.meanwhile = [&] {
    AsyncReplyList cancelled;
    connection_->cancel_async(cancelled);
    EXPECT_EQ(cancelled.pop(), &before);
    EXPECT_EQ(cancelled.pop(), nullptr);
  };
  EXPECT_EQ(outer.start_on(*connection_).error(), base::error(Stage::send, Code::cancelled));
  EXPECT_EQ(sent_, 1);
  EXPECT_FALSE(connection_->failed());
  // The next one is like any other.
  outer.meanwhile = {};
  EXPECT_TRUE(outer.start_on(*connection_).ok());
  receive([&](Octets& octets) { octets.reply(outer.token); });
  EXPECT_TRUE(connection_->help(outer, outer.token, Deadline::after(20s)));
  EXPECT_EQ(outer.replies, 1);
  EXPECT_EQ(outer.error.code, Code::none);
}

TEST_F(WhileEncoded, WhatThrowsIsTakenBack) {
  Lengthy outer;
  outer.meanwhile = [&] {
    connection_->close();
    throw std::runtime_error("thrown");
  };
  EXPECT_THROW((void)outer.start_on(*connection_), std::runtime_error);
  end();
  EXPECT_EQ(outer.finished, 0);
}

}  // namespace
}  // namespace corbel::connection

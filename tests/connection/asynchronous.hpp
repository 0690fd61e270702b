// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "corbel/connection/completions.hpp"
#include "corbel/ipc/event.hpp"
#include "harness.hpp"
#include "scripted.hpp"

namespace corbel::connection {

/// A request whose outcome the test looks at.
class WatchedReply final : public AsyncReply {
 public:
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override { ++replies; }
  void on_queued() noexcept override {}
  void finish() noexcept override { ++finished; }
  void ask_for() { expect_asker(true); }
  base::Status start_on(Connection& connection) {
    return connection.start(
        request_named("watched"), [](cdr::Encoder&) {}, *this);
  }

  std::atomic<int> replies{0};
  std::atomic<int> finished{0};
};

/// A connection whose peer the test plays, and a reactor that runs only when the test says so.
class Asynchronous : public testing::Test {
 protected:
  void begin(std::uint64_t first_token = 2) {
    Connection::Settings settings;
    settings.version = {1, 2};
    settings.first_token = first_token;
    acts_.handle = silent_->handle();
    acts_.receive = [](base::ByteSpan, Deadline) {
      return base::Result<std::size_t>(base::error(Stage::receive, Code::would_block));
    };
    connection_ = ConnectionPtr(new Connection(std::make_unique<Scripted>(acts_), messaging::make_giop(), settings));
    connection_->set_completions(&completions_);
  }
  ~Asynchronous() override { end(); }
  /// Before what was started goes.
  void end() {
    if (connection_) connection_->close();
    completions_.close();
  }
  void start(WatchedReply& reply, Deadline deadline = Deadline::none()) {
    if (reply.token == 0) reply.token = connection_->take_token();
    reply.deadline = deadline;
    ASSERT_TRUE(reply.start_on(*connection_).ok());
  }
  /// The next receives give this.
  void receive(const std::function<void(Octets&)>& fill) {
    acts_.receive = [fill](base::ByteSpan buffer, Deadline) {
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
};

}  // namespace corbel::connection

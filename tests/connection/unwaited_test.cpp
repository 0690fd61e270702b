// SPDX-License-Identifier: Apache-2.0
// Connections that the reactor does not take, or loses: they end, and everybody hears of it.
#include <fcntl.h>
#include <unistd.h>

#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "corbel/base/kept_log.hpp"
#include "corbel/connection/telling.hpp"
#include "corbel/ipc/handle.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/transport/stream_transport.hpp"
#include "harness.hpp"

namespace corbel::connection {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using namespace std::chrono_literals;
using Stream = transport::StreamTransport<ipc::UnixAddress>;

/// A carrier that waits by another descriptor than its own.
class Elsewhere final : public transport::Transport {
 public:
  Elsewhere(ipc::UnixStream stream, ipc::Handle handle)
      : inner_("elsewhere", std::move(stream)), handle_(std::move(handle)), number_(handle_.get()) {}

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, Deadline deadline) override {
    return inner_.send(data, deadline);
  }
  base::Result<std::size_t> receive(base::ByteSpan buffer, Deadline deadline) override {
    return inner_.receive(buffer, deadline);
  }
  void shutdown() noexcept override { inner_.shutdown(); }
  int handle() const noexcept override { return number_; }
  std::string local() const override { return inner_.local(); }
  std::string peer() const override { return inner_.peer(); }
  /// The system knows nothing of it from now on.
  void close_handle() noexcept { handle_.reset(); }

 private:
  Stream inner_;
  ipc::Handle handle_;
  const int number_;
};

/// What epoll refuses to wait for.
ipc::Handle refused_handle() {
  return ipc::Handle(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

class Unwaited : public testing::Test {
 protected:
  using What = ConnectionEvent::What;

  ~Unwaited() override { watchers_.remove(watcher_); }

  Server::Settings settings() {
    Server::Settings settings;
    settings.serving.concurrency = policy::Concurrency::pool;
    settings.connection.watchers = &watchers_;
    settings.connection.log = &log_;
    return settings;
  }
  ConnectionPtr client(ipc::UnixStream stream) {
    Connection::Settings settings;
    settings.version = {1, 2};
    return ConnectionPtr(
        new Connection(std::make_unique<Stream>("far", std::move(stream)), messaging::make_giop(), settings));
  }
  void lose(bool runs);
  /// One connection was opened and has ended, and both was told once.
  void expect_told(const std::string& why) {
    watchers_.end();
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(heard_.size(), 2U);
    EXPECT_EQ(heard_[0].what, What::opened);
    EXPECT_EQ(heard_[1].what, What::closed);
    EXPECT_EQ(heard_[0].id, heard_[1].id);
    EXPECT_EQ(heard_[1].why, why);
  }

  const std::shared_ptr<base::KeptLog> kept_ = std::make_shared<base::KeptLog>();
  const base::Log log_{{.levels = base::KeptLog::everything(), .sink = kept_}};
  std::mutex mutex_;
  std::vector<ConnectionEvent> heard_;
  Watchers watchers_{base::Log::none()};
  const std::shared_ptr<Watcher> watcher_ = watchers_.add([this](const ConnectionEvent& event) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(event);
  });
};

TEST_F(Unwaited, OneThatTheReactorRefusesIsClosedInOrder) {
  Harness harness("tcp://127.0.0.1:0", settings());
  auto ends = *ipc::make_stream_pair();
  const auto far = client(std::move(ends.second));
  harness.server().adopt(std::make_unique<Elsewhere>(std::move(ends.first), refused_handle()), messaging::make_giop());
  EXPECT_TRUE(harness.server().all_live().empty());
  EXPECT_EQ(kept_->count("connection closed: the system cannot wait for what it brings"), 1U);
  std::string answer;
  const auto status = harness.call(*far, "x", answer);
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().code == Code::closed || status.error().stage == Stage::send)
      << base::to_string(status.error());
  expect_told("the system cannot wait for what it brings");
}

/// The servant makes the reactor lose its connection; with `runs`, another thread has to find that out meanwhile.
void Unwaited::lose(bool runs) {
  Harness harness("tcp://127.0.0.1:0", settings());
  auto ends = *ipc::make_stream_pair();
  const auto far = client(std::move(ends.second));
  ipc::Handle copy(::fcntl(ends.first.handle(), F_DUPFD_CLOEXEC, 0));
  auto carrier = std::make_unique<Elsewhere>(std::move(ends.first), std::move(copy));
  Elsewhere& lost = *carrier;
  std::latch go(1);
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    lost.close_handle();
    if (runs) go.wait();  // until the tick gives what comes next to another thread
    Harness::echo(c, request, body);
  };
  harness.server().adopt(std::move(carrier), messaging::make_giop());
  const auto live = harness.server().all_live();
  ASSERT_EQ(live.size(), 1U);
  std::string answer;
  std::thread caller([&] { EXPECT_TRUE(harness.call(*far, "x", answer)); });
  if (runs) {
    while (live.front()->watched.why == nullptr) std::this_thread::yield();
    go.count_down();
  }
  caller.join();
  EXPECT_EQ(answer, "x");
  while (!harness.server().all_live().empty()) std::this_thread::yield();
  EXPECT_FALSE(harness.call(*far, "y", answer));
  expect_told("the system cannot wait for what it brings");
}

TEST_F(Unwaited, OneThatTheReactorHasLostEndsWhenItHasAnswered) {
  lose(false);
}

TEST_F(Unwaited, OneThatTheReactorHasLostAnswersWhatRunsStill) {
  lose(true);
}

TEST_F(Unwaited, OneThatWasToServeBothWaysKeepsNoCallerWaiting) {
  Harness harness("tcp://127.0.0.1:0", settings());
  auto ends = *ipc::make_stream_pair();
  Connection::Settings own;
  own.version = {1, 2};
  own.watchers = &watchers_;
  const ConnectionPtr opened(new Connection(std::make_unique<Elsewhere>(std::move(ends.second), refused_handle()),
                                            messaging::make_giop(), own));
  tell_opened(*opened, false);
  const auto shared = harness.server().share(opened);
  ASSERT_FALSE(shared);
  EXPECT_EQ(shared.error().code, Code::out_of_resources);
  EXPECT_EQ(shared.error().stage, Stage::connect);
  EXPECT_TRUE(opened->failed());
  std::string answer;
  EXPECT_FALSE(harness.call(*opened, "x", answer));
  expect_told("the system cannot wait for what it brings");
}

TEST_F(Unwaited, OneThatNobodyKeepsHasEnded) {
  auto ends = *ipc::make_stream_pair();
  Connection::Settings own;
  own.version = {1, 2};
  own.watchers = &watchers_;
  {
    const ConnectionPtr opened(
        new Connection(std::make_unique<Stream>("near", std::move(ends.first)), messaging::make_giop(), own));
    tell_opened(*opened, false);
  }
  expect_told("closed by this ORB");
}

}  // namespace
}  // namespace corbel::connection

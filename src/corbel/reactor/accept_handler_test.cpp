// SPDX-License-Identifier: Apache-2.0
#include "corbel/reactor/accept_handler.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

#include "corbel/ipc/connector.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::reactor {
namespace {

using base::Code;
using base::Deadline;
using namespace std::chrono_literals;

class AcceptHandlerTest : public ::testing::Test {
 protected:
  using Handler = AcceptHandler<ipc::InetAddress>;

  base::IntrusivePtr<Handler> open(Handler::OnError on_error = {}) {
    auto acceptor = *ipc::TcpAcceptor::open(ipc::InetAddress::loopback_v4());
    address_ = *acceptor.local_address();
    return *Handler::open(
        *reactor_, std::move(acceptor), [this](ipc::TcpStream stream) { accepted_.push_back(std::move(stream)); },
        std::move(on_error));
  }
  ipc::TcpStream connect() { return *ipc::TcpConnector().connect(address_); }

  ManualClock clock_;
  std::unique_ptr<Reactor> reactor_ = *Reactor::create(clock_);
  ipc::InetAddress address_;
  std::vector<ipc::TcpStream> accepted_;
};

TEST_F(AcceptHandlerTest, HandsOverEveryQueuedConnection) {
  const auto handler = open();
  std::vector<ipc::TcpStream> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(connect());
  while (accepted_.size() < 100) ASSERT_TRUE(reactor_->run_once(Deadline::after(60s)));
  clients.push_back(connect());
  while (accepted_.size() < 101) ASSERT_TRUE(reactor_->run_once(Deadline::after(60s)));
  EXPECT_EQ(*handler->local_address(), address_);
}

TEST_F(AcceptHandlerTest, PausesWhenDescriptorsRunOut) {
  std::vector<base::Error> errors;
  const auto handler = open([&](const base::Error& error) { errors.push_back(error); });
  const auto client = connect();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(*reactor_->run_once(), 1U);
  EXPECT_EQ(*reactor_->run_once(Deadline::now()), 0U);  // no spinning
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].code, Code::out_of_resources);
  clock_.advance(100ms);
  while (accepted_.empty()) ASSERT_TRUE(reactor_->run_once());
}

TEST_F(AcceptHandlerTest, RefusesClientsOnceClosed) {
  auto handler = open();
  handler->close();
  EXPECT_EQ(ipc::TcpConnector().connect(address_).error().code, Code::refused);
  EXPECT_EQ(*reactor_->run_once(Deadline::now()), 0U);
  EXPECT_EQ(handler->reference_count(), 1U);
}

TEST_F(AcceptHandlerTest, WorksInAPool) {
  auto real = *Reactor::create();
  auto acceptor = *ipc::TcpAcceptor::open(ipc::InetAddress::loopback_v4());
  address_ = *acceptor.local_address();
  std::atomic<int> count = 0;
  ThreadPool pool(*real, {.min_threads = 2, .max_threads = 4, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  const auto handler = *Handler::open(*real, std::move(acceptor), [&](ipc::TcpStream) {
    ++count;
    pool.notify();
  });
  for (int i = 0; i < 50; ++i) (void)connect();
  EXPECT_TRUE(pool.join_until([&] { return count == 50; }, Deadline::after(60s)));
  handler->close();
}

}  // namespace
}  // namespace corbel::reactor

// SPDX-License-Identifier: Apache-2.0
// Over sockets: peers that die, or cannot be reached any more.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corbel/base/cancellation.hpp"
#include "corbel/base/kept_log.hpp"
#include "corbel/ipc/datagram.hpp"
#include "corbel/transport/rudp/test_support.hpp"

namespace corbel::transport::rudp_tests {
namespace {

TEST_F(Rudp, APeerThatIsKilledIsLostSoonWhereTheSystemSaysSo) {
  if (!kChildrenHaveThreads) GTEST_SKIP() << "children have no threads";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto factory = make_rudp();
    const auto acceptor = *factory->listen(**factory->parse("127.0.0.1:0"), {});
    const std::uint16_t port = dynamic_cast<const RudpEndpoint&>(*acceptor->endpoints().front()).port();
    if (::write(ready[1], &port, sizeof port) < 0) ::_exit(1);
    for (std::unique_ptr<Transport> peer;;) {
      auto accepted = acceptor->accept();
      if (accepted) peer = *std::move(accepted);
      Bytes room(1 << 16);
      while (peer != nullptr && peer->receive(room, Deadline::none())) {
      }
    }
  }
  std::uint16_t port = 0;
  ASSERT_EQ(::read(ready[0], &port, sizeof port), static_cast<ssize_t>(sizeof port));
  factory_ = make_rudp();
  connector_ = factory_->make_connector();
  client_ = *connect_to(InetAddress::loopback_v4(port));
  std::thread killer([child] {
    std::this_thread::sleep_for(100ms);
    ::kill(child, SIGKILL);
  });
  const Bytes octets = pattern(100'000);
  const auto begin = std::chrono::steady_clock::now();
  base::Status sent;
  while (sent) sent = send(*client_, octets);
  EXPECT_EQ(sent.error(), base::error(Stage::send, Code::lost));
  EXPECT_EQ(end_of(*client_), Code::lost);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 8s) << "before the peer is given up";
  killer.join();
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  ::close(ready[0]);
  ::close(ready[1]);
}

// Its host says so of the socket that all clients speak to, and only of one of them.
TEST_F(Rudp, AClientThatIsKilledIsLostSoonWhereTheSystemSaysSo) {
  if (!kChildrenHaveThreads) GTEST_SKIP() << "children have no threads";
  for (const char* where : {"127.0.0.1:0", ":0"}) {
    listen({}, where);
    const auto own = InetAddress::loopback_v4(address().port());
    auto other = *connect_to(own);
    const auto others = accept();
    const pid_t child = ::fork();
    if (child == 0) {
      const auto factory = make_rudp();
      auto client = *factory->make_connector()->connect(**factory->parse(own.to_string()), {}, Deadline::after(20s));
      for (;;) ::pause();
    }
    server_ = accept();
    ::kill(child, SIGKILL);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(send(*server_, pattern(10)));
    EXPECT_EQ(end_of(*server_), Code::lost);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s) << where << ": before the peer is given up";
    client_.swap(other);
    ASSERT_TRUE(send(*client_, pattern(100'000))) << where;
    EXPECT_TRUE(receive(*others, 100'000) == pattern(100'000)) << where;
    server_.reset();
    client_.reset();
  }
}

TEST_F(Rudp, WhatCouldNotBeDeliveredAtTheEndIsTold) {
  const auto kept = std::make_shared<base::KeptLog>();
  const base::Log log({.levels = base::KeptLog::everything(), .sink = kept});
  listen();
  acceptor_.reset();
  connector_.reset();
  factory_ = factory_->with({.log = &log});
  connector_ = factory_->make_connector();
  acceptor_ = *factory_->listen(**factory_->parse("127.0.0.1:0"), {});
  BadNetwork network(address(), {});
  make_pair(InetAddress::loopback_v4(network.port()));
  network.cut();
  ASSERT_TRUE(send(*client_, pattern(1'234)));
  client_.reset();
  server_.reset();
  acceptor_.reset();
  EXPECT_TRUE(kept->entries().empty());
  connector_.reset();  // the last user
  ASSERT_EQ(kept->entries().size(), 1U);
  EXPECT_EQ(kept->entries()[0].event, "rudp: ended before all that was sent had been acknowledged");
  EXPECT_EQ(kept->entries()[0].value("connections"), "1");
  EXPECT_EQ(kept->entries()[0].value("octets"), "1234");
}

TEST_F(Rudp, DatagramsThatAreTooSmallAreRefusedWhenTheyAreAskedFor) {
  const auto options = make_rudp()->options();
  for (base::Option& each : options->list()) {
    if (each.name != "RudpDatagram") continue;
    for (const char* good : {"0", "512", "65000"}) EXPECT_TRUE(each.set(good)) << good;
    for (const char* bad : {"", "1", "511", "65001", "much"}) EXPECT_FALSE(each.set(bad)) << bad;
    EXPECT_NE(each.legal().find("512"), std::string::npos) << each.legal();
    return;
  }
  FAIL() << "there is no such option";
}

TEST_F(Rudp, APeerBehindACutNetworkIsGivenUp) {
  listen({.give_up = 1s});
  BadNetwork network(address(), {});
  make_pair(InetAddress::loopback_v4(network.port()));
  network.cut();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(end_of(*client_), Code::lost) << "it was asked whether it is there";
  EXPECT_EQ(end_of(*server_), Code::lost);
  EXPECT_GT(std::chrono::steady_clock::now() - begin, 900ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST_F(Rudp, ConnectingToAHostThatIsSilentIsEndedByAnotherThread) {
  const auto silent = *ipc::UdpSocket::open(InetAddress::loopback_v4());
  factory_ = make_rudp();
  connector_ = factory_->make_connector();
  base::Cancellation cancellation;
  const auto begin = std::chrono::steady_clock::now();
  std::thread ending([&] {
    std::this_thread::sleep_for(20ms);
    cancellation.cancel();
  });
  const base::Cancellation::Scope scope(cancellation);
  (void)connect_to(*silent.local_address(), 600s);  // whatever comes of it is over
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s) << "before the peer is given up";
  ending.join();
  EXPECT_EQ(connect_to(*silent.local_address(), 600s).error(), base::error(Stage::connect, Code::cancelled));
}

}  // namespace
}  // namespace corbel::transport::rudp_tests

// SPDX-License-Identifier: Apache-2.0
// Over sockets: peers that die, or cannot be reached any more.
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
    ::alarm(90);
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
  ::close(ready[1]);
  std::uint16_t port = 0;
  ASSERT_EQ(::read(ready[0], &port, sizeof port), static_cast<ssize_t>(sizeof port));
  factory_ = make_rudp({.give_up = 60s});
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
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 40s) << "before the peer is given up";
  killer.join();
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  ::close(ready[0]);
}

// Its host says so of the socket that all clients speak to, and only of one of them.
TEST_F(Rudp, AClientThatIsKilledIsLostSoonWhereTheSystemSaysSo) {
  if (!kChildrenHaveThreads) GTEST_SKIP() << "children have no threads";
  const auto live = [](const InetAddress& where) {
    const auto factory = make_rudp();
    const auto client =
        *factory->make_connector()->connect(**factory->parse(where.to_string()), {}, Deadline::after(20s));
    for (;;) ::pause();
  };
  ClientProcess first(live), second(live);
  for (const auto& [child, where] : {std::pair{&first, "127.0.0.1:0"}, std::pair{&second, ":0"}}) {
    listen({.give_up = 60s}, where);
    const auto own = InetAddress::loopback_v4(address().port());
    auto other = *connect_to(own);
    const auto others = accept();
    child->connect_to(own.port());
    server_ = accept();
    ::kill(child->pid(), SIGKILL);
    (void)child->wait();
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(send(*server_, pattern(10)));
    EXPECT_EQ(end_of(*server_, 60s), Code::lost);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 40s) << where << ": before the peer is given up";
    client_.swap(other);
    ASSERT_TRUE(send(*client_, pattern(100'000))) << where;
    EXPECT_TRUE(receive(*others, 100'000) == pattern(100'000)) << where;
    server_.reset();
    client_.reset();
  }
}

// The last one that uses the thread waits for the answer: a process may end right after that.
TEST_F(Rudp, WhatWasSentLastArrivesThoughTheProcessEnds) {
  if (!kChildrenHaveThreads) GTEST_SKIP() << "children have no threads";
  const RudpSettings settings{.give_up = 20s, .datagram = kSafeDatagram};
  const Bytes octets = pattern(50'000);
  ClientProcess child([&](const InetAddress& where) {
    const auto factory = make_rudp(settings);
    const auto client =
        *factory->make_connector()->connect(**factory->parse(where.to_string()), {}, Deadline::after(20s));
    (void)send(*client, octets);
  });
  listen(settings);
  BadNetwork network(address(), {.lost = 20});
  child.connect_to(network.port());
  server_ = accept();
  EXPECT_TRUE(receive(*server_, octets.size()) == octets);
  EXPECT_EQ(end_of(*server_), Code::closed);
  (void)child.wait();
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
  // A busy machine may be silent for so long when it is connected to, and before the network is cut.
  auto begin = std::chrono::steady_clock::now();
  for (int tries = 0; tries < 10 && client_ == nullptr; ++tries) {
    begin = std::chrono::steady_clock::now();
    if (auto connected = connect_to(InetAddress::loopback_v4(network.port()))) client_ = *std::move(connected);
  }
  ASSERT_NE(client_, nullptr);
  server_ = accept();
  network.cut();
  EXPECT_EQ(end_of(*client_, 40s), Code::lost) << "it was asked whether it is there";
  EXPECT_EQ(end_of(*server_, 40s), Code::lost);
  EXPECT_GT(std::chrono::steady_clock::now() - begin, 900ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

TEST_F(Rudp, ConnectingToAHostThatIsSilentIsEndedByAnotherThread) {
  const auto silent = *ipc::UdpSocket::open(InetAddress::loopback_v4());
  factory_ = make_rudp({.give_up = 60s});
  connector_ = factory_->make_connector();
  base::Cancellation cancellation;
  const auto begin = std::chrono::steady_clock::now();
  std::thread ending([&] {
    std::this_thread::sleep_for(20ms);
    cancellation.cancel();
  });
  const base::Cancellation::Scope scope(cancellation);
  (void)connect_to(*silent.local_address(), 600s);  // whatever comes of it is over
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 40s) << "before the peer is given up";
  ending.join();
  EXPECT_EQ(connect_to(*silent.local_address(), 600s).error(), base::error(Stage::connect, Code::cancelled));
}

}  // namespace
}  // namespace corbel::transport::rudp_tests

// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tcp/tcp.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/handle.hpp"
#include "corbel/transport/tcp/connector.hpp"

namespace corbel::transport {
namespace {

using base::Code;
using base::Deadline;
using namespace std::chrono_literals;

std::vector<std::string> texts(const std::vector<EndpointPtr>& endpoints) {
  std::vector<std::string> result;
  for (const auto& each : endpoints) result.push_back(each->text());
  return result;
}

ior::TaggedProfile iiop(std::string host, std::uint16_t port, std::uint8_t minor = 2,
                        std::vector<ior::TaggedComponent> components = {}) {
  ior::IiopProfile profile;
  profile.version = {1, minor};
  profile.object_key = {1};
  profile.host = std::move(host);
  profile.port = port;
  profile.components = std::move(components);
  return ior::encode_profile(profile);
}

std::unique_ptr<Acceptor> listen(std::string_view address, const Options& options = {}) {
  const auto factory = make_tcp();
  auto acceptor = factory->listen(**factory->parse(address), options);
  EXPECT_TRUE(acceptor);
  return *std::move(acceptor);
}

int option(int handle, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(handle, level, name, &value, &size), 0);
  return value;
}

TEST(Tcp, ListeningEverywherePublishesRealAddressesWithTheRealPort) {
  const auto acceptor = listen(":0");
  const auto endpoints = acceptor->endpoints();
  ASSERT_FALSE(endpoints.empty());
  const auto connector = make_tcp()->make_connector();
  for (const auto& each : endpoints) {
    EXPECT_EQ(each->text().find("0.0.0.0"), std::string::npos);
    EXPECT_EQ(each->text().find("[::]"), std::string::npos);
    EXPECT_FALSE(each->text().ends_with(":0"));
    EXPECT_TRUE(connector->connect(*each, {}, Deadline::after(20s))) << each->text();
  }
}

TEST(Tcp, ListeningOnEveryIPv4InterfacePublishesNoIPv6) {
  for (const auto& text : texts(listen("0.0.0.0:0")->endpoints())) EXPECT_EQ(text.find('['), std::string::npos) << text;
}

TEST(Tcp, ListeningOnEveryIPv6InterfacePublishesNoIPv4) {
  for (const auto& text : texts(listen("[::]:0")->endpoints())) EXPECT_NE(text.find('['), std::string::npos) << text;
}

TEST(Tcp, PublishesTheHostItIsToldTo) {
  Options options;
  options.publish_host = "Images.Example.COM";
  const auto endpoints = texts(listen("127.0.0.1:0", options)->endpoints());
  ASSERT_EQ(endpoints.size(), 1U);
  EXPECT_TRUE(endpoints[0].starts_with("tcp://images.example.com:")) << endpoints[0];
  options.publish_host = "not a host";
  const auto factory = make_tcp();
  EXPECT_FALSE(factory->listen(**factory->parse("127.0.0.1:0"), options));
}

// A port that is forwarded, as of a container or behind NAT, and a host with several names.
TEST(Tcp, PublishesTheHostsAndPortsItIsToldTo) {
  Options options;
  options.publish_host = "one.example.com,Two.example.com:8080,[2001:DB8::1]:9=1";
  const auto acceptor = listen("127.0.0.1:0", options);
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  ASSERT_EQ(::getsockname(acceptor->handle(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
  const std::string port = std::to_string(ntohs(bound.sin_port));
  EXPECT_EQ(texts(acceptor->endpoints()),
            (std::vector<std::string>{"tcp://one.example.com:" + port, "tcp://two.example.com:8080"}));
  options.publish_host = "[2001:DB8::1]:9=1";
  EXPECT_EQ(texts(listen("127.0.0.1:0", options)->endpoints()).front().rfind("tcp://127.0.0.1:", 0), 0U)
      << "nothing is said of this port";
}

TEST(Tcp, APeerThatHasGoneIsStillNamed) {
  const auto acceptor = listen("127.0.0.1:0");
  auto client = make_tcp()->make_connector()->connect(*acceptor->endpoints().front(), {}, Deadline::after(20s));
  ASSERT_TRUE(client) << base::to_string(client.error());
  const std::string name = (*client)->local();
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(::setsockopt((*client)->handle(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  client->reset();  // with a reset
  ASSERT_TRUE(ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(20s), base::Stage::wait));
  const auto server = acceptor->accept();
  ASSERT_TRUE(server);
  EXPECT_EQ((*server)->peer(), name);
}

TEST(Tcp, AServerThatHasGoneIsStillNamed) {
  const auto acceptor = listen("127.0.0.1:0");
  const auto endpoint = acceptor->endpoints().front();
  const auto client = make_tcp()->make_connector()->connect(*endpoint, {}, Deadline::after(20s));
  ASSERT_TRUE(client) << base::to_string(client.error());
  ASSERT_TRUE(ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(20s), base::Stage::wait));
  auto server = acceptor->accept();
  ASSERT_TRUE(server);
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(::setsockopt((*server)->handle(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  server->reset();  // with a reset
  std::array<base::Octet, 1> octet;
  EXPECT_FALSE((*client)->receive(octet, Deadline::after(20s)));
  EXPECT_EQ((*client)->peer(), endpoint->text());
}

TEST(Tcp, SetsTheOptionsOfBothSides) {
  for (const bool on : {true, false}) {
    Options options;
    options.no_delay = on;
    options.keep_alive = on;
    options.keep_alive_time = 44001ms;
    options.keep_alive_interval = 7s;
    options.keep_alive_probes = 5;
    options.receive_buffer = 20000;
    const auto acceptor = listen("127.0.0.1:0", options);
    const auto client =
        make_tcp()->make_connector()->connect(*acceptor->endpoints().front(), options, Deadline::after(20s));
    ASSERT_TRUE(client);
    ASSERT_TRUE(ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(20s), base::Stage::accept));
    const auto server = acceptor->accept();
    ASSERT_TRUE(server);
    for (const int handle : {(*client)->handle(), (*server)->handle()}) {
      EXPECT_EQ(option(handle, IPPROTO_TCP, TCP_NODELAY) != 0, on);
      EXPECT_EQ(option(handle, SOL_SOCKET, SO_KEEPALIVE) != 0, on);
      EXPECT_EQ(option(handle, IPPROTO_TCP, TCP_KEEPIDLE) == 45, on);
      EXPECT_EQ(option(handle, IPPROTO_TCP, TCP_KEEPINTVL) == 7, on);
      EXPECT_EQ(option(handle, IPPROTO_TCP, TCP_KEEPCNT) == 5, on);
      EXPECT_EQ(option(handle, SOL_SOCKET, SO_RCVBUF), 40000);  // Linux counts its own overhead in
    }
  }
}

TEST(Tcp, NamesAreTriedAddressByAddress) {
  // "localhost" may be ::1 first; the listener is on the other family.
  const auto acceptor = listen("127.0.0.1:0");
  std::string address = acceptor->endpoints().front()->text().substr(6);
  address.replace(0, address.find(':'), "localhost");
  const auto factory = make_tcp();
  EXPECT_TRUE(factory->make_connector()->connect(**factory->parse(address), {}, Deadline::after(20s)));
}

/// A port that takes no more connections and refuses none.
struct Silent {
  explicit Silent(const ipc::InetAddress& address) {
    ipc::AcceptorOptions<ipc::InetAddress> options;
    options.backlog = 0;
    acceptor = *ipc::TcpAcceptor::open(address, options);
    while (auto stream = ipc::TcpConnector().connect(*acceptor.local_address(), Deadline::after(50ms))) {
      queued.push_back(*std::move(stream));
    }
  }
  ipc::TcpAcceptor acceptor;
  std::vector<ipc::TcpStream> queued;
};

TEST(Tcp, AnAddressThatDoesNotAnswerLeavesTheOthersTheirTime) {
  const auto answers = listen("127.0.0.1:0");
  const std::string text = answers->endpoints().front()->text();
  const auto port = static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
  const Silent silent(*ipc::InetAddress::parse("127.0.0.2", port));
  tcp::TcpConnector connector([](std::string_view, std::uint16_t at) {
    return base::Result<std::vector<ipc::InetAddress>>(
        std::vector{*ipc::InetAddress::parse("127.0.0.2", at), *ipc::InetAddress::parse("127.0.0.1", at)});
  });
  const auto there = *make_tcp()->parse("a.name:" + std::to_string(port));
  const auto connected = connector.connect(*there, {}, Deadline::after(2s));
  ASSERT_TRUE(connected) << base::to_string(connected.error());
  EXPECT_EQ((*connected)->peer(), text);
}

TEST(Tcp, AServerAtAllAddressesOfIPv6LeavesThoseOfIPv4ToOthers) {
  auto six = make_tcp()->listen(**make_tcp()->parse("[::]:0"), {});
  if (!six) GTEST_SKIP() << "no IPv6 here: " << base::to_string(six.error());
  const std::string text = (*six)->endpoints().front()->text();
  const std::string four = "127.0.0.1" + text.substr(text.rfind(':'));
  const auto connected = make_tcp()->make_connector()->connect(**make_tcp()->parse(four), {}, Deadline::after(20s));
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().code, Code::refused);
}

TEST(Tcp, ConnectingToNoPortIsUnreachable) {
  const auto factory = make_tcp();
  const auto result = factory->make_connector()->connect(**factory->parse("127.0.0.1:0"), {}, Deadline::after(20s));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::unreachable);
}

TEST(Tcp, ReadsAlternateAddressesInOrder) {
  const auto profile = iiop("Host", 1, 2,
                            {ior::encode_alternate_address({"127.0.0.1", 2}),
                             {99, {}},
                             ior::encode_alternate_address({"::1", 3}),
                             ior::encode_alternate_address({"bad host", 4}),
                             ior::encode_alternate_address({"nowhere", 0}),
                             {3, {0xff}}});
  const auto reachable = make_tcp()->decode(profile, {});
  ASSERT_TRUE(reachable);
  EXPECT_EQ(texts(reachable->endpoints),
            (std::vector<std::string>{"tcp://host:1", "tcp://127.0.0.1:2", "tcp://[::1]:3"}));
}

TEST(Tcp, AProfileWithPortZeroIsNotForTcp) {
  const auto reachable = make_tcp()->decode(iiop("host", 0), {});
  ASSERT_FALSE(reachable);
  EXPECT_EQ(reachable.error().code, Code::unsupported);
}

TEST(Tcp, ReadsWhatOtherOrbsWrite) {
  // omniORB 4.3.4, two TCP endpoints and one UNIX-domain endpoint: the body of its IIOP 1.2 profile.
  base::Bytes body;
  ASSERT_TRUE(
      base::from_hex("010102000a0000003132372e302e302e3100095208000000ff676f6c64005431040000000000000008000000010000000"
                     "0545441010000001c"
                     "000000010000000100010001000000010001050901010001000000090101000300000014000000010000000a000000313"
                     "2372e302e302e3100"
                     "0a5202545441230000000100000003000000766d0000130000002f746d702f7265662f7665632f736f636b3100",
                     body));
  const auto reachable = make_tcp()->decode({0, body}, {});
  ASSERT_TRUE(reachable);
  EXPECT_EQ(texts(reachable->endpoints), (std::vector<std::string>{"tcp://127.0.0.1:21001", "tcp://127.0.0.1:21002"}));
}

TEST(Tcp, PublishesAlternatesInOneProfileFromIiop12AndProfilesBefore) {
  const auto factory = make_tcp();
  const std::vector<EndpointPtr> endpoints{*factory->parse("a:1"), *factory->parse("b:2")};
  for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    ior::ProfileBase base;
    base.version = {1, minor};
    std::vector<ior::TaggedProfile> profiles;
    ASSERT_TRUE(factory->publish(endpoints, base, profiles));
    EXPECT_EQ(profiles.size(), minor == 2 ? 1U : 2U);
    std::vector<std::string> found;
    for (const auto& profile : profiles) {
      for (const auto& text : texts(factory->decode(profile, {})->endpoints)) found.push_back(text);
    }
    EXPECT_EQ(found, (std::vector<std::string>{"tcp://a:1", "tcp://b:2"}));
  }
}

TEST(Tcp, FillsInTheProfileThatAnotherTransportBegan) {
  std::vector<ior::TaggedProfile> profiles{iiop("machine", 0)};
  ior::ProfileBase base;
  base.object_key = {1};
  const auto factory = make_tcp();
  const std::vector<EndpointPtr> endpoints{*factory->parse("a:1")};
  ASSERT_TRUE(factory->publish(endpoints, base, profiles));
  ASSERT_EQ(profiles.size(), 1U);
  EXPECT_EQ(texts(factory->decode(profiles[0], {})->endpoints), std::vector<std::string>{"tcp://a:1"});
}

TEST(Tcp, ReadsIiopAddressesOfUrls) {
  const auto factory = make_tcp();
  EXPECT_EQ((*factory->from_url({"iiop", {1, 2}, "Host", 2809}))->text(), "tcp://host:2809");
  EXPECT_EQ((*factory->from_url({"iiop", {1, 2}, "::1", 1}))->text(), "tcp://[::1]:1");
  EXPECT_EQ(factory->from_url({"iiop", {1, 2}, "ho st", 1}).error().code, Code::bad_argument);
  EXPECT_EQ(factory->from_url({"iiop", {1, 2}, "host", 0}).error().code, Code::bad_argument);
  EXPECT_EQ(factory->from_url({"uiop", {1, 2}, "/path", 0}).error().code, Code::unsupported);
}

TEST(Tcp, LookingUpANameIsInsideTheDeadline) {
  std::promise<void> told;
  tcp::TcpConnector connector([known = told.get_future().share()](std::string_view, std::uint16_t port) {
    known.wait();
    return base::Result<std::vector<ipc::InetAddress>>(std::vector{ipc::InetAddress::loopback_v4(port)});
  });
  const auto endpoint = *make_tcp()->parse("a.name:7");
  const auto begin = std::chrono::steady_clock::now();
  const auto result = connector.connect(*endpoint, {}, Deadline::after(20ms));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), base::error(base::Stage::resolve, Code::timed_out));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  told.set_value();
}

}  // namespace
}  // namespace corbel::transport

// SPDX-License-Identifier: Apache-2.0
// What single references and endpoints want of the packets of their connections, of queues and of rings.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <fstream>
#include <future>
#include <set>

#include "corbel/corba/transport_policy.hpp"
#include "support.hpp"

namespace corbel::policies_test::traffic_test {
namespace {

using policy::TransportOptions;
using test::FakePeer;
namespace answer = test::answer;

PolicyRef options(TransportOptions wanted) {
  return CORBA::make_reference<TransportOptionsPolicy>(std::move(wanted));
}

struct YesServant final : CORBA::servant_traits<Policies::Thing>::base_type {
  std::string ask(const std::string&) override { return "yes"; }
  void note(std::int32_t) override {}
};

/// Listens, and has an object.
class Server {
 public:
  explicit Server(const std::string& endpoints) : orb_({"-ORBListenEndpoints", endpoints}) {
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    reference = orb_->object_to_string(poa->servant_to_reference(CORBA::make_reference<YesServant>()));
  }
  std::string reference;

 private:
  const Orb orb_;
};

int option(int handle, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(handle, level, name, &value, &size) == 0 ? value : -1;
}

std::uint64_t pacing_rate(int handle) {
  std::uint64_t rate = 0;
  socklen_t size = sizeof rate;
  EXPECT_EQ(::getsockopt(handle, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, &size), 0);
  return rate;
}

/// "type_of_service priority time_to_live kilooctets/s" of each Internet socket of this process that was not there
/// before: of those that listen, if `listening`, or of the others. Of IPv6, "traffic_class hop_limit" behind it.
class Fresh {
 public:
  std::vector<std::string> sockets(bool listening = false) const {
    std::vector<std::string> all;
    for (const int handle : handles(listening)) all.push_back(shown(handle));
    std::sort(all.begin(), all.end());
    return all;
  }
  /// The same of those that have what was asked for here, of how many.
  std::string marked(const std::string& which) const {
    const auto all = sockets();
    return std::to_string(std::count(all.begin(), all.end(), which)) + " of " + std::to_string(all.size());
  }
  std::vector<int> handles(bool listening = false) const {
    std::vector<int> all;
    for (int handle = 0; handle < kMost; ++handle) {
      if (!is_inet(handle) || before_.contains(cookie(handle))) continue;
      if (is_connected(handle) != listening) all.push_back(handle);
    }
    return all;
  }

 private:
  static constexpr int kMost = 1024;
  static bool is_inet(int handle) {
    const int domain = option(handle, SOL_SOCKET, SO_DOMAIN);
    return domain == AF_INET || domain == AF_INET6;
  }
  static bool is_connected(int handle) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    return ::getpeername(handle, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
  }
  static std::string shown(int handle) {
    const std::uint64_t rate = pacing_rate(handle);
    std::string text = std::to_string(option(handle, IPPROTO_IP, IP_TOS)) + ' ' +
                       std::to_string(option(handle, SOL_SOCKET, SO_PRIORITY)) + ' ' +
                       std::to_string(option(handle, IPPROTO_IP, IP_TTL)) + ' ' +
                       (rate > UINT32_MAX - 1ULL ? "any" : std::to_string(rate / 1000));
    if (option(handle, SOL_SOCKET, SO_DOMAIN) != AF_INET6) return text;
    return text + ", " + std::to_string(option(handle, IPPROTO_IPV6, IPV6_TCLASS)) + ' ' +
           std::to_string(option(handle, IPPROTO_IPV6, IPV6_UNICAST_HOPS));
  }
  /// Of this socket alone; numbers of descriptors come again.
  static std::uint64_t cookie(int handle) {
    std::uint64_t number = 0;
    socklen_t size = sizeof number;
    EXPECT_EQ(::getsockopt(handle, SOL_SOCKET, SO_COOKIE, &number, &size), 0);
    return number;
  }
  static std::set<std::uint64_t> now() {
    std::set<std::uint64_t> there;
    for (int handle = 0; handle < kMost; ++handle) {
      if (is_inet(handle)) there.insert(cookie(handle));
    }
    return there;
  }
  const std::set<std::uint64_t> before_ = now();
};

const TransportOptions kAll = {
    {"dscp", "46"}, {"socket_priority", "5"}, {"time_to_live", "7"}, {"pacing_rate", "80000"}};
constexpr const char* kMarked = "184 5 7 10000";
constexpr const char* kQuery = "?dscp=46&socket_priority=5&time_to_live=7&pacing_rate=80000";

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const CORBA::SystemException& exception) {
    return exception.what();
  }
  return "done";
}

class Traffic : public ::testing::Test {
 protected:
  const Orb client_{{"-ORBCollocation", "off"}};
};

class TrafficOf : public ::testing::TestWithParam<const char*> {};

TEST_P(TrafficOf, AReferenceMarksWhatItsConnectionsSend) {
  const Server server(std::string(GetParam()) + "127.0.0.1:0");
  const Orb client({"-ORBCollocation", "off"});
  const ThingRef plain = client.thing(server.reference);
  EXPECT_EQ(plain->ask(""), "yes");
  const Fresh fresh;
  EXPECT_EQ(with_policies(plain, {options(kAll)})->ask(""), "yes");
  const auto found = fresh.sockets();
  EXPECT_EQ(std::count(found.begin(), found.end(), kMarked), 1) << "the client's end alone, of " << found.size();
}

TEST_P(TrafficOf, AnEndpointMarksWhatItAnswers) {
  const Fresh fresh;
  const Server server(std::string(GetParam()) + "127.0.0.1:0" + kQuery);
  const Orb client({"-ORBCollocation", "off"});
  EXPECT_EQ(client.thing(server.reference)->ask(""), "yes");
  const bool one_socket = std::string(GetParam()) == "rudp://";
  const auto found = fresh.sockets(one_socket);
  EXPECT_EQ(std::count(found.begin(), found.end(), kMarked), 1) << "the server's end alone, of " << found.size();
}

INSTANTIATE_TEST_SUITE_P(Transports, TrafficOf, ::testing::Values("tcp://", "udp://", "rudp://"),
                         [](const auto& which) {
                           const std::string scheme = which.param;
                           return scheme.substr(0, scheme.find(':'));
                         });

TEST_F(Traffic, IsMarkedOverBothFamilies) {
  const Server v6("tcp://[::1]:0?dscp=10&time_to_live=9");
  const Fresh fresh;
  const Orb client({"-ORBCollocation", "off"});
  EXPECT_EQ(with_policies(client.thing(v6.reference), {options(kAll)})->ask(""), "yes");
  EXPECT_EQ(fresh.marked("184 5 7 10000, 184 7"), "1 of 2");
  const auto found = fresh.sockets();
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const std::string& one) {
    return one.starts_with("40 ") && one.ends_with(" 9 any, 40 9");
  }));
}

/// One socket of IPv6 listens for both.
TEST_F(Traffic, OfAnEndpointAtAllInterfacesIsMarkedForPeersOfEitherFamily) {
  const Server server(std::string("tcp://:0") + kQuery);
  const Fresh fresh;
  EXPECT_EQ(client_.thing(server.reference)->ask(""), "yes");
  EXPECT_EQ(fresh.marked("184 5 7 10000, 184 7"), "1 of 2");
}

TEST_F(Traffic, ConnectionsAreSharedByThoseWhoWantTheSame) {
  FakePeer peer{{answer::text("yes")}};
  const ThingRef thing = client_.thing(peer.ior());
  const ThingRef urgent = with_policies(thing, {options({{"dscp", "46"}, {"socket_priority", "6"}})});
  const ThingRef as_urgent = with_policies(thing, {options({{"socket_priority", "6"}, {"dscp", "46"}})});
  const ThingRef bulk = with_policies(thing, {options({{"dscp", "8"}})});
  for (const ThingRef& each : {thing, urgent, as_urgent, bulk, urgent, thing}) EXPECT_EQ(each->ask(""), "yes");
  EXPECT_EQ(peer.connections(), 3U);
}

TEST_F(Traffic, ValuesThatThereAreNotAreRefusedInWords) {
  FakePeer peer{{answer::text("yes")}};
  const auto ask_with = [&](const char* name, const char* value) {
    const ThingRef thing = with_policies(client_.thing(peer.ior()), {options({{name, value}})});
    EXPECT_EQ(ending_of([&] { thing->ask(""); }), "INV_POLICY NO") << name << '=' << value;
    return message_of([&] { thing->ask(""); });
  };
  EXPECT_NE(ask_with("dscp", "64")
                .find("transport 'tcp': '64' is no value of option 'dscp', which takes a number from 0 "
                      "to 63"),
            std::string::npos);
  for (const char* const bad : {"-1", "", "0x2e", "46 "}) ask_with("dscp", bad);
  for (const char* const bad : {"7", "-1", "high"}) ask_with("socket_priority", bad);
  for (const char* const bad : {"0", "256", "-1"}) ask_with("time_to_live", bad);
  for (const char* const bad : {"4294967296", "-1", "1k"}) ask_with("pacing_rate", bad);
  for (const char* const bad : {"1073741825", "-1"}) ask_with("unsent_limit", bad);
  for (const char* const bad : {"1073741825", "-1"}) ask_with("oneway_queue", bad);
  ask_with("ring_size", "65536");
  EXPECT_EQ(peer.connections(), 0U);
}

TEST_F(Traffic, LeavesAsideTransportsWithoutPackets) {
  const Server server("tcp://127.0.0.1:0;unix://");
  const ThingRef thing = client_.thing(server.reference);
  const Fresh fresh;
  EXPECT_EQ(thing->ask(""), "yes");
  EXPECT_EQ(fresh.sockets().size(), 0U) << "local sockets come first";
  EXPECT_EQ(with_policies(thing, {options({{"dscp", "46"}})})->ask(""), "yes");
  EXPECT_EQ(fresh.sockets().size(), 2U);
  for (const char* const local : {"unix://", "packet://", "shm://", "inproc://"}) {
    const Server alone(local);
    const ThingRef marked = with_policies(client_.thing(alone.reference), {options({{"dscp", "46"}})});
    EXPECT_EQ(ending_of([&] { marked->ask(""); }), "INV_POLICY NO") << local;
    EXPECT_NE(message_of([&] { marked->ask(""); }).find("has no option 'dscp'"), std::string::npos) << local;
  }
}

TEST_F(Traffic, ToGroupsHasHopsOfItsOwn) {
  const Orb sender({"-ORBMulticastInterface", "lo", "-ORBMulticastHops", "3"});
  const ThingRef group = sender.thing("corbaloc:miop:1.0@1.0-CorbelTraffic-1/239.255.77.12:40778");
  const auto hops_with = [&](const TransportOptions& wanted) {
    const Fresh fresh;
    with_policies(group, {options(wanted)})->note(1);
    const auto handles = fresh.handles(true);
    EXPECT_EQ(handles.size(), 1U);
    if (handles.empty()) return std::string();
    return std::to_string(option(handles[0], IPPROTO_IP, IP_MULTICAST_TTL)) + ' ' +
           std::to_string(option(handles[0], IPPROTO_IP, IP_TOS));
  };
  EXPECT_EQ(hops_with({{"dscp", "46"}}), "3 184");
  EXPECT_EQ(hops_with({{"dscp", "34"}, {"time_to_live", "0"}}), "0 136");
  EXPECT_EQ(hops_with({{"time_to_live", "255"}}), "255 0");
  const ThingRef beyond = with_policies(group, {options({{"time_to_live", "256"}})});
  EXPECT_EQ(ending_of([&] { beyond->note(1); }), "INV_POLICY NO");
}

TEST_F(Traffic, OfEndpointsIsRefusedInWords) {
  const auto mistake = [](const std::string& endpoint) {
    const Orb server({"-ORBListenEndpoints", endpoint});
    const auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    return message_of([&] { (void)server->object_to_string(poa->create_reference("IDL:a:1.0")); });
  };
  const auto tells = [&](const std::string& endpoint, const char* what) {
    const std::string why = mistake(endpoint);
    EXPECT_NE(why.find(what), std::string::npos) << endpoint << ": " << why;
  };
  tells("tcp://127.0.0.1:0?dscp=64", "'64' is no value of option 'dscp', which takes a number from 0 to 63");
  tells("tcp://127.0.0.1:0?dscp=", "'' is no value of option 'dscp'");
  tells("tcp://127.0.0.1:0?bandwidth=64&dscq=46", "transport 'tcp' has no option 'dscq'; it has send_buffer_size, ");
  tells("tcp://127.0.0.1:0?dscp=46&bandwidth=0", "'?bandwidth=' is followed by kbit/s");
  tells("tcp://127.0.0.1:0?dscp=46&no_delay", "'' is no value of option 'no_delay'");
  tells("unix://?dscp=46", "transport 'unix' has no option 'dscp'");
  tells("inproc://?send_buffer_size=4096", "transport 'inproc' has no option 'send_buffer_size'");
  EXPECT_EQ(mistake("tcp://127.0.0.1:0?no_delay=off&send_buffer_size=20000"), "done");
}

/// References say the bandwidth, and nothing else of it.
TEST_F(Traffic, OfEndpointsGoesWithABandwidth) {
  const Server server("tcp://127.0.0.1:0?socket_priority=2&bandwidth=64");
  const auto ask = [&](const char* least) {
    return ending_of([&] {
      (void)with_policies(client_.thing(server.reference), {options({{"least_bandwidth", least}})})->ask("");
    });
  };
  EXPECT_EQ(ask("64"), "done");
  EXPECT_EQ(ask("65"), "INV_POLICY NO");
}

TEST_F(Traffic, OptionsAreMadeOfText) {
  const Server server("tcp://127.0.0.1:0");
  CORBA::Any any;
  any <<= std::string("dscp=46,socket_priority=5,time_to_live=7,pacing_rate=80000");
  const Orb client({"-ORBCollocation", "off"});
  const PolicyRef policy = client->create_policy(TRANSPORT_OPTIONS_POLICY_TYPE, any);
  const Fresh fresh;
  EXPECT_EQ(with_policies(client.thing(server.reference), {policy})->ask(""), "yes");
  EXPECT_EQ(fresh.marked(kMarked), "1 of 2");
}

TEST(Queues, OfTheSystemAreBoundedAtBothEnds) {
  const Server server("tcp://127.0.0.1:0?unsent_limit=10000");
  const Orb client({"-ORBCollocation", "off"});
  const Fresh fresh;
  EXPECT_EQ(with_policies(client.thing(server.reference), {options({{"unsent_limit", "20000"}})})->ask(""), "yes");
  std::vector<int> limits;
  for (const int handle : fresh.handles()) limits.push_back(option(handle, IPPROTO_TCP, TCP_NOTSENT_LOWAT));
  std::sort(limits.begin(), limits.end());
  EXPECT_EQ(limits, (std::vector<int>{10000, 20000}));
}

TEST(Queues, OfOnewaysAreAsLongAsTheReferenceSays) {
  std::promise<void> gate;
  const auto opened = gate.get_future().share();
  const Orb orb({"-ORBOnewayOverflow", "wait", "-ORBSendBuffer", "8192"});
  FakePeer peer({[opened](test::Conversation&, const test::Received&) { opened.wait(); }});
  const ThingRef thing = with_timeout(orb.thing(peer.ior()), 300ms);
  const auto many = [&](const char* octets) {
    const ThingRef hasty = with_policies(thing, {scope(Messaging::SYNC_NONE), options({{"oneway_queue", octets}})});
    std::string ending = "done";  // of more than the system keeps
    for (int n = 0; n < 300'000 && ending == "done"; ++n) ending = ending_of([&] { hasty->note(n); });
    return ending;
  };
  EXPECT_EQ(many("1073741824"), "done");
  EXPECT_EQ(many("0"), "TIMEOUT NO");
  gate.set_value();
}

/// The octets of the largest shared memory that this process has mapped.
std::size_t largest_mapping() {
  std::ifstream maps("/proc/self/maps");
  std::size_t largest = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("memfd:corbel") == std::string::npos) continue;
    const std::size_t dash = line.find('-');
    const auto at = [&](std::size_t begin) { return std::stoull(line.substr(begin), nullptr, 16); };
    largest = std::max<std::size_t>(largest, at(dash + 1) - at(0));
  }
  return largest;
}

TEST(Rings, AreAsLargeAsTheReferenceSaysOrTheEndpoint) {
  constexpr std::size_t kKibi = 1024;
  const Orb client({"-ORBCollocation", "off"});
  const auto rings = [&](const ThingRef& thing) {
    EXPECT_EQ(thing->ask(""), "yes");
    return largest_mapping() / kKibi / 2;  // of each, and a little more for what goes with it
  };
  const Server small("shm://?ring_size=10000");
  EXPECT_NEAR(static_cast<double>(rings(client.thing(small.reference))), 16, 8);
  const Server server("shm://");
  EXPECT_NEAR(static_cast<double>(rings(client.thing(server.reference))), 256, 8);
  const ThingRef large = with_policies(client.thing(server.reference), {options({{"ring_size", "1000000"}})});
  EXPECT_NEAR(static_cast<double>(rings(large)), 1024, 8);
  for (const char* const bad : {"4095", "16777217", "-1", "64k"}) {
    const ThingRef odd = with_policies(client.thing(server.reference), {options({{"ring_size", bad}})});
    EXPECT_EQ(ending_of([&] { odd->ask(""); }), "INV_POLICY NO") << bad;
  }
}

}  // namespace
}  // namespace corbel::policies_test::traffic_test

// SPDX-License-Identifier: Apache-2.0
// From which size on data goes out from where it lies: -ORBGatherThreshold, and the option gather_threshold of
// connections.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "corbel/corba/transport_policy.hpp"
#include "support.hpp"

namespace {

std::atomic<std::size_t> most_pieces = 0;     // of the gather lists that were sent
std::atomic<const void*> asked = nullptr;     // where the data of a client lie
std::atomic<const void*> answered = nullptr;  // those of a server
std::atomic<bool> asked_from_there = false;   // they were sent from where they lie
std::atomic<bool> answered_from_there = false;

}  // namespace

/// Instead of the C library's.
extern "C" ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  std::size_t most = most_pieces;
  while (most < message->msg_iovlen && !most_pieces.compare_exchange_weak(most, message->msg_iovlen)) {
  }
  for (std::size_t i = 0; i < message->msg_iovlen; ++i) {
    if (message->msg_iov[i].iov_base == asked) asked_from_there = true;
    if (message->msg_iov[i].iov_base == answered) answered_from_there = true;
  }
  return ::syscall(SYS_sendmsg, socket, message, flags);
}

namespace corbel::policies_test {
namespace {

/// Answers with what it is asked, so that both sides send as much.
struct Echo final : CORBA::servant_traits<Policies::Thing>::base_type {
  std::string ask(const std::string& question) override {
    std::string answer = question;
    answered = answer.data();  // moving it leaves its octets where they are
    return answer;
  }
  void note(std::int32_t) override {}
};

/// Answers with many strings of one octet up.
struct Names final : CORBA::servant_traits<Policies::Lister>::base_type {
  static constexpr std::size_t kCount = 1500;

  Policies::StringSeq names() override {
    Policies::StringSeq all;
    for (std::size_t i = 0; i < kCount; ++i) all.push_back(std::string(1 + i % 40, static_cast<char>('a' + i % 26)));
    return all;
  }
  void an_operation_whose_name_is_long() override {}
};

/// A server that copies everything, and what it answers to.
class Copier {
 public:
  explicit Copier(const std::string& endpoint = "tcp://127.0.0.1:0", const std::string& threshold = "1073741824")
      : orb_({"-ORBListenEndpoints", endpoint, "-ORBGatherThreshold", threshold}) {
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    echo = orb_->object_to_string(poa->servant_to_reference(CORBA::make_reference<Echo>()));
    names = orb_->object_to_string(poa->servant_to_reference(CORBA::make_reference<Names>()));
  }
  std::string echo;
  std::string names;

 private:
  const Orb orb_;
};

PolicyRef threshold(const std::string& octets) {
  return CORBA::make_reference<TransportOptionsPolicy>(policy::TransportOptions{{"gather_threshold", octets}});
}

enum class From : std::uint8_t { client, server };

/// True if a call with so many octets sends them from where they lie. Strings keep up to 15 in themselves.
bool gathers(const ThingRef& thing, std::size_t size, From side = From::client) {
  const std::string question(size, 'q');
  asked = question.data();
  asked_from_there = answered_from_there = false;
  EXPECT_EQ(thing->ask(question), question);
  return side == From::client ? asked_from_there : answered_from_there;
}

TEST(GatherThreshold, IsTwoKibibytesUnlessSaidOtherwise) {
  const Copier server;
  const Orb client;
  const ThingRef thing = client.thing(server.echo);
  EXPECT_FALSE(gathers(thing, 2047));
  EXPECT_TRUE(gathers(thing, 2048));
}

TEST(GatherThreshold, IsAnOptionOfClientAndServer) {
  const Copier server;
  for (const std::size_t octets : {std::size_t{0}, std::size_t{100}, std::size_t{5000}}) {
    const Orb client({"-ORBGatherThreshold", std::to_string(octets)});
    const ThingRef thing = client.thing(server.echo);
    EXPECT_FALSE(octets > 0 && gathers(thing, octets - 1)) << octets;
    EXPECT_TRUE(gathers(thing, octets + 1)) << octets;
  }
  const Orb copies({"-ORBGatherThreshold", "1073741824"});
  EXPECT_FALSE(gathers(copies.thing(server.echo), 1U << 20));
  const Copier other("tcp://127.0.0.1:0", "100");
  EXPECT_TRUE(gathers(copies.thing(other.echo), 100, From::server));
  EXPECT_FALSE(gathers(copies.thing(other.echo), 99, From::server));
  EXPECT_FALSE(gathers(copies.thing(other.echo), 100));
}

TEST(GatherThreshold, IsRefusedInWordsBeyondItsRange) {
  for (const char* const bad : {"-1", "1073741825", "2k", ""}) {
    EXPECT_THROW(Orb({"-ORBGatherThreshold", bad}), CORBA::BAD_PARAM) << bad;
    const Copier server;
    const Orb client;
    const ThingRef thing = with_policies(client.thing(server.echo), {threshold(bad)});
    try {
      thing->ask("");
      ADD_FAILURE() << bad;
    } catch (const CORBA::INV_POLICY& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("option 'gather_threshold', which takes octets from 0 to 1073741824"),
                std::string::npos)
          << refusal.what();
    }
  }
}

TEST(GatherThreshold, IsAPolicyOfReferencesThreadsAndOrbs) {
  const Copier server;
  const Orb client;
  const ThingRef thing = client.thing(server.echo);
  const ThingRef small = with_policies(thing, {threshold("20")});
  EXPECT_TRUE(gathers(small, 20));
  EXPECT_FALSE(gathers(thing, 20));
  std::thread([&] {
    client.current()->set_policy_overrides({threshold("30")}, SetOverrideType::SET_OVERRIDE);
    EXPECT_TRUE(gathers(thing, 30));
    EXPECT_FALSE(gathers(thing, 29));
    EXPECT_TRUE(gathers(small, 20));  // the reference's is stronger
  }).join();
  EXPECT_FALSE(gathers(thing, 30));
  client.manager()->set_policy_overrides({threshold("40")}, SetOverrideType::SET_OVERRIDE);
  EXPECT_TRUE(gathers(thing, 40));
  client.manager()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_FALSE(gathers(thing, 40));
}

/// Messages of more pieces than a system call takes, of which carriers of messages must not make two.
TEST(GatherThreshold, OfNothingLeavesMessagesOfManyPiecesWhole) {
  for (const char* const endpoint : {"tcp://127.0.0.1:0", "unix://", "packet://", "udp://127.0.0.1:0", "shm://"}) {
    const Copier server(endpoint, "0");
    const Orb client({"-ORBGatherThreshold", "0"});
    most_pieces = 0;
    const auto lister = IDL::traits<Policies::Lister>::unchecked_narrow(client->string_to_object(server.names));
    EXPECT_EQ(lister->names(), Names().names()) << endpoint;
    EXPECT_LE(most_pieces, 1024U) << endpoint;
    const bool calls_the_system = std::string(endpoint) != "shm://";
    EXPECT_TRUE(most_pieces > 500 || !calls_the_system) << endpoint;
    EXPECT_EQ(gathers(client.thing(server.echo), 20), calls_the_system) << endpoint;
  }
}

}  // namespace
}  // namespace corbel::policies_test

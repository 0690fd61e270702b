// SPDX-License-Identifier: Apache-2.0
// Calls over connections that the other side has opened (CORBA 3.3 part 2, 9.8).
#include "corbel/corba/buffering_policy.hpp"
#include "corbel/orb/oneways.hpp"
#include "support.hpp"

namespace corbel::bidirectional_test {
namespace {

using BiDirPolicy::BOTH;
using BiDirPolicy::NORMAL;

TEST(CallBacks, ComeOverTheConnectionOfTheirClient) {
  ServerSide server;
  ClientSide client;
  const HostRef host = client.host(server.ior());
  host->enter(client.guest);
  EXPECT_EQ(host->call_back("hello"), "host, guest: hello");
  EXPECT_EQ(server.servant->guest()->ask("later"), "guest: later");
  EXPECT_EQ(client.servant->asked, 2);
  EXPECT_EQ(client.orb.conversations(true), 0U) << "the server has connected";
  EXPECT_EQ(server.orb.conversations(false), 0U);
}

TEST(CallBacks, WithoutBothSidesPolicyAreConnectedFor) {
  for (const auto& [at_client, at_server] : {std::pair{NORMAL, NORMAL}, {NORMAL, BOTH}, {BOTH, NORMAL}}) {
    ServerSide server(at_server);
    ClientSide client(at_client);
    client.host(server.ior())->enter(client.guest);
    EXPECT_EQ(ending_of([&] { (void)server.servant->guest()->ask(""); }), "TRANSIENT NO") << at_client << at_server;
    EXPECT_EQ(client.servant->asked, 0);
  }
}

TEST(CallBacks, MayBeAllowedOrForbiddenByThePolicyOfTheOrb) {
  const auto ending = [](const std::function<void(ServerSide&, ClientSide&)>& set) {
    ServerSide server(NORMAL);
    ClientSide client;
    set(server, client);
    client.host(server.ior())->enter(client.guest);
    return ending_of([&] { (void)server.servant->guest()->ask(""); });
  };
  EXPECT_EQ(ending([](auto& server, auto&) { server.orb.set_policy(BOTH); }), "done");
  EXPECT_EQ(ending([](auto& server, auto& client) {
              server.orb.set_policy(BOTH);
              client.orb.set_policy(NORMAL);
            }),
            "TRANSIENT NO");
  EXPECT_EQ(ending([](auto& server, auto&) {
              (void)server.orb.adapter(BOTH);
              server.orb.set_policy(NORMAL);
            }),
            "TRANSIENT NO");
  EXPECT_EQ(ending([](auto& server, auto& client) {
              server.orb.set_policy(BOTH);
              client.orb.set_policy(BOTH);
            }),
            "done");
}

TEST(CallBacks, ReachOnlyObjectsOfAdaptersThatAreForThem) {
  ServerSide server;
  ClientSide client;
  const auto hidden = CORBA::make_reference<Guest>();
  const HostRef host = client.host(server.ior());
  host->enter(Orb::activate<Guests::Guest>(client.orb.adapter(NORMAL), hidden));
  EXPECT_EQ(ending_of([&] { (void)server.servant->guest()->ask(""); }), "OBJ_ADAPTER NO");
  EXPECT_EQ(ending_of([&] { (void)server.servant->guest()->_non_existent(); }), "OBJ_ADAPTER NO");
  host->enter(Orb::activate<Guests::Guest>(client.orb.root(), hidden));
  EXPECT_EQ(ending_of([&] { (void)server.servant->guest()->ask(""); }), "OBJ_ADAPTER NO");
  EXPECT_EQ(hidden->asked, 0);
}

// The thread that reads their connection waits for the main thread.
TEST(CallBacks, FromTheMainThreadDoNotWaitForTheThreadThatHasHandedOver) {
  ServerSide server(BOTH, {"-ORBSlowUpcall", "86400000", "-ORBCallTimeout", "20000"});
  const PoaRef root = server.orb.root();
  const PoaRef main = root->create_POA(
      "main", root->the_POAManager(),
      {policy(BOTH), root->create_thread_policy(PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL)});
  const auto servant = CORBA::make_reference<Host>();
  servant->self = Orb::activate<Guests::Host>(main, servant);
  std::thread runs([&] { server.orb->run(); });
  {
    ClientSide client;
    const HostRef host = client.host(server.orb->object_to_string(servant->self));
    host->enter(client.guest);
    EXPECT_EQ(host->call_back("hello"), "host, guest: hello");
  }
  servant->forget();
  servant->self = nullptr;
  server.orb->shutdown(false);
  runs.join();
}

// Though the thread that reads their connection runs a request of the client, and it is long until that counts as slow.
TEST(CallBacks, FromAnotherThreadDoNotWaitForTheRequestThatRuns) {
  ServerSide server(BOTH, {"-ORBSlowUpcall", "86400000", "-ORBCallTimeout", "20000"});
  ClientSide client;
  const HostRef host = client.host(server.ior());
  host->enter(client.guest);
  server.servant->on_call_back = [&] {
    std::string answer;
    std::thread other([&] { answer = ending_of([&] { (void)server.servant->guest()->ask("hello"); }); });
    other.join();
    return answer;
  };
  EXPECT_EQ(host->call_back(""), "done");
}

TEST(CallBacks, AreNested) {
  ServerSide server;
  ClientSide client;
  EXPECT_EQ(client.host(server.ior())->descend(client.guest, 10), 10);
}

TEST(CallBacks, NestedDeeperThanThereAreThreadsEndAndHarmNothing) {
  ServerSide server(BOTH, {"-ORBThreads", "3"});
  ClientSide client;
  const HostRef host = client.host(server.ior());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ending_of([&] { (void)host->descend(client.guest, 20); }), "NO_RESOURCES MAYBE");
    // A thread that has replied is busy until it is back in its pool, a moment after the reply has come.
    EXPECT_TRUE(eventually([&] { return ending_of([&] { (void)host->descend(client.guest, 1); }) == "done"; }));
  }
}

// Which is not one of the server's threads: one of those is enough.
TEST(CallBacks, FromARequestOfAnotherOrbNeedOneThreadToBeLeft) {
  ServerSide server(BOTH, {"-ORBThreads", "2"});
  ClientSide client;
  Orb between;
  const auto servant = CORBA::make_reference<Guest>();
  const GuestRef other = Orb::activate<Guests::Guest>(between.adapter(NORMAL), servant);
  servant->on_ask = [&] { (void)server.servant->guest()->ask(""); };
  const auto from_server =
      IDL::traits<Guests::Guest>::narrow(server.orb->string_to_object(between->object_to_string(other)));
  server.servant->on_call_back = [&] { return from_server->ask("hello"); };
  const HostRef host = client.host(server.ior());
  host->enter(client.guest);
  EXPECT_EQ(ending_of([&] { (void)host->call_back(""); }), "done");
  EXPECT_EQ(client.servant->asked, 1);
}

// The thread of the call before is not back in its pool yet, or waits for a moment whether a connection has more.
TEST(CallBacks, WaitForAThreadThatIsJustFinishing) {
  for (const std::string concurrency : {"adaptive", "pool"}) {
    const std::vector<std::string> few{"-ORBThreads", "2", "-ORBConcurrency", concurrency};
    ServerSide server(BOTH, few);
    ClientSide client(BOTH, few);
    const HostRef host = client.host(server.ior());
    int done = 0;
    for (int i = 0; i < 500; ++i) done += ending_of([&] { (void)host->descend(client.guest, 2); }) == "done" ? 1 : 0;
    EXPECT_EQ(done, 500) << concurrency;
  }
}

// What the client said before it had something to be called back for does not matter.
TEST(CallBacks, ComeToClientsWhoseConnectionsAreOlderThanTheirAdapters) {
  ServerSide server;
  Orb client({"-ORBPublishHost", "127.0.0.2"});
  const auto host = IDL::traits<Guests::Host>::narrow(client->string_to_object(server.ior()));
  EXPECT_FALSE(host->_non_existent());
  const auto servant = CORBA::make_reference<Guest>();
  host->enter(Orb::activate<Guests::Guest>(client.adapter(BOTH), servant));
  EXPECT_EQ(server.servant->guest()->ask(""), "guest: ");
  EXPECT_EQ(host->call_back(""), "host, guest: ");
}

/// Before it has found its connection, what nobody waits for may be given up.
void find_way(const GuestRef& guest) {
  CORBA::PolicyList unfit;
  EXPECT_TRUE(guest->_validate_connection(unfit));
}

TEST(CallBacks, MayBeOnewaysAndAsynchronous) {
  ServerSide server;
  ClientSide client;
  client.host(server.ior())->enter(client.guest);
  const GuestRef guest = server.servant->guest();
  const auto unreliable = IDL::traits<Guests::Guest>::unchecked_narrow(guest->_set_policy_overrides(
      {CORBA::make_reference<Messaging::SyncScopePolicy>(Messaging::SYNC_NONE)}, CORBA::SetOverrideType::SET_OVERRIDE));
  find_way(unreliable);
  std::vector<Future<std::string>> answers;
  for (int i = 0; i < 100; ++i) {
    guest->tell(1);
    unreliable->tell(1000);
    answers.push_back(guest->async_ask(std::to_string(i)));
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(answers[static_cast<std::size_t>(i)].get(), "guest: " + std::to_string(i));
  }
  EXPECT_TRUE(eventually([&] { return client.servant->told == 100 * 1001; })) << client.servant->told;
}

// A oneway that waits alone would be overtaken by the replies.
TEST(CallBacks, AreNotKeptBackAsBufferedOneways) {
  ServerSide server;
  ClientSide client;
  const HostRef host = client.host(server.ior());
  host->enter(client.guest);
  const BufferingConstraint limit(BUFFER_MESSAGE_COUNT, 0, 1'000'000, 0);
  const auto patient = IDL::traits<Guests::Guest>::unchecked_narrow(server.servant->guest()->_set_policy_overrides(
      {CORBA::make_reference<Messaging::SyncScopePolicy>(Messaging::SYNC_NONE),
       CORBA::make_reference<BufferingConstraintPolicy>(limit)},
      CORBA::SetOverrideType::SET_OVERRIDE));
  find_way(patient);
  for (int i = 0; i < 100; ++i) patient->tell(1);
  EXPECT_TRUE(eventually([&] { return client.servant->told == 100; })) << client.servant->told;
  EXPECT_TRUE(orb::flush_oneways(patient));
  EXPECT_TRUE(orb::flush_oneways(*server.orb.ref()));
  EXPECT_TRUE(orb::flush_oneways(*client.orb.ref()));
  EXPECT_EQ(orb::statistics(*server.orb.ref()).oneways_buffered, 0U);
}

// References that come back from there lead there, too.
TEST(CallBacks, GiveReferencesThatAreCalledOverTheSameConnection) {
  ServerSide server;
  ClientSide client;
  const auto other = CORBA::make_reference<Guest>();
  client.servant->partner_ = Orb::activate<Guests::Guest>(client.orb.adapter(BOTH), other);
  client.host(server.ior())->enter(client.guest);
  EXPECT_EQ(server.servant->guest()->partner()->ask("you"), "guest: you");
  EXPECT_EQ(server.servant->guest()->async_partner().get()->ask("you"), "guest: you");
  EXPECT_EQ(other->asked, 2);
  client.servant->partner_ = nullptr;
}

TEST(CallBacks, OfReferencesInAnysAreMadeWheneverTheyAreTakenOut) {
  ServerSide server;
  ClientSide client;
  CORBA::Any any;
  any <<= client.guest;
  client.host(server.ior())->enter_in_any(any);
  EXPECT_EQ(server.servant->guest_in_any()->ask("me"), "guest: me");
}

// If two sides send more than the system keeps, at least one of them must read.
TEST(CallBacks, OfManyThreadsCarryMuchInBothDirections) {
  ServerSide server;
  ClientSide client(BOTH, {"-ORBConnectionsPerEndpoint", "1"});
  const HostRef host = client.host(server.ior());
  host->enter(client.guest);
  const GuestRef guest = server.servant->guest();
  const Guests::Blob much(3U << 20, 7);
  const Guests::Blob little(10, 8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        const Guests::Blob& load = (t + i) % 2 == 0 ? much : little;
        EXPECT_EQ(host->exchange(client.guest, load), load);
        EXPECT_EQ(guest->carry(load), load);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(CallBacks, NeedAConversationThatGoesBothWays) {
  ServerSide old_server(BOTH, {"-ORBGiopVersion", "1.1"});
  ServerSide light_server(BOTH, {"-ORBListenEndpoints", "giop_lite+tcp://127.0.0.1:0"});
  ServerSide local_server(BOTH, {"-ORBListenEndpoints", "inproc://"});
  ClientSide client;
  for (ServerSide* server : {&old_server, &light_server, &local_server}) {
    client.host(server->ior())->enter(client.guest);
    EXPECT_EQ(ending_of([&] { (void)server->servant->guest()->ask(""); }), "TRANSIENT NO");
  }
  ServerSide single(BOTH, {"-ORBConcurrency", "single"});
  std::thread runs([&] { single.orb->run(); });
  client.host(single.ior())->enter(client.guest);
  EXPECT_EQ(ending_of([&] { (void)single.servant->guest()->ask(""); }), "TRANSIENT NO");
  single.orb->shutdown(false);
  runs.join();
}

}  // namespace
}  // namespace corbel::bidirectional_test

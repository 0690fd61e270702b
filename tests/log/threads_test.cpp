// SPDX-License-Identifier: Apache-2.0
// What an ORB tells when the system gives it no more threads.
#include "connection/without_handles.hpp"
#include "corbel/orb/parts.hpp"
#include "no_more_threads.hpp"
#include "support.hpp"

namespace corbel::log_test {
namespace {

constexpr const char* kEvent = "a thread could not be started";

TEST(ThreadEvents, NoneForRepliesFromACarrierWithoutAHandle) {
  const auto carrier = std::make_shared<connection::WithoutHandles>();
  Server server;
  corbel::orb::add_transport(*server.orb, carrier);
  ASSERT_EQ(corbel::orb::listen(*server.orb, "bare://threads").size(), 1U);
  const LoggingOrb client({"-ORBProtocolPreference", "bare"}, "trace",
                          [&](corbel::orb::Components& made_of) { made_of.transports.push_back(carrier); });
  const ThingRef thing = client.thing(server.orb->object_to_string(server.poa->id_to_reference(server.object_id)));
  EXPECT_EQ(thing->add(1, 2), 3);
  EXPECT_EQ(thing->async_add(1, 2).get(), 3);  // there is a thread that runs completions
  {
    const test::NoMoreThreads none;
    const auto refused = [&] {  // as soon as the one that has read for the first is gone
      try {
        (void)thing->async_add(1, 2).get();
        return false;
      } catch (const CORBA::SystemException&) {
        return true;
      }
    };
    EXPECT_TRUE(eventually(refused));
  }
  expect_event(client, LogLevel::warning, LogModule::connection, kEvent,
               {{"wanted_for", "replies"}, {"peer", "bare://threads"}, {"error", "resources"}});
  EXPECT_EQ(thing->async_add(1, 2).get(), 3);
}

TEST(ThreadEvents, NoneForTheLookUpOfAName) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBPublishHost", "localhost"});
  LoggingOrb client({});
  const ThingRef thing = client.thing(server.reference);
  {
    const test::NoMoreThreads none;
    EXPECT_THROW(thing->add(1, 2), CORBA::SystemException);
  }
  expect_event(client, LogLevel::warning, LogModule::connection, kEvent,
               {{"wanted_for", "a host's name"}, {"peer", "tcp://localhost:"}, {"error", "resources"}});
  EXPECT_EQ(thing->add(1, 2), 3);
}

TEST(ThreadEvents, NoneThatConnectsForOneways) {
  Server server;
  LoggingOrb client({"-ORBSyncScope", "none"});
  const ThingRef thing = client.thing(server.reference);
  {
    const test::NoMoreThreads none;
    thing->tell("nobody");
  }
  expect_event(client, LogLevel::warning, LogModule::client, kEvent,
               {{"wanted_for", "a connection for oneways"}, {"error", ""}});
  expect_event(client, LogLevel::warning, LogModule::client, "oneway messages dropped", {{"operation", "tell"}});
  EXPECT_EQ(thing->add(1, 2), 3);
}

}  // namespace
}  // namespace corbel::log_test

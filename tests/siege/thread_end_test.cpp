// SPDX-License-Identifier: Apache-2.0
// Code of the application that ends its thread: one of the ORB's goes on, the caller's own ends.
#include <pthread.h>

#include <atomic>
#include <functional>
#include <future>

#include "castle.hpp"
#include "corbel/orb/timer.hpp"

namespace corbel::siege {
namespace {

void end_thread(bool by_cancelling) {
  if (!by_cancelling) pthread_exit(nullptr);
  int before = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
  pthread_cancel(pthread_self());
  pthread_testcancel();
}

/// What stop() of the server ends in.
void expect_unknown(const CastleRef& castle) {
  try {
    castle->stop();
    ADD_FAILURE() << "the thread has not ended";
  } catch (const CORBA::UNKNOWN& unknown) {
    EXPECT_EQ(unknown.minor(), corba::minor::kForeignException);
    EXPECT_EQ(unknown.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE);
  }
}

class ThreadEnds : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Modes, ThreadEnds, testing::Values("adaptive", "pool", "single"));

TEST_P(ThreadEnds, InAServantThatServesOn) {
  Server server({"-ORBConcurrency", GetParam(), "-ORBLogLevel", "error"});
  const auto client = make_orb("client");
  const auto castle = IDL::traits<Siege::Castle>::unchecked_narrow(client->string_to_object(server.reference));
  for (const bool cancelled : {true, false, false}) {
    server.servant->on_stop = [cancelled] { end_thread(cancelled); };
    expect_unknown(castle);
    EXPECT_EQ(castle->fast(3), 3);
  }
  EXPECT_EQ(server.servant->stops, 3);
  client->destroy();
}

TEST(ThreadEnd, InACallBackOfTheOrb) {
  Server server({"-ORBLogLevel", "error"});
  std::promise<void> after;
  orb::post(*server.orb, [] { pthread_exit(nullptr); });
  orb::post(*server.orb, [&] { after.set_value(); });
  EXPECT_EQ(after.get_future().wait_for(60s), std::future_status::ready);
}

TEST(ThreadEnd, OfACallerInTheSameProcessIsTheCallers) {
  const auto orb = make_orb("both", {"-ORBLogLevel", "error"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<CastleServant>();
  const auto castle = servant->_this();
  EXPECT_EQ(castle->fast(1), 1);  // the way is known from now on
  bool went_on = false;
  for (const bool cancelled : {true, false}) {
    servant->on_stop = [cancelled] { end_thread(cancelled); };
    std::thread([&] {
      (void)castle->stop();
      went_on = true;
    }).join();
  }
  EXPECT_FALSE(went_on);
  EXPECT_EQ(servant->stops, 2);
  root->the_POAManager()->hold_requests(true);  // nobody is inside
  orb->destroy();
}

/// A thread that calls `first`, is cancelled while it waits for that, and then calls `next`.
void expect_end_between(Server& server, const std::function<void()>& first, const std::function<void()>& next) {
  std::atomic<bool> came{false}, went_on{false}, unwound{false};
  std::thread caller([&] {
    struct Unwound {
      std::atomic<bool>& noted;
      ~Unwound() { noted = true; }
    } const at_end{unwound};
    first();
    came = true;
    next();
    went_on = true;
  });
  ASSERT_TRUE(eventually([&] { return server.servant->slow_calls == 1; }));
  pthread_cancel(caller.native_handle());
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(unwound) << "in the middle of the call";
  server.servant->open();
  caller.join();
  EXPECT_TRUE(came) << "the call that was under way ends";
  EXPECT_TRUE(unwound);
  EXPECT_FALSE(went_on) << "the next one does not begin";
}

TEST(ThreadEnd, OfACancelledCallerComesBetweenItsCalls) {
  for (const bool shared : {false, true}) {
    Server server;
    Client client(server.reference, {"-ORBConnectionsPerEndpoint", "1"});
    std::thread other;
    if (shared) other = std::thread([&] { EXPECT_EQ(client.castle->slow_and_big(9).size(), 9U); });
    ASSERT_TRUE(eventually([&] { return server.servant->slow_calls == (shared ? 1 : 0); }));
    server.servant->slow_calls = 0;
    std::int32_t answer = 0;
    expect_end_between(
        server, [&] { answer = client.castle->slow(7); }, [&] { client.castle->fast(1); });
    EXPECT_EQ(answer, 7);
    if (shared) other.join();
    EXPECT_EQ(server.servant->fast_calls, 0);
    EXPECT_EQ(client.castle->fast(3), 3) << "over the same connection";
  }
}

TEST(ThreadEnd, OfACancelledThreadThatWaitsForAReplyComesAfterIt) {
  for (const bool polls : {false, true}) {
    Server server;
    Client client(server.reference);
    std::int32_t answer = 0;
    expect_end_between(
        server,
        [&] {
          if (polls) {
            client.castle->sendp_slow(7)->slow(0xffffffff, answer);
          } else {
            answer = client.castle->async_slow(7).get();
          }
        },
        [&] { (void)client.castle->async_fast(1).get(); });
    EXPECT_EQ(answer, 7);
    EXPECT_EQ(client.castle->fast(3), 3);
  }
}

TEST(ThreadEnd, InAnAdapterActivatorMeansThatItFailed) {
  struct Activator : PortableServer::AdapterActivator {
    bool unknown_adapter(IDL::traits<PortableServer::POA>::ref_type, const std::string&) override {
      pthread_exit(nullptr);
    }
  };
  const auto orb = make_orb("activator", {"-ORBLogLevel", "error"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_activator(CORBA::make_reference<Activator>());
  EXPECT_THROW(root->find_POA("missing", true), PortableServer::POA::AdapterNonExistent);
  orb->destroy();
}

}  // namespace
}  // namespace corbel::siege

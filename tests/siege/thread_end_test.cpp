// SPDX-License-Identifier: Apache-2.0
// Code of the application that ends its thread: one of the ORB's goes on, the caller's own ends.
#include <pthread.h>

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

// SPDX-License-Identifier: Apache-2.0
// Deferred requests of the dynamic invocation interface as pollables (CORBA 3.3 part 1, 7.3, 7.4.2).
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "corbel/dynamic/library_types.hpp"
#include "corbel/dynamic/request.hpp"
#include "support.hpp"

namespace corbel::polling_test {
namespace {

using RequestRef = IDL::traits<CORBA::Request>::ref_type;

RequestRef request(const async_test::EchoRef& object, const std::string& text) {
  const RequestRef made = object->_request("echo");
  made->add_in_arg() <<= text;
  made->set_return_type(CORBA::_tc_string);
  return made;
}

std::string result_of(const RequestRef& request) {
  std::string text;
  EXPECT_TRUE(request->return_value() >>= text);
  return text;
}

TEST(DeferredRequest, IsAPollable) {
  World world;
  const RequestRef sent = request(world.echo, "dynamic");
  sent->send_deferred();
  const Pollable pollable = sent;
  EXPECT_TRUE(pollable->is_ready(kForEver));
  EXPECT_TRUE(sent->poll_response());
  sent->get_response();
  EXPECT_EQ(result_of(sent), "dynamic");
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { pollable->is_ready(0); }), 12U);
}

TEST(DeferredRequest, IsNoneBeforeItIsSent) {
  World world;
  const RequestRef fresh = request(world.echo, "not yet");
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { fresh->is_ready(0); }), 11U);
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { (void)fresh->create_pollable_set(); }), 11U);
  fresh->invoke();
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { fresh->is_ready(0); }), 13U);
}

TEST(DeferredRequest, WaitsInASetBesidePollers) {
  World world;
  const Poller held = world.echo->sendp_wait();
  const PollableSet set = held->create_pollable_set();
  const RequestRef sent = request(world.echo, "dynamic");
  sent->send_deferred();
  set->add_pollable(sent);
  EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { set->add_pollable(sent); }), 43U);
  const Pollable ready = set->get_ready_pollable(kPatience);
  EXPECT_NE(IDL::traits<CORBA::DIIPollable>::narrow(ready), nullptr);
  EXPECT_EQ(IDL::traits<CORBA::Request>::narrow(sent), sent);
  sent->get_response();
  EXPECT_EQ(result_of(sent), "dynamic");
  EXPECT_EQ(set->number_left(), 1U);
}

TEST(DeferredRequest, LeavesItsSetWhenItsResponseIsTaken) {
  World world;
  const RequestRef sent = request(world.echo, "taken");
  sent->send_deferred();
  const PollableSet set = sent->create_pollable_set();
  sent->get_response();
  EXPECT_THROW((void)set->get_ready_pollable(kForEver), CORBA::PollableSet::NoPossiblePollable);
}

TEST(DeferredRequest, IsSeenByAThreadThatOnlyPollsInSingleMode) {
  World world("tcp://127.0.0.1:0", {"-ORBConcurrency", "single"});
  const RequestRef sent = request(world.echo, "alone");
  sent->send_deferred();
  while (!sent->poll_response()) std::this_thread::yield();
  sent->get_response();
  EXPECT_EQ(result_of(sent), "alone");
}

/// What stands for all deferred requests (7.4.3.1).
class AnyRequest : public testing::TestWithParam<std::vector<std::string>> {};

PollableSet set_of(const World& world) {
  return world.echo->sendp_wait()->create_pollable_set();
}

TEST_P(AnyRequest, IsReadyWhileAResponseIsThereToBeGot) {
  World world("tcp://127.0.0.1:0", GetParam());
  const PollableSet set = set_of(world);
  const Pollable any = set->create_dii_pollable();
  set->add_pollable(any);
  EXPECT_FALSE(any->is_ready(1));
  EXPECT_EQ(minor_of<CORBA::TIMEOUT>([&] { (void)set->get_ready_pollable(1); }), 1U);
  for (const std::string text : {"one", "two"}) {
    const RequestRef sent = request(world.echo, text);
    sent->send_deferred();
    EXPECT_EQ(set->get_ready_pollable(kForEver), any) << "and nothing waits for ever";
    EXPECT_TRUE(sent->poll_response());
    EXPECT_TRUE(any->is_ready(0));
    EXPECT_TRUE(set->create_dii_pollable()->is_ready(0)) << "one that is made later, too";
    set->add_pollable(any);
    sent->get_response();
    EXPECT_EQ(result_of(sent), text);
    EXPECT_FALSE(any->is_ready(0));
    EXPECT_EQ(minor_of<CORBA::NO_RESPONSE>([&] { (void)set->get_ready_pollable(0); }), 1U)
        << "the response has been got";
  }
  EXPECT_EQ(set->number_left(), 2U);
}

TEST_P(AnyRequest, TellsOfThoseThatTheOrbKeeps) {
  World world("tcp://127.0.0.1:0", GetParam());
  const RequestRef held = world.echo->_request("wait");
  world.client->send_multiple_requests_deferred({held, request(world.echo, "one"), request(world.echo, "two")});
  const PollableSet set = set_of(world);
  const Pollable any = set->create_dii_pollable();
  for (int i = 0; i < 2; ++i) {
    set->add_pollable(any);
    EXPECT_EQ(set->get_ready_pollable(kForEver), any);
    EXPECT_TRUE(world.client->poll_next_response());
    RequestRef next;
    world.client->get_next_response(next);
    EXPECT_NE(next, held);
  }
  EXPECT_FALSE(world.client->poll_next_response());
  EXPECT_FALSE(any->is_ready(0));
}

TEST_P(AnyRequest, SeesThoseThatAreSentWhileThreadsWaitForTheFirst) {
  World world("tcp://127.0.0.1:0", GetParam());
  for (const bool in_set : {false, true}) {
    const PollableSet set = set_of(world);
    const Pollable any = set->create_dii_pollable();
    std::atomic<bool> waits{false};
    std::thread waiting([&] {
      if (in_set) set->add_pollable(any);
      waits = true;
      const bool came = in_set ? set->get_ready_pollable(kPatience) == any : any->is_ready(kPatience);
      EXPECT_TRUE(came);
    });
    while (!waits) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const RequestRef sent = request(world.echo, "late");
    sent->send_deferred();
    waiting.join();
    EXPECT_TRUE(any->is_ready(0));
    sent->get_response();
  }
}

/// How often the calling thread goes to sleep in `wait`. On a loaded machine it does for other reasons, too: the least
/// of a few times, unless the first is few already.
long fewest_sleeps(long few, const std::function<void()>& wait) {
  const auto so_far = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  };
  long fewest = std::numeric_limits<long>::max();
  for (int tries = 0; tries < 5 && fewest >= few; ++tries) {
    const long before = so_far();
    wait();
    fewest = std::min(fewest, so_far() - before);
  }
  return fewest;
}

TEST_P(AnyRequest, LetsThreadsSleepWhileNoneIsPending) {
  World world("tcp://127.0.0.1:0", GetParam());
  const PollableSet set = world.local->sendp_nothing()->create_pollable_set();
  (void)set->get_ready_pollable(kPatience);
  const Pollable any = set->create_dii_pollable();
  EXPECT_LT(fewest_sleeps(20, [&] { EXPECT_FALSE(any->is_ready(400)); }), 20) << "one would look a hundred times";
  set->add_pollable(any);
  const auto wait = [&] { EXPECT_EQ(minor_of<CORBA::TIMEOUT>([&] { (void)set->get_ready_pollable(400); }), 1U); };
  EXPECT_LT(fewest_sleeps(30, wait), 30);
}

TEST_P(AnyRequest, IsOfItsOrb) {
  World world("tcp://127.0.0.1:0", GetParam());
  const OrbRef other = make_orb("other client", GetParam());
  const auto echo =
      IDL::traits<Async::Peer>::unchecked_narrow(other->string_to_object(world.client->object_to_string(world.echo)));
  const Pollable any = set_of(world)->create_dii_pollable();
  const PollableSet others = echo->sendp_nothing()->create_pollable_set();
  const Pollable any_other = others->create_dii_pollable();
  const RequestRef sent = request(echo, "elsewhere");
  sent->send_deferred();
  EXPECT_TRUE(any_other->is_ready(kPatience));
  EXPECT_FALSE(any->is_ready(10));
  sent->get_response();
  EXPECT_FALSE(any_other->is_ready(0));
  other->send_multiple_requests_deferred({request(echo, "kept")});
  RequestRef next;
  other->get_next_response(next);
  EXPECT_EQ(result_of(next), "kept");
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { world.client->poll_next_response(); }), 11U);
  other->destroy();
  const Pollable late = any_other->create_pollable_set()->create_dii_pollable();
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { late->is_ready(0); }), 4U) << "they outlive their ORB";
}

INSTANTIATE_TEST_SUITE_P(Both, AnyRequest,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"-ORBConcurrency", "single"}));

TEST(AnyRequest, IsInOneSetAtMostAndDoesNotCountDroppedRequests) {
  World world;
  const PollableSet set = set_of(world);
  const Pollable any = set->create_dii_pollable();
  set->add_pollable(any);
  EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { (void)any->create_pollable_set(); }), 43U);
  RequestRef dropped = request(world.echo, "nobody wants it");
  dropped->send_deferred();
  EXPECT_EQ(set->get_ready_pollable(kForEver), any);
  dropped.reset();
  EXPECT_FALSE(any->is_ready(0));
  set->add_pollable(any);
  set->remove(any);
  EXPECT_EQ(set->number_left(), 1U);
}

TEST(AnyRequest, IsReadyWhenTheOrbEnds) {
  World world;
  const RequestRef held = world.echo->_request("wait");
  held->send_deferred();
  const PollableSet set = set_of(world);
  const Pollable any = set->create_dii_pollable();
  std::thread ending([&] { world.client->destroy(); });
  EXPECT_TRUE(any->is_ready(kForEver));
  ending.join();
  EXPECT_THROW(held->get_response(), CORBA::SystemException);
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { any->is_ready(0); }), 4U);
  world.client = nullptr;  // it is destroyed already
}

TEST_P(AnyRequest, WaitsNoMoreWhenTheOrbEndsThoughNoneWasSent) {
  for (const bool in_set : {false, true}) {
    World world("tcp://127.0.0.1:0", GetParam());
    const PollableSet set = world.echo->sendp_nothing()->create_pollable_set();
    (void)set->get_ready_pollable(kPatience);
    const Pollable any = set->create_dii_pollable();
    if (in_set) set->add_pollable(any);
    const auto wait = [&] { in_set ? (void)set->get_ready_pollable(kPatience) : (void)any->is_ready(kPatience); };
    std::atomic<bool> waits{false};
    std::thread waiting([&] {
      waits = true;
      EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>(wait), 4U);
    });
    while (!waits) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    world.client->shutdown(false);
    waiting.join();
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { any->is_ready(kForEver); }), 4U) << "nor does who comes later";
    if (!in_set) continue;
    EXPECT_THROW((void)set->get_ready_pollable(kForEver), CORBA::PollableSet::NoPossiblePollable);
  }
}

TEST(AnyRequest, WakesManyThreadsEachOfWhichGetsOne) {
  constexpr int kThreads = 4;
  constexpr int kEach = 20;
  World world;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const PollableSet set = set_of(world);
      const Pollable any = set->create_dii_pollable();
      for (int left = kEach; left > 0; --left) {
        const RequestRef sent = request(world.echo, "mine");
        sent->send_deferred();
        do {  // until it is this thread's that has come
          set->add_pollable(any);
          EXPECT_EQ(set->get_ready_pollable(kForEver), any);
        } while (!sent->poll_response());
        sent->get_response();
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

/// Several requests at once (CORBA 3.3 part 1, 7.3.1, 7.3.2).
TEST(SeveralRequests, AreGotInTheOrderInWhichTheyComplete) {
  World world;
  const RequestRef slow = world.echo->_request("wait");
  world.client->send_multiple_requests_deferred({slow, request(world.echo, "one"), request(world.echo, "two")});
  std::vector<std::string> results;
  for (int i = 0; i < 2; ++i) {
    RequestRef next;
    world.client->get_next_response(next);
    results.push_back(result_of(next));
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { next->poll_response(); }), 12U);
  }
  std::sort(results.begin(), results.end());
  EXPECT_EQ(results, (std::vector<std::string>{"one", "two"}));
  EXPECT_FALSE(world.client->poll_next_response());
  world.servant->release();
  RequestRef last;
  world.client->get_next_response(last);
  EXPECT_EQ(last, slow);
}

TEST(SeveralRequests, AreOutstandingUntilTheirResponsesAreGot) {
  World world;
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { (void)world.client->poll_next_response(); }), 11U);
  const CORBA::RequestSeq both{request(world.echo, "mine"), request(world.echo, "next")};
  world.client->send_multiple_requests_deferred(both);
  EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { (void)both[0]->create_pollable_set(); }), 43U);
  both[0]->get_response();
  while (!world.client->poll_next_response()) std::this_thread::yield();
  RequestRef next;
  world.client->get_next_response(next);
  EXPECT_EQ(next, both[1]);
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { (void)world.client->poll_next_response(); }), 11U);
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { world.client->get_next_response(next); }), 11U);
  EXPECT_EQ(next, nullptr);
}

TEST(SeveralRequests, AreGivenOutBeforeWhatTheirCallsRaised) {
  World world;
  const RequestRef wrong = world.echo->_request("no_such_operation");
  world.client->send_multiple_requests_deferred<CORBA::Request>({wrong});
  RequestRef next;
  EXPECT_THROW(world.client->get_next_response(next), CORBA::BAD_OPERATION);
  EXPECT_EQ(next, wrong);
}

TEST(SeveralRequests, AreSentIfOneCannotBeAndNotIfOneIsNil) {
  World world;
  const RequestRef fine = request(world.echo, "fine");
  EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { world.client->send_multiple_requests_deferred({fine, nullptr}); }), 0U);
  const RequestRef twice = request(world.echo, "twice");
  twice->invoke();
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { world.client->send_multiple_requests_deferred({twice, fine}); }), 10U);
  RequestRef next;
  world.client->get_next_response(next);
  EXPECT_EQ(next, fine);
  world.client->send_multiple_requests_oneway({request(world.echo, "oneway"), request(world.echo, "oneway")});
}

TEST(SeveralRequests, EndWithTheOrb) {
  World world;
  const RequestRef held = world.echo->_request("wait");
  world.client->send_multiple_requests_deferred<CORBA::Request>({held});
  std::thread ending([&] { world.client->destroy(); });
  RequestRef next;
  EXPECT_THROW(world.client->get_next_response(next), CORBA::SystemException);
  ending.join();
  EXPECT_THROW((void)world.client->poll_next_response(), CORBA::OBJECT_NOT_EXIST);
  world.client = nullptr;  // it is destroyed already
}

}  // namespace
}  // namespace corbel::polling_test

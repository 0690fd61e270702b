// SPDX-License-Identifier: Apache-2.0
// An ORB with threads of its own, whose servants of MAIN_THREAD_MODEL alone are the guests of a loop.
#include <mutex>
#include <set>

#include "eventually.hpp"
#include "recorder.hpp"
#include "support.hpp"

namespace corbel::loops_test {
namespace {

using orb::WorkHandle;
using Of = WorkHandle::Of;

class MainThreadGuest : public ::testing::TestWithParam<const char*> {
 protected:
  MainThreadGuest() {
    auto root = IDL::traits<PortableServer::POA>::narrow(host_.orb->resolve_initial_references("RootPOA"));
    main_ = root->create_POA("main", root->the_POAManager(),
                             {root->create_thread_policy(PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL)});
    object_ = IDL::traits<Loops::Peer>::narrow(main_->id_to_reference(main_->activate_object(servant_)));
    ior_ = host_.orb->object_to_string(object_);
    servant_->on_echo = [this](std::int32_t number) {
      const std::lock_guard lock(mutex_);
      ran_on_.insert(std::this_thread::get_id());
      return number;
    };
  }
  ~MainThreadGuest() override {
    work_ = {};
    peer_.orb->destroy();
    host_.orb->destroy();
  }
  PeerRef remote() const { return IDL::traits<Loops::Peer>::unchecked_narrow(peer_.orb->string_to_object(ior_)); }

  Party host_{make_orb("host", {"-ORBConcurrency", GetParam()})};
  Party peer_{make_orb("peer")};
  CORBA::servant_reference<Servant> servant_ = CORBA::make_reference<Servant>();
  PoaRef main_;
  PeerRef object_;
  std::string ior_;
  WorkHandle work_{*host_.orb, Of::main_thread};
  std::mutex mutex_;
  std::set<std::thread::id> ran_on_;
};

TEST_P(MainThreadGuest, ItsServantsRunInTheLoopAndAllOthersDoNot) {
  host_.servant->on_echo = [here = std::this_thread::get_id()](std::int32_t number) {
    EXPECT_NE(std::this_thread::get_id(), here);
    return number;
  };
  EXPECT_EQ(peer_.see(host_)->echo(1), 1) << "needs no loop";
  EXPECT_FALSE(readable(work_));
  const int answers = loop_while(work_, [object = remote(), &local = object_] {
    int good = 0;
    for (int i = 0; i < 50; ++i) good += (object->echo(i) == i) + (local->echo(i) == i);
    return good;
  });
  EXPECT_EQ(answers, 100);
  EXPECT_EQ(ran_on_, std::set<std::thread::id>{std::this_thread::get_id()});
  settle(work_);
  EXPECT_FALSE(readable(work_));
}

TEST_P(MainThreadGuest, StaysReadableUntilAllAreServed) {
  constexpr int kCallers = 5;
  std::vector<std::future<std::int32_t>> callers;
  for (int i = 0; i < kCallers; ++i)
    callers.push_back(std::async(std::launch::async, [&] { return object_->echo(7); }));
  for (int served = 0; served < kCallers;) {
    ASSERT_TRUE(readable(work_, Deadline::after(kPatience)));
    const std::size_t done = work_.dispatch(1);
    EXPECT_LE(done, 1U);
    served += static_cast<int>(done);
    EXPECT_EQ(servant_->served(), served);
  }
  for (auto& caller : callers) EXPECT_EQ(caller.get(), 7);
  settle(work_);
  EXPECT_FALSE(readable(work_));
}

TEST_P(MainThreadGuest, WhatComesMeanwhileIsForTheNextDispatch) {
  std::future<std::int32_t> next;
  servant_->on_echo = [&](std::int32_t number) {
    if (number != 1) return number;
    next = std::async(std::launch::async, [&] { return object_->echo(2); });
    EXPECT_TRUE(test::eventually([&] { return host_.orb->work_pending(); }));
    return number;
  };
  auto first = std::async(std::launch::async, [&] { return object_->echo(1); });
  ASSERT_TRUE(readable(work_, Deadline::after(kPatience)));
  EXPECT_EQ(work_.dispatch(), 1U);
  EXPECT_EQ(first.get(), 1);
  EXPECT_EQ(servant_->served(), 1);
  EXPECT_TRUE(readable(work_));
  EXPECT_EQ(work_.dispatch(), 1U);
  EXPECT_EQ(next.get(), 2);
}

TEST_P(MainThreadGuest, TheLoopsOwnCallsRunAtOnceAndOtherThreadsDispatchNothing) {
  EXPECT_EQ(object_->echo(3), 3);
  auto call = std::async(std::launch::async, [&] { return object_->echo(4); });
  ASSERT_TRUE(readable(work_, Deadline::after(kPatience)));
  EXPECT_EQ(std::async(std::launch::async, [&] { return work_.dispatch(); }).get(), 0U);
  EXPECT_TRUE(readable(work_));
  EXPECT_EQ(work_.dispatch(), 1U);
  EXPECT_EQ(call.get(), 4);
}

// The ORB's threads serve while the loop waits for an answer that leads back.
TEST_P(MainThreadGuest, TheLoopMayCallWhatCallsBack) {
  EXPECT_EQ(host_.see(peer_)->ask(host_.reference, 6), 6);
}

TEST_P(MainThreadGuest, RepliesComeToHandlersInTheLoop) {
  constexpr int kCalls = 20;
  const auto recorder = CORBA::make_reference<Recorder>();
  const auto handler = CORBA::amic_traits<Loops::Peer>::replyhandler_traits::narrow(
      main_->id_to_reference(main_->activate_object(recorder)));
  const auto object = host_.see(peer_);
  for (int i = 1; i <= kCalls; ++i) object->sendc_echo(handler, i);
  loop_until(work_, [&] { return recorder->told == kCalls; });
  EXPECT_EQ(recorder->sum, kCalls * (kCalls + 1) / 2);
  EXPECT_EQ(recorder->elsewhere, 0U);
}

TEST_P(MainThreadGuest, TheEndWakesTheLoop) {
  EXPECT_FALSE(work_.ended());
  std::thread other([&] { host_.orb->shutdown(true); });
  EXPECT_TRUE(readable(work_, Deadline::after(kPatience)));
  EXPECT_TRUE(work_.ended());
  other.join();
  EXPECT_EQ(work_.dispatch(), 0U);
  EXPECT_TRUE(readable(work_));
}

TEST_P(MainThreadGuest, IsTheOnlyMainThread) {
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { host_.orb->run(); }), kWrongOrder);
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { WorkHandle second(*host_.orb, Of::main_thread); }), kWrongOrder);
  work_ = {};
  std::thread runner([&] { host_.orb->run(); });
  EXPECT_EQ(remote()->echo(5), 5);
  EXPECT_EQ(ran_on_, std::set<std::thread::id>{runner.get_id()});
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { WorkHandle late(*host_.orb, Of::main_thread); }), kWrongOrder);
  host_.orb->shutdown(false);
  runner.join();
}

INSTANTIATE_TEST_SUITE_P(Modes, MainThreadGuest, testing::Values("adaptive", "pool"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST(WorkHandle, OfTheMainThreadAloneNeedsAnOrbWithThreads) {
  auto orb = make_guest("single");
  EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { WorkHandle work(*orb, Of::main_thread); }), kBadArgument);
  orb->destroy();
}

}  // namespace
}  // namespace corbel::loops_test

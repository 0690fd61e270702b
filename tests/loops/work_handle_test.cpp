// SPDX-License-Identifier: Apache-2.0
// A loop that waits for the descriptor of an ORB alone serves all that comes, on its own thread, and may do other
// things between.
#include <sys/epoll.h>

#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "in_child.hpp"
#include "raw_peer.hpp"
#include "support.hpp"

namespace corbel::loops_test {
namespace {

using orb::WorkHandle;
using std::chrono::milliseconds;

class Guest : public ::testing::Test {
 protected:
  ~Guest() override {
    work_ = {};
    peer_.orb->destroy();
    guest_.orb->destroy();
  }

  Party guest_{make_guest("guest")};
  Party peer_{make_orb("peer")};
  WorkHandle work_{*guest_.orb};
};

TEST_F(Guest, ServesOnTheThreadOfTheLoop) {
  std::atomic<int> elsewhere{0};
  guest_.servant->on_echo = [&, here = std::this_thread::get_id()](std::int32_t number) {
    elsewhere += std::this_thread::get_id() != here;
    return number + 1;
  };
  const int answers = loop_while(work_, [object = peer_.see(guest_)] {
    int good = 0;
    for (int i = 0; i < 100; ++i) good += object->echo(i) == i + 1;
    return good;
  });
  EXPECT_EQ(answers, 100);
  EXPECT_EQ(guest_.servant->served(), 100);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(Guest, IsNotReadableWhileThereIsNothing) {
  settle(work_);
  EXPECT_FALSE(readable(work_));
  EXPECT_FALSE(work_.pending());
  EXPECT_EQ(work_.dispatch(), 0U);
  EXPECT_EQ(loop_while(work_, [object = peer_.see(guest_)] { return object->echo(1); }), 1);
  settle(work_);
  EXPECT_FALSE(readable(work_));
}

TEST_F(Guest, StaysReadableUntilARequestIsServed) {
  settle(work_);
  auto call = std::async(std::launch::async, [object = peer_.see(guest_)] { return object->echo(7); });
  ASSERT_TRUE(readable(work_, Deadline::after(kPatience)));
  EXPECT_TRUE(readable(work_));
  EXPECT_TRUE(work_.pending());
  EXPECT_TRUE(guest_.orb->work_pending());
  EXPECT_TRUE(readable(work_)) << "looking takes nothing back";
  EXPECT_EQ(guest_.servant->served(), 0);
  loop_until(work_, [&] { return guest_.servant->served() == 1; });
  EXPECT_EQ(call.get(), 7);
}

// perform_work is dispatch by another name.
TEST_F(Guest, WorksWithTheOperationsOfTheStandard) {
  auto call = std::async(std::launch::async, [object = peer_.see(guest_)] { return object->echo(7); });
  while (guest_.servant->served() == 0) {
    ASSERT_TRUE(readable(work_, Deadline::after(kPatience)));
    if (guest_.orb->work_pending()) guest_.orb->perform_work();
  }
  EXPECT_EQ(call.get(), 7);
}

TEST_F(Guest, HalfARequestIsNoReasonToWait) {
  const auto profile = ior::decode_iiop_profile(ior::from_string(guest_.ior)->profiles.front());
  const std::string key(base::as_text(profile->object_key));
  const auto request = test::raw_request(2, key, "echo", [](test::Writer& writer) { writer.i32(5); });
  test::RawPeer half(profile->port);
  for (std::size_t cut : {std::size_t{5}, std::size_t{12}, request.size() - 1}) {
    ASSERT_TRUE(half.send({request.begin(), request.begin() + static_cast<std::ptrdiff_t>(cut)}));
    const int before = guest_.servant->served();
    // It returns, and others are served meanwhile.
    EXPECT_EQ(loop_while(work_, [object = peer_.see(guest_)] { return object->echo(3); }), 3);
    settle(work_);
    EXPECT_FALSE(readable(work_));
    EXPECT_EQ(guest_.servant->served(), before + 1);
    ASSERT_TRUE(half.send({request.begin() + static_cast<std::ptrdiff_t>(cut), request.end()}));
    loop_until(work_, [&] { return guest_.servant->served() == before + 2; });
    EXPECT_TRUE(half.message());
  }
}

TEST_F(Guest, DoesOneThingAtATimeIfAskedTo) {
  constexpr int kClients = 4, kCalls = 50;
  std::vector<std::future<void>> clients;
  std::atomic<int> done{0};
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::async(std::launch::async, [&, object = peer_.see(guest_)] {
      for (int n = 0; n < kCalls; ++n) EXPECT_EQ(object->echo(n), n);
      done.fetch_add(1);
    }));
  }
  int own_turns = 0;
  while (done < kClients) {
    if (!readable(work_, Deadline::after(milliseconds(1)))) continue;
    const int before = guest_.servant->served();
    EXPECT_LE(work_.dispatch(1), 1U);
    EXPECT_LE(guest_.servant->served() - before, 32) << "of one connection";
    ++own_turns;
  }
  for (auto& client : clients) client.get();
  EXPECT_EQ(guest_.servant->served(), kClients * kCalls);
  EXPECT_GT(own_turns, kClients);
}

TEST_F(Guest, ASecondThreadFindsNothingToDo) {
  std::size_t elsewhere = 99;
  guest_.servant->on_echo = [&](std::int32_t number) {
    elsewhere = std::async(std::launch::async, [&] { return work_.dispatch(); }).get();
    return number;
  };
  EXPECT_EQ(loop_while(work_, [object = peer_.see(guest_)] { return object->echo(1); }), 1);
  EXPECT_EQ(elsewhere, 0U);
  // Between two dispatches it may be any thread.
  guest_.servant->on_echo = nullptr;
  auto call = std::async(std::launch::async, [object = peer_.see(guest_)] { return object->echo(2); });
  std::thread([&] { loop_until(work_, [&] { return guest_.servant->served() == 2; }); }).join();
  EXPECT_EQ(call.get(), 2);
}

TEST_F(Guest, ServesALoopThatHearsOfItOnce) {
  ipc::Handle outer(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  ASSERT_EQ(::epoll_ctl(outer.get(), EPOLL_CTL_ADD, work_.descriptor(), &event), 0);
  constexpr int kClients = 3, kCalls = 100;
  std::vector<std::future<void>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::async(std::launch::async, [object = peer_.see(guest_)] {
      for (int n = 0; n < kCalls; ++n) EXPECT_EQ(object->echo(n), n);
    }));
  }
  while (guest_.servant->served() < kClients * kCalls) {
    ASSERT_EQ(::epoll_wait(outer.get(), &event, 1, 30'000), 1);
    do (void)work_.dispatch();
    while (work_.pending());
  }
  for (auto& client : clients) client.get();
}

TEST_F(Guest, TakesWhatOtherThreadsHandToTheMainThread) {
  auto root = IDL::traits<PortableServer::POA>::narrow(guest_.orb->resolve_initial_references("RootPOA"));
  auto main = root->create_POA("main", root->the_POAManager(),
                               {root->create_thread_policy(PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL)});
  auto servant = CORBA::make_reference<Servant>();
  std::thread::id ran_on;
  servant->on_echo = [&](std::int32_t number) {
    ran_on = std::this_thread::get_id();
    return number;
  };
  auto object = IDL::traits<Loops::Peer>::narrow(main->id_to_reference(main->activate_object(servant)));
  EXPECT_EQ(loop_while(work_, [&] { return object->echo(4); }), 4);
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(WorkHandle, NeedsAnOrbWithoutThreads) {
  for (const char* mode : {"adaptive", "pool"}) {
    auto orb = make_orb("threads", {"-ORBConcurrency", mode});
    EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { WorkHandle work(*orb); }), kBadArgument);
    orb->destroy();
  }
}

TEST(WorkHandle, AndRunDoNotGoTogether) {
  Party guest(make_guest("guest"));
  {
    WorkHandle work(*guest.orb);
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { guest.orb->run(); }), kWrongOrder);
    WorkHandle other = std::move(work);
    EXPECT_EQ(work.descriptor(), -1);  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(work.ended());
    EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { guest.orb->run(); }), kWrongOrder);
    work = std::move(other);
    EXPECT_FALSE(work.ended());
  }
  Party peer(make_orb("peer"));
  std::thread runner([&] { guest.orb->run(); });  // now it may
  EXPECT_EQ(peer.see(guest)->echo(1), 1);         // and does
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { WorkHandle work(*guest.orb); }), kWrongOrder);
  guest.orb->shutdown(false);
  runner.join();
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { WorkHandle work(*guest.orb); }), corba::minor::kOrbShutDown);
  guest.orb->destroy();
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { WorkHandle work(*guest.orb); }), corba::minor::kAdapterGone);
  peer.orb->destroy();
}

TEST(WorkHandle, OfOneOrbIsNotReadableForAnother) {
  Party one(make_guest("one"));
  Party two(make_guest("two"));
  Party peer(make_orb("peer"));
  WorkHandle work_of_one(*one.orb), work_of_two(*two.orb);
  EXPECT_NE(work_of_one.descriptor(), work_of_two.descriptor());
  settle(work_of_one);
  EXPECT_EQ(loop_while(work_of_two, [object = peer.see(two)] { return object->echo(1); }), 1);
  EXPECT_FALSE(readable(work_of_one));
  for (auto* party : {&peer, &one, &two}) party->orb->destroy();
}

TEST(WorkHandle, IsOfNoUseInAChild) {
  Party guest(make_guest("guest"));
  WorkHandle work(*guest.orb);
  EXPECT_TRUE(test::in_child([&] {
    const bool refused = minor_of<CORBA::BAD_INV_ORDER>([&] { (void)work.dispatch(); }) == kWrongOrder &&
                         minor_of<CORBA::BAD_INV_ORDER>([&] { WorkHandle other(*guest.orb); }) == kWrongOrder;
    return refused && work.ended();
  }));
  Party peer(make_orb("peer"));  // and the parent's goes on
  EXPECT_EQ(loop_while(work, [object = peer.see(guest)] { return object->echo(1); }), 1);
  peer.orb->destroy();
  guest.orb->destroy();
}

}  // namespace
}  // namespace corbel::loops_test

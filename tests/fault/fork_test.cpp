// SPDX-License-Identifier: Apache-2.0
// A process that forks in the middle of calls: what the child may do, and that the parent does not notice.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "corbel/corbel.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/transport/faulty/faulty.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "fault_server.hpp"
#include "in_child.hpp"

namespace {

using corbel::test::in_child;
using corbel::transport::faulty::Plan;
using corbel::transport::faulty::Side;
using OrbReference = IDL::traits<CORBA::ORB>::ref_type;
using Reference = IDL::traits<Fault::Victim>::ref_type;

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadsInChildren = false;  // the sanitizer has none
#else
constexpr bool kThreadsInChildren = true;
#endif
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kChildrenOfThreads = false;  // its allocator may be locked for ever in the child
#else
constexpr bool kChildrenOfThreads = true;
#endif

class Echo final : public virtual CORBA::servant_traits<Fault::Victim>::base_type {
 public:
  std::string echo(const std::string& text) override { return text; }
  void wait() override {}
  void fail(std::int32_t) override {}
  void fire() override {}
  void tell(const std::string&) override {}
  Reference self() override { return _this(); }
};

/// A server whose conversations are counted, and a client, in one process.
class ForkTest : public testing::Test {
 protected:
  ForkTest() {
    std::vector<std::string> options = {"x", "-ORBListenEndpoints", "tcp://127.0.0.1:0"};
    server_ = corbel::orb::init(options, "fork-server",
                                {{corbel::messaging::make_giop()},
                                 {corbel::transport::make_faulty(corbel::transport::make_tcp(), plan_)},
                                 &corbel::poa::make_adapter});
    auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    auto servant = CORBA::make_reference<Echo>();
    poa->activate_object(servant);
    ior_ = server_->object_to_string(poa->servant_to_reference(servant));
    poa->the_POAManager()->activate();
    std::vector<std::string> none = {"x"};
    client_ = CORBA::ORB_init(none, "fork-client");
    victim_ = IDL::traits<Fault::Victim>::unchecked_narrow(client_->string_to_object(ior_));
  }
  ~ForkTest() override {
    victim_.reset();
    client_->destroy();
    server_->destroy();
  }

  template <class Act>
  static bool is_bad_order(Act act) {
    try {
      act();
    } catch (const CORBA::BAD_INV_ORDER&) {
      return true;
    }
    return false;
  }

  const std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
  OrbReference server_;
  OrbReference client_;
  std::string ior_;
  Reference victim_;
};

TEST_F(ForkTest, ResultsAreNeverMixedUpBetweenParentAndChildren) {
  if (!kChildrenOfThreads) GTEST_SKIP();
  constexpr int kForks = 200;
  std::atomic<bool> over{false};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&, caller] {
      for (int n = 0; !over; ++n) {
        const std::string text = "parent " + std::to_string(caller) + ' ' + std::to_string(n);
        ASSERT_EQ(victim_->echo(text), text);
      }
    });
  }
  for (int n = 0; n < kForks; ++n) {
    EXPECT_TRUE(in_child([&] {
      for (int call = 0; call < 3; ++call) {
        const std::string text = "child " + std::to_string(n) + ' ' + std::to_string(call);
        if (victim_->echo(text) != text) return false;
      }
      return true;
    })) << n;
  }
  over = true;
  for (auto& caller : callers) caller.join();
}

TEST_F(ForkTest, AChildThatEndsItsOrbsDisturbsNobody) {
  victim_->echo("before");
  const auto conversations = plan_->conversations(Side::accepting);
  EXPECT_TRUE(in_child([&] {
    client_->destroy();
    server_->destroy();
    victim_.reset();
    client_ = nullptr;
    server_ = nullptr;
    return true;
  }));
  for (int n = 0; n < 10; ++n) EXPECT_EQ(victim_->echo("after"), "after");
  EXPECT_EQ(plan_->conversations(Side::accepting), conversations);
  std::vector<std::string> none = {"x"};
  const auto other = CORBA::ORB_init(none, "fork-other");  // the server still accepts
  EXPECT_EQ(IDL::traits<Fault::Victim>::unchecked_narrow(other->string_to_object(ior_))->echo("new"), "new");
  other->destroy();
}

TEST_F(ForkTest, AnInheritedServerSaysThatItStayedBehind) {
  EXPECT_TRUE(in_child([&] {
    return is_bad_order([&] { server_->run(); }) && is_bad_order([&] { (void)server_->work_pending(); }) &&
           is_bad_order([&] { server_->perform_work(); }) && is_bad_order([&] {
             auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
             (void)poa->create_reference("IDL:Fault/Victim:1.0");
           });
  }));
}

// A thread of the parent's may have been anywhere in the adapter.
TEST_F(ForkTest, ObjectsOfTheParentAreNotCalledDirectlyInAChild) {
  const auto own = IDL::traits<Fault::Victim>::unchecked_narrow(server_->string_to_object(ior_));
  std::atomic<bool> over{false};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 2; ++caller) {
    callers.emplace_back([&] {
      while (!over) own->echo("parent");
    });
  }
  for (int n = 0; n < (corbel::test::kTriesInChild == 1 ? 50 : 5); ++n) {
    EXPECT_TRUE(in_child([&] { return is_bad_order([&] { own->echo("child"); }); })) << n;
  }
  over = true;
  for (auto& caller : callers) caller.join();
}

TEST_F(ForkTest, AChildMayHaveServersOfItsOwn) {
  if (!kThreadsInChildren) GTEST_SKIP();
  EXPECT_TRUE(in_child([&] {
    std::vector<std::string> options = {"x", "-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBCollocation", "off"};
    const auto own = CORBA::ORB_init(options, "fork-own");
    auto poa = IDL::traits<PortableServer::POA>::narrow(own->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    auto servant = CORBA::make_reference<Echo>();
    poa->activate_object(servant);
    const std::string ior = own->object_to_string(poa->servant_to_reference(servant));
    const auto victim = IDL::traits<Fault::Victim>::unchecked_narrow(client_->string_to_object(ior));
    const bool good = victim->echo("own") == "own" && victim_->echo("parent's") == "parent's";
    own->destroy();
    return good;
  }));
}

TEST_F(ForkTest, TheDefaultPoaInAChildIsThatOfItsOwnOrb) {
  if (!kThreadsInChildren) GTEST_SKIP();
  EXPECT_TRUE(in_child([&] {
    const bool none = is_bad_order([] { (void)CORBA::make_reference<Echo>()->_this(); });
    std::vector<std::string> options = {"x", "-ORBListenEndpoints", "inproc://"};
    const auto own = CORBA::ORB_init(options, "fork-own");
    auto poa = IDL::traits<PortableServer::POA>::narrow(own->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    const bool good = CORBA::make_reference<Echo>()->self()->echo("own") == "own";
    own->destroy();
    return none && good;
  }));
}

TEST_F(ForkTest, AChildDoesNotKeepItsParentsPortsOpen) {
  int wait[2];
  int ready[2];
  ASSERT_EQ(::pipe(wait), 0);
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = -1;
  char octet = 0;
  pollfd told{ready[0], POLLIN, 0};
  for (int tries = corbel::test::kTriesInChild; tries > 0 && child < 0; --tries) {
    child = ::fork();
    if (child == 0) {
      ::close(wait[1]);
      (void)!::write(ready[1], &octet, 1);
      (void)!::read(wait[0], &octet, 1);
      ::_exit(0);
    }
    if (::poll(&told, 1, 20'000) == 1) continue;  // the child runs, and has given up what it inherited
    ::kill(child, SIGKILL);
    ::waitpid(std::exchange(child, -1), nullptr, 0);
  }
  ASSERT_GT(child, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  server_->shutdown(true);
  try {
    victim_->echo("gone");
    ADD_FAILURE();
  } catch (const CORBA::TRANSIENT&) {  // refused at once, and not taken by the child
  }
  ::close(wait[1]);
  ::close(wait[0]);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
}

}  // namespace

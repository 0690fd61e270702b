// SPDX-License-Identifier: Apache-2.0
// Who has an object end, while other threads, or the same one, are in the servant activator: never a thread that would
// have to wait for them.
#include <chrono>
#include <future>
#include <latch>
#include <map>
#include <mutex>
#include <thread>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;

/// True when it is ready, in less time than a hang is given.
template <class Future>
bool ends(const Future& future) {
  return future.wait_for(20s) == std::future_status::ready;
}

/// Notes what it is told, and that nothing overlaps or nests. It stays inside for objects named "slow".
class Noting final : public ServantActivator {
 public:
  ServantRef incarnate(const ObjectId& oid, PoaRef poa) override {
    const Inside inside(*this);
    note('+', oid);
    stay(oid);
    if (in_incarnate) in_incarnate(oid, poa);
    return CORBA::make_reference<Probe>();
  }
  void etherealize(const ObjectId& oid, PoaRef poa, ServantRef, bool cleanup, bool) override {
    const Inside inside(*this);
    note(cleanup ? '~' : '-', oid);
    stay(oid);
    if (in_etherealize) in_etherealize(oid, poa);
  }

  std::string told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  int overlaps() const { return overlaps_; }

  std::function<void(const ObjectId&, PoaRef)> in_incarnate, in_etherealize;
  std::latch entered{1}, go{1};

 private:
  struct Inside {
    explicit Inside(Noting& where) : noting(where) { noting.overlaps_ += noting.inside_++ == 0 ? 0 : 1; }
    ~Inside() { --noting.inside_; }
    Noting& noting;
  };
  void note(char what, const ObjectId& oid) {
    const std::lock_guard lock(mutex_);
    told_ += what + ObjectId_to_string(oid) + ' ';
  }
  void stay(const ObjectId& oid) {
    if (ObjectId_to_string(oid) != "slow") return;
    if (!entered.try_wait()) entered.count_down();
    go.wait();
  }

  std::mutex mutex_;
  std::string told_;
  std::atomic<int> inside_{0}, overlaps_{0};
};

class ObjectEnds : public ::testing::TestWithParam<const char*> {
 protected:
  ~ObjectEnds() override {
    if (noting_->go.try_wait() == false) noting_->go.count_down();
    manager_ = nullptr;
    poa_ = root_ = nullptr;
    orb_->destroy();
  }
  void begin(const std::string& shutdown_timeout = "60000",
             ThreadPolicyValue threads = ThreadPolicyValue::ORB_CTRL_MODEL) {
    orb_ = make_orb("object ends", {"-ORBCollocation", std::string(GetParam()) == "local" ? "on" : "off",
                                    "-ORBHoldTimeout", "60000", "-ORBShutdownTimeout", shutdown_timeout});
    root_ = IDL::traits<POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    manager_ = root_->the_POAManager();
    manager_->activate();
    poa_ = root_->create_POA(
        "it", manager_,
        {root_->create_thread_policy(threads), root_->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
         root_->create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
    poa_->set_servant_manager(noting_);
  }
  ObjectRef object(const std::string& id) {
    return poa_->create_reference_with_id(string_to_ObjectId(id), std::string(kProbeId));
  }
  void activate(
      const std::string& id, Probe::Action action = [](std::int32_t n) { return n; }) {
    poa_->activate_object_with_id(string_to_ObjectId(id), CORBA::make_reference<Probe>(std::move(action)));
  }
  void deactivate(const std::string& id) { poa_->deactivate_object(string_to_ObjectId(id)); }
  /// A request for "slow", which is in incarnate when this returns.
  std::future<std::string> enter_incarnate() {
    auto call = std::async(std::launch::async, [slow = object("slow")] { return outcome([&] { number(slow); }); });
    noting_->entered.wait();
    return call;
  }
  void let_go() { noting_->go.count_down(); }
  /// On a thread of its own, in case that it hangs.
  static std::future<std::string> apart(std::function<void()> act) {
    return std::async(std::launch::async, [act = std::move(act)] { return outcome(act); });
  }

  const CORBA::object_reference<Noting> noting_ = CORBA::make_reference<Noting>();
  OrbRef orb_;
  PoaRef root_, poa_;
  IDL::traits<POAManager>::ref_type manager_;
};
INSTANTIATE_TEST_SUITE_P(Ways, ObjectEnds, ::testing::Values("local", "remote"));

TEST_P(ObjectEnds, WhoDeactivatesDoesNotWaitForAnIncarnateThatHangs) {
  begin();
  activate("a");
  activate("b");
  auto call = enter_incarnate();
  auto deactivated = apart([&] {
    deactivate("a");
    deactivate("b");
  });
  const bool at_once = ends(deactivated);
  EXPECT_TRUE(at_once);
  if (at_once) {
    EXPECT_EQ(noting_->told(), "+slow ");
    EXPECT_EQ(outcome([&] { deactivate("a"); }), "ObjectNotActive");
    EXPECT_EQ(outcome([&] { poa_->id_to_servant(string_to_ObjectId("b")); }), "ObjectNotActive");
  }
  let_go();
  EXPECT_EQ(call.get(), "none");
  EXPECT_EQ(deactivated.get(), "none");
  EXPECT_EQ(noting_->told(), "+slow -a -b ") << "by the thread that was inside, before it went on";
  activate("a");
  EXPECT_EQ(number(object("a"), 3), 3);
}

TEST_P(ObjectEnds, WhoDeactivatesDoesNotWaitForAnEtherealizeThatHangs) {
  begin();
  activate("slow");
  activate("a");
  auto first = apart([&] { deactivate("slow"); });
  noting_->entered.wait();
  auto second = apart([&] { deactivate("a"); });
  EXPECT_TRUE(ends(second));
  let_go();
  EXPECT_EQ(first.get(), "none");
  EXPECT_EQ(second.get(), "none");
  EXPECT_EQ(noting_->told(), "-slow -a ");
}

TEST_P(ObjectEnds, AManagerIsDeactivatedThoughAnIncarnateHangs) {
  begin();
  activate("a");
  auto call = enter_incarnate();
  auto deactivated = apart([&] { manager_->deactivate(true, false); });
  EXPECT_TRUE(ends(deactivated));
  let_go();
  EXPECT_EQ(deactivated.get(), "none");
  call.get();
  poa_->destroy(true, true);
  EXPECT_EQ(noting_->told(), "+slow ~a ~slow ");
  EXPECT_EQ(noting_->overlaps(), 0);
}

// An evictor: what is inside of the servant activator ends other objects to make room.
TEST_P(ObjectEnds, IncarnateMayDeactivateOthersAndThatIsToldWhenItHasReturned) {
  begin();
  noting_->in_incarnate = [&](const ObjectId& oid, PoaRef poa) {
    const std::string id = ObjectId_to_string(oid);
    if (id != "1") poa->deactivate_object(string_to_ObjectId(std::to_string(std::stoi(id) - 1)));
  };
  for (const char* id : {"1", "2", "3"}) EXPECT_EQ(number(object(id), 4), 5);
  EXPECT_EQ(noting_->told().substr(0, 9), "+1 +2 -1 ");
  poa_->destroy(true, true);
  EXPECT_EQ(noting_->told(), "+1 +2 -1 +3 -2 ~3 ");
  EXPECT_EQ(noting_->overlaps(), 0);
}

TEST_P(ObjectEnds, EtherealizeMayDeactivateOthersAndThatIsToldOneAfterTheOther) {
  begin();
  for (const char* id : {"a", "b", "c", "d"}) activate(id);
  noting_->in_etherealize = [&](const ObjectId& oid, PoaRef poa) {
    if (ObjectId_to_string(oid) != "a") return;
    for (const char* id : {"b", "c", "d"}) poa->deactivate_object(string_to_ObjectId(id));
    EXPECT_EQ(outcome([&] { poa->activate_object_with_id(string_to_ObjectId("b"), CORBA::make_reference<Probe>()); }),
              "ObjectAlreadyActive");
  };
  deactivate("a");
  EXPECT_EQ(noting_->told(), "-a -b -c -d ");
  EXPECT_EQ(noting_->overlaps(), 0);
}

TEST_P(ObjectEnds, TheLastRequestThatLeavesAnObjectDoesNotWaitForAnIncarnateThatHangs) {
  begin();
  std::latch entered(2), go(1);
  activate("busy", [&](std::int32_t n) {
    entered.count_down();
    go.wait();
    return n;
  });
  const auto ask = [&] { return apart([busy = object("busy")] { number(busy); }); };
  auto first = ask(), second = ask();
  entered.wait();
  deactivate("busy");
  auto call = enter_incarnate();
  go.count_down();
  EXPECT_TRUE(ends(first));
  EXPECT_TRUE(ends(second));
  let_go();
  EXPECT_EQ(call.get() + first.get() + second.get(), "nonenonenone");
  poa_->destroy(true, true);
  EXPECT_EQ(noting_->told(), "+slow -busy ~slow ");
}

TEST_P(ObjectEnds, DestroyingWaitsForWhatIsStillToBeTold) {
  begin();
  activate("a");
  activate("b");
  auto call = enter_incarnate();
  auto deactivated = apart([&] { deactivate("a"); });
  EXPECT_TRUE(ends(deactivated));
  auto started = apart([&] { poa_->destroy(true, false); });
  EXPECT_TRUE(ends(started));
  auto destroyed = apart([&] { poa_->destroy(true, true); });
  EXPECT_EQ(destroyed.wait_for(50ms), std::future_status::timeout);
  let_go();
  EXPECT_EQ(call.get(), "none");
  EXPECT_EQ(destroyed.get(), "none");
  EXPECT_EQ(noting_->told().substr(0, 9), "+slow -a ");
  EXPECT_EQ(noting_->told().size(), std::string("+slow -a ~b ~slow ").size());
  EXPECT_EQ(noting_->overlaps(), 0);
}

TEST_P(ObjectEnds, TheEndOfTheOrbIsBoundedThoughAnIncarnateHangs) {
  begin("100");
  activate("a");
  auto call = enter_incarnate();
  auto deactivated = apart([&] { deactivate("a"); });
  EXPECT_TRUE(ends(deactivated));
  auto ended = apart([&] { orb_->shutdown(true); });
  EXPECT_TRUE(ends(ended));
  let_go();
  (void)ended.get();
  (void)call.get();
  poa_->destroy(true, true);
  EXPECT_EQ(noting_->told(), "+slow -a ~slow ");
}

TEST_P(ObjectEnds, WhoDeactivatesDoesNotWaitForTheSingleThread) {
  begin("60000", ThreadPolicyValue::SINGLE_THREAD_MODEL);
  std::latch entered(1), go(1);
  activate("a");
  activate("b");
  activate("busy", [&](std::int32_t n) {
    entered.count_down();
    go.wait();
    deactivate("b");  // its own thread has the turn
    EXPECT_NE(noting_->told().find("-b "), std::string::npos);
    return n;
  });
  auto call = apart([busy = object("busy")] { number(busy); });
  entered.wait();
  auto deactivated = apart([&] { deactivate("a"); });
  EXPECT_TRUE(ends(deactivated));
  EXPECT_EQ(noting_->told(), "");
  go.count_down();
  EXPECT_EQ(call.get(), "none");
  EXPECT_EQ(deactivated.get(), "none");
  poa_->destroy(true, true);
  EXPECT_EQ(noting_->told(), "-a -b ~busy ");
}

// A thread that asks a parent for an adapter has its turn, too, and no request runs there.
TEST_P(ObjectEnds, WhatIsLeftToAnAdapterActivatorEndsWithIt) {
  begin("60000", ThreadPolicyValue::SINGLE_THREAD_MODEL);
  struct Asked final : AdapterActivator {
    bool unknown_adapter(PoaRef, const std::string&) override {
      entered.count_down();
      go.wait();
      return false;
    }
    std::latch entered{1}, go{1};
  };
  const auto asked = CORBA::make_reference<Asked>();
  poa_->the_activator(asked);
  activate("a");
  activate("b");
  auto found = apart([&] { poa_->find_POA("none", true); });
  asked->entered.wait();
  auto destroyed = apart([&] {
    deactivate("a");
    poa_->destroy(true, false);
  });
  EXPECT_TRUE(ends(destroyed));
  EXPECT_EQ(noting_->told(), "");
  asked->go.count_down();
  EXPECT_EQ(destroyed.get(), "none");
  found.wait();
  poa_->destroy(true, true);
  EXPECT_EQ(noting_->told(), "-a ~b ");
}

TEST_P(ObjectEnds, EveryObjectThatWasMadeEndsOnceAndNothingOverlaps) {
  begin();
  std::mutex mutex;
  std::map<std::string, int> made;
  noting_->in_incarnate = [&](const ObjectId& oid, PoaRef poa) {
    const std::string id = ObjectId_to_string(oid);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(++made[id], 1) << id;
    // The next one, whose requests may run, and which may be leaving.
    (void)outcome([&] { poa->deactivate_object(string_to_ObjectId(std::to_string((std::stoi(id) + 1) % 5))); });
  };
  noting_->in_etherealize = [&](const ObjectId& oid, PoaRef) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(--made[ObjectId_to_string(oid)], 0);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const std::string id = std::to_string((i + t) % 5);
        if (i % 4 == 3) {
          (void)outcome([&] { deactivate(id); });
        } else {
          EXPECT_EQ(number(object(id), i), i + 1);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  poa_->destroy(true, true);
  for (const auto& [id, count] : made) EXPECT_EQ(count, 0) << id;
  EXPECT_EQ(noting_->overlaps(), 0);
}

}  // namespace
}  // namespace corbel::poa::testing

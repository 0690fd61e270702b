// SPDX-License-Identifier: Apache-2.0
// What comes between two steps of something else: an end, a change of state, or the want of memory.
#include <future>
#include <latch>
#include <thread>

#include "corbel/ior/profile.hpp"
#include "corbel/orb/group_table.hpp"
#include "corbel/orb/main_thread.hpp"
#include "corbel/orb/object_adapter.hpp"
#include "corbel/poa/poa_face.hpp"
#include "support/allocations.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;

class InBetween : public PoaTest {
 protected:
  InBetween() : PoaTest("60000") {}

  std::string located(base::ConstByteSpan key) {
    return outcome([&] { orb->_core().adapter()->locate(key); });
  }
  static base::Bytes key_of(const ObjectRef& object) {
    const ior::TaggedProfile& profile = object->_target()->ior().profiles.front();
    const auto key = ior::object_key_of(profile.tag, profile.data);
    return {key->begin(), key->end()};
  }
  Policy threads(ThreadPolicyValue value) { return root->create_thread_policy(value); }
};
INSTANTIATE_TEST_SUITE_P(Ways, InBetween, ::testing::Values("local", "remote"));

// OBJECT_NOT_EXIST would have clients forget their references for good.
TEST_P(InBetween, WhoAsksWhereAnObjectIsWhoseServerEndsIsNotToldThatThereIsNone) {
  const PoaRef poa = child("ending", {});
  base::Bytes key;
  std::promise<std::pair<std::string, std::string>> told;
  const ObjectRef object = poa->id_to_reference(poa->activate_object(CORBA::make_reference<Probe>([&](std::int32_t n) {
    orb->shutdown(false);
    told.set_value({located(key), located(base::as_bytes(std::string_view("NameService")))});
    return n;
  })));
  key = key_of(object);
  EXPECT_EQ(located(key), "none");
  (void)outcome([&] { number(object); });  // the ORB that ends is the caller's, too
  const auto [of_object, of_name] = told.get_future().get();
  EXPECT_EQ(of_object, "TRANSIENT 0x4f4d0004");
  EXPECT_EQ(of_name, "TRANSIENT 0x4f4d0004");
}

/// Stays inside until it is let go.
class Slow final : public ServantActivator {
 public:
  ServantRef incarnate(const ObjectId&, PoaRef) override {
    entered.count_down();
    go.wait();
    return CORBA::make_reference<Probe>();
  }
  void etherealize(const ObjectId&, PoaRef, ServantRef, bool cleanup, bool) override { ++(cleanup ? cleaned : left); }
  std::latch entered{1};
  std::latch go{1};
  std::atomic<int> cleaned{0};
  std::atomic<int> left{0};
};

TEST_P(InBetween, AnObjectThatIsMadeWhileItsManagerIsDeactivatedEndsWithItsRequest) {
  const auto manager = root->the_POAManagerFactory()->create_POAManager("slow", {});
  const PoaRef poa = root->create_POA("slow", manager, {user_ids(), managed()});
  manager->activate();
  const auto slow = CORBA::make_reference<Slow>();
  poa->set_servant_manager(slow);
  const ObjectRef object = reference(poa, "it");
  auto call = std::async(std::launch::async, [&] { return outcome([&] { number(object); }); });
  slow->entered.wait();
  manager->deactivate(true, false);
  slow->go.count_down();
  EXPECT_EQ(call.get(), "none");
  const auto bound = base::Deadline::after(20s);
  while (slow->cleaned == 0 && !bound.expired()) std::this_thread::yield();
  EXPECT_EQ(slow->cleaned, 1);
  EXPECT_EQ(slow->left, 0);
}

/// Makes what it is asked for.
class Maker final : public AdapterActivator {
 public:
  bool unknown_adapter(PoaRef parent, const std::string& name) override {
    parent->create_POA(name, parent->the_POAManager(), {});
    return true;
  }
};

class HastyAndShortOfMemory : public PoaTest {
 protected:
  HastyAndShortOfMemory() : PoaTest("1000") {}
};
INSTANTIATE_TEST_SUITE_P(Ways, HastyAndShortOfMemory, ::testing::Values("local"));

// Each allocation is refused once. Whoever asks next is not to wait for an activator that is not being asked.
TEST_P(HastyAndShortOfMemory, AChildThatCouldNotBeMadeWithoutMemoryIsMadeLater) {
  root->the_activator(CORBA::make_reference<Maker>());
  const std::string name = "a child whose name needs memory";
  const auto ask = [&] { root->find_POA(name, true); };
  bool refused = true;
  for (std::size_t first = 0; refused; ++first) {
    test::refuse_allocations(first, 1);
    try {
      ask();
    } catch (const CORBA::Exception&) {
    }
    refused = test::allocations_since() > first;
    test::refuse_allocations(0, 0);
    ASSERT_EQ(std::async(std::launch::async, [&] { return outcome(ask); }).get(), "none") << "allocation " << first;
    root->find_POA(name, false)->destroy(true, true);
  }
}

TEST(ShortOfMemory, WhatTheMainThreadCouldNotBeCalledForIsNotRunWhenItsCallerIsGone) {
  orb::MainThread main([] { throw std::bad_alloc(); }, [] { return false; });
  ASSERT_TRUE(main.enter());
  int ran = 0;
  std::async(std::launch::async, [&] {
    const auto run = [&] { ++ran; };
    EXPECT_THROW(main.run(run, base::Deadline::none(), orb::MainThread::Otherwise::refuse), std::bad_alloc);
  }).get();
  EXPECT_FALSE(main.pending());
  EXPECT_EQ(main.serve_waiting(), 0U);
  EXPECT_EQ(ran, 0);
  main.leave();
}

TEST(ShortOfMemory, AGroupThatCouldNotBeJoinedCanBeLeft) {
  const ior::GroupIdentity group{{1, 0}, "a domain whose name needs memory", 7, 0};
  bool refused = true;
  for (std::size_t first = 0; refused; ++first) {
    orb::GroupTable table;
    const base::Bytes member(100);
    test::refuse_allocations(first, 1);
    try {
      table.add(group, member);
    } catch (const std::bad_alloc&) {
    }
    refused = test::allocations_since() > first;
    test::refuse_allocations(0, 0);
    table.remove(group, member);
  }
}

/// Counts those that are there.
class Counted final : public AdapterActivator {
 public:
  explicit Counted(std::atomic<int>& all) : all_(all) { ++all_; }
  ~Counted() override { --all_; }
  bool unknown_adapter(PoaRef, const std::string&) override { return false; }

 private:
  std::atomic<int>& all_;
};

// The adapter's end and the new activator wait for the same lock.
TEST_P(InBetween, AnAdapterThatEndsKeepsNoActivatorThatItIsJustGiven) {
  std::atomic<int> activators{0};
  for (int round = 0; round < 200; ++round) {
    const PoaRef poa = child("brief", {});
    std::unique_lock tree(static_cast<PoaFace&>(*poa._shared()).space().tree());
    std::latch begun(2);
    const auto with_others = [&](const auto& act) {
      return std::async(std::launch::async, [&begun, act] {
        begun.count_down();
        (void)outcome(act);
      });
    };
    auto given = with_others([&] { poa->the_activator(CORBA::make_reference<Counted>(activators)); });
    auto ended = with_others([&] { poa->destroy(true, false); });
    begun.wait();
    std::this_thread::sleep_for(100us);
    tree.unlock();
    given.get();
    ended.get();
    ASSERT_EQ(activators, 0) << "round " << round;
  }
}

TEST(ManyInBetween, ManagersOfAdaptersThatAreMadeWhileTheOrbEndsAreInactiveToo) {
  for (int round = 0; round < 400; ++round) {
    const OrbRef brief = make_orb("brief");
    const PoaRef top = IDL::traits<POA>::narrow(brief->resolve_initial_references("RootPOA"));
    std::vector<IDL::traits<POAManager>::ref_type> managers;
    std::latch begun(2);
    auto maker = std::async(std::launch::async, [&] {
      begun.arrive_and_wait();
      (void)outcome([&] {
        for (int i = 0;; ++i) {
          managers.push_back(top->create_POA(std::to_string(i), nullptr, {})->the_POAManager());
        }
      });
    });
    begun.arrive_and_wait();
    brief->shutdown(true);
    maker.get();
    for (const auto& each : managers) {
      ASSERT_EQ(each->get_state(), POAManager::State::INACTIVE) << each->get_id() << " of " << managers.size();
    }
    brief->destroy();
  }
}

TEST_P(InBetween, TheMainThreadTakesItsTimeWhereNothingIsHeld) {
  const OrbRef hasty = make_orb("hasty", {"-ORBHoldTimeout", "0"});
  const PoaRef top = IDL::traits<POA>::narrow(hasty->resolve_initial_references("RootPOA"));
  top->the_POAManager()->activate();
  const PoaRef poa = top->create_POA("main", top->the_POAManager(), {threads(ThreadPolicyValue::MAIN_THREAD_MODEL)});
  const ObjectRef object = poa->id_to_reference(poa->activate_object(CORBA::make_reference<Probe>()));
  auto call = std::async(std::launch::async, [&] { return outcome([&] { number(object); }); });
  while (!hasty->work_pending() && call.wait_for(1ms) != std::future_status::ready) {
  }
  while (call.wait_for(0ms) != std::future_status::ready) hasty->perform_work();
  EXPECT_EQ(call.get(), "none");
  hasty->destroy();
}

/// Its results, or what it raises, throw while they are marshalled.
class Unsayable final : public Servant {
 public:
  bool _dispatch(corba::ServerCall& call) override {
    call.use_octets();
    call.reply([](cdr::Encoder&) {
      throw CORBA::TRANSIENT(7, CORBA::CompletionStatus::COMPLETED_NO);  // as made without a status, too
    });
    return true;
  }
  std::span<const std::string_view> _interface_ids() const noexcept override {
    static constexpr std::string_view kIds[] = {kProbeId, "IDL:omg.org/CORBA/Object:1.0"};
    return kIds;
  }
};

TEST_P(InBetween, ResultsWhoseMarshallingThrowsAreThoseOfAnOperationThatWasExecuted) {
  const ObjectRef object = root->id_to_reference(root->activate_object(CORBA::make_reference<Unsayable>()));
  try {
    number(object);
    ADD_FAILURE() << "there are results";
  } catch (const CORBA::TRANSIENT& thrown) {
    EXPECT_EQ(thrown.minor(), 7U);
    EXPECT_EQ(thrown.completed(), CORBA::CompletionStatus::COMPLETED_YES);
  }
}

}  // namespace
}  // namespace corbel::poa::testing

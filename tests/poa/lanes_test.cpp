// SPDX-License-Identifier: Apache-2.0
// Lanes: threads and endpoints of their own, for the adapters that choose them.
#include <future>
#include <latch>
#include <set>

#include "corbel/orb/parts.hpp"
#include "corbel/poa/lane_policy.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

class Lanes : public ::testing::Test {
 protected:
  Lanes() { root->the_POAManager()->activate(); }
  ~Lanes() override {
    root = nullptr;
    orb->destroy();
  }
  PoaRef make(const std::string& name, const std::string& lane) {
    return root->create_POA(name, root->the_POAManager(), {CORBA::make_reference<LanePolicy>(lane)});
  }
  static ObjectRef activate(const PoaRef& poa, Probe::Action action) {
    return poa->id_to_reference(poa->activate_object(CORBA::make_reference<Probe>(std::move(action))));
  }
  /// The endpoints that the reference names.
  static std::set<std::string> endpoints(const ObjectRef& object) {
    std::set<std::string> all;
    for (const auto& profile : object->_target()->ior().profiles) {
      if (const auto own = ior::decode_corbel_profile(profile, {})) {
        all.insert(own->endpoint.substr(0, own->endpoint.find('@')));
      }
    }
    return all;
  }

  OrbRef orb = make_orb(
      "laned", {"-ORBCollocation", "off", "-ORBThreads", "1", "-ORBListenEndpoints", "inproc://lane-all", "-ORBLane",
                "urgent:1=inproc://lane-urgent", "-ORBLane", "bulk:2=inproc://lane-bulk;inproc://lane-bulk-too"});
  PoaRef root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
};

TEST_F(Lanes, ReferencesNameTheEndpointsOfTheirAdaptersLane) {
  const auto nothing = [](std::int32_t n) { return n; };
  EXPECT_EQ(endpoints(activate(root, nothing)), (std::set<std::string>{"inproc://lane-all"}));
  EXPECT_EQ(endpoints(activate(make("a", ""), nothing)), (std::set<std::string>{"inproc://lane-all"}));
  EXPECT_EQ(endpoints(activate(make("b", "urgent"), nothing)), (std::set<std::string>{"inproc://lane-urgent"}));
  EXPECT_EQ(endpoints(activate(make("c", "bulk"), nothing)),
            (std::set<std::string>{"inproc://lane-bulk", "inproc://lane-bulk-too"}));
}

TEST_F(Lanes, OneWhoseThreadsAreAllBusyHoldsUpNoOther) {
  std::latch entered{2};
  std::latch go{1};
  const auto wait = [&](std::int32_t n) {
    entered.count_down();
    go.wait();
    return n;
  };
  const ObjectRef all = activate(root, wait);
  const ObjectRef bulk = activate(make("bulk", "bulk"), wait);
  const ObjectRef urgent = activate(make("urgent", "urgent"), [](std::int32_t n) { return n + 1; });
  auto first = std::async(std::launch::async, [&] { return number(all, 1); });
  auto second = std::async(std::launch::async, [&] { return number(bulk, 2); });
  entered.wait();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(number(urgent, i), i + 1);
  go.count_down();
  EXPECT_EQ(first.get(), 1);
  EXPECT_EQ(second.get(), 2);
}

TEST_F(Lanes, AnAdapterCannotChooseOneThatIsNotThere) {
  try {
    root->create_POA("lost", nullptr,
                     {root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
                      CORBA::make_reference<LanePolicy>("elsewhere")});
    FAIL();
  } catch (const PortableServer::POA::InvalidPolicy& exception) {
    EXPECT_EQ(exception.index(), 1);
  }
  EXPECT_EQ(outcome([&] {
              root->create_POA("twice", nullptr,
                               {CORBA::make_reference<LanePolicy>("bulk"), CORBA::make_reference<LanePolicy>("bulk")});
            }),
            "InvalidPolicy");
}

TEST_F(Lanes, TheEndWaitsForRequestsInAllOfThem) {
  std::latch entered{1};
  std::latch go{1};
  const ObjectRef urgent = activate(make("urgent", "urgent"), [&](std::int32_t n) {
    entered.count_down();
    go.wait();
    return n;
  });
  const auto client = make_orb("lane_client");
  const ObjectRef remote = client->string_to_object(orb->object_to_string(urgent));
  auto call = std::async(std::launch::async, [&] { return number(remote, 7); });
  entered.wait();
  auto ended = std::async(std::launch::async, [&] { orb->shutdown(true); });
  EXPECT_EQ(ended.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  go.count_down();
  EXPECT_EQ(call.get(), 7);
  ended.get();
  EXPECT_NE(outcome([&] { number(remote); }), "none");
  client->destroy();
}

TEST_F(Lanes, CanBeAddedLater) {
  orb::add_lane(*orb, "late", 1, {"inproc://lane-late"});
  const ObjectRef late = activate(make("late", "late"), [](std::int32_t n) { return n + 1; });
  EXPECT_EQ(endpoints(late), (std::set<std::string>{"inproc://lane-late"}));
  EXPECT_EQ(number(late, 1), 2);
  EXPECT_EQ(outcome([&] { orb::add_lane(*orb, "late", 1); }).substr(0, 9), "BAD_PARAM");
  EXPECT_EQ(outcome([&] { orb::add_lane(*orb, "idle", 0); }).substr(0, 9), "BAD_PARAM");
  orb->shutdown(true);
  EXPECT_EQ(outcome([&] { orb::add_lane(*orb, "too late", 1); }).substr(0, 13), "BAD_INV_ORDER");
}

TEST_F(Lanes, ThatAreToldNothingListenAsTheOrbDoes) {
  orb::add_lane(*orb, "beside", 1);
  const ObjectRef beside = activate(make("beside", "beside"), [](std::int32_t n) { return n + 1; });
  const std::set<std::string> where = endpoints(beside);
  ASSERT_EQ(where.size(), 1U);
  EXPECT_TRUE(where.begin()->starts_with("inproc://"));
  EXPECT_NE(*where.begin(), "inproc://lane-all");
  EXPECT_EQ(number(beside, 1), 2);
}

TEST_F(Lanes, CanBeAddedWhileTheOrbEnds) {
  std::latch begin{2};
  auto adding = std::async(std::launch::async, [&] {
    begin.arrive_and_wait();
    for (int i = 0; i < 50; ++i) {
      const std::string name = "late " + std::to_string(i);
      const bool added = outcome([&] { orb::add_lane(*orb, name, 1, {"inproc://" + name}); }) == "none";
      if (!added) return;
      (void)outcome([&] { activate(make(name, name), [](std::int32_t n) { return n; }); });
    }
  });
  begin.arrive_and_wait();
  orb->shutdown(true);
  adding.get();
}

TEST(LaneOptions, SayWhatIsWrong) {
  for (const char* bad : {"", "urgent", "=tcp://:0", "urgent=", "urgent:0=tcp://:0", "urgent:x=tcp://:0",
                          "ur gent=tcp://:0", "urgent=nonsense"}) {
    EXPECT_EQ(outcome([&] { make_orb("bad_lane", {"-ORBLane", bad})->destroy(); }).substr(0, 9), "BAD_PARAM") << bad;
  }
  EXPECT_EQ(outcome([&] {
              make_orb("bad_lane", {"-ORBLane", "a=inproc://x", "-ORBLane", "a=inproc://y"})->destroy();
            }).substr(0, 9),
            "BAD_PARAM");
}

}  // namespace
}  // namespace corbel::poa::testing

// SPDX-License-Identifier: Apache-2.0
// Policies of threads (PolicyCurrent) that serve requests: they are the thread's (CORBA 3.3 part 1, 8.10.4), none on
// those of the ORB, and what a servant sets ends with its request.
#include <future>
#include <thread>

#include "support.hpp"

namespace corbel::policies_test {
namespace {

using PortableServer::POA;
using PoaRef = IDL::traits<POA>::ref_type;

struct Setter final : CORBA::servant_traits<Policies::Thing>::base_type {
  explicit Setter(const Orb& orb) : current(orb.current()) {}
  /// "set" sets a policy of the thread; how many it had.
  std::string ask(const std::string& question) override {
    const std::string had = std::to_string(current->get_policy_overrides({}).size());
    if (question == "set")
      current->set_policy_overrides({round_trip(50'000 * kMillisecond)}, SetOverrideType::SET_OVERRIDE);
    return had;
  }
  void note(std::int32_t) override {}
  const ManagerRef current;
};

class ThreadPolicies : public ::testing::Test {
 protected:
  void begin(std::vector<std::string> options, PortableServer::ThreadPolicyValue threads) {
    orb_ = std::make_unique<Orb>(std::move(options));
    root_ = IDL::traits<POA>::narrow((*orb_)->resolve_initial_references("RootPOA"));
    root_->the_POAManager()->activate();
    const PoaRef poa = root_->create_POA("threads", root_->the_POAManager(), {root_->create_thread_policy(threads)});
    const auto servant = CORBA::make_reference<Setter>(*orb_);
    poa->activate_object(servant);
    thing_ = IDL::traits<Policies::Thing>::unchecked_narrow(poa->servant_to_reference(servant));
  }
  void begin(std::vector<std::string> options) {
    begin(std::move(options), PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL);
  }
  ~ThreadPolicies() override {
    thing_ = nullptr;
    root_ = nullptr;
  }

  std::unique_ptr<Orb> orb_;
  PoaRef root_;
  ThingRef thing_;
};

TEST_F(ThreadPolicies, OfARequestAreNotThoseOfTheNext) {
  begin({"-ORBCollocation", "off"});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(thing_->ask("set"), "0");
}

TEST_F(ThreadPolicies, OfAnAsynchronousCallInTheProcessAreNotThoseOfTheNext) {
  begin({"-ORBCollocation", "on"});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(thing_->async_ask("set").get(), "0");
}

TEST_F(ThreadPolicies, OfARequestOnTheMainThreadAreNotThoseOfTheNext) {
  begin({"-ORBCollocation", "off"}, PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL);
  std::thread main([&] { (*orb_)->run(); });
  for (int i = 0; i < 10; ++i) EXPECT_EQ(thing_->ask("set"), "0");
  (*orb_)->shutdown(false);
  main.join();
}

TEST_F(ThreadPolicies, OfTheApplicationAreThereAgainAfterARequest) {
  begin({"-ORBConcurrency", "single", "-ORBCollocation", "off"});
  const Orb client;
  const ThingRef there = client.thing((*orb_)->object_to_string(thing_));
  const ManagerRef current = orb_->current();
  for (const bool had : {false, true}) {
    if (had) current->set_policy_overrides({scope(Messaging::SYNC_WITH_SERVER)}, SetOverrideType::SET_OVERRIDE);
    auto asked = std::async(std::launch::async, [&] { return there->ask("set"); });
    while (asked.wait_for(0s) != std::future_status::ready) {
      if ((*orb_)->work_pending()) (*orb_)->perform_work();
      std::this_thread::yield();
    }
    EXPECT_EQ(asked.get(), had ? "1" : "0");
    const auto now = current->get_policy_overrides({});
    ASSERT_EQ(now.size(), had ? 1U : 0U);
    if (had) {
      EXPECT_EQ(now.at(0)->policy_type(), Messaging::SYNC_SCOPE_POLICY_TYPE);
    }
  }
  current->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
}

}  // namespace
}  // namespace corbel::policies_test

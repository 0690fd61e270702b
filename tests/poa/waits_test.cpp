// SPDX-License-Identifier: Apache-2.0
// A thread that waits for requests to end does not wait for ever: upcalls that take long, or do not return.
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <thread>

#include "corbel/base/kept_log.hpp"
#include "eventually.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;
using test::eventually;
using State = POAManager::State;

constexpr const char* kStillRuns = "TIMEOUT 0x43420383";

/// A servant whose requests do not return until the test says so, or ends. What it waits for is its own.
class Stuck {
 public:
  Stuck() = default;
  ~Stuck() { let_go(); }
  Stuck(const Stuck&) = delete;
  Stuck& operator=(const Stuck&) = delete;

  void wait_until_entered() { state_->entered.wait(); }
  void let_go() {
    if (!std::exchange(gone_, true)) state_->go.count_down();
  }
  CORBA::servant_reference<Probe> servant() const {
    return CORBA::make_reference<Probe>([state = state_](std::int32_t n) {
      state->entered.count_down();
      state->go.wait();
      return n;
    });
  }

 private:
  struct Latches {
    std::latch entered{1};
    std::latch go{1};
  };
  std::shared_ptr<Latches> state_ = std::make_shared<Latches>();
  bool gone_ = false;
};

/// An ORB with a log and a short time for whatever waits.
class Waits : public ::testing::TestWithParam<const char*> {
 protected:
  void begin(const std::string& shutdown_timeout, const std::string& hold_timeout = "10000") {
    orb::Components components{
        {messaging::make_giop()}, {transport::make_inproc(transport::make_inproc_hub())}, &make_adapter};
    components.log_sink = log_;
    std::vector<std::string> options = {"-ORBListenEndpoints", "inproc://",
                                        "-ORBShutdownTimeout", shutdown_timeout,
                                        "-ORBHoldTimeout",     hold_timeout,
                                        "-ORBLogLevel",        "poa=info",
                                        "-ORBCollocation",     std::string(GetParam()) == "local" ? "on" : "off"};
    orb_ = orb::init(options, std::string("waits ") + GetParam(), components);
    root_ = IDL::traits<POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    manager_ = root_->the_POAManager();
    manager_->activate();
  }
  /// A request that is in the servant when this returns.
  static std::future<std::string> enter(const ObjectRef& object, Stuck& stuck) {
    auto call = std::async(std::launch::async, [object] { return outcome([&] { number(object, 7); }); });
    stuck.wait_until_entered();
    return call;
  }
  ~Waits() override {
    manager_ = nullptr;
    root_ = nullptr;
    if (orb_ != nullptr) orb_->destroy();
  }
  PoaRef user_ids(const std::string& name, CORBA::PolicyList policies = {}) {
    policies.push_back(root_->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID));
    return root_->create_POA(name, manager_, policies);
  }

  std::shared_ptr<base::KeptLog> log_ = std::make_shared<base::KeptLog>();
  OrbRef orb_;
  PoaRef root_;
  IDL::traits<POAManager>::ref_type manager_;
};
INSTANTIATE_TEST_SUITE_P(Ways, Waits, ::testing::Values("local", "remote"));

TEST_P(Waits, AManagerWhoseRequestsDoNotEndSaysSoInEveryState) {
  begin("30");
  const PoaRef poa = user_ids("stuck");
  const ObjectId id = string_to_ObjectId("busy");
  Stuck stuck;
  poa->activate_object_with_id(id, stuck.servant());
  auto call = enter(poa->id_to_reference(id), stuck);
  EXPECT_EQ(outcome([&] { manager_->hold_requests(true); }), kStillRuns);
  EXPECT_EQ(manager_->get_state(), State::HOLDING);
  EXPECT_EQ(outcome([&] { manager_->discard_requests(true); }), kStillRuns);
  EXPECT_EQ(manager_->get_state(), State::DISCARDING);
  EXPECT_EQ(outcome([&] { manager_->deactivate(true, true); }), kStillRuns);
  EXPECT_EQ(manager_->get_state(), State::INACTIVE);
  EXPECT_EQ(outcome([&] { manager_->deactivate(true, true); }), kStillRuns) << "who asks again waits, too";
  EXPECT_EQ(outcome([&] { manager_->deactivate(true, false); }), "none");

  constexpr std::string_view kEvent = "requests still run after the shutdown time-out";
  EXPECT_TRUE(eventually([&] { return log_->count(kEvent) >= 4; }));
  std::vector<std::string> wanted;
  for (const auto& entry : log_->entries()) {
    if (entry.event != kEvent) continue;
    wanted.push_back(entry.value("wanted"));
    EXPECT_EQ(entry.level, base::LogLevel::error);
    EXPECT_EQ(entry.value("poa"), "stuck");
    EXPECT_EQ(entry.value("manager"), "RootPOAManager");
    EXPECT_EQ(entry.value("running"), "1");
    EXPECT_EQ(entry.value("object"), "busy");
  }
  EXPECT_EQ(wanted, (std::vector<std::string>{"HOLDING", "DISCARDING", "INACTIVE", "INACTIVE"}));

  stuck.let_go();
  EXPECT_EQ(call.get(), "none");
  EXPECT_TRUE(eventually([&] { return outcome([&] { manager_->deactivate(true, true); }) == "none"; }));
}

TEST_P(Waits, AManagerHasOneTimeForAllItsAdapters) {
  begin("2000");
  Stuck stuck[3];
  std::vector<std::future<std::string>> calls;
  for (Stuck& each : stuck) {
    const PoaRef poa = user_ids("stuck" + std::to_string(calls.size()));
    poa->activate_object_with_id(string_to_ObjectId("busy"), each.servant());
    calls.push_back(enter(poa->id_to_reference(string_to_ObjectId("busy")), each));
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome([&] { manager_->hold_requests(true); }), kStillRuns);
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, 1990ms);
  EXPECT_LT(took, 5500ms);  // three times
  for (Stuck& each : stuck) each.let_go();
  for (auto& call : calls) EXPECT_EQ(call.get(), "none");
}

TEST_P(Waits, AManagerWaitsForRequestsThatTakeLessThanTheTimeOut) {
  begin("20000");
  Stuck stuck;
  auto call = enter(root_->servant_to_reference(stuck.servant()), stuck);
  auto held = std::async(std::launch::async, [&] { return outcome([&] { manager_->hold_requests(true); }); });
  EXPECT_EQ(held.wait_for(30ms), std::future_status::timeout);
  stuck.let_go();
  ASSERT_EQ(held.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(held.get(), "none");
  EXPECT_EQ(call.get(), "none");
}

TEST_P(Waits, ATimeOutOfZeroMeansForEver) {
  begin("0");
  Stuck stuck;
  auto call = enter(root_->servant_to_reference(stuck.servant()), stuck);
  auto held = std::async(std::launch::async, [&] { return outcome([&] { manager_->discard_requests(true); }); });
  EXPECT_EQ(held.wait_for(50ms), std::future_status::timeout);
  stuck.let_go();
  EXPECT_EQ(held.get(), "none");
  EXPECT_EQ(call.get(), "none");
}

TEST_P(Waits, AnIdWhoseObjectDoesNotEndCannotBeActivatedAgain) {
  begin("300");
  const PoaRef poa = user_ids("user");
  const ObjectId id = string_to_ObjectId("busy");
  Stuck stuck;
  poa->activate_object_with_id(id, stuck.servant());
  const ObjectRef object = poa->id_to_reference(id);
  auto call = enter(object, stuck);
  poa->deactivate_object(id);
  EXPECT_EQ(outcome([&] { poa->activate_object_with_id(id, CORBA::make_reference<Probe>()); }), kStillRuns);
  const auto told = log_->wait_for("a deactivated object does not end");
  EXPECT_EQ(told.level, base::LogLevel::error);
  EXPECT_EQ(told.value("poa"), "user");
  EXPECT_EQ(told.value("object"), "busy");
  EXPECT_EQ(told.value("running"), "1");
  stuck.let_go();
  EXPECT_EQ(call.get(), "none");
  // It leaves with the request, whose thread may still be on its way out.
  const auto activate = [&] { poa->activate_object_with_id(id, CORBA::make_reference<Probe>()); };
  EXPECT_TRUE(eventually([&] { return outcome(activate) == "none"; }));
  EXPECT_EQ(number(object, 1), 2);
}

/// Incarnates every id, and notes how many objects it has to etherealise.
class Counter final : public ServantActivator {
 public:
  ServantRef incarnate(const ObjectId&, PoaRef) override {
    ServantRef given = std::exchange(next, nullptr);
    return given != nullptr ? given : ServantRef(CORBA::make_reference<Probe>());
  }
  void etherealize(const ObjectId&, PoaRef, ServantRef, bool cleanup, bool) override {
    if (act) act();
    ++(cleanup ? cleaned : etherealized);
  }

  ServantRef next;
  std::function<void()> act;
  std::atomic<int> etherealized{0};
  std::atomic<int> cleaned{0};
};

class WaitsWithActivator : public Waits {
 protected:
  PoaRef counting(const std::string& name) {
    PoaRef poa =
        user_ids(name, {root_->create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
    poa->set_servant_manager(counter_);
    return poa;
  }
  const CORBA::object_reference<Counter> counter_ = CORBA::make_reference<Counter>();
};
INSTANTIATE_TEST_SUITE_P(Ways, WaitsWithActivator, ::testing::Values("local", "remote"));

TEST_P(WaitsWithActivator, ObjectsAreEtherealizedThoughTheirManagerDoesNotGetIdle) {
  begin("200");
  const PoaRef poa = counting("counted");
  Stuck stuck;
  counter_->next = stuck.servant();
  auto call = enter(reference(poa, "busy"), stuck);
  EXPECT_EQ(number(reference(poa, "idle")), 1);
  EXPECT_EQ(outcome([&] { manager_->deactivate(true, true); }), kStillRuns);
  EXPECT_TRUE(eventually([&] { return counter_->cleaned == 1; }));
  stuck.let_go();
  EXPECT_EQ(call.get(), "none");
  EXPECT_TRUE(eventually([&] { return outcome([&] { manager_->deactivate(false, true); }) == "none"; }));
  EXPECT_EQ(counter_->cleaned, 2) << "the busy one, too";
}

TEST_P(WaitsWithActivator, WhoDeactivatesAManagerFirstSaysWhetherObjectsAreEtherealized) {
  begin("20000");
  const PoaRef poa = counting("counted");
  EXPECT_EQ(number(reference(poa, "one")), 1);
  manager_->deactivate(false, true);
  manager_->deactivate(true, true);
  EXPECT_EQ(counter_->cleaned, 0);
}

TEST_P(WaitsWithActivator, RequestsDoNotWaitForEverForAnObjectThatLeaves) {
  begin("20000", "30");
  const PoaRef poa = counting("counted");
  Stuck stuck;
  counter_->next = stuck.servant();
  const ObjectRef object = reference(poa, "busy");
  auto call = enter(object, stuck);
  poa->deactivate_object(string_to_ObjectId("busy"));
  EXPECT_EQ(outcome([&] { number(object); }), "TRANSIENT 0x43420503");
  EXPECT_EQ(log_->wait_for("a deactivated object does not end").value("object"), "busy");
  stuck.let_go();
  EXPECT_EQ(call.get(), "none");
  EXPECT_TRUE(eventually([&] { return outcome([&] { number(object); }) == "none"; }));
  EXPECT_EQ(counter_->etherealized, 1);
}

TEST_P(WaitsWithActivator, WaitingForRequestsInEtherealizeIsRefused) {
  begin("20000");
  const PoaRef poa = counting("counted");
  std::vector<std::string> outcomes;
  counter_->act = [&] {
    outcomes = {outcome([&] { manager_->hold_requests(true); }), outcome([&] { manager_->discard_requests(true); }),
                outcome([&] { manager_->deactivate(true, true); })};
  };
  EXPECT_EQ(number(reference(poa, "one")), 1);
  poa->deactivate_object(string_to_ObjectId("one"));
  manager_->hold_requests(true);  // the request's thread may be the one that etherealises
  EXPECT_EQ(outcomes, std::vector<std::string>(3, "BAD_INV_ORDER 0x4f4d0003"));
  EXPECT_EQ(manager_->get_state(), State::HOLDING);
}

}  // namespace
}  // namespace corbel::poa::testing

// SPDX-License-Identifier: Apache-2.0
// All 288 combinations of the seven policies (CORBA 3.3 part 1, 15.3.8), one by one: which are refused and which policy
// of the list is blamed; and under each of the others, what every operation and a request come to.
#include <thread>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values

struct Combination {
  ThreadPolicyValue thread;
  LifespanPolicyValue lifespan;
  IdUniquenessPolicyValue uniqueness;
  IdAssignmentPolicyValue assignment;
  ImplicitActivationPolicyValue activation;
  ServantRetentionPolicyValue retention;
  RequestProcessingPolicyValue processing;

  bool unique() const { return uniqueness == IdUniquenessPolicyValue::UNIQUE_ID; }
  bool system() const { return assignment == IdAssignmentPolicyValue::SYSTEM_ID; }
  bool implicit() const { return activation == ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION; }
  bool retain() const { return retention == ServantRetentionPolicyValue::RETAIN; }
  bool map() const { return processing == RequestProcessingPolicyValue::USE_ACTIVE_OBJECT_MAP_ONLY; }
  bool fallback() const { return processing == RequestProcessingPolicyValue::USE_DEFAULT_SERVANT; }
  bool manager() const { return processing == RequestProcessingPolicyValue::USE_SERVANT_MANAGER; }

  /// The kinds of policies, by their places in policies(), that take part in a conflict.
  std::vector<std::size_t> conflicts() const {
    std::vector<std::size_t> kinds;
    const auto between = [&](bool conflict, std::size_t a, std::size_t b) {
      if (conflict) kinds.insert(kinds.end(), {a, b});
    };
    between(!retain() && map(), 5, 6);
    between(fallback() && unique(), 6, 2);
    between(implicit() && !system(), 4, 3);
    between(implicit() && !retain(), 4, 5);
    return kinds;
  }
  CORBA::PolicyList policies(const PoaRef& root) const {
    return {root->create_thread_policy(thread),
            root->create_lifespan_policy(lifespan),
            root->create_id_uniqueness_policy(uniqueness),
            root->create_id_assignment_policy(assignment),
            root->create_implicit_activation_policy(activation),
            root->create_servant_retention_policy(retention),
            root->create_request_processing_policy(processing)};
  }
  std::string text() const {
    std::string result = std::to_string(static_cast<unsigned>(thread));
    for (const bool flag : {lifespan == LifespanPolicyValue::PERSISTENT, unique(), system(), implicit(), retain()}) {
      result += flag ? 'y' : 'n';
    }
    return result + std::to_string(static_cast<unsigned>(processing));
  }
};

std::vector<Combination> all_combinations() {
  std::vector<Combination> all;
  for (unsigned i = 0; i < 288; ++i) {
    const auto flag = [&](unsigned bit) { return i / 9 >> bit & 1U; };
    all.push_back({static_cast<ThreadPolicyValue>(i % 3), static_cast<LifespanPolicyValue>(flag(0)),
                   static_cast<IdUniquenessPolicyValue>(flag(1)), static_cast<IdAssignmentPolicyValue>(flag(2)),
                   static_cast<ImplicitActivationPolicyValue>(flag(3)),
                   static_cast<ServantRetentionPolicyValue>(flag(4)),
                   static_cast<RequestProcessingPolicyValue>(i / 3 % 3)});
  }
  return all;
}

/// Supplies a servant for whatever is asked for.
class Supplier final : public ServantActivator, public ServantLocator {
 public:
  ServantRef incarnate(const ObjectId&, PoaRef) override { return CORBA::make_reference<Probe>(); }
  void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override {}
  ServantRef preinvoke(const ObjectId&, PoaRef, const std::string&, Cookie&) override {
    return CORBA::make_reference<Probe>();
  }
  void postinvoke(const ObjectId&, PoaRef, const std::string&, Cookie, ServantRef) override {}
};

class PolicyTable : public PoaTest {
 protected:
  PolicyTable() : PoaTest("60000"), runner_([this] { orb->run(); }) {
    // From now on it is the main thread. Before, the one that the process began with is, for its own calls.
    const PoaRef poa = child("first", {root->create_thread_policy(ThreadPolicyValue::MAIN_THREAD_MODEL)});
    std::thread::id served_by;
    const ObjectRef object =
        poa->id_to_reference(poa->activate_object(CORBA::make_reference<Probe>([&](std::int32_t n) {
          served_by = std::this_thread::get_id();
          return n;
        })));
    while (served_by != main_thread()) number(object);
    poa->destroy(true, true);
  }
  ~PolicyTable() override {
    orb->shutdown(false);
    runner_.join();
  }
  std::thread::id main_thread() const { return runner_.get_id(); }

  std::string outcome_of(const Combination& combination, bool reversed) {
    auto policies = combination.policies(root);
    if (reversed) std::reverse(policies.begin(), policies.end());
    try {
      child("p", policies)->destroy(true, true);
    } catch (const POA::InvalidPolicy& exception) {
      return "blames " + std::to_string(exception.index());
    }
    return "taken";
  }

 private:
  std::thread runner_;
};
INSTANTIATE_TEST_SUITE_P(Ways, PolicyTable, ::testing::Values("local", "remote"));

TEST_P(PolicyTable, LegalCombinationsAreTakenAndIllegalOnesBlameTheFirstPolicyThatConflicts) {
  std::size_t legal = 0;
  for (const Combination& each : all_combinations()) {
    const auto conflicts = each.conflicts();
    if (conflicts.empty()) {
      ++legal;
      EXPECT_EQ(outcome_of(each, false), "taken") << each.text();
      continue;
    }
    const auto [first, last] = std::minmax_element(conflicts.begin(), conflicts.end());
    EXPECT_EQ(outcome_of(each, false), "blames " + std::to_string(*first)) << each.text();
    EXPECT_EQ(outcome_of(each, true), "blames " + std::to_string(6 - *last)) << each.text();
  }
  EXPECT_EQ(legal, 126U);
}

// CORBA 3.3 part 1, 15.3.9: what needs which policies, and what else it says.
TEST_P(PolicyTable, OperationsNeedThePoliciesThatTheyNeed) {
  const auto wrong_unless = [](bool allowed, const char* otherwise = "none") -> std::string {
    return allowed ? otherwise : "WrongPolicy";
  };
  for (const Combination& each : all_combinations()) {
    if (!each.conflicts().empty()) continue;
    SCOPED_TRACE(each.text());
    const PoaRef poa = child("p", each.policies(root));
    const std::string kind(kProbeId);
    const ServantRef servant = CORBA::make_reference<Probe>();
    const ObjectId foreign = string_to_ObjectId("foreign");
    const bool by_map = each.retain() && (each.unique() || each.implicit());

    EXPECT_EQ(outcome([&] { poa->get_servant(); }), wrong_unless(each.fallback(), "NoServant"));
    EXPECT_EQ(outcome([&] { poa->set_servant(nullptr); }), wrong_unless(each.fallback()));
    EXPECT_EQ(outcome([&] { poa->get_servant_manager(); }), wrong_unless(each.manager()));
    EXPECT_EQ(outcome([&] { poa->set_servant_manager(nullptr); }),
              wrong_unless(each.manager(), "OBJ_ADAPTER 0x4f4d0004"));

    EXPECT_EQ(outcome([&] { poa->create_reference(kind); }), wrong_unless(each.system()));
    EXPECT_EQ(outcome([&] { poa->create_reference_with_id(foreign, kind); }),
              each.system() ? "BAD_PARAM 0x4f4d000e" : "none");
    EXPECT_EQ(outcome([&] { poa->deactivate_object(foreign); }), wrong_unless(each.retain(), "ObjectNotActive"));
    EXPECT_EQ(outcome([&] { poa->id_to_reference(foreign); }), wrong_unless(each.retain(), "ObjectNotActive"));
    EXPECT_EQ(outcome([&] { poa->id_to_servant(foreign); }),
              wrong_unless(each.retain() || each.fallback(), "ObjectNotActive"));
    EXPECT_EQ(outcome([&] { poa->reference_to_id(root->create_reference(kind)); }), "WrongAdapter");

    // A servant that is not active.
    const std::string found = each.implicit() ? "none" : "ServantNotActive";
    const auto never = [] { return CORBA::make_reference<Probe>(); };
    EXPECT_EQ(outcome([&] { poa->servant_to_id(never()); }), wrong_unless(by_map || each.fallback(), found.c_str()));
    EXPECT_EQ(outcome([&] { poa->servant_to_reference(never()); }), wrong_unless(by_map, found.c_str()));

    // One that is, and once more.
    const std::string again = each.unique() ? "ServantAlreadyActive" : "none";
    EXPECT_EQ(outcome([&] { poa->activate_object(servant); }), wrong_unless(each.retain() && each.system()));
    EXPECT_EQ(outcome([&] { poa->activate_object(servant); }),
              wrong_unless(each.retain() && each.system(), again.c_str()));
    EXPECT_EQ(outcome([&] { poa->activate_object_with_id(foreign, servant); }),
              wrong_unless(each.retain(), each.system() ? "BAD_PARAM 0x4f4d000e" : "none"));
    if (by_map && each.unique()) {
      EXPECT_EQ(poa->servant_to_id(servant), poa->reference_to_id(poa->servant_to_reference(servant)));
      EXPECT_EQ(poa->id_to_servant(poa->servant_to_id(servant)), servant);
    }
    poa->destroy(true, true);
  }
}

TEST_P(PolicyTable, RequestsFindTheirServantsOnTheThreadThatTheyShould) {
  for (const Combination& each : all_combinations()) {
    if (!each.conflicts().empty()) continue;
    SCOPED_TRACE(each.text());
    const auto make = [&] {
      const PoaRef poa = child("p", each.policies(root));
      if (each.manager()) poa->set_servant_manager(CORBA::make_reference<Supplier>());
      if (each.fallback()) poa->set_servant(CORBA::make_reference<Probe>());
      return poa;
    };
    PoaRef poa = make();
    const ObjectId id = each.system() ? poa->reference_to_id(poa->create_reference(std::string(kProbeId)))
                                      : string_to_ObjectId("object");
    const ObjectRef object = poa->create_reference_with_id(id, std::string(kProbeId));
    const std::string expected = each.map() ? "OBJECT_NOT_EXIST 0x4f4d0001" : "none";
    EXPECT_EQ(outcome([&] { number(object); }), expected);
    std::thread::id served_by;
    if (each.retain()) {
      if (each.manager()) poa->deactivate_object(id);
      poa->activate_object_with_id(id, CORBA::make_reference<Probe>([&](std::int32_t n) {
                                     served_by = std::this_thread::get_id();
                                     return n + 2;
                                   }));
      EXPECT_EQ(number(object, 1), 3);
      const bool main = each.thread == ThreadPolicyValue::MAIN_THREAD_MODEL;
      if (main) {
        EXPECT_EQ(served_by, main_thread());
      }
      poa->deactivate_object(id);
    }
    // The next adapter of this name is the same one only to references that outlive processes.
    poa->destroy(true, true);
    const std::string gone = "OBJECT_NOT_EXIST 0x4f4d0002";
    EXPECT_EQ(outcome([&] { number(object); }), gone);
    poa = make();
    EXPECT_EQ(outcome([&] { number(object); }), each.lifespan == LifespanPolicyValue::PERSISTENT ? expected : gone);
    poa->destroy(true, true);
  }
}

}  // namespace
}  // namespace corbel::poa::testing

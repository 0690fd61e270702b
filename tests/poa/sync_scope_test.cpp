// SPDX-License-Identifier: Apache-2.0
// When a oneway call returns, and what it tells (CORBA 3.3 part 1, 22.2.2.1).
#include <future>
#include <latch>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

class SyncScope : public PoaTest {
 protected:
  /// Calls oneway through an ORB with the scope, and says what came of it.
  std::string notify(const ObjectRef& object, const std::string& scope, const std::string& timeout = "60000") {
    static constexpr corba::Operation kNumber{"number", true};
    const OrbRef client = make_orb("caller", {"-ORBSyncScope", scope, "-ORBCallTimeout", timeout});
    const ObjectRef target = client->string_to_object(orb->object_to_string(object));
    std::string result = outcome([&] {
      std::int32_t argument = 0;
      void* const local[] = {nullptr, &argument};
      const auto encode = [&](cdr::Encoder& encoder) { encoder.put(argument); };
      target->_target()->invoke({kNumber, encode, [](cdr::Decoder&) {}, local});
    });
    client->destroy();
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, SyncScope, ::testing::Values("remote"));

TEST_P(SyncScope, UpToTheServerReturnsBeforeTheServant) {
  for (const char* const scope : {"none", "transport", "server"}) {
    std::latch go{1};
    std::promise<void> entered;
    const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>([&](std::int32_t n) {
      go.wait();
      entered.set_value();
      return n;
    }));
    EXPECT_EQ(notify(object, scope), "none") << scope;
    go.count_down();
    entered.get_future().wait();
  }
}

TEST_P(SyncScope, TheTargetTellsOfItsException) {
  const ObjectRef object = root->servant_to_reference(
      CORBA::make_reference<Probe>([](std::int32_t) -> std::int32_t { throw CORBA::NO_PERMISSION(7); }));
  EXPECT_EQ(notify(object, "server"), "none");
  EXPECT_EQ(notify(object, "target"), "NO_PERMISSION 0x00000007");
}

TEST_P(SyncScope, TheTargetTellsThatItIsNotThereAndTheTransportDoesNot) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
  root->deactivate_object(root->reference_to_id(object));
  EXPECT_EQ(notify(object, "transport"), "none");
  EXPECT_EQ(notify(object, "target"), "OBJECT_NOT_EXIST 0x4f4d0001");
}

TEST_P(SyncScope, TheServerHasToAnswerAndTheTransportHasNot) {
  // No thread runs this ORB, so none reads what arrives.
  const OrbRef deaf = make_orb("deaf", {"-ORBConcurrency", "single"});
  const PoaRef poa = IDL::traits<PortableServer::POA>::narrow(deaf->resolve_initial_references("RootPOA"));
  const ObjectRef object = poa->servant_to_reference(CORBA::make_reference<Probe>());
  EXPECT_EQ(notify(object, "transport", "100"), "none");
  EXPECT_EQ(notify(object, "server", "100").substr(0, 7), "TIMEOUT");
  deaf->destroy();
}

}  // namespace
}  // namespace corbel::poa::testing

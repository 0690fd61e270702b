// SPDX-License-Identifier: Apache-2.0
// A collocated call allocates nothing.
#include "support/allocations.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

TEST(LocalCall, DoesNotAllocate) {
  const auto orb = make_orb("cost");
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto user =
      root->create_POA("user", root->the_POAManager(),
                       {root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
                        root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT)});
  const ObjectId id = PortableServer::string_to_ObjectId("a long object id that is hashed");
  user->activate_object_with_id(id, CORBA::make_reference<Probe>());
  for (const ObjectRef& object :
       {root->servant_to_reference(CORBA::make_reference<Probe>()), user->id_to_reference(id)}) {
    ASSERT_TRUE(object->_target()->is_local());
    number(object);
    const std::size_t before = test::allocations();
    for (int i = 0; i < 100; ++i) number(object, i);
    EXPECT_EQ(test::allocations(), before);
  }
  orb->destroy();
}

}  // namespace
}  // namespace corbel::poa::testing

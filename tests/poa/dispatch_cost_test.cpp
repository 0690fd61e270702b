// SPDX-License-Identifier: Apache-2.0
// A collocated call allocates nothing.
#include <cstdlib>
#include <new>

#include "test_support.hpp"

namespace {
thread_local std::size_t allocations = 0;
}

// GCC takes the pair of malloc and free for a mistake when it inlines one of them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

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
    const std::size_t before = allocations;
    for (int i = 0; i < 100; ++i) number(object, i);
    EXPECT_EQ(allocations, before);
  }
  orb->destroy();
}

}  // namespace
}  // namespace corbel::poa::testing

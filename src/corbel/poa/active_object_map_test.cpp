// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/active_object_map.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace corbel::poa {
namespace {

class Nothing final : public corba::ServantCore {
 public:
  bool _dispatch(corba::ServerCall&) override { return false; }
  bool _is_a(const std::string&) override { return false; }
  bool _non_existent() override { return false; }
  std::string _interface_in(base::ConstByteSpan, corba::AdapterCore&) override { return {}; }
};

ServantRef servant() {
  return base::make_shared<Nothing>();
}

TEST(ActiveObjectMap, FindsObjectsByTheirOwnIdsAndServants) {
  ActiveObjectMap map;
  const ServantRef mine = servant();
  ActiveObject& object = map.add(mine);
  EXPECT_EQ(map.find_active(object.id), &object);
  EXPECT_EQ(map.find(mine.get()), &object);
  EXPECT_EQ(map.find(servant().get()), nullptr);
}

TEST(ActiveObjectMap, IdsOfRemovedObjectsAreStale) {
  ActiveObjectMap map;
  ActiveObject& first = map.add(servant());
  const ObjectId id = first.id;
  map.remove(first);
  EXPECT_EQ(map.find(id), nullptr);
  ActiveObject& second = map.add(servant());
  EXPECT_EQ(&second, &first) << "the slot is used again";
  EXPECT_NE(second.id, id);
  EXPECT_EQ(map.find(id), nullptr);
  EXPECT_TRUE(map.may_have_made(id));
}

TEST(ActiveObjectMap, ForeignIdsThatLookLikeOwnOnesAreKeptApart) {
  ActiveObjectMap map;
  const ObjectId own = map.add(servant()).id;
  ObjectId foreign = own;
  ++foreign[4];  // the same slot, another generation
  ActiveObject& object = map.add(foreign, servant());
  EXPECT_EQ(map.find(foreign), &object);
  EXPECT_NE(map.find(own), &object);
  map.remove(object);
  EXPECT_EQ(map.find(foreign), nullptr);
}

TEST(ActiveObjectMap, AnIdRevivedByItsOctetsIsFound) {
  ActiveObjectMap map;
  ActiveObject& first = map.add(servant());
  const ObjectId id = first.id;
  map.remove(first);
  ActiveObject& again = map.add(id, servant());
  EXPECT_EQ(map.find_active(id), &again);
}

TEST(ActiveObjectMap, CountsTheObjectsOfAServant) {
  ActiveObjectMap map;
  const ServantRef shared = servant();
  ActiveObject& a = map.add(shared);
  ActiveObject& b = map.add(ObjectId{1, 2, 3}, shared);
  EXPECT_EQ(map.count(shared.get()), 2U);
  a.state = ActiveObject::State::leaving;
  EXPECT_EQ(map.find_active(a.id), nullptr);
  EXPECT_EQ(map.find(a.id), &a);
  map.for_each_active([&](ActiveObject& active) { EXPECT_EQ(&active, &b); });
  EXPECT_EQ(map.remove(a), shared);
  EXPECT_EQ(map.remove(b), shared);
  EXPECT_TRUE(map.empty());
}

TEST(ActiveObjectMap, OfAServantsObjectsTheOneThatLeavesIsForgotten) {
  for (const bool first : {true, false}) {
    ActiveObjectMap map;
    const ServantRef shared = servant();
    ActiveObject& a = map.add(shared);
    ActiveObject& b = map.add(shared);
    map.remove(first ? a : b);
    EXPECT_EQ(map.find(shared.get()), first ? &b : &a);
    EXPECT_EQ(map.count(shared.get()), 1U);
  }
}

TEST(ActiveObjectMap, ASlotRemembersNothingOfTheObjectBefore) {
  ActiveObjectMap map;
  ActiveObject& first = map.add(ObjectId{1}, servant());
  first.cleanup = true;
  first.running = 3;
  map.remove(first);
  const ActiveObject& second = map.add(servant());
  ASSERT_EQ(&second, &first);
  EXPECT_FALSE(second.cleanup);
  EXPECT_FALSE(second.indexed);
  EXPECT_EQ(second.running, 0U);
}

TEST(ActiveObjectMap, IdsThatItWillMakeLaterAreNotItsOwnYet) {
  ActiveObjectMap map;
  ActiveObject& object = map.add(servant());
  ObjectId later = object.id;
  ++later[std::endian::native == std::endian::little ? 4 : 7];
  EXPECT_TRUE(map.may_have_made(object.id));
  EXPECT_FALSE(map.may_have_made(later));
  map.remove(object);
  EXPECT_TRUE(map.may_have_made(later)) << "the next of the slot";
}

TEST(ActiveObjectMap, TenThousandObjectsKeepDistinctIds) {
  ActiveObjectMap map;
  std::set<ObjectId> ids;
  std::vector<ActiveObject*> objects;
  for (int i = 0; i < 10'000; ++i) {
    objects.push_back(&map.add(servant()));
    EXPECT_TRUE(ids.insert(objects.back()->id).second);
    if (i % 3 == 0) {
      map.remove(*objects.back());
      objects.pop_back();
    }
  }
  for (ActiveObject* object : objects) EXPECT_EQ(map.find_active(object->id), object);
}

}  // namespace
}  // namespace corbel::poa

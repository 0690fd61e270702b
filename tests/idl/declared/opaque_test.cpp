// SPDX-License-Identifier: Apache-2.0
// A program in which nothing defines an interface that its IDL declares: references to it are passed on all the same.
#include <gtest/gtest.h>

#include <corbel/orb/orb.hpp>
#include <corbel/poa/poa.hpp>

#include "also_server.hpp"
#include "declared_any.hpp"
#include "declared_server.hpp"
#include "plain.hpp"

namespace {

using PeerRef = IDL::traits<Declared::Peer>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

class Keeper : public virtual CORBA::servant_traits<Declared::Keeper>::base_type {
 public:
  PeerRef kept() override { return kept_; }
  void kept(PeerRef peer) override { kept_ = peer; }
  Declared::Holder all(const Declared::Holder& given, PeerRef& first) override {
    if (given.many().empty()) throw Declared::Refused(given.one());
    first = given.many().front();
    return Declared::Holder(given.many().back(), {given.one(), nullptr});
  }
  CORBA::Any wrapped(const CORBA::Any& given) override {
    Declared::Holder holder;
    CORBA::Any any;
    if (given >>= holder) any <<= Declared::Holder(holder.one(), {holder.one()});
    return any;
  }

 private:
  PeerRef kept_;
};

/// A keeper, seen by programs that know what it keeps as objects only.
struct World {
  World() {
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    object = poa->servant_to_reference(CORBA::make_reference<Keeper>());
    plain = IDL::traits<Plain::Keeper>::unchecked_narrow(object);
  }
  ~World() { orb->destroy(); }
  ObjectRef far(const std::string& name) { return orb->string_to_object("corbaloc::127.0.0.1:1/" + name); }

  std::vector<std::string> arguments = {"test"};
  IDL::traits<CORBA::ORB>::ref_type orb = CORBA::ORB_init(arguments, "declared");
  ObjectRef object;
  IDL::traits<Plain::Keeper>::ref_type plain;
};

TEST(DeclaredOnly, ReferencesAreKeptAndGivenBack) {
  World world;
  EXPECT_EQ(world.plain->kept(), nullptr);
  const auto peer = world.far("peer");
  world.plain->kept(peer);
  EXPECT_TRUE(world.plain->kept()->_is_equivalent(peer));
  world.plain->kept(nullptr);
  EXPECT_EQ(world.plain->kept(), nullptr);
}

TEST(DeclaredOnly, ReferencesInSequencesStructsAndExceptionsArePassedOn) {
  World world;
  const auto one = world.far("one"), first = world.far("first"), last = world.far("last");
  ObjectRef out;
  const auto back = world.plain->all(Plain::Holder(one, {first, last}), out);
  EXPECT_TRUE(out->_is_equivalent(first));
  EXPECT_TRUE(back.one()->_is_equivalent(last));
  ASSERT_EQ(back.many().size(), 2U);
  EXPECT_TRUE(back.many()[0]->_is_equivalent(one));
  EXPECT_EQ(back.many()[1], nullptr);
  try {
    world.plain->all(Plain::Holder(one, {}), out);
    FAIL() << "no exception";
  } catch (const Plain::Refused& refused) {
    EXPECT_TRUE(refused.by()->_is_equivalent(one));
  }
}

TEST(DeclaredOnly, ReferencesAreInAnysWithTheTypeCodeOfTheInterface) {
  World world;
  const auto keeper = IDL::traits<Declared::Keeper>::narrow(world.object);
  world.plain->kept(world.far("peer"));
  const PeerRef peer = keeper->kept();
  ASSERT_NE(peer, nullptr);
  CORBA::Any any;
  any <<= Declared::Holder(peer, {});
  const CORBA::Any back = keeper->wrapped(any);
  Declared::Holder holder;
  ASSERT_TRUE(back >>= holder);
  ASSERT_EQ(holder.many().size(), 1U);
  const auto member = Declared::_tc_Holder->member_type(0);
  EXPECT_EQ(member->kind(), CORBA::TCKind::tk_objref);
  EXPECT_EQ(member->id(), "IDL:corbel.test/Declared/Peer:1.0");
  EXPECT_EQ(member->name(), "Peer");
  keeper->kept(holder.many().front());
  EXPECT_TRUE(world.plain->kept()->_is_equivalent(world.far("peer")));
}

}  // namespace

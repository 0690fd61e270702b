// SPDX-License-Identifier: Apache-2.0
// A program in which another IDL file defines what one declares: the first file's code makes references that can be
// called.
#include <gtest/gtest.h>

#include <corbel/orb/orb.hpp>
#include <corbel/poa/poa.hpp>

#include "also_server.hpp"
#include "defines_any.hpp"
#include "defines_server.hpp"
#include "unaware_server.hpp"
#include "waiting_server.hpp"

namespace declared_test {

std::int32_t number_of_late(const IDL::traits<Declared::Waiter>::ref_type& waiter);

namespace {

using PeerRef = IDL::traits<Declared::Peer>::ref_type;
using KeeperRef = IDL::traits<Declared::Keeper>::ref_type;

class Keeper : public virtual CORBA::servant_traits<Declared::Keeper>::base_type {
 public:
  PeerRef kept() override { return kept_; }
  void kept(PeerRef peer) override { kept_ = peer; }
  Declared::Holder all(const Declared::Holder& given, PeerRef& first) override {
    if (given.one() == nullptr) throw Declared::Refused(given.many().front());
    first = given.one();
    return Declared::Holder(first, {kept_});
  }
  CORBA::Any wrapped(const CORBA::Any& given) override { return given; }

 private:
  PeerRef kept_;
};

class Peer : public virtual CORBA::servant_traits<Declared::Peer>::base_type {
 public:
  explicit Peer(std::int32_t number) : number_(number) {}
  std::int32_t number() override { return number_; }
  KeeperRef mine() override { return nullptr; }

 private:
  std::int32_t number_;
};

class Late : public virtual CORBA::servant_traits<Declared::Late>::base_type {
 public:
  std::int32_t number() override { return 11; }
};

class Waiter : public virtual CORBA::servant_traits<Declared::Waiter>::base_type {
 public:
  IDL::traits<Declared::Late>::ref_type late_() override { return late; }
  void late_(IDL::traits<Declared::Late>::ref_type value) override { late = value; }
  IDL::traits<Declared::Late>::ref_type late;
};

/// `collocation` "off": every call is marshalled.
struct World {
  explicit World(const std::string& collocation)
      : arguments{"test", "-ORBCollocation", collocation},
        orb(CORBA::ORB_init(arguments, "defined_" + collocation)),
        poa(IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))) {
    poa->the_POAManager()->activate();
  }
  ~World() { orb->destroy(); }
  template <class I, class Servant, class... Arguments>
  typename IDL::traits<I>::ref_type serve(Arguments... given) {
    return IDL::traits<I>::narrow(poa->servant_to_reference(CORBA::make_reference<Servant>(given...)));
  }

  std::vector<std::string> arguments;
  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type poa;
};

class DefinedElsewhere : public ::testing::TestWithParam<const char*> {};

TEST_P(DefinedElsewhere, ReferencesCanBeCalled) {
  World world(GetParam());
  const auto keeper = world.serve<Declared::Keeper, Keeper>();
  keeper->kept(world.serve<Declared::Peer, Peer>(7));
  EXPECT_EQ(keeper->kept()->number(), 7);
  PeerRef first;
  const auto back = keeper->all(Declared::Holder(world.serve<Declared::Peer, Peer>(8), {}), first);
  EXPECT_EQ(first->number(), 8);
  EXPECT_EQ(back.many()[0]->number(), 7);
  const IDL::traits<Declared::Base>::ref_type base = back.one();
  EXPECT_EQ(base->number(), 8);
  const IDL::traits<CORBA::Object>::ref_type object = back.one();
  EXPECT_TRUE(object->_is_a("IDL:corbel.test/Declared/Base:1.0"));
}

TEST_P(DefinedElsewhere, ReferencesInExceptionsAndAnysCanBeCalled) {
  World world(GetParam());
  const auto keeper = world.serve<Declared::Keeper, Keeper>();
  const auto peer = world.serve<Declared::Peer, Peer>(9);
  PeerRef first;
  try {
    keeper->all(Declared::Holder(nullptr, {peer}), first);
    FAIL() << "no exception";
  } catch (const Declared::Refused& refused) {
    EXPECT_EQ(refused.by()->number(), 9);
  }
  CORBA::Any any;
  any <<= peer;
  PeerRef out;
  ASSERT_TRUE(keeper->wrapped(any) >>= out);
  EXPECT_EQ(out->number(), 9);
  any <<= Declared::Holder(peer, {peer});
  Declared::Holder holder;
  ASSERT_TRUE(keeper->wrapped(any) >>= holder);
  EXPECT_EQ(holder.many()[0]->number(), 9);
}

TEST_P(DefinedElsewhere, FilesThatDoNotKnowOfEachOtherMeetInTheProgram) {
  World world(GetParam());
  const auto waiter = world.serve<Declared::Waiter, Waiter>();
  waiter->late_(world.serve<Declared::Late, Late>());
  EXPECT_EQ(waiter->late_()->number(), 11);
  EXPECT_EQ(number_of_late(waiter), 11);
}

INSTANTIATE_TEST_SUITE_P(Collocation, DefinedElsewhere, ::testing::Values("on", "off"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace declared_test

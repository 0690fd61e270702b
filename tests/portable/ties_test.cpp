// SPDX-License-Identifier: Apache-2.0
// Servants by delegation (OMG IDL-to-C++11 mapping 1.7, 6.26.6).
#include <memory>

#include "support.hpp"

namespace {

struct Counter {
  explicit Counter(int32_t first) : value(first) {}
  int32_t sales() { return value; }
  int32_t sell(const std::string&, std::string& receipt) {
    receipt = "tied";
    return ++value;
  }
  int32_t value;
};

using Tie = CORBA::servant_traits<Shop::Till>::tie_type<Counter>;

TEST(PortableTies, GiveAndTakeTheObjectThatTheyDelegateTo) {
  const portable::World world("ties");
  const auto counter = std::make_shared<Counter>(4);
  CORBA::servant_reference<Tie> tie = CORBA::make_reference<Tie>(counter);
  EXPECT_EQ(tie->_tied_object(), counter);
  const auto till = IDL::traits<Shop::Till>::narrow(world.root->servant_to_reference(tie));
  std::string receipt;
  EXPECT_EQ(till->sell("tea", receipt), 5);
  EXPECT_EQ(counter->value, 5);
  tie->_tied_object(std::make_shared<Counter>(10));
  EXPECT_EQ(till->sales(), 10);
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(PortableTies, KnowTheAdapterThatActivatesThem) {
  const portable::World world("adapters of ties");
  const auto child = world.root->create_POA("child", world.root->the_POAManager(),
                                            {world.root->create_implicit_activation_policy(
                                                PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION)});
  const auto tie = CORBA::make_reference<Tie>(std::make_shared<Counter>(7), child);
  EXPECT_EQ(tie->_default_POA(), child);
  EXPECT_EQ(child->servant_to_id(tie), child->reference_to_id(tie->_this()));
}

TEST(PortableTies, MayOwnTheirObjectAlone) {
  const auto tie = CORBA::make_reference<Tie>(std::make_unique<Counter>(3));
  EXPECT_EQ(tie->sales(), 3);
  EXPECT_EQ(tie->_tied_object()->value, 3);
}

class Bedside : public virtual IDL::traits<Shop::Alarm>::base_type, public virtual IDL::traits<Shop::Lamp>::base_type {
 public:
  int32_t hour() override { return 7; }
  void ring() override {}
  void shine() override {}
  IDL::traits<CORBA::Object>::ref_type self() { return _lock(); }
};

TEST(PortableLocals, MayImplementInterfacesThatKnowNothingOfEachOther) {
  const IDL::traits<CORBA::Object>::ref_type object = CORBA::make_reference<Bedside>();
  for (const std::string id : {"IDL:example.org/Shop/Alarm:1.0", "IDL:example.org/Shop/Clock:1.0",
                               "IDL:example.org/Shop/Lamp:1.0", "IDL:omg.org/CORBA/Object:1.0"}) {
    EXPECT_TRUE(object->_is_a(id)) << id;
  }
  EXPECT_FALSE(object->_is_a("IDL:example.org/Shop/Till:1.0"));
  EXPECT_FALSE(object->_is_a(""));
  EXPECT_TRUE(IDL::traits<Shop::Lamp>::narrow(object));
  EXPECT_EQ(IDL::traits<Shop::Clock>::narrow(object)->hour(), 7);
}

TEST(PortableLocals, KnowAReferenceToThemselves) {
  const auto lamp = CORBA::make_reference<Bedside>();
  EXPECT_EQ(lamp->self(), lamp);
}

class Known : public portable::Till_i {
 public:
  PortableServer::ObjectId id(PortableServer::POA& adapter) { return adapter.servant_to_id(_lock()); }
};

class Guarded : public virtual CORBA::servant_traits<Shop::Till>::base_type {
 public:
  int32_t sales() override { return 11; }
  int32_t sell(const std::string&, std::string&) override { return sales_; }

 protected:
  template <typename T, typename, typename... Arguments>
  friend CORBA::servant_reference<T> CORBA::make_reference(Arguments&&...);

  explicit Guarded(int32_t sales) : sales_(sales) {}

 private:
  int32_t sales_;
};

class Guarded_clock : public virtual IDL::traits<Shop::Clock>::base_type {
 public:
  int32_t hour() override { return 12; }

 protected:
  template <typename T, typename, typename... Arguments>
  friend CORBA::object_reference<T> CORBA::make_reference(Arguments&&...);

  Guarded_clock() = default;
};

TEST(PortableServants, AreMadeByTheirFriendAlone) {
  const portable::World world("friends");
  CORBA::servant_traits<Shop::Till>::ref_type servant = CORBA::make_reference<Guarded>(9);
  std::string receipt;
  EXPECT_EQ(servant->sell("tea", receipt), 9);
  const IDL::traits<Shop::Clock>::ref_type clock = CORBA::make_reference<Guarded_clock>();
  EXPECT_EQ(clock->hour(), 12);
}

TEST(PortableServants, AreTakenBackAsInitialReferences) {
  const portable::World world("initial references");
  IDL::traits<Shop::Till>::ref_type till = CORBA::make_reference<portable::Till_i>()->_this();
  world.orb->register_initial_reference("Till", till);
  EXPECT_EQ(world.orb->resolve_initial_references("Till"), till);
  EXPECT_EQ(world.orb->unregister_initial_reference("Till"), till);
  EXPECT_THROW(world.orb->resolve_initial_references("Till"), CORBA::ORB::InvalidName);
  for (const std::string name : {"Till", "", "RootPOA"}) {
    EXPECT_THROW(world.orb->unregister_initial_reference(name), CORBA::ORB::InvalidName) << name;
  }
  world.orb->register_initial_reference("Till", till);
}

TEST(PortableServants, KnowAReferenceToThemselves) {
  const portable::World world("known");
  const auto till = CORBA::make_reference<Known>();
  const auto id = world.root->activate_object(till);
  EXPECT_EQ(till->id(*world.root), id);
}

class Ledger_i : public virtual IDL::traits<Shop::Ledger>::obv_type,
                 public virtual CORBA::servant_traits<Shop::Ledger>::base_type {
 public:
  int32_t sales() override { return sold(); }
  int32_t sell(const std::string&, std::string&) override { return ++sold(); }
};

TEST(PortableServants, AreValuesThatSupportTheirInterface) {
  static_assert(std::is_base_of_v<CORBA::servant_traits<Shop::Ledger>::base_type,
                                  CORBA::servant_traits<Shop::TownLedger>::base_type>);
  const portable::World world("values that serve");
  Ledger_i::_ref_type servant = CORBA::make_reference<Ledger_i>();
  IDL::traits<Shop::Ledger>::ref_type ledger = servant;
  IDL::traits<Shop::Till>::ref_type till = servant->_this();
  std::string receipt;
  EXPECT_EQ(till->sell("tea", receipt), 1);
  EXPECT_EQ(ledger->sold(), 1);
  EXPECT_EQ(ledger->sell("tea", receipt), 2);
  EXPECT_EQ(till->sales(), 2);
}

TEST(PortableServants, AreSeenByWeakReferences) {
  CORBA::servant_traits<Shop::Till>::ref_type till = CORBA::make_reference<portable::Till_i>();
  const CORBA::servant_traits<Shop::Till>::weak_ref_type weak = till.weak_reference();
  EXPECT_EQ(weak.lock(), till);
  till.reset();
  EXPECT_TRUE(weak.expired());
}

}  // namespace

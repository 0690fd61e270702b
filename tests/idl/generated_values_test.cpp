// SPDX-License-Identifier: Apache-2.0
// Valuetypes as generated: what users see of them.
#include "values_support.hpp"

namespace {

using namespace values_test;  // NOLINT: tests of one thing

class AccountImpl : public virtual IDL::traits<Values::Account>::obv_type {
 public:
  AccountImpl() = default;
  AccountImpl(std::int32_t balance, const std::string& owner) : Values::obv::Account(balance, owner, Kind::saving) {}
  std::string name() override { return owner(); }
  std::int32_t length() override { return static_cast<std::int32_t>(owner().size()); }
  std::int32_t deposit(std::int32_t amount) override {
    if (amount > limit) throw Values::Broke(make<Values::Base>(amount, "too much"));
    balance(balance() + amount);
    return balance();
  }
  std::string note() override { return note_; }
  void note(const std::string& value) override { note_ = value; }

 private:
  std::string note_;
};

class AccountFactory : public Values::Account_init {
 public:
  Ref<Values::Account> open(const std::string& owner, std::int32_t balance) override {
    return CORBA::make_reference<AccountImpl>(balance, owner);
  }
  Ref<Values::Account> empty() override { return CORBA::make_reference<AccountImpl>(); }
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override { return empty(); }
};

class PackedImpl : public virtual IDL::traits<Values::Packed>::obv_type {
 public:
  PackedImpl() = default;
  PackedImpl(std::int32_t a, const std::string& b) : Values::obv::Packed(a, b) {}
  void marshal(IDL::traits<CORBA::DataOutputStream>::ref_type stream) override {
    stream->write_string(b());
    stream->write_long(-a());
    for (int i = 0; i < 3; ++i) stream->write_Value(make<Values::Base>(i, "made for the stream"));
  }
  void unmarshal(IDL::traits<CORBA::DataInputStream>::ref_type stream) override {
    b(stream->read_string());
    a(-stream->read_long());
    for (int i = 0; i < 3; ++i) inner[i] = IDL::traits<Values::Base>::narrow(stream->read_Value());
  }
  Ref<Values::Base> inner[3];
};
/// Writes what is gone before the message is sent.
class PassingImpl : public virtual IDL::traits<Values::Packed>::obv_type {
 public:
  static constexpr std::size_t kSize = 10'000;
  void marshal(IDL::traits<CORBA::DataOutputStream>::ref_type stream) override {
    std::string text(kSize, 't');
    std::vector<std::uint8_t> octets(kSize, 'o');
    stream->write_string(text);
    stream->write(octets);
    text.assign(kSize, '?');
    octets.assign(kSize, '?');
  }
  void unmarshal(IDL::traits<CORBA::DataInputStream>::ref_type) override {}
};
class PackedFactory : public Values::Packed_init {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    return CORBA::make_reference<PackedImpl>();
  }
};

class ShownImpl : public virtual IDL::traits<Values::ShownValue>::obv_type {
 public:
  std::string show(std::int32_t depth) override { return text() + std::to_string(depth); }
};

TEST(GeneratedValues, ReferencesHaveTheNamesThatOtherImplementationsGiveThemToo) {
  const Values::Base::_ref_type value = make<Values::Base>(7, "seven");
  const Values::Base::_weak_ref_type weak = value;
  EXPECT_EQ(weak.lock()->a(), 7);
  static_assert(std::is_same_v<Values::Derived::_ref_type, IDL::traits<Values::Derived>::ref_type>);
  static_assert(std::is_same_v<Values::Both::_ref_type, IDL::traits<Values::Both>::ref_type>);
}

TEST(Values, HoldStateAndConvertToBases) {
  const auto most = make<Values::Most>(1, "s", std::int16_t{2}, nullptr, 0.5, Values::Longs{7, 8});
  const Ref<Values::Derived> derived = most;
  const Ref<Values::Base> base = derived;
  EXPECT_EQ(base->a(), 1);
  EXPECT_EQ(base->s(), "s");
  EXPECT_EQ(derived->extra(), 2);
  base->s() += "!";
  most->numbers({9});
  EXPECT_EQ(to_text(*base), "Values::Most{a=1,s=\"s!\",extra=2,link=ref_type{nil},secret=0.5,numbers={9}}");
  EXPECT_TRUE(IDL::traits<Values::Most>::narrow(base) == most);
  EXPECT_TRUE(IDL::traits<Values::Leaf>::narrow(base) == nullptr);
  EXPECT_THROW(Ref<Values::Base>()->a(), CORBA::INV_OBJREF);
  static_assert(IDL::traits<Values::Most>::is_truncatable::value && !IDL::traits<Values::Leaf>::is_truncatable::value);
  static_assert(IDL::traits<Values::Named>::is_abstract::value && !IDL::traits<Values::Base>::is_abstract::value);
  static_assert(std::is_same_v<IDL::traits<Values::Text>::boxed_traits::value_type, std::string>);
}

TEST(Values, WithOperationsAreImplementedOverTheirState) {
  AccountFactory factory;
  const auto account = factory.open("Ada", 5);
  EXPECT_EQ(account->deposit(10), 15);
  EXPECT_EQ(Ref<Values::Named>(account)->name(), "Ada");
  EXPECT_EQ(Ref<Values::Named>(account)->length(), 3);
  account->note("x");
  EXPECT_EQ(account->note(), "x");
  try {
    account->deposit(101);
    FAIL();
  } catch (const Values::Broke& broke) {
    EXPECT_EQ(broke.why()->a(), 101);
  }
}

TEST(Values, ArePrintedWithoutEndAlthoughTheyGoInCircles) {
  const auto ring = make<Values::Ring>(1, nullptr);
  ring->next(ring);
  EXPECT_NE(to_text(*ring).find("IDL:corbel.test/Values/Ring:1.0{...}"), std::string::npos);
  ring->next(nullptr);
}

TEST(Values, TravelInEveryPlaceWithTheirStructure) {
  const auto base = make<Values::Base>(1, "one");
  const auto derived = make<Values::Derived>(2, "two", std::int16_t{3}, base);
  const auto box = CORBA::make_reference<Values::Text>("label");
  const auto shown = CORBA::make_reference<ShownImpl>();
  shown->text("shown");
  Values::Mixed mixed;
  mixed.one(base);
  mixed.many({base, nullptr, derived, base});
  mixed.label(box);
  mixed.any_value(derived);
  mixed.either(shown);
  mixed.maybe(derived);
  mixed.by_name({{"a", base}, {"b", derived}});
  Factories factories;
  factories.with<Values::Derived>();
  struct ShownFactory : Values::ShownValue_init {
    CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
      return CORBA::make_reference<ShownImpl>();
    }
  };
  factories.known[std::string(Values::ShownValue::_value_id)] = CORBA::make_reference<ShownFactory>();
  for (const bool little : {false, true}) {
    const auto back = back_from<Values::Mixed>(octets_of(mixed, little), &factories, little);
    EXPECT_EQ(to_text(back), to_text(mixed));
    EXPECT_TRUE(back.many()[0] == back.one() && back.many()[3] == back.one()) << "sharing is kept";
    EXPECT_TRUE(back.many()[2] == IDL::traits<Values::Base>::narrow(back.any_value()));
    EXPECT_TRUE(back.by_name().at("a") == back.one());
    EXPECT_EQ(back.either()->show(4), "shown4");
    EXPECT_FALSE(back.one() == base);
  }
}

TEST(Values, OfEveryKindOfMemberTravelAndCopy) {
  const auto big = make<Values::Big>();
  big->pick_().base_(make<Values::Leaf>(1, "leaf", 2.5));
  big->anything() <<= std::string("any");
  big->grid_()[1][0] = make<Values::Base>(4, "grid");
  big->wide(L"wide \u263a");
  big->d(0.25);
  big->where(std::make_shared<Values::Point>(3, 4));
  EXPECT_EQ(big->start(), 5);
  Factories factories;
  factories.with<Values::Leaf>();
  for (const bool little : {false, true}) {
    const auto back = back_from<Ref<Values::Big>>(octets_of(big, little), &factories, little);
    EXPECT_EQ(to_text(*back), to_text(*big));
  }
  EXPECT_THROW(big->_copy_value(), CORBA::MARSHAL) << "there is no factory for the leaf";
  big->pick_().n(7);
  const auto copy = IDL::traits<Values::Big>::narrow(big->_copy_value());
  EXPECT_EQ(to_text(*copy), to_text(*big));
  EXPECT_FALSE(copy == big);
}

TEST(Values, CopyWithCyclesAndSharing) {
  const auto ring = make<Values::Ring>(1, make<Values::Ring>(2, nullptr));
  ring->next()->next(ring);
  const auto copy = IDL::traits<Values::Ring>::narrow(ring->_copy_value());
  EXPECT_TRUE(copy->next()->next() == copy);
  EXPECT_FALSE(copy == ring);
  ring->next(nullptr);
  copy->next(nullptr);
}

TEST(Values, WithCustomMarshallingNeedNotKeepWhatTheyWrite) {
  corbel::cdr::Encoder encoder;
  encoder.set_reference_threshold(100);
  PassingImpl passing;
  corbel::mapping::marshal_custom(encoder, passing);
  const corbel::base::Bytes all = encoder.to_bytes();
  EXPECT_EQ(std::count(all.begin(), all.end(), 't'), static_cast<std::ptrdiff_t>(PassingImpl::kSize));
  EXPECT_EQ(std::count(all.begin(), all.end(), 'o'), static_cast<std::ptrdiff_t>(PassingImpl::kSize));
  EXPECT_EQ(encoder.reference_threshold(), 100U);  // as it was, for what follows
}

TEST(Values, WithCustomMarshallingWriteThemselves) {
  Factories factories;
  factories.known[std::string(Values::Packed::_value_id)] = CORBA::make_reference<PackedFactory>();
  factories.with<Values::Base>().with<Values::Holder>();
  const Ref<Values::Packed> packed = CORBA::make_reference<PackedImpl>(3, "b");
  const auto back = back_from<Ref<Values::Packed>>(octets_of(packed), &factories);
  EXPECT_EQ(to_text(*back), to_text(*packed));
  const auto& inner = dynamic_cast<PackedImpl&>(*back).inner;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(inner[i]->a(), i) << "values made for the stream are not mixed up";

  const Ref<Values::Base> holder = make<Values::Holder>(1, "h", packed, CORBA::make_reference<Values::Text>("t"));
  const auto held = back_from<Ref<Values::Base>>(octets_of(holder), &factories);
  EXPECT_EQ(to_text(*held), to_text(*holder));
}

TEST(AbstractInterfaces, AreObjectsOrValues) {
  const auto thing = make<Values::ThingValue>(5);
  const Ref<Values::Thing> either = thing;
  EXPECT_TRUE(either->_to_object() == nullptr);
  EXPECT_TRUE(IDL::traits<Values::ThingValue>::narrow(either->_to_value()) == thing);
  EXPECT_TRUE(IDL::traits<Values::Shown>::narrow(either) == nullptr);
  Factories factories;
  factories.with<Values::ThingValue>();
  const auto back = back_from<Ref<Values::Thing>>(octets_of(either), &factories);
  EXPECT_EQ(IDL::traits<Values::ThingValue>::narrow(back->_to_value())->n(), 5);
  EXPECT_TRUE(back_from<Ref<Values::Thing>>({1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}) == nullptr);
  EXPECT_TRUE(back_from<Ref<Values::Thing>>({0, 0, 0, 0, 0, 0, 0, 0}) == nullptr);
  EXPECT_EQ(octets_of(Ref<Values::Thing>()), (Bytes{0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(failure<Ref<Values::Shown>>(octets_of(either), &factories), Code::malformed) << "not of the interface";
}

TEST(ValuesInAnys, AreTheSameInTheProcessAndCopiesOnTheWire) {
  const auto base = make<Values::Base>(1, "b");
  CORBA::Any any;
  any <<= Ref<Values::Base>(base);
  Ref<Values::Base> extracted;
  ASSERT_TRUE(any >>= extracted);
  EXPECT_TRUE(extracted == base);
  Ref<Values::Leaf> leaf;
  EXPECT_FALSE(any >>= leaf);

  Factories factories;
  factories.with<Values::Most>().with<Values::Derived>();
  const auto most = make<Values::Most>(1, "m", std::int16_t{2},
                                       make<Values::Derived>(2, "in", std::int16_t{3}, nullptr), 0.5, Values::Longs{1});
  const auto ring = make<Values::Ring>(1, make<Values::Ring>(2, nullptr));
  ring->next()->next(ring);
  for (const bool little : {false, true}) {
    std::vector<CORBA::Any> anys(5);
    anys[0] <<= Ref<Values::Most>(most);
    anys[1] <<= Ref<Values::Ring>(ring);
    anys[2] <<= Ref<Values::Text>(CORBA::make_reference<Values::Text>("boxed"));
    anys[3] <<= Ref<Values::Base>();
    anys[4] <<= std::vector<Ref<Values::Ring>>{ring, ring->next()};
    const auto received = back_from<std::vector<CORBA::Any>>(octets_of(anys, little), &factories, little);
    const auto again = back_from<std::vector<CORBA::Any>>(octets_of(received, !little), &factories, !little);
    Ref<Values::Most> most_again;
    ASSERT_TRUE(again[0] >>= most_again);
    EXPECT_EQ(to_text(*most_again),
              "Values::Most{a=1,s=\"m\",extra=2,link=Values::Derived{a=2,s=\"in\",extra=3,link=ref_type{nil}},"
              "secret=0.5,numbers={1}}")
        << "what the program knows is not truncated";
    Ref<Values::Ring> ring_again;
    ASSERT_TRUE(again[1] >>= ring_again);
    EXPECT_TRUE(ring_again->next()->next() == ring_again);
    Ref<Values::Text> text;
    ASSERT_TRUE(again[2] >>= text);
    EXPECT_EQ(text->_value(), "boxed");
    ASSERT_TRUE(again[3] >>= extracted);
    EXPECT_TRUE(extracted == nullptr);
    std::vector<Ref<Values::Ring>> rings;
    ASSERT_TRUE(again[4] >>= rings);
    EXPECT_TRUE(rings[0]->next() == rings[1] && rings[1]->next() == rings[0]) << "an indirection into another Any";
    ring_again->next(nullptr);
    rings[0]->next(nullptr);
  }
  ring->next(nullptr);
}

TEST(ValueTypeCodes, SayWhatTheIdlDoes) {
  EXPECT_EQ(Values::_tc_Derived->kind(), CORBA::TCKind::tk_value);
  EXPECT_EQ(Values::_tc_Derived->type_modifier(), CORBA::VM_TRUNCATABLE);
  EXPECT_EQ(Values::_tc_Derived->concrete_base_type()->id(), "IDL:corbel.test/Values/Base:1.0");
  EXPECT_EQ(Values::_tc_Most->member_visibility(0), CORBA::PRIVATE_MEMBER);
  EXPECT_EQ(Values::_tc_Text->kind(), CORBA::TCKind::tk_value_box);
  EXPECT_EQ(Values::_tc_Shown->kind(), CORBA::TCKind::tk_abstract_interface);
  EXPECT_EQ(CORBA::_tc_ValueBase->kind(), CORBA::TCKind::tk_value);
}

}  // namespace

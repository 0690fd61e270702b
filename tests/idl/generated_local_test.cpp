// SPDX-License-Identifier: Apache-2.0
// Local interfaces, natives, context clauses, @value and @external, as generated.
#include <gtest/gtest.h>

#include <corbel/mapping/print.hpp>

#include "coded.hpp"
#include "local_any.hpp"
#include "local_server.hpp"

namespace {

using corbel::base::Bytes;
using corbel::mapping::to_text;
using idl_test::back_from;
using idl_test::octets_of;

class CountingFilter : public virtual IDL::traits<Inside::Filter>::base_type {
 public:
  IDL::traits<Inside::Filter>::ref_type itself() { return _this(); }
  IDL::traits<CORBA::LocalObject>::ref_type any_object() { return CORBA::LocalObject::_this(); }
  std::int32_t seen() override { return seen_; }
  Inside::Handle held() override { return handle_; }
  void hold(const Inside::Handle& value) override { handle_ = value; }
  void notify(const std::string& what, void*& cookie) override {
    if (++seen_ > limit) throw Refused(what);
    cookie = this;
  }
  IDL::traits<Inside::Observer>::ref_type next() override { return nullptr; }
  bool accepts(std::int32_t n) override { return n > 0; }

 private:
  std::int32_t seen_ = 0;
  Inside::Handle handle_;
};

TEST(LocalInterfaces, AreImplementedByDerivingAndNarrowWithoutAsking) {
  IDL::traits<Inside::Filter>::ref_type filter = CORBA::make_reference<CountingFilter>();
  IDL::traits<Inside::Observer>::ref_type observer = IDL::traits<Inside::Observer>::make_reference<CountingFilter>();
  EXPECT_FALSE(observer == filter);
  CORBA::object_traits<Inside::Observer>::ref_type other = filter;
  swap(observer, other);
  EXPECT_TRUE(observer == filter);
  IDL::traits<CORBA::Object>::ref_type object = observer;
  EXPECT_TRUE(IDL::traits<Inside::Filter>::narrow(object) == filter);
  EXPECT_TRUE(IDL::traits<Inside::Near>::narrow(object) == nullptr);
  EXPECT_TRUE(object->_is_a("IDL:corbel.test/Inside/Observer:1.0"));
  EXPECT_TRUE(object->_is_a("IDL:omg.org/CORBA/LocalObject:1.0"));
  EXPECT_FALSE(object->_is_a("IDL:corbel.test/Inside/Near:1.0"));
  EXPECT_TRUE(object->_is_local());
  static_assert(IDL::traits<Inside::Filter>::is_local::value && !IDL::traits<Inside::Remote>::is_local::value);
  static_assert(!std::is_convertible_v<IDL::traits<Inside::Observer>::ref_type, IDL::traits<Inside::Filter>::ref_type>);
}

TEST(LocalInterfaces, GiveReferencesToThemselves) {
  const auto filter = CORBA::make_reference<CountingFilter>();
  EXPECT_TRUE(filter->itself() == filter);
  EXPECT_TRUE(filter->any_object() == filter);
  CountingFilter on_the_stack;
  EXPECT_TRUE(on_the_stack.itself() == nullptr) << "make_reference did not make it";
}

TEST(LocalInterfaces, PassNativesAndRaiseTheirExceptions) {
  const IDL::traits<Inside::Observer>::ref_type observer = CORBA::make_reference<CountingFilter>();
  observer->hold(Inside::Handle{7});
  EXPECT_EQ(observer->held().descriptor, 7);
  Inside::Observer::Cookie cookie = nullptr;
  for (int i = 0; i < Inside::Observer::limit; ++i) observer->notify("x", cookie);
  EXPECT_NE(cookie, nullptr);
  EXPECT_THROW(observer->notify("too much", cookie), Inside::Observer::Refused);
  EXPECT_THROW(IDL::traits<Inside::Observer>::ref_type()->seen(), CORBA::INV_OBJREF);
}

TEST(LocalInterfaces, InheritOperationsOfRemoteOnesAsTheirOwn) {
  struct Impl : public virtual IDL::traits<Inside::Near>::base_type {
    std::string title() override { return title_; }
    void title(const std::string& value) override { title_ = value; }
    std::int32_t sum(std::int32_t a, std::int32_t b) override { return a + b; }
    void near_only() override {}
    std::string title_;
  };
  const IDL::traits<Inside::Remote>::ref_type remote = CORBA::make_reference<Impl>();
  remote->title("here");
  EXPECT_EQ(remote->title(), "here");
  EXPECT_EQ(remote->sum(2, 3), 5);
}

template <class T>
void expect_immobile(const T& value) {
  corbel::cdr::Encoder encoder;
  corbel::mapping::Codec<T>::encode(encoder, value);
  ASSERT_FALSE(encoder.ok());
  EXPECT_EQ(encoder.error().code, corbel::base::Code::bad_argument);  // MARSHAL minor OMG 4
  const Bytes octets(64);
  corbel::cdr::Decoder decoder(octets, {});
  T received{};
  corbel::mapping::Codec<T>::decode(decoder, received);
  EXPECT_FALSE(decoder.ok());
}

TEST(LocalInterfaces, NeverLeaveTheProcess) {
  const auto filter = IDL::traits<Inside::Observer>::ref_type(CORBA::make_reference<CountingFilter>());
  expect_immobile(filter);
  expect_immobile(Inside::Registration("a", filter, {}));
  expect_immobile(Inside::Handle{1});
  EXPECT_EQ(Inside::_tc_Observer->kind(), CORBA::TCKind::tk_local_interface);
  EXPECT_EQ(Inside::_tc_Handle->kind(), CORBA::TCKind::tk_native);
}

TEST(EnumsWithValues, HaveThemInTheProgramAndTheirPlaceOnTheWire) {
  static_assert(static_cast<int>(Inside::Level::medium) == 10 && static_cast<int>(Inside::Level::high) == 11);
  static_assert(std::is_same_v<IDL::traits<Inside::Level>::underlying_type, std::uint32_t>);
  static_assert(static_cast<int>(Inside::Sign::minus) == -1 && static_cast<int>(Inside::Sign::plus) == 1);
  static_assert(std::is_same_v<std::underlying_type_t<Inside::Sign>, std::int32_t>);
  static_assert(std::is_same_v<std::underlying_type_t<Inside::Tiny>, std::int8_t>);
  EXPECT_EQ(octets_of(Inside::Level::high), (Bytes{0, 0, 0, 2}));
  EXPECT_EQ(octets_of(Inside::Sign::minus, true), (Bytes{0, 0, 0, 0}));
  EXPECT_EQ(back_from<Inside::Level>({0, 0, 0, 1}), Inside::Level::medium);
  EXPECT_EQ(to_text(Inside::Level::high), "Inside::Level::high");
  EXPECT_EQ(to_text(static_cast<Inside::Level>(4)), "4");

  const Bytes octets = {0, 0, 0, 3};
  corbel::cdr::Decoder decoder(octets, {.little_endian = false});
  Inside::Level level{};
  corbel::mapping::Codec<Inside::Level>::decode(decoder, level);
  EXPECT_FALSE(decoder.ok());
  corbel::cdr::Encoder encoder;
  corbel::mapping::Codec<Inside::Level>::encode(encoder, static_cast<Inside::Level>(2));
  EXPECT_EQ(encoder.error().code, corbel::base::Code::bad_enum);
}

TEST(EnumsWithValues, AreMembersLabelsAndElements) {
  Inside::Levels levels;
  EXPECT_EQ(levels.sign_(), Inside::Sign::minus) << "the first enumerator, not 0";
  EXPECT_EQ(levels.chosen(), Inside::Level::high);
  levels.more({Inside::Level::high, Inside::Level::low});
  levels.tiny_(Inside::Tiny::top);
  Inside::ByLevel choice;
  choice.text("x");
  EXPECT_EQ(choice._d(), Inside::Level::high);
  for (const bool little : {false, true}) {
    EXPECT_TRUE(back_from<Inside::Levels>(octets_of(levels, little), little) == levels);
    EXPECT_TRUE(back_from<Inside::ByLevel>(octets_of(choice, little), little) == choice);
  }
  CORBA::Any any;
  any <<= choice;
  const auto received = back_from<CORBA::Any>(octets_of(any));
  Inside::ByLevel extracted;
  ASSERT_TRUE(received >>= extracted);
  EXPECT_TRUE(extracted == choice);
}

TEST(ExternalMembers, AreSharedPointersToWhatTheWireHasInPlace) {
  auto part = std::make_shared<Inside::Part>("wheel");
  const Inside::Holder holder(part, std::make_shared<std::int32_t>(5), std::nullopt,
                              std::make_shared<std::vector<Inside::Part>>(2, *part));
  EXPECT_EQ(holder.part_().get(), part.get());
  EXPECT_EQ(to_text(holder),
            "Inside::Holder{part_=Inside::Part{name=\"wheel\"},number=5,maybe=nothing,"
            "parts={Inside::Part{name=\"wheel\"},Inside::Part{name=\"wheel\"}}}");
  const auto back = back_from<Inside::Holder>(octets_of(holder));
  EXPECT_EQ(to_text(back), to_text(holder));
  EXPECT_NE(back.part_().get(), part.get());
  corbel::cdr::Encoder encoder;
  corbel::mapping::Codec<Inside::Holder>::encode(encoder, Inside::Holder());
  EXPECT_FALSE(encoder.ok()) << "nothing to send";

  Inside::Either either;
  either.part_(part);
  EXPECT_EQ(to_text(back_from<Inside::Either>(octets_of(either))), to_text(either));
}

/// Keeps what the stub wrote.
class Recorder final : public corbel::corba::Target {
 public:
  void invoke(const corbel::corba::Call& call) override {
    corbel::cdr::Encoder encoder({.little_endian = false});
    call.encode_arguments(encoder);
    if (!encoder.ok()) throw CORBA::MARSHAL();
    octets = encoder.to_bytes();
    const Bytes results = {0, 0, 0, 7, 0, 0, 0, 8};
    corbel::cdr::Decoder decoder(results, {.little_endian = false});
    call.decode_results(decoder);
  }
  const corbel::ior::Ior& ior() const override { std::abort(); }
  corbel::cdr::Context& context() const noexcept override { std::abort(); }
  bool is_local() const noexcept override { return false; }

  Bytes octets;
};

TEST(ContextClauses, SendAnEmptyListAfterTheArguments) {
  const auto recorder = corbel::base::make_shared<Recorder>();
  const auto object = corbel::mapping::Access::make_stub<Inside::WithContext>(recorder);
  std::int32_t count = 2;
  EXPECT_EQ(object->get("a", count), 7);
  EXPECT_EQ(count, 8);
  EXPECT_EQ(recorder->octets, (Bytes{0, 0, 0, 2, 'a', 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0}));
  EXPECT_THROW(object->plain(Inside::Handle{}), CORBA::MARSHAL);
}

}  // namespace

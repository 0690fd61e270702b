// SPDX-License-Identifier: Apache-2.0
// Generated stubs and skeletons, joined without an ORB: through CDR, or as calls in the same process are.
#include <gtest/gtest.h>

#include <memory>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/ior/ior.hpp"
#include "demo_server.hpp"

namespace corbel::mapping {
namespace {

using EchoRef = IDL::traits<Demo::Echo>::ref_type;

class EchoServant : public Demo::POA::Echo {
 public:
  std::string echo(const std::string& message, std::int32_t& count, Demo::Item& last) override {
    if (message.empty()) throw Demo::Oops("empty", 7);
    last.name(message);
    last.color(Demo::Color::blue);
    last.parts(Demo::BinStructs(2));
    ++count;
    return message + "!";
  }
  void ping() override { ++pings; }
  void fire(std::int32_t n) override { fired = n; }
  std::int32_t level() override { return level_; }
  void level(std::int32_t value) override { level_ = value; }
  EchoRef self(EchoRef other) override { return other; }

  int pings = 0;
  int fired = 0;

 private:
  std::int32_t level_ = 0;
};

class WireCall final : public corba::ServerCall {
 public:
  WireCall(std::string_view operation, cdr::Decoder& arguments, cdr::Encoder& results)
      : ServerCall(operation, &arguments, nullptr), results_(results) {}
  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override { results(results_); }

 private:
  cdr::Encoder& results_;
};

class LocalCall final : public corba::ServerCall {
 public:
  explicit LocalCall(const corba::Call& call) : ServerCall(call.operation.name, nullptr, call.local_arguments) {}
  void reply(base::FunctionRef<void(cdr::Encoder&)>) override { FAIL() << "a local call has no reply"; }
};

class Orb final : public corba::OrbContext {
 public:
  CORBA::object_reference<CORBA::Object> make_object(ior::Ior) override;
  CORBA::object_reference<CORBA::ORB> orb() override { return nullptr; }
  corba::TargetPtr target;
};

/// Carries calls to a servant: marshalled in a byte order, or not at all.
class Loop final : public corba::Target {
 public:
  enum class Way { native, swapped, local };
  Loop(Orb& orb, Demo::POA::Echo& servant, Way way) : orb_(orb), servant_(servant), way_(way) {
    ior_.type_id = Demo::Echo::_interface_id;
    ior_.profiles.push_back({1, {1}});
  }

  void invoke(const corba::Call& call) override {
    if (way_ == Way::local) {
      LocalCall server_call(call);
      if (!servant_._dispatch(server_call)) throw CORBA::BAD_OPERATION();
      return;
    }
    cdr::Format format;
    if (way_ == Way::swapped) format.little_endian = !format.little_endian;
    cdr::Encoder arguments(format);
    call.encode_arguments(arguments);
    const base::Bytes octets = arguments.to_bytes();
    cdr::Decoder decoder({octets.data(), octets.size() - cut}, format);
    decoder.set_context(&orb_);
    cdr::Encoder results(format);
    bool raised = false;
    WireCall server_call(call.operation.name, decoder, results);
    try {
      if (!servant_._dispatch(server_call)) throw CORBA::BAD_OPERATION();
    } catch (const CORBA::UserException& exception) {
      EXPECT_EQ(server_call.raises().front(), exception._rep_id());
      results.reset(format);
      exception._encode(results);
      raised = true;
    }
    take(call, raised, results);
  }
  const ior::Ior& ior() const override { return ior_; }
  cdr::Context& context() const noexcept override { return orb_; }
  bool is_local() const noexcept override { return way_ == Way::local; }

  std::size_t cut = 0;

 private:
  void take(const corba::Call& call, bool raised, cdr::Encoder& results) {
    const base::Bytes octets = results.to_bytes();
    cdr::Decoder decoder(octets, results.format());
    decoder.set_context(&orb_);
    if (raised) {
      const auto id = decoder.get_plain_string();
      for (const auto& type : call.operation.raises) {
        if (type.id == id) type.decode_and_throw(decoder, type);
      }
    }
    call.decode_results(decoder);
    EXPECT_TRUE(decoder.ok());
    EXPECT_EQ(decoder.remaining(), 0U);
  }

  Orb& orb_;
  Demo::POA::Echo& servant_;
  const Way way_;
  ior::Ior ior_;
};

class Generic final : public CORBA::Object {};

CORBA::object_reference<CORBA::Object> Orb::make_object(ior::Ior) {
  auto object = base::make_shared<Generic>();
  object->_bind(target);
  return CORBA::object_reference<CORBA::Object>(std::move(object));
}

class CallTest : public testing::TestWithParam<Loop::Way> {
 protected:
  CallTest() {
    orb.target = loop = base::make_shared<Loop>(orb, *servant.operator->(), GetParam());
    echo = Access::make_stub<Demo::Echo>(loop);
  }
  ~CallTest() override { orb.target.reset(); }

  Orb orb;
  CORBA::servant_reference<EchoServant> servant = CORBA::make_reference<EchoServant>();
  base::SharedPtr<Loop> loop;
  EchoRef echo;
};
INSTANTIATE_TEST_SUITE_P(Ways, CallTest, testing::Values(Loop::Way::native, Loop::Way::swapped, Loop::Way::local));

TEST_P(CallTest, CarriesArgumentsBothWays) {
  std::int32_t count = 41;
  Demo::Item last;
  EXPECT_EQ(echo->echo("hello", count, last), "hello!");
  EXPECT_EQ(count, 42);
  EXPECT_TRUE(last == Demo::Item("hello", Demo::Color::blue, Demo::BinStructs(2)));
}

TEST_P(CallTest, CarriesUserExceptions) {
  std::int32_t count = 1;
  Demo::Item last;
  try {
    echo->echo("", count, last);
    FAIL();
  } catch (const Demo::Oops& oops) {
    EXPECT_EQ(oops.why(), "empty");
    EXPECT_EQ(oops.code(), 7);
  }
}

TEST_P(CallTest, ServesAttributesOnewaysAndInheritedOperations) {
  echo->level(-5);
  EXPECT_EQ(echo->level(), -5);
  echo->fire(9);
  EXPECT_EQ(servant->fired, 9);
  echo->ping();
  IDL::traits<Demo::Base>::ref_type base = echo;
  base->ping();
  EXPECT_EQ(servant->pings, 2);
}

TEST_P(CallTest, CarriesReferences) {
  EXPECT_EQ(echo->self(nullptr), nullptr);
  const EchoRef other = echo->self(echo);
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(other->_is_equivalent(echo));
  other->level(3);
  EXPECT_EQ(echo->level(), 3);
}

TEST_P(CallTest, UnknownOperationsAreNotServed) {
  static constexpr corba::Operation kOdd{"odd"};
  EXPECT_THROW(call<void>(*echo, kOdd), CORBA::BAD_OPERATION);
}

TEST(Skeleton, RefusesTruncatedArgumentsBeforeTheUpcall) {
  Orb orb;
  const auto servant = CORBA::make_reference<EchoServant>();
  const auto loop = base::make_shared<Loop>(orb, *servant.operator->(), Loop::Way::native);
  loop->cut = 2;
  const auto echo = Access::make_stub<Demo::Echo>(loop);
  try {
    echo->fire(1);
    FAIL();
  } catch (const CORBA::MARSHAL& exception) {
    EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    EXPECT_EQ(exception.minor(), corba::vendor_minor(base::Stage::decode, base::Code::truncated));
  }
  EXPECT_EQ(servant->fired, 0);
}

/// An interface that the servant does not have.
struct OtherInterface : virtual CORBA::Object {
  static constexpr std::string_view _interface_id = "IDL:corbel.test/Other:1.0";
};

TEST(Narrow, AsksTheObjectWhetherItIsWhatItDoesNotSeemToBe) {
  Orb orb;
  const auto servant = CORBA::make_reference<EchoServant>();
  orb.target = base::make_shared<Loop>(orb, *servant.operator->(), Loop::Way::native);
  const auto object = orb.make_object({});
  EXPECT_THROW(InterfaceTraits<OtherInterface>::narrow(object), CORBA::BAD_OPERATION) << "_is_a is not served here";
  EXPECT_NE(InterfaceTraits<OtherInterface>::unchecked_narrow(object), nullptr);
}

TEST(Narrow, AsksOnlyWhenItMust) {
  Orb orb;
  const auto servant = CORBA::make_reference<EchoServant>();
  orb.target = base::make_shared<Loop>(orb, *servant.operator->(), Loop::Way::native);
  const auto object = orb.make_object({});
  EXPECT_NE(IDL::traits<Demo::Echo>::narrow(object), nullptr);
  EXPECT_EQ(IDL::traits<Demo::Echo>::narrow(nullptr), nullptr);
  IDL::traits<Demo::Base>::ref_type base = IDL::traits<Demo::Echo>::narrow(object);
  EXPECT_NE(IDL::traits<Demo::Echo>::narrow(base), nullptr);
}

TEST(Servant, KnowsItsInterfaces) {
  const auto servant = CORBA::make_reference<EchoServant>();
  EXPECT_EQ(servant->_repository_id(), Demo::Echo::_interface_id);
  EXPECT_TRUE(servant->_is_a("IDL:corbel.test/Demo/Base:1.0"));
  EXPECT_TRUE(servant->_is_a("IDL:omg.org/CORBA/Object:1.0"));
  EXPECT_FALSE(servant->_is_a("IDL:Other:1.0"));
}

TEST(Tie, DelegatesToAnyObject) {
  const auto tied = base::make_shared<EchoServant>();
  const auto tie = CORBA::make_reference<CORBA::servant_traits<Demo::Echo>::tie_type<EchoServant>>(tied);
  Orb orb;
  const auto echo = Access::make_stub<Demo::Echo>(base::make_shared<Loop>(orb, *tie.operator->(), Loop::Way::local));
  echo->fire(4);
  EXPECT_EQ(tied->fired, 4);
}

}  // namespace
}  // namespace corbel::mapping

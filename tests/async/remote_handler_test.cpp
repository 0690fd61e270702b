// SPDX-License-Identifier: Apache-2.0
// Reply handlers that live elsewhere than the caller: exceptions reach them as Messaging::ExceptionHolder values.
#include <functional>

#include "corbel/dynamic/request.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "support.hpp"
#include "told_any.hpp"
#include "told_server.hpp"

namespace corbel::async_test {
namespace {

using SourceRef = IDL::traits<Told::Derived>::ref_type;
using HandlerRef = CORBA::amic_traits<Told::Derived>::replyhandler_ref_type;
using HolderRef = IDL::traits<Messaging::ExceptionHolder>::ref_type;
using enum CORBA::CompletionStatus;

class SourceServant : public virtual CORBA::servant_traits<Told::Derived>::base_type {
 public:
  std::int32_t level() override { throw Told::Empty(); }
  void level(std::int32_t) override { throw rich(); }
  std::int32_t ask(std::int32_t which) override {
    if (which == 0) throw Told::Empty();
    if (which == 1) throw rich();
    if (which == 2) throw CORBA::NO_PERMISSION(7, COMPLETED_YES);
    if (which == 3) throw CORBA::BAD_QOS(CORBA::OMGVMCID | 1, COMPLETED_MAYBE);
    return which;
  }
  void plain() override { throw Told::Empty(); }
  void more() override { throw Told::Deep(Told::Levels{Told::Level(Told::Levels(2))}); }

 private:
  Told::Rich rich() {
    const auto tag = CORBA::make_reference<IDL::traits<Told::Tag>::obv_type>("shared");
    CORBA::Any any;
    any <<= std::string("inside");
    return Told::Rich("because", L"gr\u00fc\u00dfe", {1.5, -2}, _this(), tag, tag, any);
  }
};

/// Hands what it is told, by name, to whoever waits.
class FailureRecorder : public virtual CORBA::amic_traits<Told::Derived>::replyhandler_base_type {
 public:
  void get_level(std::int32_t) override { tell("get_level", nullptr); }
  void get_level_excep(HolderRef holder) override { tell("get_level", holder); }
  void set_level() override { tell("set_level", nullptr); }
  void set_level_excep(HolderRef holder) override { tell("set_level", holder); }
  void ask(std::int32_t) override { tell("ask", nullptr); }
  void ask_excep(HolderRef holder) override { tell("ask", holder); }
  void plain() override { tell("plain", nullptr); }
  void plain_excep(HolderRef holder) override { tell("plain", holder); }
  void more() override { tell("more", nullptr); }
  void more_excep(HolderRef holder) override { tell("more", holder); }

  /// The next holder, null if there was a result, which must be of that operation.
  HolderRef next(const std::string& operation) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !told_.empty(); });
    auto [name, holder] = told_.front();
    told_.erase(told_.begin());
    EXPECT_EQ(name, operation);
    return holder;
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return told_.size();
  }
  /// Lets the exception pass.
  std::atomic<bool> passes_on{false};
  std::atomic<int> calls{0};

 private:
  void tell(const std::string& name, const HolderRef& holder) {
    ++calls;
    if (passes_on && holder != nullptr) holder->raise_exception();
    const std::lock_guard lock(mutex_);
    told_.emplace_back(name, holder);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<std::string, HolderRef>> told_;
};

/// Three ORBs: the server's, the caller's, and the one where the handler lives.
struct Elsewhere : testing::TestWithParam<std::string> {
  Elsewhere() {
    server = make_orb("server", {"-ORBListenEndpoints", GetParam()});
    source_servant = CORBA::make_reference<SourceServant>();
    const auto source_ior = server->object_to_string(activate(server, source_servant));
    home = make_orb("home", {"-ORBListenEndpoints", GetParam()});
    recorder = CORBA::make_reference<FailureRecorder>();
    const auto handler_ior = home->object_to_string(activate(home, recorder));
    caller = make_orb("caller", {"-ORBListenEndpoints", GetParam()}, std::make_shared<Plan>(), log);
    source = IDL::traits<Told::Derived>::unchecked_narrow(caller->string_to_object(source_ior));
    handler =
        CORBA::amic_traits<Told::Derived>::replyhandler_traits::unchecked_narrow(caller->string_to_object(handler_ior));
  }
  ~Elsewhere() override {
    source.reset();
    handler.reset();
    for (const auto& orb : {caller, home, server}) orb->destroy();
  }
  static IDL::traits<CORBA::Object>::ref_type activate(const OrbRef& orb,
                                                       const IDL::traits<PortableServer::Servant>::ref_type& servant) {
    auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    return root->servant_to_reference(servant);
  }

  /// Calls `operation` of the handler with octets that no ORB made, as argument.
  void tell(std::string_view operation, const std::function<void(cdr::Encoder&)>& argument) {
    const corba::Operation described{operation};
    handler->_target()->invoke({described, argument, [](cdr::Decoder&) {}, nullptr});
  }
  /// What the handler's holder throws, which was made of such octets of an exception of ask().
  template <class E>
  E told(bool is_system, bool little_endian, const std::function<void(cdr::Encoder&)>& body) {
    tell("ask_excep", [&](cdr::Encoder& encoder) {
      cdr::Format format = encoder.format();
      format.little_endian = little_endian;
      cdr::Encoder inner(format);
      body(inner);
      const base::Bytes octets = inner.to_bytes();
      encoder.put(std::uint32_t{0x7fffff00});
      encoder.put(is_system);
      encoder.put(little_endian);
      encoder.put_count(octets.size());
      encoder.copy_octets(octets.data(), octets.size());
    });
    return thrown<E>(recorder->next("ask"));
  }
  template <class E>
  static E thrown(const HolderRef& holder) {
    try {
      if (holder != nullptr) holder->raise_exception();
    } catch (const E& expected) {
      return expected;
    } catch (const CORBA::Exception& other) {
      ADD_FAILURE() << other;
      return {};
    }
    ADD_FAILURE() << "no exception";
    return {};
  }
  std::shared_ptr<base::KeptLog> log = std::make_shared<base::KeptLog>();
  OrbRef server, home, caller;
  CORBA::servant_reference<SourceServant> source_servant;
  CORBA::servant_reference<FailureRecorder> recorder;
  SourceRef source;
  HandlerRef handler;
};

void expect_rich(const Told::Rich& rich) {
  EXPECT_EQ(rich.why(), "because");
  EXPECT_EQ(rich.wide(), L"gr\u00fc\u00dfe");
  EXPECT_EQ(rich.numbers(), (std::vector<double>{1.5, -2}));
  ASSERT_NE(rich.from(), nullptr);
  EXPECT_TRUE(rich.from()->_is_a("IDL:Told/Derived:1.0"));
  ASSERT_NE(rich.first(), nullptr);
  EXPECT_EQ(rich.first()->text(), "shared");
  EXPECT_EQ(rich.first(), rich.second());
  std::string inside;
  EXPECT_TRUE(rich.more() >>= inside);
  EXPECT_EQ(inside, "inside");
}

TEST_P(Elsewhere, IsToldResultsAndTypedExceptions) {
  source->sendc_ask(handler, 42);
  EXPECT_EQ(recorder->next("ask"), nullptr);
  source->sendc_ask(handler, 0);
  thrown<Told::Empty>(recorder->next("ask"));
  source->sendc_ask(handler, 1);
  expect_rich(thrown<Told::Rich>(recorder->next("ask")));
  source->sendc_get_level(handler);
  thrown<Told::Empty>(recorder->next("get_level"));
  source->sendc_set_level(handler, 1);
  expect_rich(thrown<Told::Rich>(recorder->next("set_level")));
  source->sendc_more(handler);
  const auto deep = thrown<Told::Deep>(recorder->next("more"));
  ASSERT_EQ(deep.below().size(), 1U);
  EXPECT_EQ(deep.below()[0].below().size(), 2U);
}

TEST_P(Elsewhere, IsToldSystemExceptionsWithMinorAndCompletion) {
  source->sendc_ask(handler, 2);
  const auto refused = thrown<CORBA::NO_PERMISSION>(recorder->next("ask"));
  EXPECT_EQ(refused.minor(), 7U);
  EXPECT_EQ(refused.completed(), COMPLETED_YES);
  source->sendc_ask(handler, 3);
  const auto quality = thrown<CORBA::BAD_QOS>(recorder->next("ask"));
  EXPECT_EQ(quality.minor(), CORBA::OMGVMCID | 1);
  EXPECT_EQ(quality.completed(), COMPLETED_MAYBE);
  source->sendc_plain(handler);  // throws what it does not declare
  EXPECT_EQ(thrown<CORBA::UNKNOWN>(recorder->next("plain")).minor(), corba::minor::kUnlistedUserException);
}

TEST_P(Elsewhere, RaisesByAListToo) {
  source->sendc_ask(handler, 0);
  const auto empty = recorder->next("ask");
  const auto type = [&](const std::string& id) { return home->create_exception_tc(id, "Empty", {}); };
  EXPECT_THROW(empty->raise_exception_with_list(CORBA::ExceptionList{type(Told::Empty::_id)}), Told::Empty);
  EXPECT_THROW(empty->raise_exception_with_list(CORBA::ExceptionList{}), CORBA::UNKNOWN);
  source->sendc_ask(handler, 2);
  EXPECT_THROW(recorder->next("ask")->raise_exception_with_list(CORBA::ExceptionList{}), CORBA::NO_PERMISSION);
}

// To a third place, and by a holder that the application made.
TEST_P(Elsewhere, PassesHoldersOn) {
  source->sendc_ask(handler, 1);
  const auto first = recorder->next("ask");
  handler->ask_excep(first);
  expect_rich(thrown<Told::Rich>(recorder->next("ask")));
  handler->plain_excep(first);  // which does not list it
  const auto unknown = recorder->next("plain");
  EXPECT_EQ(thrown<CORBA::UNKNOWN>(unknown).minor(), corba::minor::kUnlistedUserException);
  handler->ask_excep(unknown);  // nothing was lost
  expect_rich(thrown<Told::Rich>(recorder->next("ask")));
  handler->ask_excep(base::make_shared<Messaging::ExceptionHolder>(std::make_exception_ptr(std::runtime_error("no"))));
  EXPECT_EQ(thrown<CORBA::UNKNOWN>(recorder->next("ask")).minor(), corba::minor::kForeignException);
  handler->ask_excep(base::make_shared<Messaging::ExceptionHolder>(std::make_exception_ptr(Told::Deep())));
  EXPECT_EQ(thrown<Told::Deep>(recorder->next("ask")).below().size(), 0U);
}

// Whoever let it pass: the caller's ORB must not take TRANSIENT for its own and tell the handler again.
TEST_P(Elsewhere, IsToldOnceThoughItLetsTheExceptionPass) {
  recorder->passes_on = true;
  EXPECT_THROW(handler->ask_excep(base::make_shared<Messaging::ExceptionHolder>(
                   std::make_exception_ptr(CORBA::TRANSIENT(1, COMPLETED_NO)))),
               CORBA::TRANSIENT);
  EXPECT_EQ(recorder->calls, 1);
}

TEST_P(Elsewhere, ReadsEitherByteOrder) {
  for (const bool little_endian : {false, true}) {
    const auto system = told<CORBA::TIMEOUT>(true, little_endian, [](cdr::Encoder& encoder) {
      encoder.put_plain_string("IDL:omg.org/CORBA/TIMEOUT:1.0");
      encoder.put(std::uint32_t{0x01020304});
      encoder.put(std::uint32_t{2});
    });
    EXPECT_EQ(system.minor(), 0x01020304U);
    EXPECT_EQ(system.completed(), COMPLETED_MAYBE);
    const auto deep = told<Told::Deep>(false, little_endian,
                                       [](cdr::Encoder& encoder) { Told::Deep(Told::Levels(3))._encode(encoder); });
    EXPECT_EQ(deep.below().size(), 3U);
  }
}

TEST_P(Elsewhere, KnowsWhatIsNotDeclaredOrStandardAsUnknown) {
  EXPECT_EQ(
      told<CORBA::UNKNOWN>(false, true, [](cdr::Encoder& e) { e.put_plain_string("IDL:Told/Other:1.0"); }).minor(),
      corba::minor::kUnlistedUserException);
  const auto unknown = told<CORBA::UNKNOWN>(true, true, [](cdr::Encoder& encoder) {
    encoder.put_plain_string("IDL:Told/Empty:1.0");
    encoder.put(std::uint32_t{1});
    encoder.put(std::uint32_t{1});
  });
  EXPECT_EQ(unknown.minor(), corba::minor::kNonStandardSystemException);
  // The same octets as user exception: what follows the members is nobody's.
  told<Told::Empty>(false, true, [](cdr::Encoder& encoder) {
    encoder.put_plain_string("IDL:Told/Empty:1.0");
    encoder.put(std::uint32_t{1});
  });
}

TEST_P(Elsewhere, KnowsGarbageAsMarshal) {
  for (const bool is_system : {false, true}) {
    for (const bool little_endian : {false, true}) {
      told<CORBA::MARSHAL>(is_system, little_endian, [](cdr::Encoder&) {});
      told<CORBA::MARSHAL>(is_system, little_endian, [](cdr::Encoder& e) { e.put(std::uint32_t{0xffffffff}); });
      told<CORBA::MARSHAL>(is_system, little_endian, [](cdr::Encoder& e) { e.put(std::uint32_t{0}); });
      told<CORBA::MARSHAL>(is_system, little_endian, [](cdr::Encoder& encoder) {
        encoder.put(std::uint32_t{4});
        encoder.copy_octets("four", 4);  // no terminator
      });
    }
  }
  EXPECT_EQ(told<CORBA::MARSHAL>(true, true,
                                 [](cdr::Encoder& encoder) {
                                   encoder.put_plain_string("IDL:omg.org/CORBA/TIMEOUT:1.0");
                                   encoder.put(std::uint32_t{1});
                                   encoder.put(std::uint32_t{3});  // no completion status
                                 })
                .completed(),
            COMPLETED_YES);
  told<CORBA::MARSHAL>(false, true, [](cdr::Encoder& e) { e.put_plain_string("IDL:Told/Rich:1.0"); });
  told<CORBA::MARSHAL>(false, true, [](cdr::Encoder& encoder) {
    encoder.put_plain_string("IDL:Told/Deep:1.0");
    encoder.put(std::uint32_t{0x40000000});  // elements
  });
  told<CORBA::MARSHAL>(false, true, [](cdr::Encoder& encoder) {
    encoder.put_plain_string("IDL:Told/Deep:1.0");
    for (int i = 0; i < 5'000; ++i) encoder.put(std::uint32_t{1});  // levels
    encoder.put(std::uint32_t{0});
  });
  // It goes on all the same.
  source->sendc_ask(handler, 0);
  thrown<Told::Empty>(recorder->next("ask"));
}

TEST_P(Elsewhere, RefusesWhatIsNoHolder) {
  const std::vector<std::function<void(cdr::Encoder&)>> arguments = {
      [](cdr::Encoder&) {},
      [](cdr::Encoder& encoder) { encoder.put(std::uint32_t{0}); },           // nil
      [](cdr::Encoder& encoder) { encoder.put(std::uint32_t{0x7fffff00}); },  // no state
      [](cdr::Encoder& encoder) {                                             // an indirection to itself
        encoder.put(std::uint32_t{0xffffffff});
        encoder.put(std::int32_t{-4});
      },
      [](cdr::Encoder& encoder) {  // more octets than there are
        encoder.put(std::uint32_t{0x7fffff00});
        encoder.put(false);
        encoder.put(true);
        encoder.put(std::uint32_t{0xfffffff0});
      },
      [](cdr::Encoder& encoder) {  // booleans that are none
        encoder.put(std::uint32_t{0x7fffff00});
        encoder.put(std::uint8_t{2});
        encoder.put(std::uint8_t{0xff});
        encoder.put(std::uint32_t{0});
      },
      [](cdr::Encoder& encoder) {  // another value
        encoder.put(std::uint32_t{0x7fffff02});
        encoder.put_plain_string("IDL:Told/Tag:1.0");
        encoder.put_string("tag");
      }};
  for (const char* operation : {"ask_excep", "plain_excep", "more_excep"}) {
    for (const auto& argument : arguments) EXPECT_THROW(tell(operation, argument), CORBA::MARSHAL) << operation;
  }
  EXPECT_EQ(recorder->count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, Elsewhere, testing::ValuesIn(all_endpoints()));

}  // namespace
}  // namespace corbel::async_test

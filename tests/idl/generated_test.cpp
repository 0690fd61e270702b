// SPDX-License-Identifier: Apache-2.0
// Generated code at work: values through CDR in both byte orders, unions, text, and calls from stub to skeleton.
#include <gtest/gtest.h>

#include <algorithm>

#include <corbel/mapping/print.hpp>

#include "names_server.hpp"
#include "types_server.hpp"

namespace {

using corbel::mapping::Codec;
using corbel::mapping::to_text;
namespace cdr = corbel::cdr;

corbel::base::Bytes octets_of(cdr::Encoder& encoder) {
  corbel::base::Bytes octets;
  for (const auto& segment : encoder.segments()) {
    const auto* data = static_cast<const std::uint8_t*>(segment.data);
    octets.insert(octets.end(), data, data + segment.size);
  }
  return octets;
}

template <class T>
corbel::base::Bytes encode(const T& value, bool little_endian, std::size_t lead = 0) {
  cdr::Encoder encoder({little_endian});
  for (std::size_t i = 0; i < lead; ++i) encoder.put(std::uint8_t{0});
  Codec<T>::encode(encoder, value);
  EXPECT_TRUE(encoder.ok());
  return octets_of(encoder);
}

/// Writes and reads the value in both byte orders from every alignment; nothing is left over, and no shorter input
/// passes.
template <class T>
void round_trip(const T& value) {
  for (const bool little_endian : {true, false}) {
    for (std::size_t lead = 0; lead < 8; ++lead) {
      const auto octets = encode(value, little_endian, lead);
      EXPECT_GE(octets.size() - lead, Codec<T>::kMinSize);
      cdr::Decoder decoder(octets, {little_endian}, {}, lead);
      T back{};
      Codec<T>::decode(decoder, back);
      EXPECT_TRUE(decoder.ok());
      EXPECT_EQ(decoder.remaining(), 0U);
      EXPECT_EQ(to_text(back), to_text(value));
      for (std::size_t cut = lead; cut < octets.size(); ++cut) {
        cdr::Decoder shorter({octets.data(), cut}, {little_endian}, {}, lead);
        T ignored{};
        Codec<T>::decode(shorter, ignored);
        EXPECT_FALSE(shorter.ok());
      }
    }
  }
}

Types::Basics some_basics() {
  return Types::Basics(true, 'x', L'\u20ac', 255, -2, 65535, -3, 4000000000U, -5, 18446744073709551615U, 1.5F, -2.25,
                       "hello \"you\"", L"wide \u20ac");
}

Types::Composed some_composed() {
  Types::Composed c;
  c.grid_({{{1, 2, 3}, {4, 5, 6}}});
  c.colors({Types::Color::blue, Types::Color::green});
  c.names_({"a", "", "ccc"});
  c.few({Types::Point(1, 2), Types::Point(3, 4)});
  c.bits({true, false, true});
  c.short_("12345");
  c.wide(L"abcd");
  c.pairs_({Types::Pair(Types::BinStruct(1, 'c', 2, 3, 4.5), {1, 2, 3, 4, 5, 6, 7, 8})});
  c.nested({{1, 2}, {}, {3}});
  c.shared_(Sub::Shared("shared"));
  return c;
}

TEST(Generated, ConstantsHaveTheirValues) {
  static_assert(Types::answer == 42 && Types::highest == 18446744073709551615U && Types::quote_mark == '\'');
  static_assert(Types::euro == L'\u20ac' && Types::full == 255 && Types::yes && Types::tenth == 0.1F);
  static_assert(Types::third == 0.33333333333333331 && Types::favourite == Types::Color::green);
  static_assert(Types::Base::limit == 10);
  EXPECT_EQ(Types::lowest, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Types::motto, "caf\351 \"?\" \\ \n");
  EXPECT_EQ(Types::wide_motto, L"\u20ac\001");
  EXPECT_EQ(Types::Base::label, "base");
}

TEST(Generated, StructsComeBackAsTheyWent) {
  round_trip(some_basics());
  round_trip(some_composed());
  round_trip(Types::Point(-1, 2));
  round_trip(Types::Loose(1.5, 9));
  round_trip(Types::Flags(true, Types::Color::blue, L'w'));
  EXPECT_TRUE(some_basics() == some_basics());
  EXPECT_FALSE(some_basics() == Types::Basics());
}

TEST(Generated, ManyBulkStructsComeBackFromAnyAlignment) {
  Types::BinStructs list;
  for (int i = 0; i < 5; ++i) list.emplace_back(static_cast<std::int16_t>(i), 'a', i * 1000, 7, i / 2.0);
  for (const bool little_endian : {true, false}) {
    for (std::size_t lead = 0; lead < 16; ++lead) {
      for (std::size_t count = 0; count <= list.size(); ++count) {
        const Types::BinStructs part(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
        const auto octets = encode(part, little_endian, lead);
        cdr::Decoder decoder(octets, {little_endian}, {}, lead);
        Types::BinStructs back;
        Codec<Types::BinStructs>::decode(decoder, back);
        EXPECT_TRUE(decoder.ok() && decoder.remaining() == 0);
        EXPECT_EQ(back, part);
      }
    }
  }
  static_assert(cdr::BulkLayout<Types::Pair>::value && !cdr::BulkLayout<Types::Loose>::value &&
                !cdr::BulkLayout<Types::Flags>::value);
}

TEST(Generated, RecursiveTypesComeBackAndDepthIsLimited) {
  Types::Node root("root", {Types::Node("left", {}), Types::Node("right", {Types::Node("leaf", {})})});
  round_trip(root);
  round_trip(Types::Inline_tree(1, {Types::Inline_tree(2, {})}));
  round_trip(Types::Left_part(Types::Right_part({Types::Left_part()})));
  Types::Node chain("end", {});
  for (int i = 0; i < 1000; ++i) chain = Types::Node("n", {std::move(chain)});
  const auto octets = encode(chain, true);
  cdr::Decoder decoder(octets, {true});
  Types::Node back;
  Codec<Types::Node>::decode(decoder, back);
  EXPECT_EQ(decoder.error().code, corbel::base::Code::too_deep);
}

TEST(Generated, BoundsAreCheckedBothWays) {
  Types::Composed c = some_composed();
  c.short_("123456");
  cdr::Encoder encoder;
  Codec<Types::Composed>::encode(encoder, c);
  EXPECT_FALSE(encoder.ok());
}

TEST(Generated, EnumeratorsOutOfRangeAreRefused) {
  const auto octets = encode(std::uint32_t{3}, true);
  cdr::Decoder decoder(octets, {true});
  Types::Color color{};
  Codec<Types::Color>::decode(decoder, color);
  EXPECT_EQ(decoder.error().code, corbel::base::Code::bad_enum);
}

TEST(GeneratedUnion, SelectsMembersByLabel) {
  Types::Value v;
  EXPECT_EQ(v._d(), 0);  // the default member, by the first label that nothing else uses
  EXPECT_EQ(v.real(), 0.0);
  v.text("three", 3);
  EXPECT_EQ(v._d(), 3);
  v._d(2);
  EXPECT_EQ(v.text(), "three");
  EXPECT_THROW(v._d(1), CORBA::BAD_PARAM);
  EXPECT_THROW(v.number(), CORBA::BAD_PARAM);
  EXPECT_THROW(v.text("x", 1), CORBA::BAD_PARAM);
  EXPECT_THROW(v.real(1.0, 2), CORBA::BAD_PARAM);
  v.real(1.5, -7);
  EXPECT_EQ(v._d(), -7);
  v.text("me");
  v.text(v.text());
  EXPECT_EQ(v.text(), "me");
  try {
    v.number();
  } catch (const CORBA::BAD_PARAM& error) {
    EXPECT_EQ(error.minor(), CORBA::OMGVMCID | 34U);
  }
}

TEST(GeneratedUnion, KnowsNoMemberAtAll) {
  Types::By_color u;
  EXPECT_EQ(u._d(), Types::Color::green);  // the first label that selects nothing
  u.a(1);
  u._default();
  EXPECT_EQ(u._d(), Types::Color::green);
  EXPECT_THROW(u.a(), CORBA::BAD_PARAM);
  round_trip(u);
}

TEST(GeneratedUnion, ComesBackAsItWent) {
  Types::Value v;
  v.number(-5);
  round_trip(v);
  v.text("abc", 3);
  round_trip(v);
  Types::By_flag flag;
  flag.p(Types::Point(1, 2));
  round_trip(flag);
  flag.o(9);
  EXPECT_FALSE(flag._d());
  round_trip(flag);
  Types::By_letter letter;
  letter.n(4, '\n');
  round_trip(letter);
  Types::Tree leaf;
  leaf.leaf(3);
  Types::Tree tree;
  tree.children({leaf, Types::Tree(), leaf});
  round_trip(tree);
  Types::Nested nested;
  nested.inner_(Types::Nested::Inner(8));
  round_trip(nested);
  EXPECT_TRUE(tree == tree && !(tree == leaf));
}

TEST(GeneratedText, NamesTypesAndMembers) {
  EXPECT_EQ(to_text(Types::Point(1, -2)), "Types::Point{x=1,y=-2}");
  EXPECT_EQ(to_text(Types::Color::blue), "Types::Color::blue");
  EXPECT_EQ(to_text(Types::Failed("n", 3, Types::Color::red)), "Types::Failed{name=\"n\",id=3,what=Types::Color::red}");
  EXPECT_STREQ(Types::Failed("n", 3, Types::Color::red).what(),
               "Types::Failed{name=\"n\",id=3,what=Types::Color::red}");
  EXPECT_EQ(to_text(Types::With_reference()), "Types::With_reference{peer_=ref_type{nil},any_=ref_type{nil}}");
  EXPECT_EQ(to_text(Names::_cxx_class(1, 2, 3, "x")), "Names::class{int=1,template=2,namespace=3,operator=\"x\"}");
}

TEST(GeneratedNames, AreUsableAlthoughCxxReservesThem) {
  Names::_cxx_class c;
  c._cxx_int(4);
  c._cxx_operator("o");
  round_trip(c);
  Names::_cxx_register u;
  u._cxx_auto(5);
  round_trip(u);
  Names::Error error("name", 1, "what", 2, 3);
  EXPECT_EQ(error.name(), "name");
  EXPECT_EQ(error._cxx_what(), "what");
  static_assert(std::is_same_v<Names::Global_t, std::int32_t> && std::is_same_v<Names::T, std::int16_t>);
  static_assert(Names::first_ == Names::_cxx_delete::_cxx_new);
  round_trip(mapping::Holder({base::Vector(3)}));
}

/// Leads a stub to a servant in the same thread through octets, as an ORB would.
class Loop final : public corbel::corba::Target {
 public:
  explicit Loop(PortableServer::Servant& servant) : servant_(servant) {}

  void invoke(const corbel::corba::Call& call) override {
    cdr::Encoder out;
    call.encode_arguments(out);
    if (!out.ok()) throw CORBA::MARSHAL();
    const auto request = octets_of(out);
    cdr::Decoder arguments(request, {});
    cdr::Encoder results;
    Reply reply(call.operation.name, arguments, results);
    try {
      if (!servant_._dispatch(reply)) throw CORBA::BAD_OPERATION();
    } catch (const CORBA::UserException& exception) {
      cdr::Encoder raised;
      exception._encode(raised);
      const auto octets = octets_of(raised);
      cdr::Decoder decoder(octets, {});
      const std::string id(decoder.get_plain_string());
      EXPECT_NE(std::find(reply.raises().begin(), reply.raises().end(), id), reply.raises().end());
      for (const auto& type : call.operation.raises) {
        if (type.id == id) type.decode_and_throw(decoder, type);
      }
      throw CORBA::UNKNOWN();
    }
    const auto octets = octets_of(results);
    cdr::Decoder decoder(octets, {});
    call.decode_results(decoder);
    EXPECT_TRUE(decoder.ok());
    EXPECT_EQ(decoder.remaining(), 0U);
  }
  const corbel::ior::Ior& ior() const override { std::abort(); }
  cdr::Context& context() const noexcept override { std::abort(); }
  bool is_local() const noexcept override { return false; }

 private:
  struct Reply final : corbel::corba::ServerCall {
    Reply(std::string_view operation, cdr::Decoder& arguments, cdr::Encoder& results)
        : ServerCall(operation, &arguments, nullptr), results_(results) {}
    void reply(corbel::base::FunctionRef<void(cdr::Encoder&)> write) override { write(results_); }
    cdr::Encoder& results_;
  };

  PortableServer::Servant& servant_;
};

/// Not a servant: reached through the tie.
struct Peer_logic {
  Types::Base::Report get_report(Types::Base::State s) {
    if (s == Types::Base::State::busy) throw Types::Base::Refused(Types::Base::Report(s, {1, 2}));
    return Types::Base::Report(s, {3});
  }
  void ping() { ++pings; }
  std::string title() { return title_; }
  void title(const std::string& value) { title_ = value; }
  std::int32_t count() { return pings; }
  Types::Composed swap_all(const Types::Composed& a, Types::Basics& b, Types::Value& c) {
    if (b.text() == "fail") throw Types::Failed("why", 1, Types::Color::blue);
    if (b.text() == "plain") throw Types::Plain();
    b.text("swapped");
    c.text("out", 3);
    return a;
  }
  void notify(const std::string& what) { title_ = what; }
  Types::Color hue() { return hue_; }
  void hue(Types::Color value) { hue_ = value; }
  IDL::traits<Types::Peer>::ref_type friend_of(IDL::traits<Types::Peer>::ref_type p, Types::With_reference&,
                                               IDL::traits<CORBA::Object>::ref_type&) {
    return p;
  }
  Types::Grid transpose(const Types::Grid& g) { return {{{g[1][0], g[1][1], g[1][2]}, {g[0][0], g[0][1], g[0][2]}}}; }
  std::int64_t add(std::int64_t a, std::int32_t b) { return a + b; }

  int pings = 0;
  std::string title_;
  Types::Color hue_ = Types::Color::red;
};

class StubToSkeleton : public ::testing::Test {
 protected:
  corbel::base::SharedPtr<Peer_logic> logic_ = corbel::base::make_shared<Peer_logic>();
  CORBA::servant_traits<Types::Peer>::tie_type<Peer_logic> servant_{logic_};
  IDL::traits<Types::Peer>::ref_type peer_ =
      corbel::mapping::Access::make_stub<Types::Peer>(corbel::base::make_shared<Loop>(servant_));
};

TEST_F(StubToSkeleton, CarriesEveryDirectionAndInheritedOperations) {
  Types::Basics basics = some_basics();
  Types::Value value;
  EXPECT_EQ(peer_->swap_all(some_composed(), basics, value), some_composed());
  EXPECT_EQ(basics.text(), "swapped");
  EXPECT_EQ(value.text(), "out");
  peer_->ping();
  EXPECT_EQ(peer_->count(), 1);
  peer_->title("new");
  EXPECT_EQ(peer_->title(), "new");
  peer_->notify("told");
  EXPECT_EQ(peer_->title(), "told");
  peer_->hue(Types::Color::green);
  EXPECT_EQ(peer_->hue(), Types::Color::green);
  EXPECT_EQ(peer_->add(40, 2), 42);
  EXPECT_EQ(peer_->transpose({{{1, 2, 3}, {4, 5, 6}}}), (Types::Grid{{{4, 5, 6}, {1, 2, 3}}}));
  EXPECT_EQ(peer_->get_report(Types::Base::State::idle), Types::Base::Report(Types::Base::State::idle, {3}));
}

TEST_F(StubToSkeleton, RaisesWhatTheServantThrew) {
  Types::Basics basics = some_basics();
  Types::Value value;
  basics.text("fail");
  try {
    peer_->swap_all(some_composed(), basics, value);
    FAIL();
  } catch (const Types::Failed& failed) {
    EXPECT_EQ(failed.name(), "why");
    EXPECT_EQ(failed._cxx_what(), Types::Color::blue);
  }
  basics.text("plain");
  EXPECT_THROW(peer_->swap_all(some_composed(), basics, value), Types::Plain);
  EXPECT_THROW(peer_->get_report(Types::Base::State::busy), Types::Base::Refused);
}

TEST_F(StubToSkeleton, KnowsItsInterfaces) {
  EXPECT_TRUE(peer_->_static_is_a("IDL:corbel.test/Types/Peer:1.0"));
  EXPECT_TRUE(peer_->_static_is_a("IDL:corbel.test/Types/Base:1.0"));
  EXPECT_TRUE(peer_->_static_is_a("IDL:omg.org/CORBA/Object:1.0"));
  EXPECT_FALSE(peer_->_static_is_a("IDL:corbel.test/Types/Empty:1.0"));
  const auto ids = static_cast<const PortableServer::Servant&>(servant_)._interface_ids();
  ASSERT_EQ(ids.size(), 5U);
  EXPECT_EQ(ids.front(), "IDL:corbel.test/Types/Peer:1.0");
}

}  // namespace

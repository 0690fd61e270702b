// SPDX-License-Identifier: Apache-2.0
// Valuetypes on the wire: octets of other ORBs, truncation, sharing, and everything that can be wrong.
#include <algorithm>
#include <random>

#include "values_support.hpp"

namespace {

using namespace values_test;  // NOLINT: tests of one thing

using BaseRef = Ref<Values::Base>;

const std::string kBaseId = "49444c3a636f7262656c2e746573742f56616c7565732f426173653a312e3000";  // IDL:...Base:1.0
const std::string kDerivedId = "49444c3a636f7262656c2e746573742f56616c7565732f446572697665643a312e3000";  // ...Derived
/// A Derived{1, "d", 5, Base{2, "link"}} as JacORB writes it: both end tags, an id that is one of a list before.
const std::string kDerivedOctets = "7fffff0e0000000200000023" + kDerivedId + "0000000020" + kBaseId +
                                   "0000000c"
                                   "00000001"
                                   "00000002"
                                   "6400"
                                   "0005"
                                   "7fffff0a"
                                   "ffffffff"
                                   "ffffffc4"
                                   "0000000d"
                                   "00000002"
                                   "00000005"
                                   "6c696e6b00"
                                   "000000"
                                   "fffffffe"
                                   "ffffffff";

TEST(ValuesOnTheWire, NeedNoIdWhereTheFormalTypeTells) {
  const BaseRef base = make<Values::Base>(11, "base");
  EXPECT_EQ(octets_of(base), from_hex("7fffff000000000b000000056261736500"));
  EXPECT_EQ(octets_of(base, true), from_hex("00ffff7f0b000000050000006261736500"));
  EXPECT_EQ(octets_of(BaseRef()), from_hex("00000000"));
  EXPECT_EQ(octets_of(CORBA::valuetype_reference<CORBA::ValueBase>(base)),
            from_hex("7fffff0200000020" + kBaseId + "0000000b000000056261736500"));
  EXPECT_EQ(octets_of(Ref<Values::Text>(CORBA::make_reference<Values::Text>("box"))),
            from_hex("7fffff0000000004626f7800"));
}

TEST(ValuesOnTheWire, AreReadAsJacorbAndOmniorbWriteThem) {
  Factories factories;
  factories.with<Values::Derived>();
  const auto derived = IDL::traits<Values::Derived>::narrow(back_from<BaseRef>(from_hex(kDerivedOctets), &factories));
  ASSERT_TRUE(derived != nullptr);
  EXPECT_EQ(to_text(*derived), "Values::Derived{a=1,s=\"d\",extra=5,link=Values::Base{a=2,s=\"link\"}}");
  // omniORB ends both with one tag.
  const std::string compact = kDerivedOctets.substr(0, kDerivedOctets.size() - 16) + "ffffffff";
  EXPECT_EQ(octets_of(BaseRef(derived)), from_hex(compact)) << "as we do";
  EXPECT_EQ(to_text(*back_from<BaseRef>(from_hex(compact), &factories)), to_text(*derived));
}

TEST(ValuesOnTheWire, AreTruncatedToWhatIsKnown) {
  const BaseRef base = back_from<BaseRef>(from_hex(kDerivedOctets));
  EXPECT_EQ(to_text(*base), "Values::Base{a=1,s=\"d\"}");
  const auto most = make<Values::Most>(1, "m", std::int16_t{2}, make<Values::Base>(3, "in"), 0.5, Values::Longs{1});
  const std::vector<BaseRef> both = {BaseRef(most), most->link(), make<Values::Base>(4, "after")};
  const auto back = back_from<std::vector<BaseRef>>(octets_of(both));
  EXPECT_EQ(to_text(*back[0]), "Values::Base{a=1,s=\"m\"}");
  EXPECT_EQ(back[1]->s(), "in") << "what was skipped inside the first is read when it is referred to";
  EXPECT_EQ(back[2]->s(), "after");
}

TEST(ValuesOnTheWire, AreRefusedWithoutFactoryOrWithAnotherType) {
  EXPECT_EQ(failure<BaseRef>(octets_of(BaseRef(make<Values::Leaf>(1, "l", 2.0)))), Code::not_found);  // MARSHAL OMG 1
  Factories factories;
  factories.with<Values::Ring>();
  const CORBA::valuetype_reference<CORBA::ValueBase> ring = make<Values::Ring>(1, nullptr);
  EXPECT_EQ(failure<BaseRef>(octets_of(ring), &factories), Code::malformed);
}

TEST(ValuesOnTheWire, ShareAndGoInCircles) {
  const auto ring = make<Values::Ring>(1, make<Values::Ring>(2, nullptr));
  ring->next()->next(ring);
  EXPECT_EQ(octets_of(ring), from_hex("7fffff00"
                                      "00000001"
                                      "7fffff00"
                                      "00000002"
                                      "ffffffff"
                                      "ffffffec"));
  const auto back = back_from<Ref<Values::Ring>>(octets_of(ring));
  EXPECT_TRUE(back->next()->next() == back);
  back->next(nullptr);
  ring->next(nullptr);
}

TEST(ValuesOnTheWire, InChunksHaveNullsAndIndirectionsAsDataOrBetween) {
  const auto derived = make<Values::Derived>(1, "d", std::int16_t{5}, nullptr);
  const std::string head = "7fffff0e0000000200000023" + kDerivedId + "0000000020" + kBaseId;
  EXPECT_EQ(octets_of(BaseRef(derived)), from_hex(head + "00000010"
                                                         "00000001"
                                                         "00000002"
                                                         "64000005"
                                                         "00000000"
                                                         "ffffffff"));
  Factories factories;
  factories.with<Values::Derived>();
  const Bytes between = from_hex(head +
                                 "0000000c"
                                 "00000001"
                                 "00000002"
                                 "64000005"
                                 "00000000"
                                 "ffffffff");
  EXPECT_EQ(to_text(*back_from<BaseRef>(between, &factories)), to_text(*derived));
}

TEST(ValuesOnTheWire, MayBeSplitIntoChunksAnywhereButInsidePrimitives) {
  Factories factories;
  factories.with<Values::Derived>();
  const std::string head = "7fffff0e0000000200000023" + kDerivedId + "0000000020" + kBaseId;
  const Bytes split = from_hex(head +
                               "00000004"
                               "00000001"
                               "00000009"
                               "00000006"
                               "6162636465"
                               "000000"
                               "00000001"
                               "00"
                               "000000"
                               "00000002"
                               "0005"
                               "0000"
                               "00000000ffffffff");
  EXPECT_EQ(to_text(*back_from<BaseRef>(split, &factories)),
            "Values::Derived{a=1,s=\"abcde\",extra=5,link=ref_type{nil}}");
}

TEST(ValuesOnTheWire, CannotGoDeeperThanTheStackOrTheLimit) {
  auto ring = make<Values::Ring>(0, nullptr);
  for (int i = 0; i < 5000; ++i) ring = make<Values::Ring>(i, ring);
  corbel::cdr::Encoder encoder;
  corbel::mapping::Codec<Ref<Values::Ring>>::encode(encoder, ring);
  EXPECT_EQ(encoder.error().code, Code::too_deep);
  Bytes deep;
  for (int i = 0; i < 5000; ++i) deep.insert(deep.end(), {0x7f, 0xff, 0xff, 0, 0, 0, 0, 1});
  EXPECT_EQ(failure<Ref<Values::Ring>>(deep), Code::too_deep);
}

TEST(ValuesOnTheWire, AreOneLevelEachInAnAnyAndOutside) {
  for (const int levels : {127, 128, 129}) {
    Ref<Values::Ring> chain;
    for (int i = 0; i < levels; ++i) chain = make<Values::Ring>(i, chain);
    EXPECT_EQ(failure<Ref<Values::Ring>>(octets_of(chain)), levels <= 128 ? Code::none : Code::too_deep) << levels;
    CORBA::Any any;
    any <<= chain;  // which is a level itself
    const Bytes octets = octets_of(any);
    EXPECT_EQ(failure<CORBA::Any>(octets), levels <= 127 ? Code::none : Code::too_deep) << levels;
    if (levels > 127) continue;
    Ref<Values::Ring> back;
    ASSERT_TRUE(back_from<CORBA::Any>(octets) >>= back);
    EXPECT_EQ(octets_of(back), octets_of(chain));
  }
}

TEST(ValuesOnTheWire, WithBrokenFramesAreMalformed) {
  for (const std::string_view octets : {
           "00000001",                    // a chunk's length
           "7fffff10000000010000000100",  // a reserved bit
           "7fffff0400000001",            // type information 4
           "ffffffff00000004",            // an indirection forwards
           "ffffffffffffffec",            // before the beginning
           "7fffff000000000100000001"
           "00",                                            // then ok; a further value refers to no value
           "7fffff06000000000000000000000000",              // an empty list of ids
           "7fffff02ffffffffffffffe0",                      // an id that is none
           "7fffff01ffffffffffffffe0",                      // a codebase that is none
           "7fffff0800000000",                              // an empty chunk
           "7fffff087fffffff",                              // a value where a chunk should be
           "7fffff08ffffffff",                              // no state at all
           "7fffff08000000040000000100000001000000000000",  // no end tag
       }) {
    const Code code = failure<std::vector<BaseRef>>(from_hex("00000002" + std::string(octets)));
    EXPECT_TRUE(code == Code::malformed || code == Code::truncated || code == Code::bad_string ||
                code == Code::not_found)
        << octets << ": " << to_string(code);
  }
}

/// A graph of values that share and go in circles.
Ref<Values::Node> random_graph(std::mt19937& random, std::vector<Ref<Values::Node>>& nodes) {
  for (int i = 0; i < 12; ++i) nodes.push_back(make<Values::Node>("n" + std::to_string(i), Values::Nodes{}));
  for (const auto& node : nodes) {
    for (auto count = random() % 4; count > 0; --count) {
      node->edges().push_back(random() % 5 == 0 ? nullptr : nodes[random() % nodes.size()]);
    }
  }
  return nodes.front();
}

/// The names of the nodes in the order of a walk, and where each edge leads.
void walk(const Ref<Values::Node>& node, std::vector<const Values::Node*>& seen, std::string& text) {
  if (node == nullptr) {
    text += "0 ";
    return;
  }
  const auto known = std::find(seen.begin(), seen.end(), &*node);
  text += node->name() + (known == seen.end() ? "( " : " ");
  if (known != seen.end()) return;
  seen.push_back(&*node);
  for (const auto& edge : node->edges()) walk(edge, seen, text);
  text += ") ";
}
std::string shape(const Ref<Values::Node>& node) {
  std::vector<const Values::Node*> seen;
  std::string text;
  walk(node, seen, text);
  return text;
}

TEST(ValuesOnTheWire, KeepTheShapeOfRandomGraphsAndSurviveAnyChange) {
  std::mt19937 random(20);
  Factories factories;
  factories.with<Values::Derived>().with<Values::Most>().with<Values::Base>().with<Values::Node>();
  for (int round = 0; round < 30; ++round) {
    std::vector<Ref<Values::Node>> nodes;
    const auto root = random_graph(random, nodes);
    const bool little = round % 2 == 0;
    const Bytes octets = octets_of(root, little);
    const auto back = back_from<Ref<Values::Node>>(octets, nullptr, little);
    EXPECT_EQ(shape(back), shape(root));
    // Breaks the circles.
    std::vector<Ref<Values::Node>> open = {back};
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (auto& edge : std::exchange(open[i]->edges(), {})) {
        if (edge != nullptr) open.push_back(edge);
      }
    }
    for (const auto& node : nodes) node->edges().clear();
  }
  const auto most = make<Values::Most>(
      1, "m", std::int16_t{2}, make<Values::Derived>(3, "in", std::int16_t{1}, nullptr), 0.5, Values::Longs{1, 2, 3});
  const std::vector<BaseRef> list = {most, most->link(), make<Values::Base>(4, "after"), most};
  for (corbel::cdr::Context* context :
       {static_cast<corbel::cdr::Context*>(nullptr), static_cast<corbel::cdr::Context*>(&factories)}) {
    const Bytes octets = octets_of(list);
    for (std::size_t i = 0; i < octets.size(); ++i) {
      for (const int change : {0x01, 0x80, 0xff}) {
        Bytes mutated = octets;
        mutated[i] = static_cast<std::uint8_t>(mutated[i] ^ change);
        (void)failure<std::vector<BaseRef>>(mutated, context);
      }
      (void)failure<std::vector<BaseRef>>(Bytes(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(i)),
                                          context);
    }
  }
}

}  // namespace

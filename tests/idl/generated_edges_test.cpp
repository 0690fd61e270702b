// SPDX-License-Identifier: Apache-2.0
// What used not to compile or to mean something else; most of the proof is that this does.
#include <gtest/gtest.h>

#include <cfloat>
#include <limits>
#include <type_traits>

#include "asynchronous_server.hpp"
#include "edges_any.hpp"
#include "edges_server.hpp"

namespace {

TEST(GeneratedEdges, AUnionWithoutDefaultBeginsWithoutMember) {
  Edges::Partly partly;
  EXPECT_EQ(partly._d(), Edges::Letter::b);
  EXPECT_THROW(partly.x(), CORBA::BAD_PARAM);
  partly.y(3);
  EXPECT_EQ(partly._d(), Edges::Letter::c);
}

TEST(GeneratedEdges, AUnionMayBeGivenAPartOfItself) {
  Edges::Node leaf;
  leaf.leaf(42);
  Edges::Node inner;
  inner.kids({leaf, leaf, leaf});
  Edges::Node outer;
  outer.kids({inner});
  outer.kids(std::move(outer.kids()[0].kids()));
  ASSERT_EQ(outer.kids().size(), 3U);
  EXPECT_EQ(outer.kids()[2].leaf(), 42);
  const auto& itself = outer.kids();
  outer.kids(itself);
  EXPECT_EQ(outer.kids().size(), 3U);
}

TEST(GeneratedEdges, AStructMayBeGivenAPartOfItself) {
  Edges::List leaf;
  leaf.id(42);
  leaf.rest({Edges::List(), Edges::List()});  // more than there is room for where it goes
  Edges::List inner;
  inner.rest({leaf});
  Edges::List outer;
  outer.rest({inner, inner, inner});
  outer.rest(outer.rest()[0].rest());  // which needs no more space than there is
  ASSERT_EQ(outer.rest().size(), 1U);
  EXPECT_EQ(outer.rest()[0].id(), 42);
  outer.rest({inner, inner});
  outer.rest(std::move(outer.rest()[1].rest()));
  ASSERT_EQ(outer.rest().size(), 1U);
  EXPECT_EQ(outer.rest()[0].id(), 42);
  Edges::Holder holder;
  outer.rest({inner});
  holder.held(outer);
  holder.held(holder.held().rest()[0]);
  ASSERT_EQ(holder.held().rest().size(), 1U);
  EXPECT_EQ(holder.held().rest()[0].id(), 42);
}

TEST(GeneratedEdges, TheDefaultLiteralHoldsInArraysAndUnions) {
  const Edges::Levels levels;
  EXPECT_EQ(levels.one(), Edges::Level::medium);
  for (const auto& row : levels.many()) {
    for (const auto level : row) EXPECT_EQ(level, Edges::Level::medium);
  }
  EXPECT_EQ(levels.codes()[1], Edges::Code::five);
  EXPECT_EQ(Edges::First().level_(), Edges::Level::medium);
  EXPECT_EQ(CORBA::make_reference<Edges::obv::Levelled>()->many()[1], Edges::Level::medium);
}

TEST(GeneratedEdges, NamesOfOthersAreUsable) {
  _cxx_swap swapped(1, "x");
  EXPECT_EQ(swapped._cxx_EOF(), 1);
  static_assert(sizeof(_cxx_nullptr_t::Number) == 4);
  const _cxx_std::string text(7);
  const _cxx_IDL::traits list = {_cxx_corbel::mapping::Codec(text)};
  EXPECT_EQ(list[0].text().size(), 7);
  const Edges::_cxx_what error(1, 2, "three");
  EXPECT_EQ(error.id() + error.id_(), 3);
  EXPECT_EQ(error.what_(), "three");
  EXPECT_TRUE((std::is_base_of_v<Outermost, Edges::Outermost>));
  EXPECT_TRUE((std::is_base_of_v<POA::Outermost, Edges::POA::Outermost>));
  EXPECT_TRUE((std::is_base_of_v<POA::A_tie, CORBA::servant_traits<A_tie>::base_type>));
}

TEST(GeneratedEdges, AsynchronousFormsHaveNamesOfTheirOwn) {
  using Async::AMI_AttributedHandler;
  EXPECT_TRUE((std::is_base_of_v<AMI_AttributedHandler, Async::AMI_BothHandler>));
  EXPECT_TRUE((std::is_base_of_v<AMI_AttributedHandler, Async::AMI_OperatedBelowHandler>));
  EXPECT_TRUE(
      (std::is_same_v<CORBA::amic_traits<Async::Caller>::replyhandler_base_type, Async::POA::AMI_AMI_CallerHandler>));
  EXPECT_TRUE((std::is_same_v<decltype(&Async::POA::AMI_OperatedBelowHandler::ami_get_x),
                              void (Async::POA::AMI_OperatedBelowHandler::*)()>));
}

TEST(GeneratedEdges, ConstantsAreWhatTheyWere) {
  EXPECT_EQ(Edges::trigraph, "what?\?/ is ?\?= this?\?!");
  EXPECT_EQ(Edges::wide_trigraph, L"a?\?/b is ?\?= that?\?\?!");
  EXPECT_EQ(Edges::largest, DBL_MAX);
  EXPECT_GT(Edges::denormal, 0.0);
  EXPECT_EQ(Edges::least, std::numeric_limits<long double>::denorm_min());
  EXPECT_LT(Edges::tiny, 0.0L);
  EXPECT_GT(Edges::tiny, -std::numeric_limits<long double>::min());
  EXPECT_EQ(Edges::most, FLT_MAX);
  EXPECT_EQ(Edges::face, L"\U0001f600");
}

}  // namespace

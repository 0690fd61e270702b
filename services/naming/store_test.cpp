// SPDX-License-Identifier: Apache-2.0
// What a store does, whatever database it is in.
#include "store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "test_support.hpp"

namespace corbel::naming {
namespace {

using namespace test;  // NOLINT: the fixture's names

TEST_P(StoreTest, WhatIsBoundIsFoundAlsoAfterReopening) {
  const ContextId a = made(kRoot, "a");
  ASSERT_EQ(store_->bind(a, component("b", "k"), object(std::string("\0\1\xff", 3)), false), Outcome::done);
  const std::uint64_t identity = store_->identity();
  reopen();
  EXPECT_EQ(store_->identity(), identity);
  const Name name{component("a"), component("b", "k")};
  const Walk walk = store_->resolve(kRoot, name);
  EXPECT_EQ(walk.outcome, Outcome::done);
  EXPECT_EQ(walk.bound.type, BindingType::nobject);
  EXPECT_EQ(walk.bound.reference, std::string("\0\1\xff", 3));
  EXPECT_EQ(store_->walk(kRoot, std::span(name).first(1)).context, a);
  EXPECT_EQ(store_->census().contexts, 2);
}

TEST_P(StoreTest, IdAndKindAreDifferentThingsAndMayBeEmpty) {
  ASSERT_EQ(store_->bind(kRoot, component("a", "b"), object("1"), false), Outcome::done);
  ASSERT_EQ(store_->bind(kRoot, component("b", "a"), object("2"), false), Outcome::done);
  ASSERT_EQ(store_->bind(kRoot, component("", ""), object("3"), false), Outcome::done);
  ASSERT_EQ(store_->bind(kRoot, component("\xff\xfe", "\n"), object("4"), false), Outcome::done);
  EXPECT_EQ(store_->bind(kRoot, component("", ""), object("5"), false), Outcome::exists);
  EXPECT_EQ(store_->resolve(kRoot, Name{component("", "")}).bound.reference, "3");
  EXPECT_EQ(store_->resolve(kRoot, Name{component("\xff\xfe", "\n")}).bound.reference, "4");
  EXPECT_EQ(store_->resolve(kRoot, Name{component("a", "")}).outcome, Outcome::missing);
}

TEST_P(StoreTest, AWalkSaysWhereItEndedAndWhy) {
  const ContextId a = made(kRoot, "a");
  store_->bind(a, component("object"), object("1"), false);
  store_->bind(a, component("other"), {BindingType::ncontext, 0, "2"}, false);
  const auto walk = [&](const Name& name) { return store_->walk(kRoot, name); };
  EXPECT_EQ(walk({component("a"), component("x"), component("y")}).outcome, Outcome::missing);
  EXPECT_EQ(walk({component("a"), component("x"), component("y")}).at, 1U);
  EXPECT_EQ(walk({component("a"), component("object"), component("y")}).outcome, Outcome::not_context);
  EXPECT_EQ(walk({component("a"), component("other"), component("y")}).outcome, Outcome::foreign);
  EXPECT_EQ(walk({component("a"), component("other"), component("y")}).bound.reference, "2");
  EXPECT_EQ(walk({component("a")}).outcome, Outcome::done);
  EXPECT_EQ(store_->walk(77, {}).outcome, Outcome::gone);
  EXPECT_EQ(store_->resolve(77, Name{component("a")}).outcome, Outcome::gone);
}

TEST_P(StoreTest, RebindReplacesOnlyTheSameType) {
  const ContextId a = made(kRoot, "a");
  const ContextId b = made(kRoot, "b");
  EXPECT_EQ(store_->bind(kRoot, component("o"), object("1"), true), Outcome::done);
  EXPECT_EQ(store_->bind(kRoot, component("o"), object("2"), true), Outcome::done);
  EXPECT_EQ(store_->resolve(kRoot, Name{component("o")}).bound.reference, "2");
  EXPECT_EQ(store_->bind(kRoot, component("o"), context(a), true), Outcome::not_context);
  EXPECT_EQ(store_->bind(kRoot, component("a"), object("3"), true), Outcome::not_object);
  EXPECT_EQ(store_->bind(kRoot, component("a"), context(b), true), Outcome::done);
  EXPECT_EQ(store_->resolve(kRoot, Name{component("a")}).bound.child, b);
  EXPECT_EQ(store_->bind(kRoot, component("a"), {BindingType::ncontext, 0, "elsewhere"}, true), Outcome::done);
  EXPECT_EQ(store_->resolve(kRoot, Name{component("a")}).bound.child, 0);
  EXPECT_EQ(store_->resolve(kRoot, Name{component("a")}).bound.reference, "elsewhere");
}

TEST_P(StoreTest, ContextsAreDestroyedWhenEmptyAndTheirNumbersDoNotComeAgain) {
  const ContextId a = made(kRoot, "a");
  store_->bind(a, component("x"), object("1"), false);
  EXPECT_EQ(store_->destroy(a), Outcome::not_empty);
  EXPECT_EQ(store_->unbind(a, component("x")), Outcome::done);
  EXPECT_EQ(store_->unbind(a, component("x")), Outcome::missing);
  EXPECT_EQ(store_->destroy(a), Outcome::done);
  EXPECT_EQ(store_->destroy(a), Outcome::gone);
  EXPECT_EQ(store_->destroy(kRoot), Outcome::not_empty);
  EXPECT_EQ(store_->bind(a, component("x"), object("1"), false), Outcome::gone);
  EXPECT_EQ(store_->unbind(a, component("x")), Outcome::gone);
  EXPECT_EQ(store_->bind(kRoot, component("again"), context(a), false), Outcome::argument_gone);
  EXPECT_EQ(store_->bind(a, component("again"), context(a), false), Outcome::gone);
  EXPECT_NE(made(kRoot, "b"), a);
  EXPECT_EQ(store_->census().dangling, 1);
  EXPECT_EQ(store_->walk(kRoot, Name{component("a")}).outcome, Outcome::gone);
}

TEST_P(StoreTest, ContextsThatNothingLeadsToAreCounted) {
  ContextId lonely = 0;
  ContextId child = 0;
  ASSERT_EQ(store_->new_context(lonely), Outcome::done);
  ASSERT_EQ(store_->bind_new_context(lonely, component("child"), child), Outcome::done);
  const ContextId a = made(kRoot, "a");
  store_->bind(a, component("cycle"), context(kRoot), false);
  const Census census = store_->census();
  EXPECT_EQ(census.contexts, 4);
  EXPECT_EQ(census.unreachable, 2);
  EXPECT_EQ(census.bindings, 3);
}

TEST_P(StoreTest, LimitsHoldAlsoAfterReopeningAndRefusedChangesCountNothing) {
  reopen({.contexts = 3, .bindings = 4, .bindings_per_context = 3, .reference_octets = 5});
  EXPECT_EQ(store_->bind(kRoot, component("long"), object("123456"), false), Outcome::full);
  const ContextId a = made(kRoot, "a");
  made(kRoot, "b");
  ContextId id = 0;
  EXPECT_EQ(store_->bind_new_context(kRoot, component("c"), id), Outcome::full);
  EXPECT_EQ(store_->bind(kRoot, component("o"), object("1"), false), Outcome::done);
  EXPECT_EQ(store_->bind(kRoot, component("p"), object("1"), false), Outcome::full);
  EXPECT_EQ(store_->bind(a, component("q"), object("1"), false), Outcome::done);
  EXPECT_EQ(store_->bind(a, component("r"), object("1"), false), Outcome::full);
  reopen({.contexts = 3, .bindings = 4});
  EXPECT_EQ(store_->bind(a, component("r"), object("1"), false), Outcome::full);
  EXPECT_EQ(store_->new_context(id), Outcome::full);
  EXPECT_EQ(store_->bind(a, component("q"), object("2"), true), Outcome::done);
  EXPECT_EQ(store_->unbind(a, component("q")), Outcome::done);
  EXPECT_EQ(store_->bind(a, component("r"), object("1"), false), Outcome::done);
}

TEST_P(StoreTest, ListsGoOnAfterANameWhateverHasChanged) {
  for (const char* id : {"d", "b", "", "a", "c"}) store_->bind(kRoot, component(id), object("1"), false);
  const auto first = store_->list(kRoot, std::nullopt, 3, kAll).bindings;
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[0].name, component(""));
  EXPECT_EQ(first[2].name, component("b"));
  store_->unbind(kRoot, component("b"));
  store_->unbind(kRoot, component("c"));
  store_->bind(kRoot, component("b", "kind"), object("1"), false);
  const auto rest = store_->list(kRoot, first[2].name, 3, kAll).bindings;
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].name, component("b", "kind"));
  EXPECT_EQ(rest[1].name, component("d"));
  EXPECT_TRUE(store_->list(kRoot, rest[1].name, 3, kAll).bindings.empty());
  EXPECT_TRUE(store_->list(77, std::nullopt, 3, kAll).bindings.empty());
}

TEST_P(StoreTest, ContextsThatNothingLeadsToArePrunedWhenOldAndEmpty) {
  ContextId lonely = 0;
  ContextId full = 0;
  ContextId child = 0;
  store_->new_context(lonely);
  store_->new_context(full);
  store_->bind_new_context(full, component("child"), child);
  const ContextId named = made(kRoot, "named");
  EXPECT_EQ(store_->prune(std::chrono::hours(1)), 0);
  EXPECT_EQ(store_->prune(std::chrono::seconds(0)), 1);
  EXPECT_FALSE(store_->exists(lonely));
  for (const ContextId kept : {kRoot, full, child, named}) EXPECT_TRUE(store_->exists(kept));
  reopen({.contexts = 5});
  EXPECT_EQ(store_->new_context(lonely), Outcome::done);
  EXPECT_EQ(store_->new_context(lonely), Outcome::full);
  EXPECT_EQ(store_->prune(std::chrono::seconds(0)), 1);
  EXPECT_EQ(store_->new_context(lonely), Outcome::done) << "there is room again";
}

TEST_P(StoreTest, APieceOfAListingIsBoundedInOctets) {
  for (const char* id : {"a", "b", "c", "d"}) {
    store_->bind(kRoot, component(id, std::string(1000, 'k')), object("1"), false);
  }
  const auto two = store_->list(kRoot, std::nullopt, 100, 1500);
  EXPECT_EQ(two.bindings.size(), 2U);
  EXPECT_TRUE(two.more);
  const auto others = store_->list(kRoot, two.bindings.back().name, 100, 2000);
  EXPECT_EQ(others.bindings.size(), 2U);
  EXPECT_FALSE(others.more);
  EXPECT_EQ(store_->list(kRoot, std::nullopt, 100, 1).bindings.size(), 1U) << "one at least";
  EXPECT_TRUE(store_->list(kRoot, std::nullopt, 0, kAll).more);
}

TEST_P(StoreTest, ReadersSeeWholeChangesWhileOthersWrite) {
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    ContextId id = 0;
    while (!stop) {
      // a/x exists whenever a does.
      store_->begin();
      store_->bind_new_context(kRoot, component("a"), id);
      store_->bind(id, component("x"), object("1"), false);
      store_->commit();
      store_->begin();
      store_->unbind(id, component("x"));
      store_->unbind(kRoot, component("a"));
      store_->destroy(id);
      store_->commit();
    }
  });
  int found = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (found < 200 && std::chrono::steady_clock::now() < deadline) {
    const Walk walk = store_->resolve(kRoot, Name{component("a"), component("x")});
    if (walk.outcome == Outcome::done) {
      ++found;
    } else {
      EXPECT_EQ(walk.outcome, Outcome::missing);
      EXPECT_EQ(walk.at, 0U);
    }
  }
  stop = true;
  writer.join();
  EXPECT_EQ(found, 200);
  EXPECT_EQ(store_->census().bindings, 0);
}

TEST_P(StoreTest, WhatIsLeasedIsThereUntilTheLeaseEnds) {
  const Term hour{7, std::chrono::hours(1)};
  const Term ended{8, std::chrono::milliseconds(0)};
  const Name o{component("o")};
  ASSERT_EQ(store_->bind(kRoot, o[0], object("1"), false, hour), Outcome::done);
  EXPECT_EQ(store_->resolve(kRoot, o).bound.reference, "1");
  EXPECT_EQ(store_->bind(kRoot, o[0], object("2"), false, ended), Outcome::exists);
  EXPECT_EQ(store_->renew(kRoot, o[0], ended), Outcome::not_held) << "another lease";
  EXPECT_EQ(store_->bind(kRoot, o[0], object("1"), false, hour), Outcome::done) << "the same once more";
  EXPECT_EQ(store_->renew(kRoot, o[0], hour), Outcome::done);
  reopen();
  EXPECT_EQ(store_->resolve(kRoot, o).bound.reference, "1");
  EXPECT_EQ(store_->renew(kRoot, o[0], {7, std::chrono::milliseconds(0)}), Outcome::done);
  EXPECT_EQ(store_->resolve(kRoot, o).outcome, Outcome::missing);
  EXPECT_TRUE(store_->list(kRoot, std::nullopt, 10, kAll).bindings.empty());
  EXPECT_EQ(store_->renew(kRoot, o[0], hour), Outcome::missing) << "what has ended does not come back";
  EXPECT_EQ(store_->unbind(kRoot, o[0]), Outcome::missing);
  EXPECT_EQ(store_->renew(77, o[0], hour), Outcome::gone);
  EXPECT_EQ(store_->bind(kRoot, o[0], object("3"), false), Outcome::done);
  EXPECT_EQ(store_->renew(kRoot, o[0], hour), Outcome::not_held) << "bound for ever";
  EXPECT_EQ(store_->census().bindings, 1);
}

TEST_P(StoreTest, LeasesAreReleasedOrReplacedOnlyByThoseWhoMay) {
  const Term hour{7, std::chrono::hours(1)};
  const Name o{component("o")};
  ASSERT_EQ(store_->bind(kRoot, o[0], object("1"), false, hour), Outcome::done);
  EXPECT_EQ(store_->release(kRoot, o[0], 8), Outcome::not_held);
  EXPECT_EQ(store_->release(kRoot, o[0], 0), Outcome::not_held);
  EXPECT_EQ(store_->release(kRoot, o[0], 7), Outcome::done);
  EXPECT_EQ(store_->release(kRoot, o[0], 7), Outcome::missing);
  ASSERT_EQ(store_->bind(kRoot, o[0], object("1"), false, hour), Outcome::done);
  EXPECT_EQ(store_->bind(kRoot, o[0], object("2"), true), Outcome::done);
  EXPECT_EQ(store_->release(kRoot, o[0], 7), Outcome::not_held) << "rebound for ever";
  EXPECT_EQ(store_->resolve(kRoot, o).bound.reference, "2");
  EXPECT_EQ(store_->sweep(), 0);
}

TEST_P(StoreTest, WhatHasEndedIsInNobodysWay) {
  const Term ended{8, std::chrono::milliseconds(0)};
  reopen({.bindings = 3, .bindings_per_context = 2});
  const ContextId a = made(kRoot, "a");
  EXPECT_EQ(store_->bind(a, component("1"), object("1"), false, ended), Outcome::done);
  EXPECT_EQ(store_->bind(a, component("2"), object("1"), false, ended), Outcome::done);
  EXPECT_EQ(store_->bind(a, component("3"), object("1"), false, ended), Outcome::done) << "the limits";
  EXPECT_EQ(store_->bind(a, component("3"), object("2"), false, ended), Outcome::done) << "the name";
  EXPECT_EQ(store_->destroy(a), Outcome::done) << "the context";
  EXPECT_EQ(store_->bind(kRoot, component("4"), object("1"), false, ended), Outcome::done);
  EXPECT_EQ(store_->sweep(), 1);
  EXPECT_EQ(store_->sweep(), 0);
  EXPECT_EQ(store_->census().bindings, 1);
}

TEST_P(StoreTest, LongListingsAreWhole) {
  constexpr int kNames = 1203;
  store_->begin();
  for (int i = 0; i < kNames; ++i) store_->bind(kRoot, component(std::to_string(i)), object("1"), false);
  store_->commit();
  EXPECT_EQ(store_->list(kRoot, std::nullopt, kAll, kAll).bindings.size(), static_cast<std::size_t>(kNames));
  const auto some = store_->list(kRoot, std::nullopt, 1000, kAll);
  EXPECT_EQ(some.bindings.size(), 1000U);
  EXPECT_TRUE(some.more);
  EXPECT_EQ(store_->list(kRoot, some.bindings.back().name, 203, kAll).bindings.size(), 203U);
  EXPECT_FALSE(store_->list(kRoot, some.bindings.back().name, 203, kAll).more);
}

}  // namespace
}  // namespace corbel::naming

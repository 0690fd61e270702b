// SPDX-License-Identifier: Apache-2.0
#include "store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "temporary_folder.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::Name;
using CosNaming::NameComponent;

constexpr std::size_t kAll = 1 << 20;

NameComponent component(const std::string& id, const std::string& kind = "") {
  return NameComponent(id, kind);
}

Bound object(const std::string& reference) {
  return {BindingType::nobject, 0, reference};
}

Bound context(ContextId id) {
  return {BindingType::ncontext, id, {}};
}

class StoreTest : public testing::Test {
 protected:
  void reopen(StoreLimits limits = {}) {
    store_.reset();
    store_.emplace(path(), limits, Durability::process);
  }
  void SetUp() override { reopen(); }
  std::string path() const { return folder_.path() + "/names.db"; }

  ContextId made(ContextId parent, const std::string& name) {
    ContextId id = 0;
    EXPECT_EQ(store_->bind_new_context(parent, component(name), id), Outcome::done);
    return id;
  }

  TemporaryFolder folder_;
  std::optional<Store> store_;
};

TEST_F(StoreTest, WhatIsBoundIsFoundAlsoAfterReopening) {
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

TEST_F(StoreTest, IdAndKindAreDifferentThingsAndMayBeEmpty) {
  ASSERT_EQ(store_->bind(kRoot, component("a", "b"), object("1"), false), Outcome::done);
  ASSERT_EQ(store_->bind(kRoot, component("b", "a"), object("2"), false), Outcome::done);
  ASSERT_EQ(store_->bind(kRoot, component("", ""), object("3"), false), Outcome::done);
  ASSERT_EQ(store_->bind(kRoot, component("\xff\xfe", "\n"), object("4"), false), Outcome::done);
  EXPECT_EQ(store_->bind(kRoot, component("", ""), object("5"), false), Outcome::exists);
  EXPECT_EQ(store_->resolve(kRoot, Name{component("", "")}).bound.reference, "3");
  EXPECT_EQ(store_->resolve(kRoot, Name{component("\xff\xfe", "\n")}).bound.reference, "4");
  EXPECT_EQ(store_->resolve(kRoot, Name{component("a", "")}).outcome, Outcome::missing);
}

TEST_F(StoreTest, AWalkSaysWhereItEndedAndWhy) {
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

TEST_F(StoreTest, RebindReplacesOnlyTheSameType) {
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

TEST_F(StoreTest, ContextsAreDestroyedWhenEmptyAndTheirNumbersDoNotComeAgain) {
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

TEST_F(StoreTest, ContextsThatNothingLeadsToAreCounted) {
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

TEST_F(StoreTest, LimitsHoldAlsoAfterReopeningAndRefusedChangesCountNothing) {
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

TEST_F(StoreTest, ListsGoOnAfterANameWhateverHasChanged) {
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

TEST_F(StoreTest, ASecondProcessIsRefused) {
  EXPECT_THROW(Store(path(), {}, Durability::process), DatabaseError);
}

TEST_F(StoreTest, ASecondProcessIsRefusedByWhateverPath) {
  const std::string link = folder_.path() + "/link.db";
  std::filesystem::create_symlink("names.db", link);
  EXPECT_THROW(Store(link, {}, Durability::process), DatabaseError);
  const std::string folder = folder_.path() + "/folder";
  std::filesystem::create_directory_symlink(".", folder);
  EXPECT_THROW(Store(folder + "/names.db", {}, Durability::process), DatabaseError);
  const std::string hard = folder_.path() + "/hard.db";
  std::filesystem::create_hard_link(path(), hard);
  EXPECT_THROW(Store(hard, {}, Durability::process), DatabaseError);
  std::filesystem::remove(hard);
  // A link to what is not there yet.
  const std::string early = folder_.path() + "/early.db";
  std::filesystem::create_symlink("late.db", early);
  const Store late(early, {}, Durability::process);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/late.db"));
  EXPECT_THROW(Store(folder_.path() + "/late.db", {}, Durability::process), DatabaseError);
}

TEST_F(StoreTest, ChangesWaitForTheDiskUnlessToldOtherwise) {
  EXPECT_EQ(store_->durability(), Durability::process);
  store_.reset();
  store_.emplace(path(), StoreLimits(), Durability::power_loss);
  EXPECT_EQ(store_->durability(), Durability::power_loss);
}

TEST_F(StoreTest, ChangesThatWaitShareATransaction) {
  constexpr int kThreads = 8;
  const ContextId a = made(kRoot, "a");
  const std::uint64_t before = store_->progress().transactions;
  std::vector<Outcome> outcomes(kThreads);
  std::vector<std::thread> threads;
  {
    // Holds the first of them up, until all others wait.
    Connection other(path(), Connection::Mode::create);
    const Transaction held(other, Transaction::Kind::write);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        // Those with odd numbers fail, after others of their transaction have succeeded; one of them has to be undone.
        const auto at = static_cast<std::size_t>(i);
        ContextId id = 0;
        outcomes[at] = i == 3       ? store_->bind_new_context(77, component("x"), id)
                       : i % 2 != 0 ? store_->bind(kRoot, component("a"), object("1"), false)
                                    : store_->bind(a, component(std::to_string(i)), object("1"), false);
      });
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(4);
    while (store_->progress().waiting < kThreads && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(store_->progress().transactions - before, 2U);
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_EQ(outcomes[static_cast<std::size_t>(i)], i == 3       ? Outcome::gone
                                                     : i % 2 != 0 ? Outcome::exists
                                                                  : Outcome::done);
  }
  EXPECT_EQ(store_->census().bindings, 1 + kThreads / 2);
  EXPECT_EQ(store_->census().contexts, 2);
  EXPECT_EQ(store_->progress().waiting, 0U);
}

TEST_F(StoreTest, ATransactionThatCannotBeMadeFailsAllItsChanges) {
  {
    Connection other(path(), Connection::Mode::create);
    other.execute(
        "CREATE TRIGGER broken BEFORE INSERT ON binding WHEN new.id = 'poison' BEGIN SELECT RAISE(ROLLBACK, 'no'); "
        "END");
  }
  reopen({.bindings = 1});
  EXPECT_THROW(store_->bind(kRoot, component("poison"), object("1"), false), DatabaseError);
  EXPECT_EQ(store_->bind(kRoot, component("good"), object("1"), false), Outcome::done) << "it was not counted";
  EXPECT_EQ(store_->census().bindings, 1);
}

TEST_F(StoreTest, ContextsThatNothingLeadsToArePrunedWhenOldAndEmpty) {
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

TEST_F(StoreTest, FilesOfTheFirstFormatAreTakenOver) {
  const ContextId a = made(kRoot, "a");
  store_.reset();
  {
    Connection file(path(), Connection::Mode::create);
    file.execute("ALTER TABLE context DROP COLUMN made; PRAGMA user_version = 1");
  }
  reopen();
  EXPECT_EQ(store_->walk(kRoot, Name{component("a")}).context, a);
  made(a, "b");
  ContextId lonely = 0;
  store_->new_context(lonely);
  reopen();
  EXPECT_EQ(store_->census().contexts, 4);
}

TEST_F(StoreTest, APieceOfAListingIsBoundedInOctets) {
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

TEST_F(StoreTest, FilesThatAreNoNamesAreRefusedAndLeftAlone) {
  store_.reset();
  std::filesystem::remove(path());
  std::ofstream(path()) << "This is a letter to my aunt, and long enough to be no database of SQLite's at all.";
  EXPECT_THROW(reopen(), DatabaseError);
  std::filesystem::remove(path());
  {
    Connection other(path(), Connection::Mode::create);
    other.execute("CREATE TABLE recipe(name TEXT)");
  }
  EXPECT_THROW(reopen(), DatabaseError);
  {
    Connection newer(path(), Connection::Mode::create);
    newer.execute("PRAGMA application_id = 0x43424c4e; PRAGMA user_version = 3");
  }
  EXPECT_THROW(reopen(), DatabaseError);
}

TEST_F(StoreTest, ADamagedFileIsNoticedAtStart) {
  for (int i = 0; i < 2000; ++i) {
    store_->bind(kRoot, component("name " + std::to_string(i)), object(std::string(200, 'x')), false);
  }
  store_.reset();
  const auto size = std::filesystem::file_size(path());
  ASSERT_GT(size, 100'000U);
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file << std::string(8192, '\x55');
  }
  EXPECT_THROW(reopen(), DatabaseError);
}

TEST_F(StoreTest, WhatIsDamagedIsSaidAndWhatToDo) {
  const auto refusal_after = [&](const char* change) -> std::string {
    store_.reset();
    {
      Connection other(path(), Connection::Mode::create);
      other.execute(change);
    }
    try {
      reopen();
    } catch (const DatabaseError& error) {
      return error.what();
    }
    return "taken";
  };
  const std::string begin = std::filesystem::canonical(path()).string() + ": is damaged: ";
  const std::string end = "; put a copy of it in its place, or give another file (--data)";
  EXPECT_EQ(refusal_after("UPDATE setting SET value = 'nothing'"),
            begin + "its setting 'identity' is 'nothing', which is no number of 64 bits in hexadecimal" + end);
  EXPECT_EQ(refusal_after("DELETE FROM setting"),
            begin + "its setting 'identity' is '', which is no number of 64 bits in hexadecimal" + end);
  EXPECT_EQ(refusal_after("INSERT INTO setting VALUES('identity', 'abc')"), "taken");
  EXPECT_EQ(refusal_after("DELETE FROM context"), begin + "it has no root context" + end);
}

TEST_F(StoreTest, ReadersSeeWholeChangesWhileOthersWrite) {
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

}  // namespace
}  // namespace corbel::naming

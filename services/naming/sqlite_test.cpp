// SPDX-License-Identifier: Apache-2.0
#include "sqlite.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "sql_store.hpp"
#include "test_support.hpp"

namespace corbel::naming {
namespace {

using namespace test;  // NOLINT: the helpers' names

std::unique_ptr<SqlStore> open(const std::string& path, StoreLimits limits = {},
                               Durability durability = Durability::process) {
  return std::make_unique<SqlStore>(std::make_unique<Sqlite>(path, durability), limits);
}

class SqliteTest : public testing::Test {
 protected:
  void reopen(StoreLimits limits = {}) {
    store_.reset();
    store_ = open(path(), limits);
  }
  void SetUp() override { reopen(); }
  std::string path() const { return folder_.path() + "/names.db"; }

  ContextId made(ContextId parent, const std::string& name) {
    ContextId id = 0;
    EXPECT_EQ(store_->bind_new_context(parent, component(name), id), Outcome::done);
    return id;
  }

  TemporaryFolder folder_;
  std::unique_ptr<SqlStore> store_;
};

// Changes of other threads would wait for it without end.
TEST(SqliteTold, WhoIsToldOfAFailureAndFailsDoesNotKeepTheChangesThatFollow) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/names.db";
  const auto tell = [](const std::string&) { throw std::runtime_error("no room for the line"); };
  const auto store =
      std::make_shared<SqlStore>(std::make_unique<Sqlite>(path, Durability::process), StoreLimits(), tell);
  SqliteConnection(path, SqliteConnection::Mode::create).execute("DROP TABLE binding");
  std::promise<void> refused;
  auto done = refused.get_future();
  std::thread([store, refused = std::move(refused)]() mutable {
    for (int i = 0; i < 2; ++i) EXPECT_THROW(store->unbind(kRoot, component("a")), StoreError);
    refused.set_value();
  }).detach();
  EXPECT_EQ(done.wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST_F(SqliteTest, ASecondProcessIsRefused) {
  EXPECT_THROW(open(path()), StoreError);
}

TEST_F(SqliteTest, ASecondProcessIsRefusedByWhateverPath) {
  const std::string link = folder_.path() + "/link.db";
  std::filesystem::create_symlink("names.db", link);
  EXPECT_THROW(open(link), StoreError);
  const std::string folder = folder_.path() + "/folder";
  std::filesystem::create_directory_symlink(".", folder);
  EXPECT_THROW(open(folder + "/names.db"), StoreError);
  const std::string hard = folder_.path() + "/hard.db";
  std::filesystem::create_hard_link(path(), hard);
  EXPECT_THROW(open(hard), StoreError);
  std::filesystem::remove(hard);
  // A link to what is not there yet.
  const std::string early = folder_.path() + "/early.db";
  std::filesystem::create_symlink("late.db", early);
  const auto late = open(early);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/late.db"));
  EXPECT_THROW(open(folder_.path() + "/late.db"), StoreError);
}

TEST_F(SqliteTest, ChangesWaitForTheDiskUnlessToldOtherwise) {
  EXPECT_EQ(store_->durability(), Durability::process);
  store_.reset();
  store_ = open(path(), {}, Durability::power_loss);
  EXPECT_EQ(store_->durability(), Durability::power_loss);
}

TEST_F(SqliteTest, ChangesThatWaitShareATransaction) {
  constexpr int kThreads = 8;
  const ContextId a = made(kRoot, "a");
  const std::uint64_t before = store_->progress().transactions;
  std::vector<Outcome> outcomes(kThreads);
  std::vector<std::thread> threads;
  {
    // Holds the first of them up, until all others wait.
    SqliteConnection other(path(), SqliteConnection::Mode::create);
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

TEST_F(SqliteTest, ATransactionThatCannotBeMadeFailsAllItsChanges) {
  {
    SqliteConnection other(path(), SqliteConnection::Mode::create);
    other.execute(
        "CREATE TRIGGER broken BEFORE INSERT ON binding WHEN new.id = 'poison' BEGIN SELECT RAISE(ROLLBACK, 'no'); "
        "END");
  }
  std::vector<std::string> told;
  store_.reset();
  store_ = std::make_unique<SqlStore>(std::make_unique<Sqlite>(path(), Durability::process), StoreLimits{.bindings = 1},
                                      [&](const std::string& line) { told.push_back(line); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(store_->bind(kRoot, component("poison"), object("1"), false), StoreError);
  }
  ASSERT_EQ(told.size(), 1U) << "now and then";
  EXPECT_NE(told[0].find("names.db"), std::string::npos) << told[0];
  EXPECT_EQ(store_->bind(kRoot, component("good"), object("1"), false), Outcome::done) << "it was not counted";
  EXPECT_EQ(store_->census().bindings, 1);
}

TEST_F(SqliteTest, FilesOfTheFirstFormatAreTakenOver) {
  const ContextId a = made(kRoot, "a");
  store_.reset();
  {
    SqliteConnection file(path(), SqliteConnection::Mode::create);
    file.execute(
        "ALTER TABLE context DROP COLUMN made; DROP INDEX binding_ends; ALTER TABLE binding DROP COLUMN lease; "
        "ALTER TABLE binding DROP COLUMN ends; PRAGMA user_version = 1");
  }
  reopen();
  EXPECT_EQ(store_->walk(kRoot, Name{component("a")}).context, a);
  made(a, "b");
  ContextId lonely = 0;
  store_->new_context(lonely);
  reopen();
  EXPECT_EQ(store_->census().contexts, 4);
}

TEST_F(SqliteTest, FilesThatAreNoNamesAreRefusedAndLeftAlone) {
  store_.reset();
  std::filesystem::remove(path());
  std::ofstream(path()) << "This is a letter to my aunt, and long enough to be no database of SQLite's at all.";
  EXPECT_THROW(reopen(), StoreError);
  std::filesystem::remove(path());
  {
    SqliteConnection other(path(), SqliteConnection::Mode::create);
    other.execute("CREATE TABLE recipe(name TEXT)");
  }
  EXPECT_THROW(reopen(), StoreError);
  {
    SqliteConnection newer(path(), SqliteConnection::Mode::create);
    newer.execute("PRAGMA application_id = 0x43424c4e; PRAGMA user_version = 4");
  }
  EXPECT_THROW(reopen(), StoreError);
}

// Where the disk is full the next start needs what lies beside the file; a copy put in its place does not.
TEST_F(SqliteTest, WhatLiesBesideTheFileStaysAndHoldsNothing) {
  store_->bind(kRoot, component("old"), object("1"), false);
  store_.reset();
  const std::string copy = folder_.path() + "/copy.db";
  std::filesystem::copy_file(path(), copy);
  reopen();
  store_->bind(kRoot, component("new"), object("2"), false);
  store_.reset();
  EXPECT_EQ(std::filesystem::file_size(path() + "-wal"), 0U);
  EXPECT_EQ(std::filesystem::file_size(path() + "-shm"), 32U << 10);
  std::filesystem::copy_file(copy, path(), std::filesystem::copy_options::overwrite_existing);
  reopen();
  const Listing listing = store_->list(kRoot, std::nullopt, 10, 1000);
  ASSERT_EQ(listing.bindings.size(), 1U);
  EXPECT_EQ(listing.bindings[0].name.id(), "old");
}

TEST_F(SqliteTest, ADamagedFileIsNoticedAtStart) {
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
  EXPECT_THROW(reopen(), StoreError);
}

TEST_F(SqliteTest, WhatIsDamagedIsSaidAndWhatToDo) {
  const auto refusal_after = [&](const char* change) -> std::string {
    store_.reset();
    {
      SqliteConnection other(path(), SqliteConnection::Mode::create);
      other.execute(change);
    }
    try {
      reopen();
    } catch (const StoreError& error) {
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

}  // namespace
}  // namespace corbel::naming

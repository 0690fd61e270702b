// SPDX-License-Identifier: Apache-2.0
// Names in PostgreSQL: what is its own. What every store does that is shared is in shared_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "support/postgres_server.hpp"
#include "test_support.hpp"
#ifdef CORBEL_NAMING_POSTGRESQL
#include "postgres.hpp"
#endif

namespace corbel::naming {
namespace test {
namespace {

using corbel::test::PostgresServer;

PostgresServer& server() {
  static PostgresServer one;
  return one;
}

}  // namespace

#ifdef CORBEL_NAMING_POSTGRESQL

std::string postgres() {
  return PostgresServer::programs().empty() ? std::string() : server().url();
}

void stop_postgres() {
  server().stop(SIGQUIT);
}
void start_postgres() {
  server().start();
}

std::string empty_postgres() {
  const std::string url = postgres();
  if (!url.empty()) {
    PostgresConnection("test", url, std::chrono::seconds(30)).execute("DROP SCHEMA IF EXISTS corbel_naming CASCADE");
  }
  return url;
}

namespace {

/// From then on the session of those who bind ends while it commits.
constexpr const char* kDying =
    "CREATE FUNCTION corbel_naming.die() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; "
    "CREATE CONSTRAINT TRIGGER die AFTER INSERT ON corbel_naming.binding DEFERRABLE INITIALLY DEFERRED "
    "FOR EACH ROW EXECUTE FUNCTION corbel_naming.die()";

/// Several stores in one database, as several processes have them.
class PostgresTest : public testing::Test {
 protected:
  void SetUp() override {
    url_ = empty_postgres();
    if (url_.empty()) GTEST_SKIP() << "PostgreSQL is not installed";
  }
  std::unique_ptr<SqlStore> open(StoreLimits limits = {},
                                 std::chrono::milliseconds patience = std::chrono::minutes(1)) {
    StorePlace place;
    place.url = url_;
    place.patience = patience;
    place.connections = 4;
    return open_sql_store(place, limits, [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      said_.push_back(line);
    });
  }
  void execute(const char* sql) {
    PostgresConnection connection("test", url_, std::chrono::seconds(30));
    connection.execute(sql);
  }
  std::unique_ptr<Store> hasty(std::chrono::milliseconds patience) const {
    return open_hasty({.url = url_, .patience = patience});
  }
  /// True once `call` has been; a store with little time may need some tries on a slow machine.
  template <class Call>
  static bool patiently(const Call& call) {
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
         std::chrono::steady_clock::now() < end;) {
      try {
        return call();
      } catch (const StoreError&) {  // out of time
      }
    }
    return false;
  }

  std::string url_;
  std::mutex mutex_;
  std::vector<std::string> said_;
};

TEST_F(PostgresTest, ALostConnectionIsReplacedAndNothingHappensTwice) {
  const auto store = open();
  ASSERT_EQ(store->bind(kRoot, component("o"), object("1"), false), Outcome::done);
  for (int i = 0; i < 3; ++i) {
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid != pg_backend_pid() "
        "AND application_name = 'corbel-named'");
    EXPECT_EQ(store->resolve(kRoot, Name{component("o")}).bound.reference, "1");
    EXPECT_EQ(store->bind(kRoot, component(std::to_string(i)), object("1"), false), Outcome::done);
  }
  EXPECT_EQ(store->census().bindings, 4);
}

TEST_F(PostgresTest, ASilentDatabaseKeepsNobodyForLong) {
  const auto patient = open();
  ASSERT_EQ(patient->bind(kRoot, component("o"), object("1"), false), Outcome::done);
  const auto store = hasty(std::chrono::milliseconds(300));
  ASSERT_TRUE(patiently([&] { return store->exists(kRoot); }));
  // Somebody has the totals and does not give them back: changes cannot begin, looks go on.
  PostgresConnection holder("test", url_, std::chrono::seconds(30));
  holder.wait_until(std::chrono::steady_clock::now() + std::chrono::minutes(1));
  holder.execute("BEGIN; SELECT * FROM corbel_naming.total FOR UPDATE");
  EXPECT_THROW(store->bind(kRoot, component("p"), object("1"), false), StoreError);
  EXPECT_TRUE(patiently([&] { return store->resolve(kRoot, Name{component("o")}).bound.reference == "1"; }));
  holder.execute("ROLLBACK");
  EXPECT_EQ(patient->bind(kRoot, component("p"), object("1"), false), Outcome::done);
}

TEST_F(PostgresTest, SessionsThatFallSilentAreGivenUp) {
  const auto store = hasty(std::chrono::milliseconds(400));
  ASSERT_TRUE(patiently([&] { return store->exists(kRoot); }));
  ASSERT_TRUE(patiently([&] { return store->bind(kRoot, component("o"), object("1"), true) == Outcome::done; }));
  PostgresConnection other("test", url_, std::chrono::seconds(30));
  other.wait_until(std::chrono::steady_clock::now() + std::chrono::minutes(1));
  std::vector<pid_t> sessions;
  {
    Statement all(other,
                  "SELECT pid FROM pg_stat_activity WHERE pid != pg_backend_pid() AND application_name = "
                  "'corbel-named'");
    while (all.step()) sessions.push_back(static_cast<pid_t>(all.number(0)));
  }
  ASSERT_GE(sessions.size(), 2U);
  for (const pid_t each : sessions) ::kill(each, SIGSTOP);
  EXPECT_THROW(store->exists(kRoot), StoreError);
  EXPECT_THROW(store->bind(kRoot, component("p"), object("1"), false), StoreError);
  // New ones take their place.
  EXPECT_TRUE(patiently([&] { return store->exists(kRoot); }));
  EXPECT_TRUE(patiently([&] { return store->bind(kRoot, component("p"), object("1"), true) == Outcome::done; }));
  for (const pid_t each : sessions) ::kill(each, SIGCONT);
}

TEST_F(PostgresTest, AProcessThatStopsInTheMiddleOfAChangeHoldsTheOthersUpForAWhileOnly) {
  const auto store = open();
  Postgres engine(url_, {.patience = std::chrono::milliseconds(500)});
  const auto stopped =
      engine.connect(Connection::Kind::write, std::chrono::steady_clock::now() + std::chrono::minutes(1));
  stopped->begin(Connection::Kind::write);
  stopped->execute("SELECT * FROM total FOR UPDATE");
  EXPECT_EQ(store->bind(kRoot, component("o"), object("1"), false), Outcome::done);
  try {
    stopped->commit();
    ADD_FAILURE() << "it goes on as if nothing had been";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.completed(), StoreError::Completed::no);
  }
}

TEST_F(PostgresTest, DurabilityIsNoLessThanAskedFor) {
  EXPECT_EQ(open()->durability(), Durability::power_loss);
  StorePlace place;
  place.url = url_ + "&options=-csynchronous_commit%3Doff";
  EXPECT_EQ(open_sql_store(place, {})->durability(), Durability::power_loss);
  place.url = url_ + "&options=-csynchronous_commit%3Dlocal";
  EXPECT_EQ(open_sql_store(place, {})->durability(), Durability::power_loss);
  place.durability = Durability::process;
  EXPECT_EQ(open_sql_store(place, {})->durability(), Durability::process);
}

TEST_F(PostgresTest, ATransactionWhoseEndWasNotConfirmedMayHaveHappened) {
  const auto store = open();
  ASSERT_EQ(store->bind(kRoot, component("o"), object("1"), false), Outcome::done);
  execute(kDying);
  try {
    store->bind(kRoot, component("p"), object("1"), false);
    ADD_FAILURE() << "it cannot know";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.fault(), StoreError::Fault::away);
    EXPECT_EQ(error.completed(), StoreError::Completed::maybe);
  }
  execute("DROP TRIGGER die ON corbel_naming.binding");
  EXPECT_EQ(store->resolve(kRoot, Name{component("p")}).outcome, Outcome::missing);
  EXPECT_EQ(store->bind(kRoot, component("p"), object("1"), false), Outcome::done);
  EXPECT_EQ(store->census().bindings, 2);
}

TEST_F(PostgresTest, ClientsAreToldWhatBecameOfTheirCalls) {
  const auto store = open();
  const auto hurried = hasty(std::chrono::milliseconds(200));
  const OrbRef orb = make_orb("shared", Server::listening({}));
  const OrbRef other = make_orb("hasty", Server::listening({}));
  {
    Service service(orb, *store, {});
    Service with_little_time(other, *hurried, {});
    const auto told = [&](auto call) -> std::string {
      try {
        call();
      } catch (const CORBA::TRANSIENT& exception) {
        return exception.completed() == CORBA::COMPLETED_NO ? "not done" : "perhaps done";
      }
      return "done";
    };
    const auto thing = orb->string_to_object("corbaloc::127.0.0.1:1/thing");
    EXPECT_EQ(told([&] { service.root()->bind(Name{component("a")}, thing); }), "done");
    execute(kDying);
    EXPECT_EQ(told([&] { service.root()->bind(Name{component("b")}, thing); }), "perhaps done");
    execute("DROP TRIGGER die ON corbel_naming.binding");
    server().stop(SIGQUIT);
    EXPECT_EQ(told([&] { with_little_time.root()->bind(Name{component("c")}, thing); }), "not done");
    EXPECT_EQ(told([&] { with_little_time.root()->resolve(Name{component("a")}); }), "not done");
    server().start();
    EXPECT_EQ(told([&] { service.root()->bind(Name{component("c")}, thing); }), "done");
    orb->destroy();
    other->destroy();
  }
}

TEST_F(PostgresTest, WhatIsDamagedOrNewerIsRefused) {
  open();
  execute("UPDATE corbel_naming.total SET bindings = 7");
  EXPECT_THROW(open()->census(), StoreError);
  execute("UPDATE corbel_naming.setting SET value = '2' WHERE name = 'format'");
  EXPECT_THROW(open(), StoreError);
}

TEST_F(PostgresTest, APasswordOnTheCommandLineIsRefused) {
  EXPECT_THROW(Postgres("postgresql://user:secret@host/names", {}), StoreError);
  EXPECT_THROW(Postgres("host=h password=secret", {}), StoreError);
  EXPECT_THROW(Postgres("nonsense", {}), StoreError);
  EXPECT_EQ(Postgres("host=h dbname=names", {}).name(), "PostgreSQL at h, database names");
}

INSTANTIATE_TEST_SUITE_P(PostgreSQL, StoreTest, testing::Values("PostgreSQL"));

}  // namespace

#else

std::string postgres() {
  return {};
}
std::string empty_postgres() {
  return {};
}
void stop_postgres() {}
void start_postgres() {}

#endif

namespace {
INSTANTIATE_TEST_SUITE_P(SQLite, StoreTest, testing::Values("SQLite"));
}

}  // namespace test
}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
#include "postgres.hpp"

#include <algorithm>
#include <utility>

namespace corbel::naming {
namespace {

using Fault = StoreError::Fault;

constexpr const char* kPostgresFormat = "1";

// As SQLite has them, but ids and kinds are octets: they need not be text in any encoding of the server's.
constexpr const char* kPostgresSchema = R"(
  CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE total(
    one INTEGER PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    contexts BIGINT NOT NULL,
    bindings BIGINT NOT NULL);
  CREATE TABLE context(
    id BIGINT PRIMARY KEY,
    bindings BIGINT NOT NULL DEFAULT 0,
    made BIGINT NOT NULL DEFAULT 0);
  CREATE TABLE binding(
    context BIGINT NOT NULL,
    id BYTEA NOT NULL,
    kind BYTEA NOT NULL,
    is_context INTEGER NOT NULL,
    child BIGINT,
    reference BYTEA,
    lease BIGINT,
    ends BIGINT,
    PRIMARY KEY(context, id, kind));
  CREATE INDEX binding_ends ON binding(ends) WHERE ends IS NOT NULL;
  CREATE TABLE member(id TEXT PRIMARY KEY, addresses BYTEA NOT NULL, ends BIGINT NOT NULL);
  INSERT INTO context(id) VALUES(1);
  INSERT INTO total(contexts, bindings) VALUES(1, 0);
)";

/// The value of a keyword; "" if there is none.
std::string value_of(const PQconninfoOption* options, std::string_view keyword) {
  for (const PQconninfoOption* each = options; each != nullptr && each->keyword != nullptr; ++each) {
    if (each->keyword == keyword && each->val != nullptr) return each->val;
  }
  return {};
}

}  // namespace

Postgres::Postgres(std::string url, PostgresOptions options) : url_(std::move(url)), options_(options) {
  char* why = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> read(PQconninfoParse(url_.c_str(), &why),
                                                                          &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> text(why, &PQfreemem);
  if (read == nullptr) {
    throw StoreError("--store: " + std::string(why == nullptr ? "cannot be read" : why), Fault::broken);
  }
  if (!value_of(read.get(), "password").empty()) {
    throw StoreError(
        "--store: a password on the command line is seen by all; put it into ~/.pgpass (PGPASSFILE), or "
        "into a service file (PGSERVICEFILE)",
        Fault::broken);
  }
  name_ = "PostgreSQL";
  if (const std::string host = value_of(read.get(), "host"); !host.empty()) name_ += " at " + host;
  if (const std::string database = value_of(read.get(), "dbname"); !database.empty()) name_ += ", database " + database;
}

std::unique_ptr<Connection> Postgres::connect(Connection::Kind, Patience patience) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(patience - std::chrono::steady_clock::now());
  auto connection = std::make_unique<PostgresConnection>(name_, url_, std::min(options_.connect_patience, left));
  connection->wait_until(patience);
  // The server gives up when this process does. A process that has been stopped in the middle of a transaction keeps
  // the others waiting no longer than half of that.
  const auto limit = std::to_string(options_.patience.count());
  const auto half = std::to_string(std::max<std::int64_t>(1, options_.patience.count() / 2));
  // What is set for the disks and the standbys stays as it is, unless it is less than was asked for.
  const std::string commit = options_.durability == Durability::power_loss
                                 ? "SELECT set_config('synchronous_commit', 'on', false) "
                                   "WHERE current_setting('synchronous_commit') = 'off'"
                                 : "SET synchronous_commit = off";
  connection->execute(("SET search_path = corbel_naming; SET statement_timeout = " + limit +
                       "; SET idle_in_transaction_session_timeout = " + half + "; " + commit)
                          .c_str());
  return connection;
}

void Postgres::prepare(Connection& connection) {
  Transaction transaction(connection, Transaction::Kind::write);
  connection.execute("SET LOCAL statement_timeout = 0");
  // Of several that start at the same time one makes the tables.
  connection.execute("SELECT pg_advisory_xact_lock(1128418382)");
  if (connection.number("SELECT count(*) FROM pg_namespace WHERE nspname = 'corbel_naming'") == 0) {
    connection.execute("CREATE SCHEMA corbel_naming");
  }
  if (connection.number("SELECT count(*) FROM pg_tables WHERE schemaname = 'corbel_naming' AND tablename = 'total'") ==
      0) {
    connection.execute(kPostgresSchema);
    Statement set(connection, "INSERT INTO setting VALUES(?1, ?2)");
    set.bind(1, std::string_view("format")).bind(2, std::string_view(kPostgresFormat)).run();
    const std::string identity = hex(random_number());
    set.bind(1, std::string_view("identity")).bind(2, identity).run();
  }
  if (const std::string format = connection.text("SELECT value FROM setting WHERE name = 'format'");
      format != kPostgresFormat) {
    throw StoreError(
        name_ + ": is of format '" + format.substr(0, 32) + "'; this program reads format " + kPostgresFormat,
        Fault::broken);
  }
  transaction.commit();
}

void Postgres::check(Connection& connection) {
  connection.execute("SET LOCAL statement_timeout = 0");
  if (connection.number("SELECT count(*) FROM total WHERE contexts = (SELECT count(*) FROM context) AND bindings = "
                        "(SELECT count(*) FROM binding)") != 1) {
    throw StoreError(name_ + ": is damaged: its totals are wrong", Fault::broken);
  }
}

Durability Postgres::durability(Connection& connection) {
  return connection.text("SHOW synchronous_commit") == "off" ? Durability::process : Durability::power_loss;
}

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
// Names in a database of PostgreSQL, which several processes share.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>

#include "sql.hpp"

namespace corbel::naming {

struct PostgresOptions {
  Durability durability = Durability::power_loss;
  std::chrono::milliseconds patience = std::chrono::seconds(10);
  std::chrono::milliseconds connect_patience = std::chrono::seconds(5);
  std::size_t connections = 16;
};

/// A session with the server. No call waits longer than it was told to, however silent the server is; one that did is
/// the end of the session.
class PostgresConnection final : public Connection {
 public:
  using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;
  /// What a parameter is, as libpq takes it.
  struct Parameter {
    const char* octets = nullptr;
    int size = 0;
    bool binary = false;
  };

  PostgresConnection(const std::string& name, const std::string& url, std::chrono::milliseconds patience);

  std::unique_ptr<Prepared> prepare(const char* sql) override;
  void execute(const char* sql) override;
  void begin(Kind kind) override;
  void commit() override;
  void roll_back() noexcept override;
  bool in_transaction() const noexcept override;
  std::int64_t changes() const noexcept override { return changes_; }
  bool usable() const noexcept override;
  void wait_until(Patience patience) noexcept override { patience_ = patience; }

  // For its statements.

  void make(const std::string& statement, const std::string& sql);
  Result run(const std::string& statement, const std::vector<Parameter>& parameters);

 private:
  /// Waits for all that comes in answer to what was just sent; the last result, or throws.
  Result answer(bool sent, const char* what);
  void flush();
  void notice_end();
  void wait_for(short events);
  [[noreturn]] void fail(const PGresult* result, const char* what);
  [[noreturn]] void lose(const std::string& why);

  const std::string name_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  Patience patience_;
  std::int64_t changes_ = 0;
  unsigned statements_ = 0;
  bool given_up_ = false;  ///< an answer may still come, and would be taken for that to something else
};

/// One database. The names are in its schema `corbel_naming`. Every process keeps a session for changes and some for
/// looks.
class Postgres final : public Engine {
 public:
  /// `url` as libpq takes it, a URL or KEYWORD=VALUE pairs. Throws StoreError if it cannot be read, or holds a
  /// password, which others would see on the command line.
  Postgres(std::string url, PostgresOptions options);

  bool shared() const noexcept override { return true; }
  const std::string& name() const noexcept override { return name_; }
  std::unique_ptr<Connection> connect(Connection::Kind kind, Patience patience) override;
  void prepare(Connection& connection) override;
  void check(Connection& connection) override;
  const char* rescue() const noexcept override { return "restore it from a backup"; }
  std::chrono::milliseconds patience() const noexcept override { return options_.patience; }
  std::size_t most_readers() const noexcept override { return options_.connections; }
  Durability durability(Connection& connection) override;

 private:
  const std::string url_;
  const PostgresOptions options_;
  std::string name_;  ///< "PostgreSQL at HOST, database NAME"
};

}  // namespace corbel::naming

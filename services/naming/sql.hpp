// SPDX-License-Identifier: Apache-2.0
// What the store needs of a database that speaks SQL: this, and no more. SQLite and PostgreSQL give it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store.hpp"

namespace corbel::naming {

/// Until when a database may keep a thread waiting.
using Patience = std::chrono::steady_clock::time_point;

/// A statement as a database prepares it. See Statement.
class Prepared {
 public:
  Prepared() = default;
  virtual ~Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  virtual void bind(int parameter, std::int64_t value) = 0;
  virtual void bind(int parameter, std::string_view octets) = 0;
  /// What is no text, if the database tells the two apart.
  virtual void bind_octets(int parameter, std::string_view octets) = 0;
  virtual void bind_null(int parameter) = 0;
  virtual bool step() = 0;
  virtual void reset() noexcept = 0;
  virtual std::int64_t number(int column) const = 0;
  virtual std::string text(int column) const = 0;
  virtual bool is_null(int column) const = 0;
};

/// An open database. One thread at a time. Everything may throw StoreError.
class Connection {
 public:
  enum class Kind { read, write };

  Connection() = default;
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Parameters are written ?1, ?2, ...; "{now}" stands for the milliseconds since 1970 by the database's clock.
  virtual std::unique_ptr<Prepared> prepare(const char* sql) = 0;
  /// Runs statements that give no rows, or whose rows do not matter.
  virtual void execute(const char* sql) = 0;
  virtual void begin(Kind kind) = 0;
  /// Returns when all is durable. Else throws; StoreError::completed() says whether it may have happened.
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;
  /// False after failures at which the database has rolled back by itself.
  virtual bool in_transaction() const noexcept = 0;
  /// Rows that the last statement changed.
  virtual std::int64_t changes() const noexcept = 0;
  /// False when the connection is lost: then it is good for nothing any more.
  virtual bool usable() const noexcept { return true; }
  /// What is begun after this is given up then.
  virtual void wait_until(Patience) noexcept {}

  /// The first column of the first row; 0 or nothing if there is none.
  std::int64_t number(const char* sql);
  std::string text(const char* sql);
};

/// A prepared statement, run again and again. Belongs to the thread that uses its connection.
class Statement {
 public:
  Statement(Connection& connection, const char* sql) : prepared_(connection.prepare(sql)) {}

  /// Parameters count from 1. A text must stay as it is until the statement has been run.
  Statement& bind(int parameter, std::int64_t value) { return prepared_->bind(parameter, value), *this; }
  Statement& bind(int parameter, std::string_view octets) { return prepared_->bind(parameter, octets), *this; }
  Statement& bind_octets(int parameter, std::string_view octets) {
    return prepared_->bind_octets(parameter, octets), *this;
  }
  Statement& bind_null(int parameter) { return prepared_->bind_null(parameter), *this; }

  /// True if there is a row (another one).
  bool step() { return prepared_->step(); }
  /// Runs a statement that gives no rows, and makes it ready for the next time.
  void run();
  /// Makes it ready for the next time.
  void reset() noexcept { prepared_->reset(); }

  /// A column of the current row; columns count from 0.
  std::int64_t number(int column) const { return prepared_->number(column); }
  /// Text or octets, a copy.
  std::string text(int column) const { return prepared_->text(column); }
  bool is_null(int column) const { return prepared_->is_null(column); }

 private:
  std::unique_ptr<Prepared> prepared_;
};

/// A statement is reset when the block that runs it ends, however that is.
class Running {
 public:
  explicit Running(Statement& statement) noexcept : statement_(statement) {}
  ~Running() { statement_.reset(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  Statement* operator->() const noexcept { return &statement_; }

 private:
  Statement& statement_;
};

/// Begins, and at the end of the block rolls back unless commit() has been called.
class Transaction {
 public:
  using Kind = Connection::Kind;
  Transaction(Connection& connection, Kind kind) : connection_(connection) { connection.begin(kind); }
  ~Transaction() {
    if (open_) connection_.roll_back();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    connection_.commit();
    open_ = false;
  }

 private:
  Connection& connection_;
  bool open_ = true;
};

/// A kind of database, and which one. Thread-safe.
class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// True if other processes may change it, too. Then it keeps the totals of contexts and bindings itself, in the one
  /// row of `total`; a transaction that writes has that row, and so is alone, from its beginning to its end.
  virtual bool shared() const noexcept = 0;
  /// What people call it.
  virtual const std::string& name() const noexcept = 0;
  virtual std::unique_ptr<Connection> connect(Connection::Kind kind, Patience patience) = 0;
  /// Makes the tables if there are none, brings them to this program's format, and checks what can be checked fast.
  /// Throws StoreError if it is damaged, or something else's. Called once, before all else.
  virtual void prepare(Connection& connection) = 0;
  /// Throws StoreError if the database finds itself damaged.
  virtual void check(Connection& connection) = 0;
  /// What is said of damage: what to do.
  virtual const char* rescue() const noexcept = 0;
  /// How long a change or a look may take, lost connections included.
  virtual std::chrono::milliseconds patience() const noexcept = 0;
  /// Connections that read at the same time.
  virtual std::size_t most_readers() const noexcept = 0;
  /// What the database does now.
  virtual Durability durability(Connection& connection) = 0;
};

}  // namespace corbel::naming

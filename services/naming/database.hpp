// SPDX-License-Identifier: Apache-2.0
// What the store needs of SQLite, with owners for what has to be given back.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace corbel::naming {

/// The database says no: disk full, damaged, locked by another process. what() says which file and why, for people.
class DatabaseError : public std::runtime_error {
 public:
  DatabaseError(const std::string& text, int code) : std::runtime_error(text), code_(code) {}
  /// SQLite's extended result code.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

class Connection;

/// A prepared statement, run again and again. Belongs to the thread that uses its connection.
class Statement {
 public:
  Statement(Connection& connection, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Parameters count from 1. A text must stay as it is until the statement has been run.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_octets(int parameter, std::string_view octets);
  Statement& bind_null(int parameter);

  /// True if there is a row (another one). Throws DatabaseError.
  bool step();
  /// Runs a statement that gives no rows, and makes it ready for the next time.
  void run();
  /// Makes it ready for the next time.
  void reset() noexcept;

  /// A column of the current row; columns count from 0.
  std::int64_t number(int column) const;
  /// Text or octets, a copy.
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
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

/// An open database. One thread at a time.
class Connection {
 public:
  enum class Mode { create, read };
  /// Throws DatabaseError.
  Connection(const std::string& path, Mode mode);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs statements that give no rows, or whose rows do not matter.
  void execute(const char* sql);
  /// The first column of the first row; 0 if there is none.
  std::int64_t number(const char* sql);
  std::string text(const char* sql);
  /// False after failures at which SQLite has rolled back by itself.
  bool in_transaction() const noexcept;
  /// Rows that the last statement changed.
  std::int64_t changes() const noexcept;
  [[noreturn]] void fail(const char* what);

  sqlite3* get() const noexcept { return database_; }

 private:
  std::string path_;
  sqlite3* database_ = nullptr;
};

/// BEGIN, and at the end of the block ROLLBACK unless commit() has been called.
class Transaction {
 public:
  enum class Kind { read, write };
  Transaction(Connection& connection, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  /// Returns when all is on the disk. Throws DatabaseError, and then nothing has changed.
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

/// The path without links, whether or not the file is there. Throws DatabaseError if the file has several hard links:
/// what SQLite keeps beside one of them is not seen by a process that opens another, and the file would be lost.
std::string real_path(const std::string& path);

/// Keeps other processes away from a database: an advisory lock on a file beside it. (Not on the file itself: closing
/// any descriptor of that would take SQLite's own locks away.)
class FileLock {
 public:
  /// Throws DatabaseError if another process has it, or the file cannot be made.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
// Names in a file of SQLite's, which one process has at a time.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "sql.hpp"

struct sqlite3;

namespace corbel::naming {

/// A database file, or a connection to it.
class SqliteConnection final : public Connection {
 public:
  enum class Mode { create, read };
  SqliteConnection(const std::string& path, Mode mode);
  ~SqliteConnection() override;

  std::unique_ptr<Prepared> prepare(const char* sql) override;
  void execute(const char* sql) override;
  void begin(Kind kind) override;
  void commit() override;
  void roll_back() noexcept override;
  bool in_transaction() const noexcept override;
  std::int64_t changes() const noexcept override;

  /// The last connection that closes leaves the files beside the database (-wal, emptied, and -shm) where they are.
  void keep_log() noexcept;

  /// Throws StoreError with what SQLite says of its last failure.
  [[noreturn]] void fail(const char* what);

 private:
  std::string path_;
  sqlite3* database_ = nullptr;
  bool keeps_log_ = false;
};

/// The path without links, whether or not the file is there. Throws StoreError if the file has several hard links:
/// what SQLite keeps beside one of them is not seen by a process that opens another, and the file would be lost.
std::string real_path(const std::string& path);

/// Keeps other processes away from a database: an advisory lock on a file beside it. (Not on the file itself: closing
/// any descriptor of that would take SQLite's own locks away.)
class FileLock {
 public:
  /// Throws StoreError if another process has it, or the file cannot be made.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

/// The pages of SQLite's index (-shm), which it maps: where the system gives them no place on the disk before they are
/// touched, as file systems with small blocks do, a full disk would end the process by SIGBUS.
class IndexRoom {
 public:
  explicit IndexRoom(const std::string& database) : database_(database), path_(database + "-shm") {}
  ~IndexRoom();
  IndexRoom(const IndexRoom&) = delete;
  IndexRoom& operator=(const IndexRoom&) = delete;

  /// Before SQLite opens it. Throws StoreError if there is no room.
  void expect() const;
  /// Once SQLite has: gives it its place, and some for later. Throws StoreError if there is no room.
  void keep();

 private:
  StoreError lacking() const;

  const std::string database_;
  const std::string path_;
  std::mutex mutex_;
  int file_ = -1;  // stays open: closing it would take SQLite's locks away
};

/// Owns the database file, alone: a second one for the same file is refused, be it by another path (links are followed,
/// and a file with several hard links is refused).
class Sqlite final : public Engine {
 public:
  Sqlite(const std::string& path, Durability durability)
      : path_(real_path(path)), lock_(path_ + ".lock"), index_(path_), durability_(durability) {}

  bool shared() const noexcept override { return false; }
  const std::string& name() const noexcept override { return path_; }
  std::unique_ptr<Connection> connect(Connection::Kind kind, Patience patience) override;
  void prepare(Connection& connection) override;
  void check(Connection& connection) override;
  const char* rescue() const noexcept override;
  std::chrono::milliseconds patience() const noexcept override;
  std::size_t most_readers() const noexcept override;
  Durability durability(Connection& connection) override;

 private:
  const std::string path_;  ///< without links, so that what lies beside the file is there once
  const FileLock lock_;
  IndexRoom index_;
  const Durability durability_;
};

}  // namespace corbel::naming

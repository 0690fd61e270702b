// SPDX-License-Identifier: Apache-2.0
#include "database.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace corbel::naming {

Statement::Statement(Connection& connection, const char* sql) : connection_(connection) {
  if (sqlite3_prepare_v3(connection.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) != SQLITE_OK) {
    connection.fail(sql);
  }
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  if (sqlite3_bind_int64(statement_, parameter, value) != SQLITE_OK) connection_.fail("bind");
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  // An empty view may have no address, which SQLite would take for NULL.
  const char* const begin = text.empty() ? "" : text.data();
  if (sqlite3_bind_text64(statement_, parameter, begin, text.size(), SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK) {
    connection_.fail("bind");
  }
  return *this;
}

Statement& Statement::bind_octets(int parameter, std::string_view octets) {
  if (sqlite3_bind_blob64(statement_, parameter, octets.empty() ? "" : octets.data(), octets.size(), SQLITE_STATIC) !=
      SQLITE_OK) {
    connection_.fail("bind");
  }
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  if (sqlite3_bind_null(statement_, parameter) != SQLITE_OK) connection_.fail("bind");
  return *this;
}

bool Statement::step() {
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      connection_.fail("cannot read or write");
  }
}

void Statement::run() {
  const Running end(*this);
  while (step()) {
  }
}

void Statement::reset() noexcept {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::text(int column) const {
  const void* const octets = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return octets == nullptr ? std::string()
                           : std::string(static_cast<const char*>(octets), static_cast<std::size_t>(size));
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Connection::Connection(const std::string& path, Mode mode) : path_(path) {
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (mode == Mode::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  if (sqlite3_open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
    const std::string why = database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_);
    const int code = database_ == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(database_);
    sqlite3_close(database_);
    throw DatabaseError(path + ": cannot be opened: " + why, code);
  }
  sqlite3_busy_timeout(database_, 5000);
}

Connection::~Connection() {
  sqlite3_close(database_);
}

void Connection::execute(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
}

std::int64_t Connection::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

std::string Connection::text(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Connection::changes() const noexcept {
  return sqlite3_changes64(database_);
}

bool Connection::in_transaction() const noexcept {
  return sqlite3_get_autocommit(database_) == 0;
}

void Connection::fail(const char* what) {
  throw DatabaseError(path_ + ": " + sqlite3_errmsg(database_) + " (" + what + ")",
                      sqlite3_extended_errcode(database_));
}

Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
  connection.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // After some failures SQLite has rolled back by itself, and this one fails harmlessly.
  if (open_) sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

std::string real_path(const std::string& path) {
  constexpr int kMostLinks = 40;
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path real = fs::absolute(path, error);
  // Links to a file that is not there yet are followed, too: SQLite makes the file where they lead.
  for (int links = 0; fs::is_symlink(real, error); ++links) {
    const fs::path target = fs::read_symlink(real, error);
    if (error || links == kMostLinks) throw DatabaseError(path + ": its links lead nowhere", SQLITE_CANTOPEN);
    real = real.parent_path() / target;
  }
  if (const fs::path whole = fs::weakly_canonical(real, error); !error) real = whole;
  const auto names = fs::hard_link_count(real, error);
  if (!error && names > 1) {
    throw DatabaseError(path + ": has several hard links; through another one a second process could damage it",
                        SQLITE_CANTOPEN);
  }
  return real.string();
}

FileLock::FileLock(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (file_ < 0) throw DatabaseError(path + ": cannot be opened: " + std::strerror(errno), SQLITE_CANTOPEN);
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(file_);
    throw DatabaseError(error == EWOULDBLOCK ? path + ": another process serves these names"
                                             : path + ": cannot be locked: " + std::strerror(error),
                        SQLITE_BUSY);
  }
}

FileLock::~FileLock() {
  ::close(file_);
}

}  // namespace corbel::naming

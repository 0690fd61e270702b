// SPDX-License-Identifier: Apache-2.0
#include "sqlite.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>

namespace corbel::naming {
namespace {

using Fault = StoreError::Fault;

/// Says whose file it is (PRAGMA application_id): "CBLN".
constexpr std::int64_t kApplication = 0x43424c4e;
constexpr std::int64_t kFormat = 3;

constexpr unsigned long kPage = 4096;           // of memory; SQLite makes sure that each has a block, not more
constexpr std::uint64_t kIndex = 32U << 10;     // what -shm begins with
constexpr off_t kLaterIndex = off_t{96} << 10;  // with the first, for 64 MiB of log
constexpr const char* kNoRoom = ": its disk is full; to begin it needs 32 KiB beside the file";

// A context counts its bindings, so that limits and destroy() need not. Names are the key and nothing else is, so that
// a listing goes on after a name whatever has changed meanwhile.
constexpr const char* kSchema = R"(
  CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE context(id INTEGER PRIMARY KEY, bindings INTEGER NOT NULL DEFAULT 0,
    made INTEGER NOT NULL DEFAULT 0);  -- seconds since 1970
  CREATE TABLE binding(
    context INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    is_context INTEGER NOT NULL,
    child INTEGER,    -- a context of this file
    reference BLOB,   -- or else: the octets of a reference
    lease INTEGER,    -- by which it is renewed
    ends INTEGER,     -- when the lease does, in milliseconds since 1970
    PRIMARY KEY(context, id, kind)) WITHOUT ROWID;
  CREATE INDEX binding_ends ON binding(ends) WHERE ends IS NOT NULL;
  INSERT INTO context(id) VALUES(1);
)";
/// Format 1 did not know when contexts were made.
constexpr const char* kFromFormat1 = "ALTER TABLE context ADD COLUMN made INTEGER NOT NULL DEFAULT 0";
/// Format 2 knew no leases.
constexpr const char* kFromFormat2 = R"(
  ALTER TABLE binding ADD COLUMN lease INTEGER;
  ALTER TABLE binding ADD COLUMN ends INTEGER;
  CREATE INDEX binding_ends ON binding(ends) WHERE ends IS NOT NULL;
)";

/// SQLite's spelling of a statement.
std::string in_sqlite(std::string sql) {
  constexpr std::string_view kNow = "{now}";
  for (std::size_t at = sql.find(kNow); at != std::string::npos; at = sql.find(kNow, at)) {
    sql.replace(at, kNow.size(), "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)");
  }
  return sql;
}

class SqlitePrepared final : public Prepared {
 public:
  SqlitePrepared(SqliteConnection& connection, sqlite3_stmt* statement) noexcept
      : connection_(connection), statement_(statement) {}
  ~SqlitePrepared() override { sqlite3_finalize(statement_); }

  void bind(int parameter, std::int64_t value) override {
    if (sqlite3_bind_int64(statement_, parameter, value) != SQLITE_OK) connection_.fail("bind");
  }
  void bind(int parameter, std::string_view octets) override {
    // An empty view may have no address, which SQLite would take for NULL.
    const char* const begin = octets.empty() ? "" : octets.data();
    if (sqlite3_bind_text64(statement_, parameter, begin, octets.size(), SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK) {
      connection_.fail("bind");
    }
  }
  void bind_octets(int parameter, std::string_view octets) override {
    const char* const begin = octets.empty() ? "" : octets.data();
    if (sqlite3_bind_blob64(statement_, parameter, begin, octets.size(), SQLITE_STATIC) != SQLITE_OK) {
      connection_.fail("bind");
    }
  }
  void bind_null(int parameter) override {
    if (sqlite3_bind_null(statement_, parameter) != SQLITE_OK) connection_.fail("bind");
  }
  bool step() override {
    switch (sqlite3_step(statement_)) {
      case SQLITE_ROW:
        return true;
      case SQLITE_DONE:
        return false;
      default:
        connection_.fail("cannot read or write");
    }
  }
  void reset() noexcept override {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  std::int64_t number(int column) const override { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const override {
    const void* const octets = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return octets == nullptr ? std::string()
                             : std::string(static_cast<const char*>(octets), static_cast<std::size_t>(size));
  }
  bool is_null(int column) const override { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  SqliteConnection& connection_;
  sqlite3_stmt* const statement_;
};

/// A change that failed has not happened, unless the disk failed while it was written: then a crash right afterwards
/// may bring it back.
StoreError sqlite_error(const std::string& text, int code) {
  const bool torn = (code & 0xff) == SQLITE_IOERR;
  return {text, Fault::broken, torn ? StoreError::Completed::maybe : StoreError::Completed::no};
}

StoreError sqlite_error(const std::string& text) {
  return {text, Fault::broken};
}

}  // namespace

SqliteConnection::SqliteConnection(const std::string& path, Mode mode) : path_(path) {
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (mode == Mode::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  if (sqlite3_open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
    const std::string why = database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_);
    const int code = database_ == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(database_);
    sqlite3_close(database_);
    throw sqlite_error(path + ": cannot be opened: " + why, code);
  }
  sqlite3_busy_timeout(database_, 5000);
}

SqliteConnection::~SqliteConnection() {
  // The last one that closes empties the log that it keeps: it must not be taken for that of a copy put in the file's
  // place.
  if (keeps_log_) sqlite3_exec(database_, "PRAGMA journal_size_limit = 0", nullptr, nullptr, nullptr);
  sqlite3_close(database_);
}

void SqliteConnection::keep_log() noexcept {
  int on = 1;
  sqlite3_file_control(database_, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
  keeps_log_ = true;
}

std::unique_ptr<Prepared> SqliteConnection::prepare(const char* sql) {
  const std::string text = in_sqlite(sql);
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database_, text.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
    fail(sql);
  }
  return std::make_unique<SqlitePrepared>(*this, statement);
}

void SqliteConnection::execute(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
}

void SqliteConnection::begin(Kind kind) {
  execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

void SqliteConnection::commit() {
  execute("COMMIT");
}

void SqliteConnection::roll_back() noexcept {
  // After some failures SQLite has rolled back by itself, and this one fails harmlessly.
  sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
}

std::int64_t SqliteConnection::changes() const noexcept {
  return sqlite3_changes64(database_);
}

bool SqliteConnection::in_transaction() const noexcept {
  return sqlite3_get_autocommit(database_) == 0;
}

void SqliteConnection::fail(const char* what) {
  const int code = sqlite3_extended_errcode(database_);
  const std::string full = (code & 0xff) == SQLITE_FULL   ? ": its disk is full: "
                           : code == SQLITE_IOERR_SHMSIZE ? std::string(kNoRoom) + ": "
                                                          : ": ";
  throw sqlite_error(path_ + full + sqlite3_errmsg(database_) + " (" + what + ")", code);
}

std::unique_ptr<Connection> Sqlite::connect(Connection::Kind kind, Patience) {
  using Mode = SqliteConnection::Mode;
  const bool writes = kind == Connection::Kind::write;
  index_.expect();
  auto connection = std::make_unique<SqliteConnection>(path_, writes ? Mode::create : Mode::read);
  // FULL makes a commit, which in WAL mode is one append to the log, wait for the disk; with NORMAL it would last
  // beyond a crash of this process only.
  if (writes) {
    // What lies beside the file stays there when it is closed, so that it can be opened again when the disk has no
    // room.
    connection->keep_log();
    connection->execute(durability_ == Durability::power_loss ? "PRAGMA synchronous = FULL"
                                                              : "PRAGMA synchronous = NORMAL");
  }
  // Whoever is the first begins it anew.
  (void)connection->number("SELECT count(*) FROM sqlite_schema");
  index_.keep();
  return connection;
}

IndexRoom::~IndexRoom() {
  if (file_ >= 0) ::close(file_);
}

void IndexRoom::expect() const {
  struct statvfs disk {};
  struct stat there {};
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  if (::statvfs(folder.empty() ? "." : folder.c_str(), &disk) != 0 || disk.f_frsize >= kPage) return;
  // What is there is given back first.
  const std::uint64_t own = ::stat(path_.c_str(), &there) == 0 ? static_cast<std::uint64_t>(there.st_blocks) * 512 : 0;
  if (std::uint64_t{disk.f_bavail} * disk.f_frsize + own < kIndex) throw lacking();
}

void IndexRoom::keep() {
  const std::lock_guard lock(mutex_);
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  struct stat there {};
  if (file_ < 0 || ::fstat(file_, &there) != 0) return;  // there is none, as with a log in another mode
  const auto place = [this](off_t octets) { return ::fallocate(file_, FALLOC_FL_KEEP_SIZE, 0, octets) == 0; };
  // A file system that cannot do this (EOPNOTSUPP) is one that has what is written.
  if (!place(there.st_size + kLaterIndex) && errno == ENOSPC && !place(there.st_size) && errno == ENOSPC) {
    throw lacking();
  }
}

StoreError IndexRoom::lacking() const {
  return sqlite_error(database_ + kNoRoom);
}

void Sqlite::prepare(Connection& connection) {
  const std::int64_t application = connection.number("PRAGMA application_id");
  const std::int64_t format = connection.number("PRAGMA user_version");
  const bool empty = connection.number("SELECT count(*) FROM sqlite_schema") == 0;
  if (!empty && application != kApplication) throw sqlite_error(path_ + ": is a database of something else");
  if (!empty && (format < 1 || format > kFormat)) {
    throw sqlite_error(path_ + ": is of format " + std::to_string(format) + "; this program reads formats up to " +
                       std::to_string(kFormat));
  }
  // In WAL mode readers and the writer do not wait for each other.
  if (connection.text("PRAGMA journal_mode = WAL") != "wal") {
    throw sqlite_error(path_ + ": its file system lacks what SQLite's WAL mode needs (is it on a network?)");
  }
  const auto note_format = [&] { connection.execute(("PRAGMA user_version = " + std::to_string(kFormat)).c_str()); };
  if (empty) {
    Transaction transaction(connection, Transaction::Kind::write);
    connection.execute(kSchema);
    connection.execute(("PRAGMA application_id = " + std::to_string(kApplication)).c_str());
    note_format();
    Statement(connection, "INSERT INTO setting VALUES('identity', ?1)").bind(1, hex(random_number())).run();
    transaction.commit();
  }
  if (const std::string verdict = connection.text("PRAGMA quick_check(1)"); verdict != "ok") {
    throw sqlite_error(path_ + ": is damaged: " + verdict + "; " + rescue());
  }
  if (!empty && format < kFormat) {
    Transaction transaction(connection, Transaction::Kind::write);
    if (format < 2) connection.execute(kFromFormat1);
    connection.execute(kFromFormat2);
    note_format();
    transaction.commit();
  }
}

void Sqlite::check(Connection& connection) {
  if (const std::string verdict = connection.text("PRAGMA integrity_check(1)"); verdict != "ok") {
    throw sqlite_error(path_ + ": is damaged: " + verdict);
  }
}

const char* Sqlite::rescue() const noexcept {
  return "put a copy of it in its place, or give another file (--data)";
}

std::chrono::milliseconds Sqlite::patience() const noexcept {
  return std::chrono::seconds(0);  // a file is there or not
}

std::size_t Sqlite::most_readers() const noexcept {
  return static_cast<std::size_t>(-1);
}

Durability Sqlite::durability(Connection& connection) {
  constexpr std::int64_t kFull = 2;
  return connection.number("PRAGMA synchronous") >= kFull ? Durability::power_loss : Durability::process;
}

std::string real_path(const std::string& path) {
  constexpr int kMostLinks = 40;
  namespace fs = std::filesystem;
  std::error_code failure;
  fs::path real = fs::absolute(path, failure);
  // Links to a file that is not there yet are followed, too: SQLite makes the file where they lead.
  for (int links = 0; fs::is_symlink(real, failure); ++links) {
    const fs::path target = fs::read_symlink(real, failure);
    if (failure || links == kMostLinks) throw sqlite_error(path + ": its links lead nowhere");
    real = real.parent_path() / target;
  }
  if (const fs::path whole = fs::weakly_canonical(real, failure); !failure) real = whole;
  const auto names = fs::hard_link_count(real, failure);
  if (!failure && names > 1) {
    throw sqlite_error(path + ": has several hard links; through another one a second process could damage it");
  }
  return real.string();
}

FileLock::FileLock(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (file_ < 0) throw sqlite_error(path + ": cannot be opened: " + std::strerror(errno));
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const int failure = errno;
    ::close(file_);
    throw sqlite_error(failure == EWOULDBLOCK ? path + ": another process serves these names"
                                              : path + ": cannot be locked: " + std::strerror(failure));
  }
}

FileLock::~FileLock() {
  ::close(file_);
}

}  // namespace corbel::naming

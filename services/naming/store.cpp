// SPDX-License-Identifier: Apache-2.0
#include "store.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include "statements.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;

/// Says whose file it is (PRAGMA application_id): "CBLN".
constexpr std::int64_t kApplication = 0x43424c4e;
constexpr std::int64_t kFormat = 2;
/// Idle connections for readers that are kept; more exist while more threads read.
constexpr std::size_t kIdleReaders = 16;

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
    PRIMARY KEY(context, id, kind)) WITHOUT ROWID;
  INSERT INTO context(id) VALUES(1);
)";
/// Format 1 did not know when contexts were made.
constexpr const char* kFromFormat1 = R"(
  ALTER TABLE context ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
  PRAGMA user_version = 2;
)";

/// What to do about a file that is damaged.
constexpr const char* kRescue = "put a copy of it in its place, or give another file (--data)";

Bound bound_of(const Statement& row, int first) {
  Bound bound;
  bound.type = row.number(first) != 0 ? BindingType::ncontext : BindingType::nobject;
  if (row.is_null(first + 1)) {
    bound.reference = row.text(first + 2);
  } else {
    bound.child = row.number(first + 1);
  }
  return bound;
}

}  // namespace

/// A reader for the length of a block.
class Store::Lease {
 public:
  explicit Lease(Store& store) : store_(store) {
    {
      const std::lock_guard lock(store.readers_mutex_);
      if (!store.readers_.empty()) {
        reader_ = std::move(store.readers_.back());
        store.readers_.pop_back();
        return;
      }
    }
    reader_ = std::make_unique<Reader>(store.path_);
  }
  ~Lease() {
    const std::lock_guard lock(store_.readers_mutex_);
    if (store_.readers_.size() < kIdleReaders) store_.readers_.push_back(std::move(reader_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Reader& operator*() const noexcept { return *reader_; }
  Reader* operator->() const noexcept { return reader_.get(); }

 private:
  Store& store_;
  std::unique_ptr<Reader> reader_;
};

Store::Store(const std::string& path, StoreLimits limits, Durability durability)
    : path_(real_path(path)), limits_(limits), lock_(path_ + ".lock"), database_(path_, Connection::Mode::create) {
  prepare(durability);
  writer_ = std::make_unique<Writer>(database_);
  readers_.reserve(kIdleReaders);
  count();
}

void Store::count() {
  contexts_ = database_.number("SELECT count(*) FROM context");
  bindings_ = database_.number("SELECT sum(bindings) FROM context");
}

Store::~Store() = default;

void Store::prepare(Durability durability) {
  const std::int64_t application = database_.number("PRAGMA application_id");
  const std::int64_t format = database_.number("PRAGMA user_version");
  const bool empty = database_.number("SELECT count(*) FROM sqlite_schema") == 0;
  if (!empty && application != kApplication) throw DatabaseError(path_ + ": is a database of something else", 0);
  if (!empty && (format < 1 || format > kFormat)) {
    throw DatabaseError(path_ + ": is of format " + std::to_string(format) + "; this program reads formats up to " +
                            std::to_string(kFormat),
                        0);
  }
  // In WAL mode readers and the writer do not wait for each other; a commit is one append to the log. FULL makes it
  // wait for the disk; with NORMAL it would last beyond a crash of this process only.
  if (database_.text("PRAGMA journal_mode = WAL") != "wal") {
    throw DatabaseError(path_ + ": its file system lacks what SQLite's WAL mode needs (is it on a network?)", 0);
  }
  database_.execute(durability == Durability::power_loss ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (empty) {
    Transaction transaction(database_, Transaction::Kind::write);
    database_.execute(kSchema);
    database_.execute(("PRAGMA application_id = " + std::to_string(kApplication)).c_str());
    database_.execute(("PRAGMA user_version = " + std::to_string(kFormat)).c_str());
    Statement(database_, "INSERT INTO setting VALUES('identity', ?1)").bind(1, hex(random_number())).run();
    transaction.commit();
  }
  if (const std::string verdict = database_.text("PRAGMA quick_check(1)"); verdict != "ok") {
    throw DatabaseError(path_ + ": is damaged: " + verdict + "; " + kRescue, 0);
  }
  if (!empty && format == 1) {
    Transaction transaction(database_, Transaction::Kind::write);
    database_.execute(kFromFormat1);
    transaction.commit();
  }
  if (database_.number("SELECT count(*) FROM context WHERE id = 1") == 0) {
    throw DatabaseError(path_ + ": is damaged: it has no root context; " + kRescue, 0);
  }
  identity_ = read_identity();
}

std::uint64_t Store::read_identity() {
  const std::string text = database_.text("SELECT value FROM setting WHERE name = 'identity'");
  std::uint64_t identity = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, identity, 16);
  if (error != std::errc() || stopped != end) {
    throw DatabaseError(path_ + ": is damaged: its setting 'identity' is '" + text.substr(0, 32) +
                            "', which is no number of 64 bits in hexadecimal; " + kRescue,
                        0);
  }
  return identity;
}

// --- reading -------------------------------------------------------------------------------------------------------

bool Store::exists(ContextId context) {
  const Lease reader(*this);
  const Running row(reader->exists);
  return row->bind(1, context).step();
}

Walk Store::walk(ContextId start, std::span<const NameComponent> name) {
  const Lease reader(*this);
  return follow(*reader, start, name, false);
}

Walk Store::resolve(ContextId start, std::span<const NameComponent> name) {
  const Lease reader(*this);
  return follow(*reader, start, name, true);
}

Walk Store::follow(Reader& reader, ContextId start, std::span<const NameComponent> name, bool last_is_any) {
  const Transaction snapshot(reader.connection, Transaction::Kind::read);
  const auto is_there = [&](ContextId context) {
    const Running row(reader.exists);
    return row->bind(1, context).step();
  };
  Walk walk;
  walk.context = start;
  for (; walk.at < name.size(); ++walk.at) {
    const Running row(reader.find);
    row->bind(1, walk.context).bind(2, name[walk.at].id()).bind(3, name[walk.at].kind());
    if (!row->step()) {
      walk.outcome = is_there(walk.context) ? Outcome::missing : Outcome::gone;
      return walk;
    }
    walk.bound = bound_of(*row.operator->(), 0);
    if (last_is_any && walk.at + 1 == name.size()) break;
    if (walk.bound.type != BindingType::ncontext) {
      walk.outcome = Outcome::not_context;
      return walk;
    }
    if (walk.bound.child == 0) {
      walk.outcome = Outcome::foreign;
      return walk;
    }
    walk.context = walk.bound.child;
  }
  if (!last_is_any && !is_there(walk.context)) walk.outcome = Outcome::gone;
  return walk;
}

Listing Store::list(ContextId context, const std::optional<NameComponent>& after, std::size_t count,
                    std::size_t octets) {
  constexpr std::size_t kOctetsBeside = 24;  // lengths and type of a binding in the answer
  const Lease reader(*this);
  const Running row(after ? reader->next : reader->first);
  // One more tells whether there is one.
  row->bind(1, context).bind(2, static_cast<std::int64_t>(count) + 1);
  if (after) row->bind(3, after->id()).bind(4, after->kind());
  Listing listing;
  for (std::size_t sum = 0; row->step();) {
    if (listing.bindings.size() == count || sum >= octets) {
      listing.more = true;
      break;
    }
    listing.bindings.push_back({NameComponent(row->text(0), row->text(1)),
                                row->number(2) != 0 ? BindingType::ncontext : BindingType::nobject});
    const NameComponent& name = listing.bindings.back().name;
    sum += name.id().size() + name.kind().size() + kOctetsBeside;
  }
  return listing;
}

Census Store::census() {
  Connection connection(path_, Connection::Mode::read);
  const Transaction snapshot(connection, Transaction::Kind::read);
  if (const std::string verdict = connection.text("PRAGMA integrity_check(1)"); verdict != "ok") {
    throw DatabaseError(path_ + ": is damaged: " + verdict, 0);
  }
  const std::int64_t miscounted = connection.number(
      "SELECT count(*) FROM context WHERE bindings != (SELECT count(*) FROM binding WHERE binding.context = "
      "context.id)");
  const std::int64_t homeless =
      connection.number("SELECT count(*) FROM binding WHERE context NOT IN (SELECT id FROM context)");
  if (miscounted != 0 || homeless != 0) {
    throw DatabaseError(path_ + ": is damaged: " + std::to_string(miscounted) + " contexts are miscounted, " +
                            std::to_string(homeless) + " bindings have no context",
                        0);
  }
  Census census;
  census.contexts = connection.number("SELECT count(*) FROM context");
  census.bindings = connection.number("SELECT count(*) FROM binding");
  census.dangling = connection.number(
      "SELECT count(*) FROM binding WHERE child IS NOT NULL AND child NOT IN (SELECT id FROM context)");
  census.unreachable = connection.number(
      "WITH RECURSIVE reached(id) AS (SELECT 1 UNION SELECT binding.child FROM binding JOIN reached "
      "ON binding.context = reached.id WHERE binding.child IS NOT NULL) "
      "SELECT count(*) FROM context WHERE id NOT IN (SELECT id FROM reached)");
  return census;
}

Durability Store::durability() {
  constexpr std::int64_t kFull = 2;
  const std::lock_guard lock(write_mutex_);
  return database_.number("PRAGMA synchronous") >= kFull ? Durability::power_loss : Durability::process;
}

std::optional<std::string> Store::setting(const char* name) {
  const std::lock_guard lock(write_mutex_);
  Statement find(database_, "SELECT value FROM setting WHERE name = ?1");
  if (!find.bind(1, std::string_view(name)).step()) return std::nullopt;
  return find.text(0);
}

}  // namespace corbel::naming

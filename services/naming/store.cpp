// SPDX-License-Identifier: Apache-2.0
#include "store.hpp"

#include <random>
#include <utility>

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;

/// Says whose file it is (PRAGMA application_id): "CBLN".
constexpr std::int64_t kApplication = 0x43424c4e;
constexpr std::int64_t kFormat = 1;
/// Idle connections for readers that are kept; more exist while more threads read.
constexpr std::size_t kIdleReaders = 16;

// A context counts its bindings, so that limits and destroy() need not. Names are the key and nothing else is, so that
// a listing goes on after a name whatever has changed meanwhile.
constexpr const char* kSchema = R"(
  CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE context(id INTEGER PRIMARY KEY, bindings INTEGER NOT NULL DEFAULT 0);
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

std::uint64_t random_number() {
  std::random_device source;
  return static_cast<std::uint64_t>(source()) << 32 | source();
}

/// Numbers of contexts are random, so that none comes again when its context has been destroyed, nor in another file.
ContextId random_context() {
  return static_cast<ContextId>(random_number() >> 2) | 2;
}

std::string hex(std::uint64_t value) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

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

struct Store::Reader {
  explicit Reader(const std::string& path) : connection(path, Connection::Mode::read) {}

  Connection connection;
  Statement exists{connection, "SELECT 1 FROM context WHERE id = ?1"};
  Statement find{connection,
                 "SELECT is_context, child, reference FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3"};
  Statement first{connection, "SELECT id, kind, is_context FROM binding WHERE context = ?1 ORDER BY id, kind LIMIT ?2"};
  Statement next{connection,
                 "SELECT id, kind, is_context FROM binding WHERE context = ?1 AND (id, kind) > (?3, ?4) "
                 "ORDER BY id, kind LIMIT ?2"};
};

/// The statements of changes, made when there are tables.
struct Store::Writer {
  explicit Writer(Connection& database) : connection(database) {}

  Connection& connection;
  Statement context{connection, "SELECT bindings FROM context WHERE id = ?1"};
  Statement find{connection, "SELECT is_context FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3"};
  Statement insert{
      connection,
      "INSERT INTO binding(context, id, kind, is_context, child, reference) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"};
  Statement replace{connection,
                    "UPDATE binding SET child = ?5, reference = ?6 WHERE context = ?1 AND id = ?2 AND kind = ?3 "
                    "AND is_context = ?4"};
  Statement remove{connection, "DELETE FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3"};
  Statement count{connection, "UPDATE context SET bindings = bindings + ?2 WHERE id = ?1"};
  Statement make{connection, "INSERT INTO context(id) VALUES(?1)"};
  Statement destroy{connection, "DELETE FROM context WHERE id = ?1"};
};

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
    : path_(path), limits_(limits), lock_(path + ".lock"), database_(path, Connection::Mode::create) {
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
  if (!empty && format != kFormat) {
    throw DatabaseError(
        path_ + ": is of format " + std::to_string(format) + "; this program reads format " + std::to_string(kFormat),
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
    throw DatabaseError(path_ + ": is damaged: " + verdict, 0);
  }
  identity_ = std::stoull(database_.text("SELECT value FROM setting WHERE name = 'identity'"), nullptr, 16);
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

std::vector<Listed> Store::list(ContextId context, const std::optional<NameComponent>& after, std::size_t count) {
  const Lease reader(*this);
  const Running row(after ? reader->next : reader->first);
  row->bind(1, context).bind(2, static_cast<std::int64_t>(count));
  if (after) row->bind(3, after->id()).bind(4, after->kind());
  std::vector<Listed> found;
  while (row->step()) {
    found.push_back({NameComponent(row->text(0), row->text(1)),
                     row->number(2) != 0 ? BindingType::ncontext : BindingType::nobject});
  }
  return found;
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

std::optional<std::string> Store::setting(const char* name) {
  const std::lock_guard lock(write_mutex_);
  Statement find(database_, "SELECT value FROM setting WHERE name = ?1");
  if (!find.bind(1, std::string_view(name)).step()) return std::nullopt;
  return find.text(0);
}

void Store::set(const char* name, const std::string& value) {
  change([&] {
    Statement(database_, "INSERT INTO setting VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET value = excluded.value")
        .bind(1, std::string_view(name))
        .bind(2, value)
        .run();
    return Outcome::done;
  });
}

// --- changing ------------------------------------------------------------------------------------------------------

/// One change, one transaction. What it did to the counts is forgotten with it.
template <class Change>
Outcome Store::change(Change change) {
  const std::lock_guard lock(write_mutex_);
  if (import_) return change();
  const std::int64_t contexts = contexts_;
  const std::int64_t bindings = bindings_;
  try {
    Transaction transaction(database_, Transaction::Kind::write);
    const Outcome outcome = change();
    if (outcome == Outcome::done) {
      transaction.commit();
      return outcome;
    }
    contexts_ = contexts;
    bindings_ = bindings;
    return outcome;
  } catch (...) {
    contexts_ = contexts;
    bindings_ = bindings;
    throw;
  }
}

/// A new binding, if there is room, in a context that exists.
Outcome Store::insert(ContextId context, const NameComponent& name, const Bound& bound) {
  {
    const Running row(writer_->context);
    if (!row->bind(1, context).step()) return Outcome::gone;
    if (row->number(0) >= limits_.bindings_per_context || bindings_ >= limits_.bindings) return Outcome::full;
  }
  Statement& insert = writer_->insert;
  insert.bind(1, context).bind(2, name.id()).bind(3, name.kind());
  insert.bind(4, bound.type == BindingType::ncontext ? 1 : 0);
  if (bound.child != 0) {
    insert.bind(5, bound.child).bind_null(6);
  } else {
    insert.bind_null(5).bind_octets(6, bound.reference);
  }
  insert.run();
  writer_->count.bind(1, context).bind(2, 1).run();
  ++bindings_;
  return Outcome::done;
}

Outcome Store::bind(ContextId context, const NameComponent& name, const Bound& bound, bool replace) {
  if (bound.reference.size() > limits_.reference_octets) return Outcome::full;
  return change([&] {
    if (bound.child != 0) {
      const Running row(writer_->context);
      if (!row->bind(1, bound.child).step()) return Outcome::gone;
    }
    {
      const Running row(writer_->find);
      row->bind(1, context).bind(2, name.id()).bind(3, name.kind());
      if (!row->step()) return insert(context, name, bound);
      if (!replace) return Outcome::exists;
      const bool is_context = row->number(0) != 0;
      if (is_context != (bound.type == BindingType::ncontext)) {
        return is_context ? Outcome::not_object : Outcome::not_context;
      }
    }
    Statement& update = writer_->replace;
    update.bind(1, context).bind(2, name.id()).bind(3, name.kind());
    update.bind(4, bound.type == BindingType::ncontext ? 1 : 0);
    if (bound.child != 0) {
      update.bind(5, bound.child).bind_null(6);
    } else {
      update.bind_null(5).bind_octets(6, bound.reference);
    }
    update.run();
    return Outcome::done;
  });
}

Outcome Store::unbind(ContextId context, const NameComponent& name) {
  return change([&] {
    writer_->remove.bind(1, context).bind(2, name.id()).bind(3, name.kind()).run();
    if (database_.changes() == 0) {
      const Running row(writer_->context);
      return row->bind(1, context).step() ? Outcome::missing : Outcome::gone;
    }
    writer_->count.bind(1, context).bind(2, -1).run();
    --bindings_;
    return Outcome::done;
  });
}

Outcome Store::make_context(ContextId& made) {
  if (contexts_ >= limits_.contexts) return Outcome::full;
  for (;;) {
    made = random_context();
    const Running row(writer_->context);
    if (!row->bind(1, made).step()) break;
  }
  writer_->make.bind(1, made).run();
  ++contexts_;
  return Outcome::done;
}

Outcome Store::new_context(ContextId& made) {
  return change([&] { return make_context(made); });
}

Outcome Store::bind_new_context(ContextId context, const NameComponent& name, ContextId& made) {
  return change([&] {
    {
      const Running row(writer_->find);
      if (row->bind(1, context).bind(2, name.id()).bind(3, name.kind()).step()) return Outcome::exists;
    }
    if (const Outcome outcome = make_context(made); outcome != Outcome::done) return outcome;
    return insert(context, name, {BindingType::ncontext, made, {}});
  });
}

Outcome Store::destroy(ContextId context) {
  return change([&] {
    {
      const Running row(writer_->context);
      if (!row->bind(1, context).step()) return Outcome::gone;
      if (context == kRoot || row->number(0) != 0) return Outcome::not_empty;
    }
    writer_->destroy.bind(1, context).run();
    --contexts_;
    return Outcome::done;
  });
}

void Store::begin() {
  const std::lock_guard lock(write_mutex_);
  import_.emplace(database_, Transaction::Kind::write);
}

void Store::commit() {
  const std::lock_guard lock(write_mutex_);
  import_->commit();
  import_.reset();
}

void Store::roll_back() {
  const std::lock_guard lock(write_mutex_);
  import_.reset();
  count();
}

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
#include "sql_store.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "statements.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;
using Clock = std::chrono::steady_clock;
using Fault = StoreError::Fault;

/// Idle connections for readers that are kept.
constexpr std::size_t kIdleReaders = 16;
/// Rows that are read at a time: a database may give all of them at once.
constexpr std::size_t kPiece = 500;
/// Counting everything takes as long as it takes.
constexpr auto kLong = std::chrono::hours(24);

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
class SqlStore::Borrowed {
 public:
  Borrowed(SqlStore& store, Patience patience) : store_(store) {
    {
      std::unique_lock lock(store.readers_mutex_);
      const auto is_room = [&] { return store.borrowed_ < store.engine_->most_readers(); };
      if (!is_room() && !store.returned_.wait_until(lock, patience, is_room)) {
        throw StoreError(store.engine_->name() + ": all connections were busy for too long", Fault::away);
      }
      ++store.borrowed_;
      if (!store.readers_.empty()) {
        reader_ = std::move(store.readers_.back());
        store.readers_.pop_back();
      }
    }
    try {
      if (reader_ == nullptr) {
        reader_ = std::make_unique<Reader>(store.engine_->connect(Connection::Kind::read, patience));
      }
    } catch (...) {
      give_back();
      throw;
    }
    reader_->connection->wait_until(patience);
  }
  ~Borrowed() { give_back(); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Reader& operator*() const noexcept { return *reader_; }
  Reader* operator->() const noexcept { return reader_.get(); }

 private:
  void give_back() noexcept {
    bool lost = false;
    {
      const std::lock_guard lock(store_.readers_mutex_);
      --store_.borrowed_;
      lost = reader_ != nullptr && !reader_->connection->usable();
      if (reader_ != nullptr && !lost && store_.readers_.size() < kIdleReaders) {
        store_.readers_.push_back(std::move(reader_));  // there is room: it was reserved
      }
    }
    store_.returned_.notify_one();
    if (lost) drop_idle();
  }
  /// Where one is lost the idle ones are, too. They close without the lock.
  void drop_idle() noexcept {
    for (;;) {
      std::unique_ptr<Reader> idle;
      const std::lock_guard lock(store_.readers_mutex_);
      if (store_.readers_.empty()) return;
      idle = std::move(store_.readers_.back());
      store_.readers_.pop_back();
    }
  }

  SqlStore& store_;
  std::unique_ptr<Reader> reader_;
};

SqlStore::SqlStore(std::unique_ptr<Engine> engine, StoreLimits limits, Tell tell)
    : engine_(std::move(engine)), limits_(limits), tell_(std::move(tell)) {
  {
    const auto connection = engine_->connect(Connection::Kind::write, patience());
    connection->wait_until(Clock::now() + kLong);
    engine_->prepare(*connection);
    if (connection->number("SELECT count(*) FROM context WHERE id = 1") == 0) {
      throw StoreError(engine_->name() + ": is damaged: it has no root context; " + engine_->rescue(), Fault::broken);
    }
    identity_ = read_identity(*connection);
  }
  readers_.reserve(kIdleReaders);
  writer(patience());
  count();
}

SqlStore::~SqlStore() = default;

/// From now.
Patience SqlStore::patience() const {
  return Clock::now() + engine_->patience();
}

std::uint64_t SqlStore::read_identity(Connection& connection) const {
  const std::string text = connection.text("SELECT value FROM setting WHERE name = 'identity'");
  std::uint64_t identity = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, identity, 16);
  if (error != std::errc() || stopped != end) {
    throw StoreError(engine_->name() + ": is damaged: its setting 'identity' is '" + text.substr(0, 32) +
                         "', which is no number of 64 bits in hexadecimal; " + engine_->rescue(),
                     Fault::broken);
  }
  return identity;
}

/// Waits a little before the next attempt; false if there is none to be.
bool SqlStore::try_again(const StoreError& failure, Patience patience, int attempt) {
  if (failure.fault() != Fault::away) {
    tell_now_and_then(failure.what());
    return false;
  }
  if (!away_.exchange(true)) tell(failure.what());
  if (failure.completed() != StoreError::Completed::no) return false;
  constexpr std::chrono::milliseconds kShort(10), kMost(200);
  // The first time at once: a connection that idled may have been lost long ago.
  const Patience next = Clock::now() + std::min(attempt * kShort * attempt, kMost);
  if (next >= patience) return false;
  std::this_thread::sleep_until(next);
  return true;
}

/// What is broken in changes may be whole in looks, and fails again and again.
void SqlStore::tell_now_and_then(const char* line) {
  constexpr std::int64_t kBetween = 10;  // s
  const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(Clock::now().time_since_epoch()).count();
  std::int64_t last = told_.load(std::memory_order_relaxed);
  if (now - last < kBetween || !told_.compare_exchange_strong(last, now, std::memory_order_relaxed)) return;
  tell(line);
}

/// The changes of others wait for whoever tells: what goes wrong there is no failure of theirs.
void SqlStore::tell(std::string_view line, std::string_view more) noexcept {
  if (!tell_) return;
  try {
    tell_(std::string(line).append(more));
  } catch (const std::exception&) {  // no memory for the line, say
  }
}

void SqlStore::answered() {
  if (away_.load(std::memory_order_relaxed) && away_.exchange(false)) tell(engine_->name(), ": answers again");
}

template <class Work>
auto SqlStore::look(Work work) {
  const Patience until = patience();
  for (int attempt = 0;; ++attempt) {
    try {
      const Borrowed reader(*this, until);
      auto found = work(*reader);
      answered();
      return found;
    } catch (const StoreError& failure) {
      if (!try_again(failure, until, attempt)) throw;
    }
  }
}

bool SqlStore::exists(ContextId context) {
  return look([&](Reader& reader) {
    const Running row(reader.exists);
    return row->bind(1, context).step();
  });
}

bool SqlStore::any_ended() {
  return look([](Reader& reader) {
    const Running row(reader.ended);
    return row->step();
  });
}

Walk SqlStore::walk(ContextId start, std::span<const NameComponent> name) {
  return follow(start, name, false);
}

Walk SqlStore::resolve(ContextId start, std::span<const NameComponent> name) {
  return follow(start, name, true);
}

Walk SqlStore::follow(ContextId start, std::span<const NameComponent> name, bool last_is_any) {
  return look([&](Reader& reader) {
    std::optional<Transaction> snapshot;  // of one row or two none is needed
    if (name.size() > 1) snapshot.emplace(*reader.connection, Transaction::Kind::read);
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
  });
}

Listing SqlStore::list(ContextId context, const std::optional<NameComponent>& after, std::size_t count,
                       std::size_t octets) {
  constexpr std::size_t kOctetsBeside = 24;  // lengths and type of a binding in the answer
  return look([&](Reader& reader) {
    std::optional<Transaction> snapshot;
    if (count >= kPiece) snapshot.emplace(*reader.connection, Transaction::Kind::read);
    Listing listing;
    std::optional<NameComponent> place = after;
    for (std::size_t sum = 0;;) {
      // One more tells whether there is one.
      const std::size_t wanted = std::min(count - listing.bindings.size() + 1, kPiece);
      std::size_t rows = 0;
      const Running row(place ? reader.next : reader.first);
      row->bind(1, context).bind(2, static_cast<std::int64_t>(wanted));
      if (place) row->bind(3, place->id()).bind(4, place->kind());
      for (; row->step(); ++rows) {
        if (listing.bindings.size() == count || sum >= octets) {
          listing.more = true;
          return listing;
        }
        listing.bindings.push_back({NameComponent(row->text(0), row->text(1)),
                                    row->number(2) != 0 ? BindingType::ncontext : BindingType::nobject});
        const NameComponent& name = listing.bindings.back().name;
        sum += name.id().size() + name.kind().size() + kOctetsBeside;
      }
      if (rows < wanted) return listing;
      place = listing.bindings.back().name;
    }
  });
}

std::vector<Address> SqlStore::announce(const std::string& member, std::span<const Address> addresses,
                                        std::chrono::milliseconds length) {
  constexpr std::int64_t kMostMembers = 64;
  if (!shared()) return {};
  std::string text;
  for (const Address& each : addresses) text += each.host + ' ' + std::to_string(each.port) + '\n';
  return look([&](Reader& reader) {
    Connection& connection = *reader.connection;
    if (addresses.empty()) {
      Statement(connection, "DELETE FROM member WHERE id = ?1 OR ends <= {now}").bind(1, member).run();
    } else {
      Statement(connection,
                "INSERT INTO member(id, addresses, ends) VALUES(?1, ?2, {now} + ?3) "
                "ON CONFLICT(id) DO UPDATE SET addresses = excluded.addresses, ends = excluded.ends")
          .bind(1, member)
          .bind(2, text)
          .bind(3, static_cast<std::int64_t>(length.count()))
          .run();
    }
    Statement members(connection, "SELECT addresses FROM member WHERE ends > {now} ORDER BY id LIMIT ?1");
    members.bind(1, kMostMembers);
    std::vector<Address> found;
    while (members.step()) {
      std::istringstream lines(members.text(0));
      for (Address each; lines >> each.host >> each.port;) {
        if (std::find(found.begin(), found.end(), each) == found.end()) found.push_back(each);
      }
    }
    return found;
  });
}

Census SqlStore::census() {
  const auto made = engine_->connect(Connection::Kind::read, patience());
  Connection& connection = *made;
  connection.wait_until(Clock::now() + kLong);
  const Transaction snapshot(connection, Transaction::Kind::read);
  engine_->check(connection);
  const std::int64_t miscounted = connection.number(
      "SELECT count(*) FROM context WHERE bindings != (SELECT count(*) FROM binding WHERE binding.context = "
      "context.id)");
  const std::int64_t homeless =
      connection.number("SELECT count(*) FROM binding WHERE context NOT IN (SELECT id FROM context)");
  if (miscounted != 0 || homeless != 0) {
    throw StoreError(engine_->name() + ": is damaged: " + std::to_string(miscounted) + " contexts are miscounted, " +
                         std::to_string(homeless) + " bindings have no context",
                     Fault::broken);
  }
  Census census;
  census.contexts = connection.number("SELECT count(*) FROM context");
  census.bindings = connection.number("SELECT count(*) FROM binding");
  census.dangling = connection.number(
      "SELECT count(*) FROM binding WHERE child IS NOT NULL AND child NOT IN (SELECT id FROM context)");
  census.unreachable = connection.number(
      "WITH RECURSIVE reached(id) AS (SELECT CAST(1 AS BIGINT) UNION SELECT binding.child FROM binding JOIN reached "
      "ON binding.context = reached.id WHERE binding.child IS NOT NULL) "
      "SELECT count(*) FROM context WHERE id NOT IN (SELECT id FROM reached)");
  return census;
}

Durability SqlStore::durability() {
  const std::lock_guard lock(write_mutex_);
  return engine_->durability(*writer(patience()).connection);
}

std::optional<std::string> SqlStore::setting(const char* name) {
  return look([&](Reader& reader) -> std::optional<std::string> {
    Statement find(*reader.connection, "SELECT value FROM setting WHERE name = ?1");
    if (!find.bind(1, std::string_view(name)).step()) return std::nullopt;
    return find.text(0);
  });
}

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
// What changes the store, and how changes share transactions.
#include <exception>
#include <utility>

#include "sql_store.hpp"
#include "statements.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;

/// Numbers of contexts are random, so that none comes again when its context has been destroyed, nor in another file.
ContextId random_context() {
  return static_cast<ContextId>(random_number() >> 2) | 2;
}

/// Gives a statement what a binding consists of, and runs it.
void put(Statement& statement, ContextId context, const NameComponent& name, const Bound& bound, const Term& term) {
  statement.bind(1, context).bind(2, name.id()).bind(3, name.kind());
  statement.bind(4, bound.type == BindingType::ncontext ? 1 : 0);
  if (bound.child != 0) {
    statement.bind(5, bound.child).bind_null(6);
  } else {
    statement.bind_null(5).bind_octets(6, bound.reference);
  }
  if (term.lease != 0) {
    statement.bind(7, term.lease).bind(8, static_cast<std::int64_t>(term.length.count()));
  } else {
    statement.bind_null(7).bind_null(8);
  }
  statement.run();
}

}  // namespace

/// A change that waits for its turn, on the stack of the thread that waits.
struct SqlStore::Change {
  std::function<Outcome()> work;
  Outcome outcome = Outcome::done;
  std::exception_ptr failure;
  bool done = false;
};

/// Changes wait for the disk. While one thread waits for it the others put theirs into the queue, and the first of them
/// takes all of these into the next transaction: no thread waits for more than two, however many there are.
Outcome SqlStore::change(std::function<Outcome()> work) {
  Change mine{std::move(work), {}, {}, false};
  std::unique_lock lock(queue_mutex_);
  queue_.push_back(&mine);
  ++progress_.waiting;
  while (!mine.done) {
    if (led_) {
      changed_.wait(lock);
    } else {
      lead(lock);
    }
  }
  --progress_.waiting;
  lock.unlock();
  if (mine.failure) std::rethrow_exception(mine.failure);
  return mine.outcome;
}

/// Runs what is in the queue.
void SqlStore::lead(std::unique_lock<std::mutex>& lock) {
  led_ = true;
  const std::vector<Change*> changes = std::exchange(queue_, {});
  lock.unlock();
  const bool written = run(changes);
  lock.lock();
  for (Change* const each : changes) each->done = true;
  if (written) ++progress_.transactions;
  led_ = false;
  changed_.notify_all();
}

/// All of them in one transaction. If that cannot be committed none of them has happened, and all fail: what one of
/// them found may be what another had done. False if nothing was written.
bool SqlStore::run(std::span<Change* const> changes) {
  const std::lock_guard lock(write_mutex_);
  const std::int64_t contexts = contexts_;
  const std::int64_t bindings = bindings_;
  const Patience until = patience();
  std::exception_ptr failure;
  for (int each = 0;; ++each) {
    bool again = false;
    try {
      const bool written = attempt(changes, until);
      answered();
      return written;
    } catch (const StoreError& error) {
      failure = std::current_exception();
      // What an import did before would be missing on a new connection.
      if (!import_ && writer_ != nullptr && !writer_->connection->usable()) writer_.reset();
      again = try_again(error, until, each) && !import_;
    } catch (...) {
      failure = std::current_exception();
    }
    contexts_ = contexts;
    bindings_ = bindings;
    if (!again) break;
  }
  for (Change* const each : changes) each->failure = failure;
  return false;
}

bool SqlStore::attempt(std::span<Change* const> changes, Patience until) {
  Writer& writer = this->writer(until);
  writer.connection->wait_until(until);
  std::optional<Transaction> transaction;
  if (!import_) {
    transaction.emplace(*writer.connection, Transaction::Kind::write);
    read_totals();
  }
  bool any = false;
  for (Change* const each : changes) {
    each->failure = nullptr;
    any = run(*each, changes.size() == 1 && transaction) || any;
  }
  if (any && transaction) {
    write_totals();
    transaction->commit();
  }
  return any;
}

/// Runs one of the changes in a transaction; false if it left everything unchanged. Then its effect on the counts is
/// forgotten, too. The only one of its transaction needs no savepoint: the transaction is not committed then.
bool SqlStore::run(Change& change, bool alone) {
  const std::int64_t contexts = contexts_;
  const std::int64_t bindings = bindings_;
  if (!alone) writer_->mark.run();
  try {
    change.outcome = change.work();
  } catch (...) {
    if (alone || !writer_->connection->in_transaction()) throw;  // the others' changes are gone, too
    change.failure = std::current_exception();
  }
  const bool changed = change.failure == nullptr && change.outcome == Outcome::done;
  if (!changed) {
    if (!alone) writer_->undo.run();
    contexts_ = contexts;
    bindings_ = bindings;
  }
  if (!alone) writer_->keep.run();
  return changed;
}

SqlStore::Writer& SqlStore::writer(Patience until) {
  if (writer_ == nullptr) {
    writer_ = std::make_unique<Writer>(engine_->connect(Connection::Kind::write, until), shared());
  }
  return *writer_;
}

/// Of a store that is served alone; a shared one keeps them itself.
void SqlStore::count() {
  if (shared()) return;
  contexts_ = writer_->connection->number("SELECT count(*) FROM context");
  bindings_ = writer_->connection->number("SELECT sum(bindings) FROM context");
}

void SqlStore::read_totals() {
  if (!writer_->totals) return;
  const Running row(*writer_->totals);
  if (!row->step()) {
    throw StoreError(engine_->name() + ": is damaged: it has no totals", StoreError::Fault::broken);
  }
  contexts_ = known_contexts_ = row->number(0);
  bindings_ = known_bindings_ = row->number(1);
}

void SqlStore::write_totals() {
  if (!writer_->new_totals || (contexts_ == known_contexts_ && bindings_ == known_bindings_)) return;
  writer_->new_totals->bind(1, contexts_).bind(2, bindings_).run();
}

Progress SqlStore::progress() const {
  const std::lock_guard lock(queue_mutex_);
  return progress_;
}

void SqlStore::set(const char* name, const std::string& value) {
  change([&] {
    Statement(*writer_->connection,
              "INSERT INTO setting VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET value = excluded.value")
        .bind(1, std::string_view(name))
        .bind(2, value)
        .run();
    return Outcome::done;
  });
}

/// True if the context exists, as the transaction sees it.
bool SqlStore::is_there(ContextId context) {
  const Running row(writer_->context);
  return row->bind(1, context).step();
}

/// What the transaction sees: exists or missing. A binding whose lease has ended gives way.
Outcome SqlStore::look_up(ContextId context, const NameComponent& name, bool& is_context, std::int64_t& lease) {
  {
    const Running row(writer_->find);
    if (!row->bind(1, context).bind(2, name.id()).bind(3, name.kind()).step()) return Outcome::missing;
    is_context = row->number(0) != 0;
    lease = row->is_null(1) ? 0 : row->number(1);
    if (row->number(2) == 0) return Outcome::exists;
  }
  sweep_now();
  return Outcome::missing;
}

/// A new binding, if there is room, in a context that exists.
Outcome SqlStore::insert(ContextId context, const NameComponent& name, const Bound& bound, const Term& term) {
  for (bool swept = false;; swept = true) {
    std::int64_t count = 0;
    {
      const Running row(writer_->context);
      if (!row->bind(1, context).step()) return Outcome::gone;
      count = row->number(0);
    }
    if (count < limits_.bindings_per_context && bindings_ < limits_.bindings) break;
    if (swept || sweep_now() == 0) return Outcome::full;
  }
  put(writer_->insert, context, name, bound, term);
  writer_->count.bind(1, context).bind(2, 1).run();
  ++bindings_;
  return Outcome::done;
}

Outcome SqlStore::bind(ContextId context, const NameComponent& name, const Bound& bound, bool replace,
                       const Term& term) {
  if (bound.reference.size() > limits_.reference_octets) return Outcome::full;
  return change([&] {
    if (bound.child != 0) {
      if (!is_there(bound.child)) return is_there(context) ? Outcome::argument_gone : Outcome::gone;
    }
    bool is_context = false;
    std::int64_t lease = 0;
    if (look_up(context, name, is_context, lease) == Outcome::missing) return insert(context, name, bound, term);
    // The same lease: the call was made again.
    if (!replace && (lease == 0 || lease != term.lease)) return Outcome::exists;
    if (is_context != (bound.type == BindingType::ncontext)) {
      return is_context ? Outcome::not_object : Outcome::not_context;
    }
    put(writer_->replace, context, name, bound, term);
    return Outcome::done;
  });
}

/// Nothing is bound there: because there is no such context?
Outcome SqlStore::nothing_there(ContextId context) {
  return is_there(context) ? Outcome::missing : Outcome::gone;
}

Outcome SqlStore::remove(ContextId context, const NameComponent& name) {
  writer_->remove.bind(1, context).bind(2, name.id()).bind(3, name.kind()).run();
  writer_->count.bind(1, context).bind(2, -1).run();
  --bindings_;
  return Outcome::done;
}

Outcome SqlStore::unbind(ContextId context, const NameComponent& name) {
  return change([&] {
    bool is_context = false;
    std::int64_t lease = 0;
    if (look_up(context, name, is_context, lease) == Outcome::missing) return nothing_there(context);
    return remove(context, name);
  });
}

Outcome SqlStore::make_context(ContextId& made) {
  if (contexts_ >= limits_.contexts) return Outcome::full;
  do {
    made = random_context();
  } while (is_there(made));
  writer_->make.bind(1, made).run();
  ++contexts_;
  return Outcome::done;
}

Outcome SqlStore::new_context(ContextId& made) {
  return change([&] { return make_context(made); });
}

Outcome SqlStore::bind_new_context(ContextId context, const NameComponent& name, ContextId& made) {
  return change([&] {
    bool is_context = false;
    std::int64_t lease = 0;
    if (look_up(context, name, is_context, lease) == Outcome::exists) return Outcome::exists;
    if (const Outcome outcome = make_context(made); outcome != Outcome::done) return outcome;
    return insert(context, name, {BindingType::ncontext, made, {}}, Term());
  });
}

Outcome SqlStore::destroy(ContextId context) {
  return change([&] {
    for (bool swept = false;; swept = true) {
      std::int64_t bindings = 0;
      {
        const Running row(writer_->context);
        if (!row->bind(1, context).step()) return Outcome::gone;
        bindings = row->number(0);
      }
      if (context == kRoot) return Outcome::not_empty;
      if (bindings == 0) break;
      if (swept || sweep_now() == 0) return Outcome::not_empty;
    }
    writer_->destroy.bind(1, context).run();
    --contexts_;
    return Outcome::done;
  });
}

std::int64_t SqlStore::prune(std::chrono::seconds age) {
  std::int64_t pruned = 0;
  change([&] {
    writer_->prune.bind(1, static_cast<std::int64_t>(age.count())).run();
    pruned = writer_->connection->changes();
    contexts_ -= pruned;
    return Outcome::done;
  });
  return pruned;
}

void SqlStore::begin() {
  const std::lock_guard lock(write_mutex_);
  Connection& connection = *writer(patience()).connection;
  connection.wait_until(patience());
  import_.emplace(connection, Transaction::Kind::write);
  read_totals();
}

void SqlStore::commit() {
  const std::lock_guard lock(write_mutex_);
  writer_->connection->wait_until(patience());
  write_totals();
  import_->commit();
  import_.reset();
}

void SqlStore::roll_back() {
  const std::lock_guard lock(write_mutex_);
  import_.reset();
  if (!writer_->connection->usable()) writer_.reset();
  if (writer_ != nullptr) count();
}

}  // namespace corbel::naming

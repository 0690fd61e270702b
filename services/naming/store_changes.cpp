// SPDX-License-Identifier: Apache-2.0
// What changes the store, and how changes share transactions.
#include <exception>
#include <utility>

#include "statements.hpp"
#include "store.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;

/// Numbers of contexts are random, so that none comes again when its context has been destroyed, nor in another file.
ContextId random_context() {
  return static_cast<ContextId>(random_number() >> 2) | 2;
}

}  // namespace

/// A change that waits for its turn, on the stack of the thread that waits.
struct Store::Change {
  std::function<Outcome()> work;
  Outcome outcome = Outcome::done;
  std::exception_ptr failure;
  bool done = false;
};

/// Changes wait for the disk. While one thread waits for it the others put theirs into the queue, and the first of them
/// takes all of these into the next transaction: no thread waits for more than two, however many there are.
Outcome Store::change(std::function<Outcome()> work) {
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
void Store::lead(std::unique_lock<std::mutex>& lock) {
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
bool Store::run(std::span<Change* const> changes) {
  const std::lock_guard lock(write_mutex_);
  const std::int64_t contexts = contexts_;
  const std::int64_t bindings = bindings_;
  try {
    std::optional<Transaction> transaction;
    if (!import_) transaction.emplace(database_, Transaction::Kind::write);
    bool any = false;
    for (Change* const each : changes) any = run(*each) || any;
    if (any && transaction) transaction->commit();
    return any;
  } catch (...) {
    contexts_ = contexts;
    bindings_ = bindings;
    for (Change* const each : changes) each->failure = std::current_exception();
    return false;
  }
}

/// Runs one of the changes in a transaction; false if it left everything unchanged. Then its effect on the counts is
/// forgotten, too.
bool Store::run(Change& change) {
  const std::int64_t contexts = contexts_;
  const std::int64_t bindings = bindings_;
  writer_->mark.run();
  try {
    change.outcome = change.work();
  } catch (...) {
    if (!database_.in_transaction()) throw;  // the others' changes are gone, too
    change.failure = std::current_exception();
  }
  const bool changed = change.failure == nullptr && change.outcome == Outcome::done;
  if (!changed) {
    writer_->undo.run();
    contexts_ = contexts;
    bindings_ = bindings;
  }
  writer_->keep.run();
  return changed;
}

Progress Store::progress() const {
  const std::lock_guard lock(queue_mutex_);
  return progress_;
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

/// True if the context exists, as the transaction sees it.
bool Store::is_there(ContextId context) {
  const Running row(writer_->context);
  return row->bind(1, context).step();
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
      if (!is_there(bound.child)) return is_there(context) ? Outcome::argument_gone : Outcome::gone;
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
      return is_there(context) ? Outcome::missing : Outcome::gone;
    }
    writer_->count.bind(1, context).bind(2, -1).run();
    --bindings_;
    return Outcome::done;
  });
}

Outcome Store::make_context(ContextId& made) {
  if (contexts_ >= limits_.contexts) return Outcome::full;
  do {
    made = random_context();
  } while (is_there(made));
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

std::int64_t Store::prune(std::chrono::seconds age) {
  std::int64_t pruned = 0;
  change([&] {
    writer_->prune.bind(1, static_cast<std::int64_t>(age.count())).run();
    pruned = database_.changes();
    contexts_ -= pruned;
    return Outcome::done;
  });
  return pruned;
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

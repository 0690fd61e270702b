// SPDX-License-Identifier: Apache-2.0
// What changes the store, and how changes share transactions.
#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "etcd_look.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;
using Clock = std::chrono::steady_clock;
using Fault = StoreError::Fault;

/// Operations of one change, at most, by the number of keys that it looks at.
std::size_t most_operations(std::size_t needs) {
  return 8 + needs * 3 / 2;
}
constexpr std::size_t kSweptAtOnce = 25;

/// Numbers of contexts are random, so that none comes again when its context has been destroyed, nor elsewhere.
ContextId random_context() {
  return static_cast<ContextId>(random_number() >> 2) | 2;
}

/// A binding that is there and has not ended.
std::optional<EtcdBinding> living(EtcdDraft& draft, const std::string& key) {
  auto binding = draft.binding(key);
  return binding && !binding->has_ended(etcd_now()) ? std::move(binding) : std::nullopt;
}

/// Nothing is bound there: because there is no such context?
Outcome nothing_there(EtcdDraft& draft, ContextId context) {
  return draft.context(context) ? Outcome::missing : Outcome::gone;
}

EtcdBinding with_term(const Bound& bound, const Term& term) {
  EtcdBinding binding{bound, term.lease, 0};
  if (bound.child != 0) binding.bound.reference.clear();
  if (term.lease != 0) binding.ends = std::max<std::int64_t>(1, etcd_now() + term.length.count());
  return binding;
}

/// Puts what is bound there, and when it ends, in the place of `old`.
void put(EtcdDraft& draft, const std::string& key, const EtcdBinding* old, const EtcdBinding& binding) {
  if (old != nullptr && old->ends != 0 && old->ends != binding.ends) draft.remove(end_key(old->ends, key));
  if (binding.ends != 0) draft.put(end_key(binding.ends, key), "");
  draft.put(key, pack(binding));
}

/// Removes a binding that is there.
void remove(EtcdDraft& draft, ContextId context, const std::string& key, const EtcdBinding& binding) {
  if (binding.ends != 0) draft.remove(end_key(binding.ends, key));
  draft.remove(key);
  --draft.totals.bindings;
  if (auto counted = draft.context(context)) {
    --counted->bindings;
    draft.put(context_key(context), pack(*counted));
  }
}

}  // namespace

/// A change that waits for its turn, on the stack of the thread that waits.
struct EtcdStore::Change {
  std::vector<std::string> needs;  ///< keys that it looks at
  Work work;
  Outcome outcome = Outcome::done;
  std::exception_ptr failure;
  bool done = false;
};

/// While one thread waits for etcd the others put their changes into the queue, and the first of them takes these
/// along.
Outcome EtcdStore::change(std::vector<std::string> needs, Work work) {
  if (import_) {
    import_->view().wait_until(patience());
    import_->mark();
    const Outcome outcome = work(*import_);
    if (outcome != Outcome::done) import_->undo();
    return outcome;
  }
  Change mine{std::move(needs), std::move(work), {}, {}, false};
  std::unique_lock lock(queue_mutex_);
  queue_.push_back(&mine);
  while (!mine.done) {
    if (led_) {
      changed_.wait(lock);
    } else {
      lead(lock);
    }
  }
  lock.unlock();
  if (mine.failure) std::rethrow_exception(mine.failure);
  return mine.outcome;
}

void EtcdStore::lead(std::unique_lock<std::mutex>& lock) {
  led_ = true;
  const std::vector<Change*> changes = std::exchange(queue_, {});
  lock.unlock();
  run(changes);
  lock.lock();
  for (Change* const each : changes) each->done = true;
  led_ = false;
  changed_.notify_all();
}

void EtcdStore::run(std::span<Change* const> changes) {
  while (!changes.empty()) {
    std::size_t taken = 0;
    std::size_t keys = 0;
    while (taken < changes.size() && (taken == 0 || keys + changes[taken]->needs.size() < kMostEtcdOperations)) {
      keys += changes[taken++]->needs.size();
    }
    try {
      taken = attempt(changes.first(taken), patience());
    } catch (...) {
      for (Change* const each : changes.first(taken)) each->failure = std::current_exception();
    }
    changes = changes.subspan(taken);
  }
}

/// Runs the first of them, as many as one transaction holds; how many these are. Begins again when somebody else was
/// faster.
std::size_t EtcdStore::attempt(std::span<Change* const> changes, Patience until) {
  std::vector<std::string> needs;
  for (const Change* const each : changes) needs.insert(needs.end(), each->needs.begin(), each->needs.end());
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  for (std::uint64_t times = 1;; ++times) {
    std::size_t taken = 0;
    const bool written = look(until, [&](EtcdView view) {
      EtcdDraft draft(std::move(view));
      draft.load(needs);
      for (taken = 0; taken < changes.size(); ++taken) {
        Change& each = *changes[taken];
        if (taken != 0 && (draft.count() + most_operations(each.needs.size()) > kMostEtcdOperations ||
                           draft.octets() > kMostEtcdOctets / 2))
          break;
        draft.mark();
        each.outcome = each.work(draft);
        if (each.outcome != Outcome::done) draft.undo();
      }
      return !draft.is_changed() || write(draft);
    });
    if (written) return taken;
    // Whoever lost waits for a random while, the longer the more often it lost.
    const std::chrono::microseconds pause(random_number() % (std::min<std::uint64_t>(times, 16) * 2'000));
    if (Clock::now() + pause >= until) {
      throw StoreError(client_.name() + ": others have changed it all the while", Fault::away);
    }
    std::this_thread::sleep_for(pause);
  }
}

/// One transaction. False if somebody else has made a change, or another generation counts.
bool EtcdStore::write(EtcdDraft& draft) {
  const std::string base = draft.view().base();
  EtcdTransaction transaction;
  transaction.compares = {
      {draft.view().current(), EtcdCompare::What::value, draft.view().generation()},
      {base + kEtcdTotals, EtcdCompare::What::mod_revision, {}, draft.at()},
  };
  transaction.puts.push_back({base + kEtcdTotals, pack(draft.totals)});
  for (auto& [key, value] : draft.changes()) {
    if (value) {
      transaction.puts.push_back({base + key, std::move(*value)});
    } else {
      transaction.removals.push_back({base + key});
    }
  }
  return client_.run(transaction, draft.view().until()).succeeded;
}

/// What has ended is in the way until it is swept; then it is tried once more.
Outcome EtcdStore::change_or_sweep(Outcome refusal, const std::vector<std::string>& needs, const Work& work) {
  const Outcome outcome = change(needs, work);
  return outcome != refusal || import_ || sweep() == 0 ? outcome : change(needs, work);
}

/// A new binding, if there is room, in a context that exists. What has ended there gives way.
Outcome EtcdStore::insert(EtcdDraft& draft, ContextId context, const NameComponent& name, const Bound& bound,
                          const Term& term) const {
  const std::string key = binding_key(context, name);
  auto counted = draft.context(context);
  if (!counted) return Outcome::gone;
  const auto ended = draft.binding(key);
  if (!ended) {
    const bool is_room = counted->bindings < limits_.bindings_per_context && draft.totals.bindings < limits_.bindings;
    if (!is_room) return Outcome::full;
    ++counted->bindings;
    ++draft.totals.bindings;
    draft.put(context_key(context), pack(*counted));
  }
  put(draft, key, ended ? &*ended : nullptr, with_term(bound, term));
  return Outcome::done;
}

Outcome EtcdStore::bind(ContextId context, const NameComponent& name, const Bound& bound, bool replace,
                        const Term& term) {
  if (bound.reference.size() > limits_.reference_octets) return Outcome::full;
  const std::string key = binding_key(context, name);
  std::vector<std::string> needs = {key, context_key(context)};
  if (bound.child != 0) needs.push_back(context_key(bound.child));
  return change_or_sweep(Outcome::full, needs, [&, key](EtcdDraft& draft) {
    if (bound.child != 0) {
      const auto child = draft.context(bound.child);
      if (!child) return draft.context(context) ? Outcome::argument_gone : Outcome::gone;
      draft.put(context_key(bound.child), pack(*child));  // so that `prune` sees that something leads to it
    }
    const auto old = living(draft, key);
    if (!old) return insert(draft, context, name, bound, term);
    // The same lease: the call was made again.
    if (!replace && (old->lease == 0 || old->lease != term.lease)) return Outcome::exists;
    const bool is_context = old->bound.type == BindingType::ncontext;
    if (is_context != (bound.type == BindingType::ncontext)) {
      return is_context ? Outcome::not_object : Outcome::not_context;
    }
    put(draft, key, &*old, with_term(bound, term));
    return Outcome::done;
  });
}

Outcome EtcdStore::unbind(ContextId context, const NameComponent& name) {
  const std::string key = binding_key(context, name);
  return change({key, context_key(context)}, [&](EtcdDraft& draft) {
    const auto old = living(draft, key);
    if (!old) return nothing_there(draft, context);
    remove(draft, context, key, *old);
    return Outcome::done;
  });
}

Outcome EtcdStore::make_context(EtcdDraft& draft, ContextId made) const {
  if (draft.totals.contexts >= limits_.contexts) return Outcome::full;
  draft.put(context_key(made), pack(EtcdContext{0, etcd_now() / 1000}));
  ++draft.totals.contexts;
  return Outcome::done;
}

Outcome EtcdStore::new_context(ContextId& made) {
  return change({}, [&](EtcdDraft& draft) {
    do {
      made = random_context();
    } while (draft.context(made));
    return make_context(draft, made);
  });
}

Outcome EtcdStore::bind_new_context(ContextId context, const NameComponent& name, ContextId& made) {
  const std::string key = binding_key(context, name);
  return change_or_sweep(Outcome::full, {key, context_key(context)}, [&, key](EtcdDraft& draft) {
    if (living(draft, key)) return Outcome::exists;
    do {
      made = random_context();
    } while (draft.context(made));
    if (const Outcome outcome = make_context(draft, made); outcome != Outcome::done) return outcome;
    return insert(draft, context, name, {BindingType::ncontext, made, {}}, Term());
  });
}

Outcome EtcdStore::destroy(ContextId context) {
  return change_or_sweep(Outcome::not_empty, {context_key(context)}, [&](EtcdDraft& draft) {
    const auto counted = draft.context(context);
    if (!counted) return Outcome::gone;
    if (context == kRoot || counted->bindings != 0) return Outcome::not_empty;
    draft.remove(context_key(context));
    --draft.totals.contexts;
    return Outcome::done;
  });
}

Outcome EtcdStore::renew(ContextId context, const NameComponent& name, const Term& term) {
  const std::string key = binding_key(context, name);
  return change({key, context_key(context)}, [&](EtcdDraft& draft) {
    const auto old = living(draft, key);
    if (!old) return nothing_there(draft, context);
    if (old->lease == 0 || old->lease != term.lease) return Outcome::not_held;
    put(draft, key, &*old, with_term(old->bound, term));
    return Outcome::done;
  });
}

Outcome EtcdStore::release(ContextId context, const NameComponent& name, std::int64_t lease) {
  const std::string key = binding_key(context, name);
  return change({key, context_key(context)}, [&](EtcdDraft& draft) {
    const auto old = living(draft, key);
    if (!old) return nothing_there(draft, context);
    if (old->lease == 0 || old->lease != lease) return Outcome::not_held;
    remove(draft, context, key, *old);
    return Outcome::done;
  });
}

std::int64_t EtcdStore::sweep() {
  std::int64_t all = 0;
  for (;;) {
    // Most often there is nothing.
    const auto ended = look(patience(), [](EtcdView view) {
      return view.read(std::vector<EtcdRange>{{"e", end_key(etcd_now() + 1, " "), kSweptAtOnce}}).front();
    });
    std::int64_t swept = 0;
    std::vector<std::string> needs;
    for (const EtcdPair& each : ended) {
      needs.push_back(each.key);
      if (const auto key = ending_of(each.key)) needs.push_back(*key);
    }
    if (needs.empty()) return all;
    const Outcome outcome = change(needs, [&](EtcdDraft& draft) {
      swept = 0;
      for (const EtcdPair& each : ended) {
        if (draft.find(each.key) == nullptr) continue;  // somebody else has done it
        draft.remove(each.key);
        const auto key = ending_of(each.key);
        const auto place = key ? place_of(*key) : std::nullopt;
        const auto binding = place ? draft.binding(*key) : std::nullopt;
        if (!binding || end_key(binding->ends, *key) != each.key) continue;
        draft.remove(*key);
        --draft.totals.bindings;
        if (auto counted = draft.context(place->context)) {
          --counted->bindings;
          draft.put(context_key(place->context), pack(*counted));
        }
        ++swept;
      }
      return draft.is_changed() ? Outcome::done : Outcome::missing;
    });
    all += swept;
    if (outcome != Outcome::done || ended.size() < kSweptAtOnce) return all;
  }
}

}  // namespace corbel::naming

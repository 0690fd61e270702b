// SPDX-License-Identifier: Apache-2.0
// What reads or writes everything: checks, pruning, imports.
#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "etcd_look.hpp"

namespace corbel::naming {
namespace {

using Clock = std::chrono::steady_clock;
using Completed = StoreError::Completed;
using Fault = StoreError::Fault;

constexpr std::size_t kPrunedAtOnce = 40;

}  // namespace

/// All pairs whose keys begin with `prefix`, in their order.
template <class Each>
void EtcdStore::scan(EtcdView& view, const std::string& prefix, Each each) {
  const std::string end = etcd_end(prefix);
  for (std::string place = prefix;;) {
    view.wait_until(patience());
    const auto found = view.read(std::vector<EtcdRange>{{place, end, kEtcdPiece}}).front();
    for (const EtcdPair& pair : found) each(pair);
    if (found.size() < kEtcdPiece) return;
    place = found.back().key + '\0';
  }
}

Census EtcdStore::census() {
  // However long it takes. But etcd forgets what it was at one moment when it is compacted.
  return look(Clock::now() + std::chrono::hours(24), [&](EtcdView view) {
    std::unordered_map<ContextId, std::int64_t> counts;
    std::unordered_map<ContextId, std::vector<ContextId>> children;
    Census census;
    const auto totals = view.read(kEtcdTotals);
    scan(view, "c", [&](const EtcdPair& pair) {
      const auto id = context_of(pair.key);
      if (!id) view.damaged("a context has no number");
      counts.emplace(*id, view.context(pair.value).bindings);
    });
    std::int64_t homeless = 0;
    scan(view, "b", [&](const EtcdPair& pair) {
      const auto place = place_of(pair.key);
      if (!place) view.damaged("a name cannot be read");
      const EtcdBinding binding = view.binding(pair.value);
      ++census.bindings;
      const auto home = counts.find(place->context);
      if (home == counts.end()) {
        ++homeless;
      } else {
        --home->second;
      }
      if (binding.bound.child == 0) return;
      if (!counts.contains(binding.bound.child)) ++census.dangling;
      children[place->context].push_back(binding.bound.child);
    });
    census.contexts = static_cast<std::int64_t>(counts.size());
    const auto counted = totals ? totals_from(totals->value) : std::nullopt;
    if (!counted || counted->contexts != census.contexts || counted->bindings != census.bindings) {
      view.damaged("its totals are wrong");
    }
    const auto miscounted =
        std::count_if(counts.begin(), counts.end(), [](const auto& each) { return each.second != 0; });
    if (miscounted != 0 || homeless != 0) {
      view.damaged(std::to_string(miscounted) + " contexts are miscounted, " + std::to_string(homeless) +
                   " bindings have no context");
    }
    std::vector<ContextId> next = {kRoot};
    std::unordered_set<ContextId> reached = {kRoot};
    while (!next.empty()) {
      const auto found = children.find(next.back());
      next.pop_back();
      if (found == children.end()) continue;
      for (const ContextId child : found->second) {
        if (counts.contains(child) && reached.insert(child).second) next.push_back(child);
      }
    }
    census.unreachable = census.contexts - static_cast<std::int64_t>(reached.size());
    return census;
  });
}

std::int64_t EtcdStore::prune(std::chrono::seconds age) {
  std::int64_t seen = 0;  // the revision at which nothing led to them
  const auto candidates = look(Clock::now() + std::chrono::hours(24), [&](EtcdView view) {
    const std::int64_t latest = etcd_now() / 1000 - age.count();
    std::unordered_set<ContextId> found;
    scan(view, "c", [&](const EtcdPair& pair) {
      const auto id = context_of(pair.key);
      const EtcdContext context = view.context(pair.value);
      if (id && *id != kRoot && context.bindings == 0 && context.made <= latest) found.insert(*id);
    });
    scan(view, "b", [&](const EtcdPair& pair) { found.erase(view.binding(pair.value).bound.child); });
    seen = view.revision();
    return std::vector<ContextId>(found.begin(), found.end());
  });
  std::int64_t pruned = 0;
  for (std::size_t first = 0; first < candidates.size(); first += kPrunedAtOnce) {
    const std::size_t last = std::min(first + kPrunedAtOnce, candidates.size());
    std::vector<std::string> keys;
    for (std::size_t i = first; i < last; ++i) keys.push_back(context_key(candidates[i]));
    std::int64_t removed = 0;
    change(keys, [&](EtcdDraft& draft) {
      removed = 0;
      for (const std::string& key : keys) {
        // Whoever binds something in it, or binds it, puts it.
        if (draft.find(key) == nullptr || draft.put_at(key) > seen) continue;
        draft.remove(key);
        --draft.totals.contexts;
        ++removed;
      }
      return removed != 0 ? Outcome::done : Outcome::missing;
    });
    pruned += removed;
  }
  drop_other_generations();
  return pruned;
}

/// What imports that did not come to their end have left. One that is under way will find that it has to begin again.
void EtcdStore::drop_other_generations() {
  const EtcdView view = this->view(patience());
  const std::string all = prefix_ + "/g/";
  client_.run({.compares = {{view.current(), EtcdCompare::What::value, view.generation()}},
               .removals = {{all, view.base()}, {etcd_end(view.base()), etcd_end(all)}}},
              view.until());
}

void EtcdStore::begin() {
  import_.emplace(look(patience(), [&](EtcdView view) {
    EtcdDraft draft(std::move(view));
    draft.load({});
    draft.load_if_small();
    return draft;
  }));
}

void EtcdStore::commit() {
  EtcdDraft draft = std::move(*import_);
  import_.reset();
  if (!draft.is_changed()) return;
  draft.view().wait_until(patience());
  if (draft.count() < kMostEtcdOperations && draft.octets() < kMostEtcdOctets) {
    if (!write(draft)) throw StoreError(client_.name() + ": somebody else has changed it meanwhile", Fault::away);
  } else if (draft.is_whole()) {
    write_whole(draft);
  } else {
    throw StoreError(client_.name() + ": holds names already, and this is too much for one transaction", Fault::broken);
  }
}

void EtcdStore::roll_back() {
  import_.reset();
}

/// Puts what nobody else puts; returns the revision. It does no harm to do that twice.
std::int64_t EtcdStore::put_surely(const std::vector<EtcdPair>& pairs) {
  const Patience until = patience();
  for (;;) {
    try {
      return client_.run({.puts = pairs}, until).revision;
    } catch (const StoreError& error) {
      if (error.completed() == Completed::no || Clock::now() >= until) {
        throw StoreError(error.what(), error.fault());  // nothing of it counts
      }
    }
  }
}

/// As another generation, which nobody sees until it is made to count.
void EtcdStore::write_whole(const EtcdDraft& draft) {
  const std::string generation = hex(random_number());
  const std::string base = prefix_ + "/g/" + generation + "/";
  const std::int64_t at = put_surely({{base + kEtcdTotals, pack(draft.totals)}});
  std::vector<EtcdPair> piece;
  std::size_t octets = 0;
  for (EtcdPair& each : draft.everything()) {
    octets += each.key.size() + each.value.size();
    piece.push_back({base + each.key, std::move(each.value)});
    if (piece.size() < kMostEtcdOperations && octets < kMostEtcdOctets / 2) continue;
    put_surely(piece);
    piece.clear();
    octets = 0;
  }
  if (!piece.empty()) put_surely(piece);
  const EtcdView& old = draft.view();
  const EtcdAnswer answer =
      client_.run({.compares = {{old.current(), EtcdCompare::What::value, old.generation()},
                                {old.base() + kEtcdTotals, EtcdCompare::What::mod_revision, {}, draft.at()},
                                {base + kEtcdTotals, EtcdCompare::What::mod_revision, {}, at}},
                   .puts = {{old.current(), generation}},
                   .removals = {{old.base(), etcd_end(old.base())}}},
                  patience());
  if (!answer.succeeded) throw StoreError(client_.name() + ": somebody else has changed it meanwhile", Fault::away);
  const std::lock_guard lock(generation_mutex_);
  generation_ = generation;
}

}  // namespace corbel::naming

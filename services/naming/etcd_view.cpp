// SPDX-License-Identifier: Apache-2.0
#include "etcd_view.hpp"

#include <algorithm>

namespace corbel::naming {

std::vector<std::vector<EtcdPair>> EtcdView::read(std::vector<EtcdRange> ranges) {
  const std::string before = base();
  EtcdTransaction transaction;
  transaction.compares.push_back({current(), EtcdCompare::What::value, generation_});
  for (EtcdRange& each : ranges) {
    each.key = before + each.key;
    if (!each.end.empty()) each.end = before + each.end;
    each.revision = revision_;
  }
  transaction.ranges = std::move(ranges);
  EtcdAnswer answer = client_.run(transaction, until_);
  if (!answer.succeeded) throw EtcdMoved();
  if (revision_ == 0) revision_ = answer.revision;
  for (auto& range : answer.ranges) {
    for (EtcdPair& each : range) {
      if (!each.key.starts_with(before)) damaged("answers with a key that was not asked for");
      each.key.erase(0, before.size());
    }
  }
  return std::move(answer.ranges);
}

std::optional<EtcdPair> EtcdView::read(const std::string& key) {
  auto found = read(std::vector<EtcdRange>{{key}});
  if (found.front().empty()) return std::nullopt;
  return std::move(found.front().front());
}

void EtcdView::damaged(const std::string& what) const {
  throw StoreError(client_.name() + ": is damaged: " + what + "; restore it from a backup", StoreError::Fault::broken);
}

EtcdContext EtcdView::context(const std::string& value) const {
  const auto context = context_from(value);
  if (!context) damaged("a context cannot be read");
  return *context;
}

EtcdBinding EtcdView::binding(const std::string& value) const {
  auto binding = binding_from(value);
  if (!binding) damaged("a binding cannot be read");
  return std::move(*binding);
}

void EtcdDraft::load(const std::vector<std::string>& keys) {
  std::vector<EtcdRange> ranges{{kEtcdTotals}};
  for (const std::string& each : keys) ranges.push_back({each});
  const auto found = view_.read(std::move(ranges));
  const auto read = found.front().empty() ? std::nullopt : totals_from(found.front().front().value);
  if (!read) view_.damaged("it has no totals");
  totals = *read;
  at_ = found.front().front().mod_revision;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Entry entry;
    if (!found[i + 1].empty()) entry = {found[i + 1].front().value, found[i + 1].front().mod_revision, false};
    entries_.emplace(keys[i], std::move(entry));
  }
}

void EtcdDraft::load_if_small() {
  constexpr std::size_t kFew = 100;
  const auto found = view_.read(std::vector<EtcdRange>{{"", "\xFF", kFew}}).front();
  if (found.size() == kFew) return;
  whole_ = true;
  for (const EtcdPair& each : found) {
    if (each.key != kEtcdTotals) entries_.try_emplace(each.key, Entry{each.value, each.mod_revision, false});
  }
}

std::vector<EtcdPair> EtcdDraft::everything() const {
  std::vector<EtcdPair> all;
  for (const auto& [key, entry] : entries_) {
    if (entry.value) all.push_back({key, *entry.value});
  }
  return all;
}

EtcdDraft::Entry& EtcdDraft::entry(const std::string& key) {
  const auto known = entries_.find(key);
  if (known != entries_.end()) return known->second;
  Entry entry;
  if (whole_) return entries_.emplace(key, std::move(entry)).first->second;
  if (auto pair = view_.read(key)) entry = {std::move(pair->value), pair->mod_revision, false};
  return entries_.emplace(key, std::move(entry)).first->second;
}

const std::string* EtcdDraft::find(const std::string& key) {
  const Entry& found = entry(key);
  return found.value ? &*found.value : nullptr;
}

std::int64_t EtcdDraft::put_at(const std::string& key) {
  return entry(key).put_at;
}

void EtcdDraft::set(const std::string& key, std::optional<std::string> value) {
  Entry& changed = entry(key);
  before_.push_back({key, changed});
  if (!changed.changed) order_.push_back(key);
  octets_ += key.size() + (value ? value->size() : 0);
  changed.value = std::move(value);
  changed.changed = true;
}

void EtcdDraft::put(const std::string& key, std::string value) {
  set(key, std::move(value));
}

void EtcdDraft::remove(const std::string& key) {
  set(key, std::nullopt);
}

std::optional<EtcdContext> EtcdDraft::context(ContextId id) {
  const std::string* const value = find(context_key(id));
  return value == nullptr ? std::nullopt : std::optional(view_.context(*value));
}

std::optional<EtcdBinding> EtcdDraft::binding(const std::string& key) {
  const std::string* const value = find(key);
  return value == nullptr ? std::nullopt : std::optional(view_.binding(*value));
}

void EtcdDraft::mark() {
  before_.clear();
  marked_ = totals;
}

void EtcdDraft::undo() {
  for (; !before_.empty(); before_.pop_back()) {
    Before& last = before_.back();
    if (!last.entry.changed) order_.pop_back();
    entries_[last.key] = std::move(last.entry);
  }
  totals = marked_;
}

std::vector<std::pair<std::string, std::optional<std::string>>> EtcdDraft::changes() const {
  std::vector<std::pair<std::string, std::optional<std::string>>> all;
  all.reserve(order_.size());
  for (const std::string& key : order_) all.emplace_back(key, entries_.at(key).value);
  return all;
}

}  // namespace corbel::naming

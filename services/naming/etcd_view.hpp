// SPDX-License-Identifier: Apache-2.0
// How changes and looks see the names in etcd. Knows the generation; see etcd_layout.hpp.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "etcd_client.hpp"
#include "etcd_layout.hpp"

namespace corbel::naming {

/// Another generation counts by now, or somebody else has made a change: to be begun again.
struct EtcdMoved {};

/// The names as they were at one moment, that of the first read. Belongs to one thread, and is used before `until`.
class EtcdView {
 public:
  EtcdView(EtcdClient& client, std::string prefix, std::string generation, Patience until)
      : client_(client), prefix_(std::move(prefix)), generation_(std::move(generation)), until_(until) {}

  /// Keys are those within the generation, here and in the answer. Throws StoreError, EtcdMoved.
  std::vector<std::vector<EtcdPair>> read(std::vector<EtcdRange> ranges);
  std::optional<EtcdPair> read(const std::string& key);

  std::string current() const { return prefix_ + "/current"; }
  /// What all keys of the generation begin with.
  std::string base() const { return prefix_ + "/g/" + generation_ + "/"; }
  const std::string& generation() const noexcept { return generation_; }
  std::int64_t revision() const noexcept { return revision_; }
  Patience until() const noexcept { return until_; }
  void wait_until(Patience until) noexcept { until_ = until; }
  EtcdClient& client() const noexcept { return client_; }
  [[noreturn]] void damaged(const std::string& what) const;

  // What values say. Throw StoreError if they are damaged.
  EtcdContext context(const std::string& value) const;
  EtcdBinding binding(const std::string& value) const;

 private:
  EtcdClient& client_;
  const std::string prefix_;
  const std::string generation_;
  Patience until_;
  std::int64_t revision_ = 0;
};

/// What changes make of a view, before it is written: a few keys, of which those that were read are remembered.
/// Belongs to one thread at a time.
class EtcdDraft {
 public:
  explicit EtcdDraft(EtcdView view) : view_(std::move(view)) {}

  /// Reads the totals and these keys in one go.
  void load(const std::vector<std::string>& keys);
  /// Reads everything if these are few keys; then nothing else is read any more.
  void load_if_small();
  bool is_whole() const noexcept { return whole_; }
  /// All keys that there will be, and what they will hold. Of a draft that is whole.
  std::vector<EtcdPair> everything() const;
  /// nullptr if nothing is there.
  const std::string* find(const std::string& key);
  /// When it was last put, before this draft; 0: it was not there.
  std::int64_t put_at(const std::string& key);
  void put(const std::string& key, std::string value);
  void remove(const std::string& key);

  std::optional<EtcdContext> context(ContextId id);
  std::optional<EtcdBinding> binding(const std::string& key);

  /// Changes after this can be undone, one after the other.
  void mark();
  void undo();

  /// Keys and what they are to hold; nothing: to be removed.
  std::vector<std::pair<std::string, std::optional<std::string>>> changes() const;
  bool is_changed() const noexcept { return !order_.empty(); }
  std::size_t count() const noexcept { return order_.size(); }
  std::size_t octets() const noexcept { return octets_; }
  const EtcdView& view() const noexcept { return view_; }
  EtcdView& view() noexcept { return view_; }
  /// When the totals were last put: as long as they are not put again, nothing has changed.
  std::int64_t at() const noexcept { return at_; }

  EtcdTotals totals;

 private:
  struct Entry {
    std::optional<std::string> value;
    std::int64_t put_at = 0;
    bool changed = false;
  };
  struct Before {
    std::string key;
    Entry entry;
  };
  Entry& entry(const std::string& key);
  void set(const std::string& key, std::optional<std::string> value);

  EtcdView view_;
  std::int64_t at_ = 0;
  bool whole_ = false;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;  ///< of the keys that were changed
  std::vector<Before> before_;      ///< since the mark
  EtcdTotals marked_;
  std::size_t octets_ = 0;  ///< that have been put, those that were put again counted twice
};

}  // namespace corbel::naming

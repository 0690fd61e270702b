// SPDX-License-Identifier: Apache-2.0
// The store in a database that speaks SQL.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql.hpp"
#include "store.hpp"

namespace corbel::naming {

/// How the changes go.
struct Progress {
  std::size_t waiting = 0;         ///< threads whose change is not done yet
  std::uint64_t transactions = 0;  ///< waits for the disk, so far
};

/// Changes go one after the other. Those that come while the disk is written share the next transaction. Looks run
/// beside them on connections of their own. A connection that is lost is replaced, and what was under way on it is
/// begun again, until the engine's patience ends; but not a transaction whose end was asked for and not confirmed.
class SqlStore final : public Store {
 public:
  /// Gets a line for people when the database goes away and comes back; by any thread.
  using Tell = std::function<void(const std::string& line)>;

  /// Throws StoreError if the database cannot be had, is damaged, or holds something else.
  SqlStore(std::unique_ptr<Engine> engine, StoreLimits limits, Tell tell = nullptr);
  ~SqlStore() override;

  std::uint64_t identity() const noexcept override { return identity_; }
  bool shared() const noexcept override { return engine_->shared(); }

  bool exists(ContextId context) override;
  Walk walk(ContextId start, std::span<const CosNaming::NameComponent> name) override;
  Walk resolve(ContextId start, std::span<const CosNaming::NameComponent> name) override;
  using Store::bind;
  Outcome bind(ContextId context, const CosNaming::NameComponent& name, const Bound& bound, bool replace,
               const Term& term) override;
  Outcome unbind(ContextId context, const CosNaming::NameComponent& name) override;
  Outcome new_context(ContextId& made) override;
  Outcome bind_new_context(ContextId context, const CosNaming::NameComponent& name, ContextId& made) override;
  Outcome destroy(ContextId context) override;
  Outcome renew(ContextId context, const CosNaming::NameComponent& name, const Term& term) override;
  Outcome release(ContextId context, const CosNaming::NameComponent& name, std::int64_t lease) override;
  std::int64_t sweep() override;
  Listing list(ContextId context, const std::optional<CosNaming::NameComponent>& after, std::size_t count,
               std::size_t octets) override;
  std::vector<Address> announce(const std::string& member, std::span<const Address> addresses,
                                std::chrono::milliseconds length) override;
  std::int64_t prune(std::chrono::seconds age) override;
  Census census() override;
  std::optional<std::string> setting(const char* name) override;
  void set(const char* name, const std::string& value) override;
  void begin() override;
  void commit() override;
  void roll_back() override;

  Progress progress() const;
  /// What the database does now.
  Durability durability();

 private:
  struct Reader;
  struct Writer;
  struct Change;
  class Borrowed;

  template <class Work>
  auto look(Work work);
  Patience patience() const;
  bool try_again(const StoreError& failure, Patience patience, int attempt);
  void tell_now_and_then(const char* line);
  void tell(std::string_view line, std::string_view more = {}) noexcept;
  void answered();

  Writer& writer(Patience patience);
  void count();
  void read_totals();
  void write_totals();
  std::uint64_t read_identity(Connection& connection) const;
  Walk follow(ContextId start, std::span<const CosNaming::NameComponent> name, bool last_is_any);
  Outcome look_up(ContextId context, const CosNaming::NameComponent& name, bool& is_context, std::int64_t& lease);
  Outcome insert(ContextId context, const CosNaming::NameComponent& name, const Bound& bound, const Term& term);
  Outcome make_context(ContextId& made);
  Outcome nothing_there(ContextId context);
  Outcome remove(ContextId context, const CosNaming::NameComponent& name);
  bool is_there(ContextId context);
  bool any_ended();
  std::int64_t sweep_now();
  Outcome change(std::function<Outcome()> change);
  void lead(std::unique_lock<std::mutex>& lock);
  bool run(std::span<Change* const> changes);
  bool attempt(std::span<Change* const> changes, Patience patience);
  bool run(Change& change, bool alone);

  const std::unique_ptr<Engine> engine_;
  const StoreLimits limits_;
  const Tell tell_;
  std::atomic<bool> away_ = false;
  std::atomic<std::int64_t> told_ = -1'000;  // s: when a failure that does not pass was told
  std::uint64_t identity_ = 0;

  std::mutex write_mutex_;          // guards what follows
  std::unique_ptr<Writer> writer_;  ///< none while its connection is lost
  std::optional<Transaction> import_;
  std::int64_t contexts_ = 0;
  std::int64_t bindings_ = 0;
  std::int64_t known_contexts_ = 0;  ///< of a shared store: what it says itself
  std::int64_t known_bindings_ = 0;

  mutable std::mutex queue_mutex_;  // guards what follows, and is never held while the disk is written
  std::condition_variable changed_;
  std::vector<Change*> queue_;
  bool led_ = false;  ///< a thread runs changes; those in the queue come next
  Progress progress_;

  std::mutex readers_mutex_;  // guards what follows
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::size_t borrowed_ = 0;
};

}  // namespace corbel::naming

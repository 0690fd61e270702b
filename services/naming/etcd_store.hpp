// SPDX-License-Identifier: Apache-2.0
// The store in etcd, which several processes share.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "etcd_client.hpp"
#include "etcd_view.hpp"
#include "store.hpp"

namespace corbel::naming {

/// "etcd://HOST:PORT[,HOST:PORT...][/PREFIX]", or "etcds://..." for TLS, taken apart.
struct EtcdAddress {
  std::vector<std::string> endpoints;  ///< http://HOST:PORT, or https://...
  std::string prefix;                  ///< of all keys
};
/// Throws StoreError that says what is wrong.
EtcdAddress etcd_address(const std::string& url);

/// Changes go one after the other, whoever makes them: each compares the totals and puts them. Those of one process
/// that wait share a transaction. Of several processes that make one at the same time one wins, the others look again.
class EtcdStore final : public Store {
 public:
  /// Throws StoreError if etcd cannot be had, or holds something else there.
  EtcdStore(const std::string& url, StoreLimits limits, std::chrono::milliseconds patience, EtcdOptions options,
            EtcdClient::Tell tell);
  EtcdStore(const EtcdAddress& address, StoreLimits limits, std::chrono::milliseconds patience, EtcdOptions options,
            EtcdClient::Tell tell);
  ~EtcdStore() override;

  std::uint64_t identity() const noexcept override { return identity_; }
  bool shared() const noexcept override { return true; }

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
  /// What changes more than about a hundred keys needs a store that was empty, or nearly so, when it was begun.
  void begin() override;
  void commit() override;
  void roll_back() override;

 private:
  struct Change;
  using Work = std::function<Outcome(EtcdDraft&)>;

  Patience patience() const { return std::chrono::steady_clock::now() + patience_; }
  void open();
  EtcdView view(Patience until) const;
  void look_up_generation(Patience until);
  template <class Look>
  auto look(Patience until, Look look);
  Walk follow(ContextId start, std::span<const CosNaming::NameComponent> name, bool last_is_any);
  template <class Each>
  void scan(EtcdView& view, const std::string& prefix, Each each);

  Outcome change(std::vector<std::string> needs, Work work);
  Outcome change_or_sweep(Outcome refusal, const std::vector<std::string>& needs, const Work& work);
  void lead(std::unique_lock<std::mutex>& lock);
  void run(std::span<Change* const> changes);
  std::size_t attempt(std::span<Change* const> changes, Patience until);
  bool write(EtcdDraft& draft);
  void write_whole(const EtcdDraft& draft);
  std::int64_t put_surely(const std::vector<EtcdPair>& pairs);
  Outcome insert(EtcdDraft& draft, ContextId context, const CosNaming::NameComponent& name, const Bound& bound,
                 const Term& term) const;
  Outcome make_context(EtcdDraft& draft, ContextId made) const;
  void drop_other_generations();

  const std::string prefix_;
  const StoreLimits limits_;
  const std::chrono::milliseconds patience_;
  mutable EtcdClient client_;
  std::uint64_t identity_ = 0;

  mutable std::mutex generation_mutex_;  // guards what follows
  std::string generation_;

  std::mutex queue_mutex_;  // guards what follows, and is not held while etcd is asked
  std::condition_variable changed_;
  std::vector<Change*> queue_;
  bool led_ = false;  ///< a thread runs changes; those in the queue come next

  std::optional<EtcdDraft> import_;  ///< by one thread, which is the only one then
};

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
// Talks to etcd (3.4 and later) through its JSON gateway. Knows nothing of names.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "etcd_login.hpp"
#include "store.hpp"

namespace corbel::naming {

/// Until when etcd may keep a thread waiting.
using Patience = std::chrono::steady_clock::time_point;

/// What a key holds. Keys and values are octets.
struct EtcdPair {
  std::string key;
  std::string value;
  std::int64_t mod_revision = 0;  ///< when it was last put
};

/// The keys from `key` to before `end`, or that one if `end` is empty.
struct EtcdRange {
  std::string key;
  std::string end{};
  std::size_t limit = 0;      ///< 0: all
  std::int64_t revision = 0;  ///< as it was then; 0: now
};

struct EtcdCompare {
  enum class What {
    value,         ///< is `value`
    mod_revision,  ///< was last put at `revision`; 0: is not there
  };
  std::string key;
  What what = What::mod_revision;
  std::string value{};
  std::int64_t revision = 0;
};

/// If everything compares equal: ranges are read, then the others done; else `else_ranges` are read.
struct EtcdTransaction {
  std::vector<EtcdCompare> compares{};
  std::vector<EtcdRange> ranges{};
  std::vector<EtcdPair> puts{};
  std::vector<EtcdRange> removals{};
  std::vector<EtcdRange> else_ranges{};
  bool changes() const noexcept { return !puts.empty() || !removals.empty(); }
};

struct EtcdAnswer {
  bool succeeded = false;     ///< everything compared equal
  std::int64_t revision = 0;  ///< of the whole store, when this was done
  std::vector<std::vector<EtcdPair>> ranges;
};

/// A range at a revision that etcd has forgotten.
class EtcdCompacted : public StoreError {
 public:
  using StoreError::StoreError;
};

struct EtcdRefusal;

struct EtcdOptions {
  std::chrono::milliseconds connect_patience = std::chrono::seconds(5);
  std::size_t connections = 16;
  EtcdSecurity security{};
};

/// The members of one cluster, any of which answers. Thread-safe. What fails at one is tried at the next, until the
/// caller's patience ends; but not a transaction that changes something and may have reached a member: that is
/// StoreError with Completed::maybe. When no member and we believe each other's certificates, it is not tried further.
/// Who has a user gives its token, and gets a new one, once for each request, when a member does not take it.
class EtcdClient {
 public:
  /// Gets a line for people when no member answers, when one does again, and, every ten seconds at most, of what does
  /// not pass by itself; by any thread.
  using Tell = std::function<void(const std::string& line)>;

  /// `endpoints`: "http://HOST:PORT" or "https://HOST:PORT", one at least.
  EtcdClient(std::string name, std::vector<std::string> endpoints, EtcdOptions options, Tell tell);
  ~EtcdClient();
  EtcdClient(const EtcdClient&) = delete;
  EtcdClient& operator=(const EtcdClient&) = delete;

  /// Throws StoreError.
  EtcdAnswer run(const EtcdTransaction& transaction, Patience until);
  const std::string& name() const noexcept { return name_; }

 private:
  class Borrowed;
  class Untrusted;
  struct Call;

  EtcdAnswer ask(const Call& call, const std::string& endpoint);
  HttpAnswer post(const Call& call, const std::string& endpoint, const char* path, const std::string& body,
                  const std::string& token) const;
  std::string log_in(const Call& call, const std::string& endpoint, const std::string& body) const;
  StoreError refused(bool changes, const std::string& endpoint, const EtcdRefusal& refusal, long status) const;
  std::string in_vain(const StoreError& failure) const;
  void missed(const StoreError& failure);
  void tell_now_and_then(const StoreError& failure);
  void answered();

  const std::string name_;
  const std::vector<std::string> endpoints_;
  const EtcdOptions options_;
  const Tell tell_;
  EtcdLogin login_;
  std::atomic<std::size_t> preferred_ = 0;  ///< counts endpoints, round and round; those before it failed
  std::atomic<std::uint64_t> cluster_ = 0;  ///< the one that answered first; 0: none has
  std::atomic<bool> away_ = false;
  std::atomic<std::int64_t> told_ = 0;  ///< seconds of the steady clock when something broken was told; 0: never

  std::mutex mutex_;  // guards what follows
  std::condition_variable returned_;
  std::vector<std::unique_ptr<EtcdConnection>> idle_;
  std::size_t borrowed_ = 0;
};

/// The first key behind all that begin with `prefix`.
std::string etcd_end(std::string prefix);

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
// The naming graph on disk: contexts with numbers, and what is bound in them. Knows nothing of ORBs; a reference is
// octets.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "CosNaming.hpp"
#include "database.hpp"

namespace corbel::naming {

using ContextId = std::int64_t;
/// The root context: always there.
inline constexpr ContextId kRoot = 1;

/// What a name is bound to.
struct Bound {
  CosNaming::BindingType type = CosNaming::BindingType::nobject;
  ContextId child = 0;    ///< a context of this store; 0: something else, which `reference` leads to
  std::string reference;  ///< octets of an IOR
};

/// What came of a request.
enum class Outcome {
  done,
  gone,           ///< the context that was asked does not exist (any more)
  missing,        ///< nothing is bound there
  not_context,    ///< an object is bound where a context is needed
  not_object,     ///< a context is bound where an object is needed
  foreign,        ///< the name leads into a context of another service
  exists,         ///< something is bound there
  not_empty,      ///< the context has bindings
  full,           ///< one of StoreLimits is reached
  argument_gone,  ///< the context that was to be bound does not exist (any more)
};

/// How far a name led.
struct Walk {
  Outcome outcome = Outcome::done;
  std::size_t at = 0;     ///< component that `outcome` is about; the number of components if all were walked
  ContextId context = 0;  ///< where that component was looked up
  Bound bound;            ///< what it is bound to, if anything
};

/// One line of a listing.
struct Listed {
  CosNaming::NameComponent name;
  CosNaming::BindingType type = CosNaming::BindingType::nobject;
};

/// A piece of a listing.
struct Listing {
  std::vector<Listed> bindings;
  bool more = false;  ///< others follow
};

struct StoreLimits {
  std::int64_t contexts = 1'000'000;
  std::int64_t bindings = 10'000'000;
  std::int64_t bindings_per_context = 2'000'000;
  std::size_t reference_octets = 65'536;
};

/// How long a change lasts once it was acknowledged.
enum class Durability {
  power_loss,  ///< on the disk
  process,     ///< with the system: survives the end of this process, however violent, but not that of the machine
};

/// Numbers for people and tests.
struct Census {
  std::int64_t contexts = 0;
  std::int64_t bindings = 0;
  std::int64_t unreachable = 0;  ///< contexts that no path from the root leads to
  std::int64_t dangling = 0;     ///< bindings to contexts that were destroyed
};

/// How the changes go.
struct Progress {
  std::size_t waiting = 0;         ///< threads whose change is not done yet
  std::uint64_t transactions = 0;  ///< waits for the disk, so far
};

/// Sixteen digits.
inline std::string hex(std::uint64_t value) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

/// Owns the database file, alone. Thread-safe: changes go one after the other, whole or not at all, and are durable
/// when the operation returns. Those that come while the disk is written share the next transaction. Reads run beside
/// them on connections of their own and see whole changes only. Every operation may throw DatabaseError, and then
/// nothing has changed.
class Store {
 public:
  /// Opens the file, or makes it. Throws DatabaseError if it cannot, if the file is damaged or no naming database, or
  /// if another process has it, be it by another path: links are followed, and a file with several hard links refused.
  Store(const std::string& path, StoreLimits limits, Durability durability);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Random when the file is made, and then for ever: tells references into this store from those into others.
  std::uint64_t identity() const noexcept { return identity_; }

  bool exists(ContextId context);
  /// Follows the components from `start`, all of which have to be contexts of this store. At another service's context
  /// it stops (foreign).
  Walk walk(ContextId start, std::span<const CosNaming::NameComponent> name);
  /// As walk, but the last component may be bound to anything; `done` with what that is.
  Walk resolve(ContextId start, std::span<const CosNaming::NameComponent> name);

  /// With `replace`, what is bound there gives way if it is of the same type (else not_object or not_context).
  /// argument_gone: what it is to be bound to is a context of this store that does not exist.
  Outcome bind(ContextId context, const CosNaming::NameComponent& name, const Bound& bound, bool replace);
  Outcome unbind(ContextId context, const CosNaming::NameComponent& name);
  Outcome new_context(ContextId& made);
  Outcome bind_new_context(ContextId context, const CosNaming::NameComponent& name, ContextId& made);
  /// The root is never destroyed: not_empty.
  Outcome destroy(ContextId context);

  /// At most `count` bindings in the order of their names (octet by octet), those after `after`, or the first ones.
  /// Ends behind the one with which they have `octets` octets. Nothing is listed of a context that does not exist.
  Listing list(ContextId context, const std::optional<CosNaming::NameComponent>& after, std::size_t count,
               std::size_t octets);

  /// Destroys the contexts that are empty, that no binding leads to, and that were made so long ago; returns how many.
  /// A reference to such a context may lie elsewhere: in another naming service, or with the client that made it.
  std::int64_t prune(std::chrono::seconds age);

  Progress progress() const;
  /// What the database does now.
  Durability durability();

  /// Reads everything. Throws DatabaseError if the file is damaged.
  Census census();

  /// Settings that stay with the names; nothing if never set.
  std::optional<std::string> setting(const char* name);
  void set(const char* name, const std::string& value);

  /// Everything between these is one change. For imports; no other thread may use the store meanwhile.
  void begin();
  void commit();
  void roll_back();

 private:
  struct Reader;
  struct Writer;
  struct Change;
  class Lease;

  void prepare(Durability durability);
  void count();
  std::uint64_t read_identity();
  Walk follow(Reader& reader, ContextId start, std::span<const CosNaming::NameComponent> name, bool last_is_any);
  Outcome insert(ContextId context, const CosNaming::NameComponent& name, const Bound& bound);
  Outcome make_context(ContextId& made);
  bool is_there(ContextId context);
  Outcome change(std::function<Outcome()> change);
  void lead(std::unique_lock<std::mutex>& lock);
  bool run(std::span<Change* const> changes);
  bool run(Change& change);

  const std::string path_;  ///< without links, so that what lies beside the file is there once
  const StoreLimits limits_;
  FileLock lock_;
  std::uint64_t identity_ = 0;

  std::mutex write_mutex_;  // guards what follows
  Connection database_;
  std::unique_ptr<Writer> writer_;
  std::optional<Transaction> import_;
  std::int64_t contexts_ = 0;
  std::int64_t bindings_ = 0;

  mutable std::mutex queue_mutex_;  // guards what follows, and is never held while the disk is written
  std::condition_variable changed_;
  std::vector<Change*> queue_;
  bool led_ = false;  ///< a thread runs changes; those in the queue come next
  Progress progress_;

  std::mutex readers_mutex_;  // guards the list
  std::vector<std::unique_ptr<Reader>> readers_;
};

}  // namespace corbel::naming

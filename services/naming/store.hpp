// SPDX-License-Identifier: Apache-2.0
// What the service needs of a store: contexts with numbers, and what is bound in them. Knows nothing of ORBs; a
// reference is octets.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "CosNaming.hpp"

namespace corbel::naming {

using ContextId = std::int64_t;
/// The root context: always there.
inline constexpr ContextId kRoot = 1;

/// The store says no. what() says which one and why, for people.
class StoreError : public std::runtime_error {
 public:
  enum class Fault {
    broken,  ///< disk full, damaged, refused: trying again will not help
    away,    ///< cannot be reached, or is too slow: it may be back soon
  };
  enum class Completed { no, maybe };
  StoreError(const std::string& text, Fault fault, Completed completed = Completed::no)
      : std::runtime_error(text), fault_(fault), completed_(completed) {}
  Fault fault() const noexcept { return fault_; }
  /// `maybe`: the change may have happened, or may still happen.
  Completed completed() const noexcept { return completed_; }

 private:
  Fault fault_;
  Completed completed_;
};

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
  not_held,       ///< something is bound there, but not with that lease
};

/// How far a name led.
struct Walk {
  Outcome outcome = Outcome::done;
  std::size_t at = 0;     ///< component that `outcome` is about; the number of components if all were walked
  ContextId context = 0;  ///< where that component was looked up
  Bound bound;            ///< what it is bound to, if anything
};

/// For how long a binding is made. When that is over, it is as if it had been unbound.
struct Term {
  std::int64_t lease = 0;              ///< the number by which it is renewed; 0: no lease, for ever
  std::chrono::milliseconds length{};  ///< from now
};

/// Where a process that serves the store is found.
struct Address {
  std::string host;
  std::uint16_t port = 0;
  friend auto operator<=>(const Address&, const Address&) = default;
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

/// Sixteen digits.
inline std::string hex(std::uint64_t value) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

inline std::uint64_t random_number() {
  std::random_device source;
  return static_cast<std::uint64_t>(source()) << 32 | source();
}

/// A graph of names that lasts. Thread-safe: changes happen whole or not at all, and are durable when the operation
/// returns; looks see whole changes only. Every operation may throw StoreError, and then nothing has changed unless
/// that says `maybe`.
class Store {
 public:
  Store() = default;
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Random when the store is made, and then for ever: tells references into this one from those into others.
  virtual std::uint64_t identity() const noexcept = 0;
  /// True if several processes may serve it at the same time.
  virtual bool shared() const noexcept = 0;

  virtual bool exists(ContextId context) = 0;
  /// Follows the components from `start`, all of which have to be contexts of this store. At another service's context
  /// it stops (foreign).
  virtual Walk walk(ContextId start, std::span<const CosNaming::NameComponent> name) = 0;
  /// As walk, but the last component may be bound to anything; `done` with what that is.
  virtual Walk resolve(ContextId start, std::span<const CosNaming::NameComponent> name) = 0;

  /// With `replace`, what is bound there gives way if it is of the same type (else not_object or not_context).
  /// argument_gone: what it is to be bound to is a context of this store that does not exist. What is bound there with
  /// the lease of `term` gives way in any case.
  virtual Outcome bind(ContextId context, const CosNaming::NameComponent& name, const Bound& bound, bool replace,
                       const Term& term) = 0;
  Outcome bind(ContextId context, const CosNaming::NameComponent& name, const Bound& bound, bool replace) {
    return bind(context, name, bound, replace, Term());
  }
  virtual Outcome unbind(ContextId context, const CosNaming::NameComponent& name) = 0;
  virtual Outcome new_context(ContextId& made) = 0;
  virtual Outcome bind_new_context(ContextId context, const CosNaming::NameComponent& name, ContextId& made) = 0;
  /// The root is never destroyed: not_empty.
  virtual Outcome destroy(ContextId context) = 0;

  /// The binding lasts for `term.length` from now; missing or not_held if it is not there with that lease (any more).
  virtual Outcome renew(ContextId context, const CosNaming::NameComponent& name, const Term& term) = 0;
  /// Unbinds what was bound with that lease; missing or not_held likewise.
  virtual Outcome release(ContextId context, const CosNaming::NameComponent& name, std::int64_t lease) = 0;
  /// Forgets the bindings whose lease has ended, which nobody sees any more; returns how many.
  virtual std::int64_t sweep() = 0;

  /// At most `count` bindings in the order of their names (octet by octet), those after `after`, or the first ones.
  /// Ends behind the one with which they have `octets` octets. Nothing is listed of a context that does not exist.
  virtual Listing list(ContextId context, const std::optional<CosNaming::NameComponent>& after, std::size_t count,
                       std::size_t octets) = 0;

  /// Of a shared store: notes that the process `member` serves it at `addresses`, for so long from now; returns the
  /// addresses of all members, each once, in the same order for all. With no addresses, the member is forgotten.
  virtual std::vector<Address> announce(const std::string& member, std::span<const Address> addresses,
                                        std::chrono::milliseconds length) = 0;

  // For administration.

  /// Destroys the contexts that are empty, that no binding leads to, and that were made so long ago; returns how many.
  /// A reference to such a context may lie elsewhere: in another naming service, or with the client that made it.
  virtual std::int64_t prune(std::chrono::seconds age) = 0;
  /// Reads everything. Throws StoreError if it is damaged.
  virtual Census census() = 0;

  /// Settings that stay with the names; nothing if never set.
  virtual std::optional<std::string> setting(const char* name) = 0;
  virtual void set(const char* name, const std::string& value) = 0;

  /// Everything between these is one change. For imports; no other thread may use the store meanwhile.
  virtual void begin() = 0;
  virtual void commit() = 0;
  virtual void roll_back() = 0;
};

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "CosNaming.hpp"
#include "CosNaming_server.hpp"
#include "corbel/corbel.hpp"
#include "service.hpp"

namespace corbel::naming {

/// The binding iterators that clients have not destroyed. Each is a place in a context, no copy of what it lists, so a
/// client that forgets them costs little: the one unused for longest gives way when there are too many, and each is
/// gone when it was not used for long. Thread-safe.
class Iterators {
 public:
  using Clock = std::chrono::steady_clock;
  using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
  using CurrentRef = IDL::traits<PortableServer::Current>::ref_type;

  Iterators(PoaRef poa, CurrentRef current, Store& store, const ServiceLimits& limits)
      : poa_(std::move(poa)), current_(std::move(current)), store_(store), limits_(limits) {}

  /// At most `count` bindings from the beginning, and an iterator if there are more.
  IDL::traits<CosNaming::BindingIterator>::ref_type begin(ContextId context, std::size_t count,
                                                          CosNaming::BindingList& bindings);

  // Of the iterator that the running request is for; OBJECT_NOT_EXIST if it is gone.

  /// False if there are no more.
  bool next(std::size_t count, CosNaming::BindingList& bindings);
  void destroy();
  bool alive();

 private:
  using Id = std::uint64_t;
  struct State {
    ContextId context = 0;
    std::optional<CosNaming::NameComponent> after;
    Clock::time_point used;  ///< guarded by the mutex of the table
    std::mutex mutex;        ///< guards `after`: one call at a time
  };
  using StatePtr = std::shared_ptr<State>;
  struct Entry {
    StatePtr state;
    std::list<Id>::iterator place;
  };

  Id current_id();
  StatePtr use(Id id);
  void add(Id id, StatePtr state);
  void expire(Clock::time_point now);

  const PoaRef poa_;
  const CurrentRef current_;
  Store& store_;
  const ServiceLimits limits_;

  std::mutex mutex_;  // guards what follows
  std::unordered_map<Id, Entry> table_;
  std::list<Id> by_use_;  ///< unused for longest first
};

/// Serves all of them.
class BindingIteratorServant final : public virtual CORBA::servant_traits<CosNaming::BindingIterator>::base_type {
 public:
  explicit BindingIteratorServant(Iterators& iterators) noexcept : iterators_(iterators) {}

  bool next_one(CosNaming::Binding& b) override;
  bool next_n(std::uint32_t how_many, CosNaming::BindingList& bl) override;
  void destroy() override { iterators_.destroy(); }
  bool _non_existent() override { return !iterators_.alive(); }

 private:
  Iterators& iterators_;
};

}  // namespace corbel::naming

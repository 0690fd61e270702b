// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "corbel/base/mutex.hpp"
#include "corbel/base/shared_ptr.hpp"

namespace corbel::poa {

class Poa;

/// Locks a POA's mutex.
using PoaLock = std::unique_lock<base::Mutex>;

/// A place for one POA at a time. Never moves or dies while the ORB lives, so a request may lock it without having
/// found out whether its POA still exists. The generation says which POA a key means.
struct PoaSlot {
  base::Mutex mutex;  ///< the POA's mutex: guards the two below and everything that changes in the POA
  std::uint32_t generation = 1;
  base::SharedPtr<Poa> poa;
  std::uint32_t number = 0;
};

/// All POAs of one ORB by number. find() takes no lock; the others are for one thread at a time.
class PoaTable {
 public:
  PoaTable() = default;
  ~PoaTable();
  PoaTable(const PoaTable&) = delete;
  PoaTable& operator=(const PoaTable&) = delete;

  /// The slot; nullptr if there has never been one with this number.
  PoaSlot* find(std::uint32_t number) noexcept {
    if (number / kChunk >= kChunks) return nullptr;
    PoaSlot* chunk = chunks_[number / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : &chunk[number % kChunk];
  }
  /// A slot without POA; throws IMP_LIMIT when 65,536 are in use.
  PoaSlot& take();
  /// The slot's POA is gone.
  void give_back(PoaSlot& slot) noexcept { free_.push_back(slot.number); }

 private:
  static constexpr std::uint32_t kChunk = 64;
  static constexpr std::uint32_t kChunks = 1024;

  std::array<std::atomic<PoaSlot*>, kChunks> chunks_{};
  std::uint32_t next_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace corbel::poa

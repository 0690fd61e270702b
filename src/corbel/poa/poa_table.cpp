// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/poa_table.hpp"

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/poa/poa_impl.hpp"

namespace corbel::poa {

PoaTable::~PoaTable() {
  for (auto& chunk : chunks_) delete[] chunk.load();
}

PoaSlot& PoaTable::take() {
  if (!free_.empty()) {
    PoaSlot& slot = *find(free_.back());
    free_.pop_back();
    return slot;
  }
  if (next_ == kChunk * kChunks) {
    corba::raise("IMP_LIMIT", corba::vendor_minor(base::Stage::configure, base::Code::too_large), kNo, "too many POAs");
  }
  if (next_ % kChunk == 0) {
    free_.reserve(next_ + kChunk);  // so that give_back() need not allocate
    chunks_[next_ / kChunk].store(new PoaSlot[kChunk], std::memory_order_release);
  }
  PoaSlot& slot = *find(next_);
  slot.number = next_++;
  return slot;
}

}  // namespace corbel::poa

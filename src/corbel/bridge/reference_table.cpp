// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/reference_table.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "corbel/cdr/encoder.hpp"

namespace corbel::bridge {
namespace {

/// Slots that are looked at for one that makes room: the one unused longest of these goes, which costs the same however
/// large the table is.
constexpr unsigned kLookedAt = 16;

std::string octets_of(const ior::Ior& ior) {
  cdr::Encoder encoder;
  ior::encode(encoder, ior);
  const base::Bytes octets = encoder.to_bytes();
  return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

std::string_view text_of(base::ConstByteSpan octets) {
  return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

}  // namespace

bool ReferenceTable::add(std::string key, ior::Ior ior) {
  std::string octets = octets_of(ior);
  const std::unique_lock lock(mutex_);
  const auto [place, is_new] = added_.try_emplace(std::move(key), std::make_shared<Target>(std::move(ior)));
  if (is_new) added_keys_.try_emplace(std::move(octets), place->first.begin(), place->first.end());
  return is_new;
}

base::Bytes ReferenceTable::key_for(const ior::Ior& ior) {
  std::string octets = octets_of(ior);
  if (octets.size() > most_octets_ || most_ == 0) return {};
  const std::unique_lock lock(mutex_);
  if (const auto added = added_keys_.find(octets); added != added_keys_.end()) return added->second;
  if (const auto known = by_reference_.find(octets); known != by_reference_.end()) {
    Slot& slot = slots_[known->second];
    slot.target->used = ++uses_;
    return slot.key;
  }
  const std::uint32_t index = free_slot();
  Slot made{new_key(index), std::move(octets), std::make_shared<Target>(ior)};
  made.target->used = ++uses_;
  by_reference_.emplace(made.octets, index);
  slots_[index] = std::move(made);
  return slots_[index].key;
}

/// With the lock. The slot is empty.
std::uint32_t ReferenceTable::free_slot() {
  if (slots_.size() < most_) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const auto used = [this](std::size_t index) {
    const TargetPtr& target = slots_[index].target;
    return target == nullptr ? 0 : target->used.load(std::memory_order_relaxed);
  };
  std::size_t oldest = random_() % slots_.size();
  for (unsigned i = 1; i < kLookedAt; ++i) {
    const std::size_t other = slots_.size() <= kLookedAt ? i % slots_.size() : random_() % slots_.size();
    if (used(other) < used(oldest)) oldest = other;
  }
  by_reference_.erase(slots_[oldest].octets);
  slots_[oldest] = {};
  return static_cast<std::uint32_t>(oldest);
}

/// With the lock.
base::Bytes ReferenceTable::new_key(std::uint32_t index) {
  base::Bytes key(kHandle);
  std::memcpy(key.data(), kMark.data(), kMark.size());
  std::memcpy(key.data() + 4, &index, sizeof index);
  for (std::size_t at = 8; at < kHandle; at += 4) {
    const std::uint32_t word = random_();
    std::memcpy(key.data() + at, &word, sizeof word);
  }
  return key;
}

TargetPtr ReferenceTable::find(base::ConstByteSpan key) {
  const std::shared_lock lock(mutex_);
  if (key.size() == kHandle && text_of(key.first(4)) == kMark) {
    std::uint32_t index = 0;
    std::memcpy(&index, key.data() + 4, sizeof index);
    if (index < slots_.size() && slots_[index].target != nullptr && text_of(key) == text_of(slots_[index].key)) {
      const TargetPtr& target = slots_[index].target;
      target->used.store(uses_.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return target;
    }
    // Or it is the handle of another bridge, whose object was added here under the key that it has there.
  }
  const auto found = added_.find(text_of(key));
  return found == added_.end() ? nullptr : found->second;
}

std::size_t ReferenceTable::size() const {
  const std::shared_lock lock(mutex_);
  return added_.size() + slots_.size();
}

}  // namespace corbel::bridge

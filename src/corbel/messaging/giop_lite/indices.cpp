// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop_lite/indices.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace corbel::messaging::giop_lite {
namespace {

constexpr std::size_t kFirstSlots = 16;

/// The last octets of what is named, and how many there are.
template <class Word>
Word end_of(const void* octets, std::size_t size) noexcept {
  const auto* const begin = static_cast<const base::Octet*>(octets);
  Word end = 0;
  if (size >= sizeof end) [[likely]] {
    std::memcpy(&end, begin + size - sizeof end, sizeof end);
  } else {
    for (std::size_t at = 0; at < size; ++at) end = static_cast<Word>(end << 8 | begin[at]);
  }
  return end ^ static_cast<Word>(size << 24);
}

base::Error refuse_names(base::Code code) noexcept {
  return base::error(base::Stage::receive, code);
}

}  // namespace

Name::Name(base::ConstByteSpan key, std::string_view operation)
    : octets_(new base::Octet[key.size() + operation.size()]),
      key_size_(static_cast<std::uint32_t>(key.size())),
      operation_size_(static_cast<std::uint32_t>(operation.size())) {
  std::copy(key.begin(), key.end(), octets_.get());
  std::copy(operation.begin(), operation.end(), octets_.get() + key.size());
}

GivenIndices::Given GivenIndices::give(base::ConstByteSpan key, std::string_view operation) {
  last_ = find_or_add(key, operation);
  recent_[place_of(key, operation)] = last_;
  return last_ == nullptr ? Given() : Given{last_->index, last_->told};
}

/// The ends tell names apart: keys of one server begin alike.
std::uint32_t GivenIndices::hash_of(base::ConstByteSpan key, std::string_view operation) noexcept {
  const std::uint64_t mixed = (end_of<std::uint64_t>(key.data(), key.size()) * 0x9e3779b97f4a7c15U) ^
                              (end_of<std::uint32_t>(operation.data(), operation.size()) * 0xc2b2ae3d27d4eb4fU);
  return static_cast<std::uint32_t>(mixed >> 32);
}

GivenIndices::Entry* GivenIndices::find(base::ConstByteSpan key, std::string_view operation,
                                        std::uint32_t hash) noexcept {
  if (slots_.empty()) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at] != 0; at = (at + 1) & mask) {
    Entry& entry = entries_[slots_[at] - std::size_t{1}];
    if (entry.hash == hash && entry.name.is(key, operation)) return &entry;
  }
  return nullptr;
}

GivenIndices::Entry* GivenIndices::find_or_add(base::ConstByteSpan key, std::string_view operation) {
  const std::uint32_t hash = hash_of(key, operation);
  if (Entry* const known = find(key, operation, hash)) return known;
  const std::size_t size = key.size() + operation.size();
  if (entries_.size() >= kMaxIndices || size > kMaxNameOctets - octets_) return nullptr;
  if (2 * (entries_.size() + 1) > slots_.size()) widen();
  const auto index = static_cast<std::uint16_t>(entries_.size() + 1);
  if (entries_.size() == entries_.capacity()) {  // they will lie elsewhere
    last_ = nullptr;
    recent_.fill(nullptr);
  }
  entries_.push_back({Name(key, operation), hash, index, false});
  octets_ += size;
  place(slots_, index);
  return &entries_.back();
}

void GivenIndices::widen() {
  std::vector<std::uint16_t> wider(std::max(kFirstSlots, 2 * slots_.size()));
  for (std::size_t index = 1; index <= entries_.size(); ++index) place(wider, index);
  slots_ = std::move(wider);
}

void GivenIndices::place(std::vector<std::uint16_t>& slots, std::size_t index) const noexcept {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = entries_[index - 1].hash & mask;
  while (slots[at] != 0) at = (at + 1) & mask;
  slots[at] = static_cast<std::uint16_t>(index);
}

TakenIndices::~TakenIndices() {
  if (memory_ != nullptr && reserved_) memory_->give_for_good(kCost);
}

bool TakenIndices::reserve() noexcept {
  return reserved_ = memory_ == nullptr || memory_->take_for_good(kCost);
}

base::Status TakenIndices::take(std::uint16_t index, base::ConstByteSpan key, std::string_view operation) try {
  if (const Name* const known = find(index)) {
    if (known->is(key, operation)) return {};
    return refuse_names(base::Code::malformed);
  }
  if (index == 0 || index > kMaxIndices) return refuse_names(base::Code::malformed);
  const std::size_t size = key.size() + operation.size();
  if (size > kMaxNameOctets - octets_) return refuse_names(base::Code::too_large);
  Name name(key, operation);
  if (index > names_.size()) {
    names_.reserve(std::bit_ceil(std::size_t{index}));
    names_.resize(index);
  }
  octets_ += size;
  names_[index - std::size_t{1}] = std::move(name);
  return {};
} catch (const std::bad_alloc&) {
  return refuse_names(base::Code::out_of_resources);
}

}  // namespace corbel::messaging::giop_lite

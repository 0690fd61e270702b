// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/names.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace corbel::messaging::frames {
namespace {

/// The ends tell names apart: keys of one server begin alike.
std::size_t hash_of(base::ConstByteSpan key, std::string_view operation) noexcept {
  std::uint64_t words[2] = {key.size(), operation.size()};
  const std::size_t of_key = std::min<std::size_t>(key.size(), 8);
  const std::size_t of_operation = std::min<std::size_t>(operation.size(), 8);
  std::uint64_t end = 0;
  if (of_key != 0) std::memcpy(&end, key.data() + key.size() - of_key, of_key);
  words[0] ^= end;
  end = 0;
  if (of_operation != 0) std::memcpy(&end, operation.data() + operation.size() - of_operation, of_operation);
  words[1] ^= end;
  const std::uint64_t mixed = (words[0] * 0x9e3779b97f4a7c15U) ^ (words[1] * 0xc2b2ae3d27d4eb4fU);
  return static_cast<std::size_t>(mixed >> 40);
}

base::Error refuse_names(base::Code code) noexcept {
  return base::error(base::Stage::receive, code);
}

}  // namespace

Name::Name(base::ConstByteSpan key, std::string_view operation)
    : octets_(new base::Octet[key.size() + operation.size()]),
      key_size_(key.size()),
      operation_size_(operation.size()) {
  std::copy(key.begin(), key.end(), octets_.get());
  std::copy(operation.begin(), operation.end(), octets_.get() + key.size());
}

std::uint16_t GivenNames::find_or_add(base::ConstByteSpan key, std::string_view operation) {
  if (slots_ == nullptr) slots_ = std::make_unique<std::array<std::uint16_t, kSlots>>();
  std::size_t slot = hash_of(key, operation) % kSlots;
  for (; (*slots_)[slot] != 0; slot = (slot + 1) % kSlots) {
    const auto index = static_cast<std::uint16_t>((*slots_)[slot] - 1);
    if (entries_[index].name.is(key, operation)) return index;
  }
  const std::size_t size = key.size() + operation.size();
  if (entries_.size() >= kMaxIndices || octets_ + size > kMaxNameOctets) return kNoIndex;
  entries_.push_back({Name(key, operation)});
  octets_ += size;
  (*slots_)[slot] = static_cast<std::uint16_t>(entries_.size());
  return static_cast<std::uint16_t>(entries_.size() - 1);
}

void GivenNames::told(std::uint16_t index) noexcept {
  if (index != kNoIndex) entries_[index].told = true;
}

void GivenNames::untell() noexcept {
  if (last_ != kNoIndex) entries_[last_].told = false;
}

NameStore::~NameStore() {
  if (memory_ != nullptr) memory_->give_for_good(octets_);
}

base::Result<const Name*> NameStore::take(base::ConstByteSpan key, std::string_view operation) {
  for (const auto& name : names_) {
    if (name->is(key, operation)) return name.get();
  }
  const std::size_t size = key.size() + operation.size();
  if (names_.size() >= kMost || octets_ + size > kMaxNameOctets) return refuse_names(base::Code::too_large);
  auto name = std::make_unique<const Name>(key, operation);
  names_.reserve(std::bit_ceil(names_.size() + 1));  // what may throw comes before what is paid
  if (memory_ != nullptr && !memory_->take_for_good(size)) return refuse_names(base::Code::out_of_resources);
  octets_ += size;
  names_.push_back(std::move(name));
  return names_.back().get();
}

base::Status TakenNames::take(NameStore& store, std::uint16_t index, base::ConstByteSpan key,
                              std::string_view operation) {
  if (index >= kMaxIndices) return refuse_names(base::Code::malformed);
  if (const Name* known = find(index)) {
    if (known->is(key, operation)) return {};
    return refuse_names(base::Code::malformed);
  }
  if (index >= names_.size()) names_.resize(index + std::size_t{1});
  CORBEL_TRY(names_[index], store.take(key, operation));
  return {};
}

std::uint32_t TakenNames::known(std::size_t at) const noexcept {
  std::uint32_t bits = 0;
  const std::size_t from = 32 * at;
  for (std::size_t i = 0; i < 32 && from + i < names_.size(); ++i) {
    if (names_[from + i] != nullptr) bits |= std::uint32_t{1} << i;
  }
  return bits;
}

}  // namespace corbel::messaging::frames

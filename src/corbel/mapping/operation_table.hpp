// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "corbel/corba/call.hpp"

namespace corbel::mapping {

/// One operation of a skeleton: its wire name, the function that serves it, the user exceptions it may raise, and the
/// identity of its C++ types.
template <class S>
struct OperationEntry {
  std::string_view name;
  void (*serve)(S& servant, corba::ServerCall& call);
  std::span<const std::string_view> raises = {};
  std::uint64_t signature = corba::kUnknownSkeleton;
};

/// Constant-time lookup of operations by name: an open-addressed hash table at most half full, built at compile time.
template <class S, std::size_t N>
class OperationTable {
 public:
  constexpr explicit OperationTable(const OperationEntry<S> (&entries)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
      entries_[i] = entries[i];
      hashes_[i] = hash(entries[i].name);
      std::size_t slot = hashes_[i] & (kSlots - 1);
      while (slots_[slot] != 0) slot = (slot + 1) & (kSlots - 1);
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
      if (!is_known(entries[i].signature)) continue;
      slot = slot_of(entries[i].signature);
      while (by_signature_[slot] != 0) slot = (slot + 1) & (kSlots - 1);
      by_signature_[slot] = static_cast<std::uint16_t>(i + 1);
    }
  }

  /// The entry, or nullptr. The names are compared in full.
  const OperationEntry<S>* find(std::string_view name) const noexcept {
    const std::uint32_t wanted = hash(name);
    for (std::size_t slot = wanted & (kSlots - 1); slots_[slot] != 0; slot = (slot + 1) & (kSlots - 1)) {
      const std::size_t index = slots_[slot] - 1U;
      if (hashes_[index] == wanted && entries_[index].name == name) return &entries_[index];
    }
    return nullptr;
  }
  /// The same by the signature of the caller's stub, which is of the name, too, if it is one that tells anything.
  const OperationEntry<S>* find(std::uint64_t signature) const noexcept {
    for (std::size_t slot = slot_of(signature); by_signature_[slot] != 0; slot = (slot + 1) & (kSlots - 1)) {
      const std::size_t index = by_signature_[slot] - 1U;
      if (entries_[index].signature == signature) return &entries_[index];
    }
    return nullptr;
  }

 private:
  static_assert(N > 0 && N < 0xffff);
  static constexpr std::size_t slots_for(std::size_t count) {
    std::size_t slots = 4;
    while (slots < 2 * count) slots *= 2;
    return slots;
  }
  static constexpr std::size_t kSlots = slots_for(N);

  static constexpr bool is_known(std::uint64_t signature) noexcept {
    return signature != corba::kUnknownStub && signature != corba::kUnknownSkeleton;
  }
  static constexpr std::size_t slot_of(std::uint64_t signature) noexcept { return signature >> 8 & (kSlots - 1); }

  /// Mixes length, both ends and the middle: operation names of one interface tend to share prefixes or suffixes.
  static constexpr std::uint32_t hash(std::string_view name) noexcept {
    std::uint32_t value = static_cast<std::uint32_t>(name.size()) * 0x9e3779b1U;
    const std::size_t head = name.size() < 8 ? name.size() : 8;
    for (std::size_t i = 0; i < head; ++i) value = (value ^ static_cast<std::uint8_t>(name[i])) * 0x01000193U;
    for (std::size_t i = name.size() - (name.size() < 16 ? name.size() - head : 8); i < name.size(); ++i) {
      value = (value ^ static_cast<std::uint8_t>(name[i])) * 0x01000193U;
    }
    return value ^ (value >> 15);
  }

  std::array<OperationEntry<S>, N> entries_{};
  std::array<std::uint32_t, N> hashes_{};
  std::array<std::uint16_t, kSlots> slots_{};
  std::array<std::uint16_t, kSlots> by_signature_{};
};

}  // namespace corbel::mapping

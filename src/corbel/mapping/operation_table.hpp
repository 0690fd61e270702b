// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

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
      ends_[i] = Ends(entries[i].name);
      std::size_t slot = ends_[i].hash() & (kSlots - 1);
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
    const Ends wanted(name);
    for (std::size_t slot = wanted.hash() & (kSlots - 1); slots_[slot] != 0; slot = (slot + 1) & (kSlots - 1)) {
      const std::size_t index = slots_[slot] - 1U;
      if (ends_[index] == wanted && (wanted.are_all() || entries_[index].name == name)) return &entries_[index];
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

  /// The length of a name and its first and last octets, eight at most; those of short names are all there is.
  struct Ends {
    constexpr Ends() noexcept = default;
    constexpr explicit Ends(std::string_view name) noexcept
        : first(word(name.data(), name.size() < 8 ? name.size() : 8)),
          last(name.size() <= 8 ? 0 : word(name.data() + name.size() - 8, 8)),
          size(name.size()) {}
    constexpr bool operator==(const Ends& other) const noexcept {
      return ((first ^ other.first) | (last ^ other.last) | (size ^ other.size)) == 0;
    }
    constexpr bool are_all() const noexcept { return size <= 16; }
    constexpr std::size_t hash() const noexcept {
      const std::uint64_t mixed = ((first ^ size) * 0x9e3779b97f4a7c15U ^ last) * 0xff51afd7ed558ccdU;
      return static_cast<std::size_t>(mixed >> 40);
    }

    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t size = 0;
  };

  /// So many octets, eight at most, the first in the lowest bits.
  static constexpr std::uint64_t word(const char* octets, std::size_t count) noexcept {
    if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
      if (count == 8) return load<std::uint64_t>(octets);
      if (count >= 4) {
        return load<std::uint32_t>(octets) | std::uint64_t{load<std::uint32_t>(octets + count - 4)}
                                                 << (8 * (count - 4));
      }
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{static_cast<std::uint8_t>(octets[i])} << (8 * i);
    return value;
  }
  template <class Word>
  static Word load(const char* octets) noexcept {
    Word value;
    std::memcpy(&value, octets, sizeof value);
    return value;
  }

  std::array<OperationEntry<S>, N> entries_{};
  std::array<Ends, N> ends_{};
  std::array<std::uint16_t, kSlots> slots_{};
  std::array<std::uint16_t, kSlots> by_signature_{};
};

}  // namespace corbel::mapping

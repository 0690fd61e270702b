// SPDX-License-Identifier: Apache-2.0
// Other ways to find an operation than OperationTable, for experiments: `corbel-idl --dispatch=linear|indexed`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "corbel/mapping/operation_table.hpp"
#include "corbel/mapping/skeleton.hpp"

namespace corbel::mapping {

/// Compares the name with one after the other, as Orbix of 1996 did. Constant after construction.
template <class S, std::size_t N>
class LinearOperations {
 public:
  constexpr explicit LinearOperations(const OperationEntry<S> (&entries)[N]) : entries_(entries) {}

  /// The entry, or nullptr.
  const OperationEntry<S>* find(std::string_view name) const noexcept {
    for (const OperationEntry<S>& entry : entries_) {
      if (entry.name.size() == name.size() && std::memcmp(entry.name.data(), name.data(), name.size()) == 0) {
        return &entry;
      }
    }
    return nullptr;
  }

 private:
  const OperationEntry<S> (&entries_)[N];
};

/// Operations that are called by number: their names are the decimal digits of 0 to N - 1, each once, in any order.
/// What is not so does not compile: interfaces with several bases of their own cannot be numbered. Constant after
/// construction.
template <class S, std::size_t N>
class IndexedOperations {
 public:
  constexpr explicit IndexedOperations(const OperationEntry<S> (&entries)[N]) {
    for (const OperationEntry<S>& entry : entries) {
      const std::size_t number = number_of(entry.name);
      if (number >= N || entries_[number].serve != nullptr) throw "operations cannot be numbered";
      entries_[number] = entry;
    }
  }

  /// The entry, or nullptr.
  const OperationEntry<S>* find(std::string_view name) const noexcept {
    const std::size_t number = number_of(name);
    return number < N ? &entries_[number] : nullptr;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::size_t kMostDigits = 5;

  static constexpr std::size_t number_of(std::string_view name) noexcept {
    if (name.empty() || name.size() > kMostDigits || (name.size() > 1 && name.front() == '0')) return kNone;
    std::size_t number = 0;
    for (const char digit : name) {
      if (digit < '0' || digit > '9') return kNone;
      number = number * 10 + static_cast<std::size_t>(digit - '0');
    }
    return number;
  }

  std::array<OperationEntry<S>, N> entries_{};
};

/// As dispatch() by an OperationTable.
template <class S, std::size_t N>
bool dispatch(const LinearOperations<S, N>& operations, S& servant, corba::ServerCall& call) {
  return detail::dispatch_by_name(operations, servant, call);
}
template <class S, std::size_t N>
bool dispatch(const IndexedOperations<S, N>& operations, S& servant, corba::ServerCall& call) {
  return detail::dispatch_by_name(operations, servant, call);
}

}  // namespace corbel::mapping

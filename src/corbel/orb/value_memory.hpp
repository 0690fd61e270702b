// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "corbel/cdr/format.hpp"
#include "corbel/connection/budget.hpp"

namespace corbel::orb {

/// What the values of all messages under way may take beyond the octets that they came in, requests and replies
/// together: as much as the messages themselves (-ORBMaxInputMemory). It is an account of its own, so that no half
/// message of other peers is cut because one message decodes large. No message may exceed it, alone or not. Owned by
/// the Core; thread-safe.
class ValueMemory final : public cdr::Memory {
 public:
  explicit ValueMemory(std::size_t limit) noexcept : budget_(limit) {}

  bool take(std::size_t octets) override { return budget_.take(octets, kNeverAlone); }
  void give(std::size_t octets) noexcept override { budget_.give(octets); }
  std::size_t used() const noexcept { return budget_.used(); }

 private:
  static constexpr std::size_t kNeverAlone = SIZE_MAX;

  connection::Budget budget_;
};

}  // namespace corbel::orb

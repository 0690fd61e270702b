// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace corbel::transport::rudp {

/// An account of the octets that connections of one socket hold behind gaps, which nobody can read yet: of one host's,
/// within that of all. Any thread.
class GapMemory {
 public:
  /// `most`: octets. `whole`: that of all, if this is one host's.
  explicit GapMemory(std::size_t most, std::shared_ptr<GapMemory> whole = nullptr) noexcept
      : most_(most), whole_(std::move(whole)) {}

  /// False, and nothing is taken, if there would be too many.
  bool take(std::size_t octets) noexcept {
    if (taken_.fetch_add(octets) + octets <= most_ && (whole_ == nullptr || whole_->take(octets))) return true;
    taken_ -= octets;
    return false;
  }
  void give_back(std::size_t octets) noexcept {
    taken_ -= octets;
    if (whole_ != nullptr) whole_->give_back(octets);
  }
  std::size_t taken() const noexcept { return taken_; }
  std::size_t most() const noexcept { return most_; }
  /// Little is left, of this or of the whole.
  bool is_short() const noexcept { return short_one() != nullptr; }
  /// The one of which little is left, this first; null if there is enough.
  const GapMemory* short_one() const noexcept {
    if (taken_ > most_ - most_ / 8) return this;
    return whole_ == nullptr ? nullptr : whole_->short_one();
  }

 private:
  const std::size_t most_;
  const std::shared_ptr<GapMemory> whole_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace corbel::transport::rudp

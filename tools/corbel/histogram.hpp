// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace corbel::tool {

/// Durations in nanoseconds, counted in buckets that are less than 1 % wide, however long they are. Not thread-safe;
/// those of several threads are added up.
class Histogram {
 public:
  void add(std::uint64_t value) {
    const std::size_t at = bucket(value);
    if (at >= counts_.size()) counts_.resize(at + 1);
    ++counts_[at];
    ++count_;
    sum_ += static_cast<double>(value);
    smallest_ = std::min(smallest_, value);
    largest_ = std::max(largest_, value);
  }

  void add(const Histogram& other) {
    if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    smallest_ = std::min(smallest_, other.smallest_);
    largest_ = std::max(largest_, other.largest_);
  }

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t smallest() const noexcept { return count_ == 0 ? 0 : smallest_; }
  std::uint64_t largest() const noexcept { return largest_; }
  double mean() const noexcept { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

  /// Calls `use(last value, how many)` for each bucket that is not empty, in their order.
  template <class Use>
  void each(Use use) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] != 0) use(std::min(last_of(i), largest_), counts_[i]);
    }
  }

  /// The least value that `part` (0 to 1) of all values do not exceed, rounded up to the end of its bucket; 0 without
  /// values.
  std::uint64_t quantile(double part) const {
    if (count_ == 0) return 0;
    const double exact = part * static_cast<double>(count_);
    auto wanted = static_cast<std::uint64_t>(exact);
    if (static_cast<double>(wanted) < exact) ++wanted;
    wanted = std::clamp<std::uint64_t>(wanted, 1, count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted) return std::min(last_of(i), largest_);
    }
    return largest_;
  }

 private:
  static constexpr unsigned kBits = 7;  // 128 buckets for each power of two
  static constexpr std::uint64_t kLinear = 1U << (kBits + 1);

  static std::size_t bucket(std::uint64_t value) noexcept {
    if (value < kLinear) return static_cast<std::size_t>(value);
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kBits - 1;
    return (std::size_t{shift} << kBits) + static_cast<std::size_t>(value >> shift);
  }
  static std::uint64_t last_of(std::size_t at) noexcept {
    if (at < kLinear) return at;
    const auto shift = static_cast<unsigned>(at >> kBits) - 1;
    const std::uint64_t top = at - (std::uint64_t{shift} << kBits);
    return ((top + 1) << shift) - 1;
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
  std::uint64_t smallest_ = ~std::uint64_t{0};
  std::uint64_t largest_ = 0;
};

}  // namespace corbel::tool

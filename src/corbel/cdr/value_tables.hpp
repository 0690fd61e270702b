// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/cdr/format.hpp"

namespace corbel::cdr {

/// What values have been paid for: it is given back when their message goes.
class Payment {
 public:
  Payment() noexcept = default;
  ~Payment() {
    if (paid_ != 0) memory_->give(paid_);
  }
  Payment(const Payment&) = delete;
  Payment& operator=(const Payment&) = delete;

  /// Pays from one account: that of the message's context.
  bool pay(Memory& memory, std::size_t octets) {
    if (!memory.take(octets)) return false;
    memory_ = &memory;
    paid_ += octets;
    return true;
  }
  void take_over(Payment& other) noexcept {
    if (other.paid_ == 0) return;
    memory_ = other.memory_;
    paid_ += std::exchange(other.paid_, 0);
  }

 private:
  Memory* memory_ = nullptr;
  std::size_t paid_ = 0;
};

/// Something at positions of a message, which mostly come in their order: one allocation for many.
template <class T>
class ByPosition {
 public:
  void insert_or_assign(std::size_t position, T what) {
    if (all_.empty() || all_.back().first < position) {
      all_.emplace_back(position, what);
      return;
    }
    const auto place = place_of(position);
    if (place != all_.end() && place->first == position) {
      place->second = what;
    } else {
      all_.emplace(place, position, what);
    }
  }
  /// nullptr if there is nothing.
  const T* find(std::size_t position) const noexcept {
    const auto place = place_of(position);
    return place != all_.end() && place->first == position ? &place->second : nullptr;
  }

 private:
  using All = std::vector<std::pair<std::size_t, T>>;
  typename All::iterator place_of(std::size_t position) noexcept {
    return std::lower_bound(all_.begin(), all_.end(), position, before);
  }
  typename All::const_iterator place_of(std::size_t position) const noexcept {
    return std::lower_bound(all_.begin(), all_.end(), position, before);
  }
  static bool before(const std::pair<std::size_t, T>& one, std::size_t position) noexcept {
    return one.first < position;
  }

  All all_;
};

/// What a message's values have defined so far, by position, and what they cost.
struct ValueTables final : Attachment {
  /// Those of the message; null if it has had no value yet, nor paid for anything.
  template <class MessageDecoder>
  static ValueTables* of(const MessageDecoder& decoder) noexcept {
    return static_cast<ValueTables*>(decoder.attachment().get());
  }

  ByPosition<bool> values;
  std::unordered_map<std::size_t, std::string_view> texts;  ///< repository ids and codebases
  std::unordered_map<std::size_t, std::vector<std::string_view>> lists;
  std::deque<std::string_view> singles;  ///< ids not in lists
  std::list<base::Bytes> joined;         ///< octets gathered from several chunks
  Payment payment;                       ///< for all values of the message
  base::SharedPtr<Attachment> companion;
  std::int32_t level = 0;   ///< chunked values around the cursor
  std::int32_t closed = 0;  ///< an end tag has closed this level and those inside it; 0 if none
};

}  // namespace corbel::cdr

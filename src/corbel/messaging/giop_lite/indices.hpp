// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/messaging/same_octets.hpp"
#include "corbel/messaging/session.hpp"

/// Integral indexing (Gokhale and Schmidt 1996, 3.2.3): after its first use in a conversation an object key and an
/// operation are named by a small number.
namespace corbel::messaging::giop_lite {

/// Indices are 1 to this; 0 is none.
inline constexpr std::uint16_t kMaxIndices = 256;
/// Octets of all keys and operation names that have an index in one conversation.
inline constexpr std::size_t kMaxNameOctets = 16U << 10;

/// An object key and an operation, in one piece that stays where it is. A value that only moves.
class Name {
 public:
  Name() noexcept = default;
  Name(base::ConstByteSpan key, std::string_view operation);

  explicit operator bool() const noexcept { return octets_ != nullptr; }
  base::ConstByteSpan key() const noexcept { return {octets_.get(), key_size_}; }
  std::string_view operation() const noexcept {
    return base::as_text(base::ConstByteSpan(octets_.get() + key_size_, operation_size_));
  }
  bool is(base::ConstByteSpan key, std::string_view operation) const noexcept {
    if (key_size_ != key.size() || operation_size_ != operation.size()) return false;
    // The operation first: it is what differs more often.
    return same_octets(octets_.get() + key_size_, operation.data(), operation.size()) &&
           same_octets(octets_.get(), key.data(), key.size());
  }

 private:
  std::unique_ptr<base::Octet[]> octets_;
  std::uint32_t key_size_ = 0;
  std::uint32_t operation_size_ = 0;
};

/// The indices that this side has given. For the writer. Memory is allocated for names that are new, and never again;
/// kMaxIndices and kMaxNameOctets bound it.
class GivenIndices {
 public:
  struct Given {
    std::uint16_t index = 0;  ///< 0: there is none left
    bool told = false;        ///< a message with the names and the index has been written
  };

  /// The index of a name that was asked for lately, and is told; else 0.
  std::uint16_t find_recent(base::ConstByteSpan key, std::string_view operation) noexcept {
    Entry* const entry = recent_[place_of(key, operation)];
    if (entry == nullptr || !entry->told || !entry->name.is(key, operation)) return 0;
    last_ = entry;
    return entry->index;
  }
  /// The index for a name, given now if there is none yet and one is left. May throw std::bad_alloc.
  Given give(base::ConstByteSpan key, std::string_view operation);
  /// The message that has the names and the index has been written.
  void told(std::uint16_t index) noexcept { entries_[index - std::size_t{1}].told = true; }
  /// The message for which an index was given last may never leave.
  void untell() noexcept {
    if (last_ != nullptr) last_->told = false;
  }

 private:
  struct Entry {
    Name name;
    std::uint32_t hash;
    std::uint16_t index;
    bool told;
  };

  static constexpr std::size_t kRecent = 16;

  /// Names lie where they lay the last time, mostly. What is found there is compared, so it need not be so.
  static std::size_t place_of(base::ConstByteSpan key, std::string_view operation) noexcept {
    const auto of_key = reinterpret_cast<std::uintptr_t>(key.data()) >> 4;
    const auto of_operation = reinterpret_cast<std::uintptr_t>(operation.data()) >> 2;
    return (of_key ^ of_operation) % kRecent;
  }
  static std::uint32_t hash_of(base::ConstByteSpan key, std::string_view operation) noexcept;
  Entry* find(base::ConstByteSpan key, std::string_view operation, std::uint32_t hash) noexcept;
  Entry* find_or_add(base::ConstByteSpan key, std::string_view operation);
  void widen();
  void place(std::vector<std::uint16_t>& slots, std::size_t index) const noexcept;

  std::vector<Entry> entries_;        // by index, from 1 on
  std::vector<std::uint16_t> slots_;  // hash to index, 0: free; a power of two, half of them free at least
  std::size_t octets_ = 0;
  std::array<Entry*, kRecent> recent_{};
  Entry* last_ = nullptr;  // what was found last
};

/// The indices that the peer has given. What was taken stays where it is until the end, because requests that still run
/// refer to it. For the reader.
class TakenIndices {
 public:
  explicit TakenIndices(Memory* memory) noexcept : memory_(memory) {}
  ~TakenIndices();
  TakenIndices(const TakenIndices&) = delete;
  TakenIndices& operator=(const TakenIndices&) = delete;

  /// Before any: pays for as many as there may be, kCost octets. False if there is no memory for that.
  bool reserve() noexcept;
  /// Fails (stage receive) with malformed if the index means something else already or is beyond kMaxIndices, too_large
  /// if the names are more than kMaxNameOctets, out_of_resources if the process has no memory. Then nothing has
  /// changed.
  base::Status take(std::uint16_t index, base::ConstByteSpan key, std::string_view operation);
  /// The index was given to names that are beyond a limit: they are not kept, and requests by it are answered as the
  /// one that gave it.
  void note_beyond(std::uint16_t index) noexcept {
    if (index != 0 && index <= kMaxIndices) beyond_.set(index - std::size_t{1});
  }
  bool is_beyond(std::uint16_t index) const noexcept {
    return index != 0 && index <= kMaxIndices && beyond_.test(index - std::size_t{1});
  }
  /// nullptr if the index was not given.
  const Name* find(std::uint16_t index) const noexcept {
    const std::size_t at = index - std::size_t{1};  // of 0: beyond all
    return at < names_.size() && names_[at] ? &names_[at] : nullptr;
  }

 private:
  static constexpr std::size_t kCost = kMaxNameOctets + kMaxIndices * sizeof(Name);

  Memory* const memory_;
  std::vector<Name> names_;  // by index, from 1 on
  std::bitset<kMaxIndices> beyond_;
  std::size_t octets_ = 0;
  bool reserved_ = false;
};

}  // namespace corbel::messaging::giop_lite

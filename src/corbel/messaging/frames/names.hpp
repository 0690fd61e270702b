// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/messaging/frames/layout.hpp"
#include "corbel/messaging/same_octets.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::messaging::frames {

/// An object key and an operation, in one piece.
class Name {
 public:
  Name(base::ConstByteSpan key, std::string_view operation);
  base::ConstByteSpan key() const noexcept { return {octets_.get(), key_size_}; }
  std::string_view operation() const noexcept {
    return base::as_text(base::ConstByteSpan(octets_.get() + key_size_, operation_size_));
  }
  bool is(base::ConstByteSpan key, std::string_view operation) const noexcept {
    return key_size_ == key.size() && operation_size_ == operation.size() &&
           same_octets(octets_.get() + key_size_, operation.data(), operation.size()) &&
           same_octets(octets_.get(), key.data(), key.size());
  }

 private:
  std::unique_ptr<base::Octet[]> octets_;
  std::size_t key_size_;
  std::size_t operation_size_;
};

/// The indices that a peer knows, a bit for each. Thread-safe.
class KnownIndices {
 public:
  static constexpr std::size_t kWords = kMaxIndices / 32;
  bool has(std::uint16_t index) const noexcept {
    return (words_[index / 32].load(std::memory_order_relaxed) >> index % 32 & 1) != 0;
  }
  std::uint32_t word(std::size_t at) const noexcept { return words_[at].load(std::memory_order_relaxed); }
  void set_word(std::size_t at, std::uint32_t bits) noexcept { words_[at].store(bits, std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint32_t>, kWords> words_{};
};

/// The indices that this side has given. For the writer. Memory is allocated for names that are new, and never again.
class GivenNames {
 public:
  /// How often names go along.
  enum class Telling : std::uint8_t {
    once,          ///< the carrier loses nothing
    until_known,   ///< until the peer reports that it knows them
    now_and_then,  ///< less and less often: no peer reports, and new listeners come
  };
  struct Given {
    std::uint16_t index = kNoIndex;
    bool tell = true;  ///< the names have to go along
  };

  explicit GivenNames(Telling telling) noexcept : telling_(telling) {}
  /// The index for a name, given now if there is none yet and one is left.
  Given give(base::ConstByteSpan key, std::string_view operation) {
    if (last_ == kNoIndex || !entries_[last_].name.is(key, operation)) [[unlikely]]
      last_ = find_or_add(key, operation);
    if (last_ == kNoIndex) return {};
    return {last_, has_to_tell(entries_[last_])};
  }
  /// The frame that told the index has been written.
  void told(std::uint16_t index) noexcept;
  /// The last frame may never leave.
  void untell() noexcept;
  /// What the peer says that it knows.
  KnownIndices& known() noexcept { return known_; }

 private:
  struct Entry {
    Name name;
    std::uint32_t frames = 0;
    bool told = false;
  };
  static constexpr std::size_t kSlots = 2 * kMaxIndices;
  static constexpr std::uint32_t kTellAgain = 64;  // frames, over carriers that lose some

  std::uint16_t find_or_add(base::ConstByteSpan key, std::string_view operation);
  bool has_to_tell(Entry& entry) const noexcept {
    if (telling_ == Telling::until_known) return !known_.has(last_);
    if (telling_ == Telling::once) return !entry.told;
    const std::uint32_t before = entry.frames++;
    return !entry.told || (before & (before - 1)) == 0 || before % kTellAgain == 0;
  }

  const Telling telling_;
  std::vector<Entry> entries_;                                // by index
  std::unique_ptr<std::array<std::uint16_t, kSlots>> slots_;  // hash to index + 1; 0: free
  std::size_t octets_ = 0;
  std::uint16_t last_ = kNoIndex;
  KnownIndices known_;
};

/// The names that peers have given indices to. What was taken stays where it is until the end, because requests that
/// still run refer to it. For the reader.
class NameStore {
 public:
  explicit NameStore(Memory* memory) noexcept : memory_(memory) {}
  ~NameStore();
  NameStore(const NameStore&) = delete;
  NameStore& operator=(const NameStore&) = delete;

  /// Fails (stage receive) with too_large or out_of_resources if the names are too many.
  base::Result<const Name*> take(base::ConstByteSpan key, std::string_view operation);

 private:
  static constexpr std::size_t kMost = 2 * std::size_t{kMaxIndices};
  Memory* const memory_;
  std::vector<std::unique_ptr<const Name>> names_;
  std::size_t octets_ = 0;
};

/// The indices that one sender has given. For the reader.
class TakenNames {
 public:
  /// Fails (stage receive) with malformed if the index is out of range or means something else already, and as
  /// NameStore::take() does.
  base::Status take(NameStore& store, std::uint16_t index, base::ConstByteSpan key, std::string_view operation);
  /// nullptr if the index was not given.
  const Name* find(std::uint16_t index) const noexcept { return index < names_.size() ? names_[index] : nullptr; }
  /// A bit for each index that was given, of 32 from 32 * `at` on.
  std::uint32_t known(std::size_t at) const noexcept;

 private:
  std::vector<const Name*> names_;  // by index
};

}  // namespace corbel::messaging::frames

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/messaging/frames/layout.hpp"
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
  bool is(base::ConstByteSpan key, std::string_view operation) const noexcept;

 private:
  std::unique_ptr<base::Octet[]> octets_;
  std::size_t key_size_;
  std::size_t operation_size_;
};

/// The indices that this side has given. For the writer. Memory is allocated for names that are new, and never again.
class GivenNames {
 public:
  struct Given {
    std::uint16_t index = kNoIndex;
    bool tell = true;  ///< the names have to go along
  };
  /// The index for a name, given now if there is none yet and one is left. `lossy`: what was told may have been lost,
  /// and is therefore told again every now and then.
  Given give(base::ConstByteSpan key, std::string_view operation, bool lossy);
  /// The frame that told the index has been written.
  void told(std::uint16_t index) noexcept;
  /// The last frame may never leave.
  void untell() noexcept;

 private:
  struct Entry {
    Name name;
    std::uint32_t frames = 0;
    bool told = false;
  };
  static constexpr std::size_t kSlots = 2 * kMaxIndices;

  std::uint16_t find_or_add(base::ConstByteSpan key, std::string_view operation);

  std::vector<Entry> entries_;                                // by index
  std::unique_ptr<std::array<std::uint16_t, kSlots>> slots_;  // hash to index + 1; 0: free
  std::size_t octets_ = 0;
  std::uint16_t last_ = kNoIndex;
};

/// The indices that the peer has given. For the reader. What was taken stays where it is until the end, because
/// requests that still run refer to it.
class TakenNames {
 public:
  explicit TakenNames(Memory* memory) noexcept : memory_(memory) {}
  ~TakenNames();
  TakenNames(const TakenNames&) = delete;
  TakenNames& operator=(const TakenNames&) = delete;

  /// Fails (stage receive) with malformed if the index is out of range or means something else already, and too_large
  /// or out_of_resources if these names are too many.
  base::Status take(std::uint16_t index, base::ConstByteSpan key, std::string_view operation);
  /// nullptr if the index was not given.
  const Name* find(std::uint16_t index) const noexcept { return index < names_.size() ? names_[index].get() : nullptr; }

 private:
  Memory* const memory_;
  std::vector<std::unique_ptr<const Name>> names_;  // by index
  std::size_t octets_ = 0;
};

}  // namespace corbel::messaging::frames

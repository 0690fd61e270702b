// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <random>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/bridge/target.hpp"

namespace corbel::bridge {

/// The objects that may be called through a bridge, by the keys that clients use. Those that were added stay; those
/// whose references came in messages are bounded in number and size, and get keys that cannot be guessed: a place in
/// the table, and 96 random bits. Nothing of an address is in a key, so no client can make the bridge call what it was
/// not given. Thread-safe.
class ReferenceTable {
 public:
  ReferenceTable(std::size_t most, std::size_t most_octets) : most_(most), most_octets_(most_octets) {}

  /// Under this key, for good; false if it is taken.
  bool add(std::string key, ior::Ior ior);
  /// The key for a reference that came in a message; the same for the same reference, added or not, as long as it is
  /// here. Empty if the reference is too large.
  base::Bytes key_for(const ior::Ior& ior);
  /// Null if there is none.
  TargetPtr find(base::ConstByteSpan key);
  std::size_t size() const;

 private:
  static constexpr std::string_view kMark{"\0cbB", 4};
  static constexpr std::size_t kRandom = 12;
  static constexpr std::size_t kHandle = 4 + 4 + kRandom;

  struct Slot {
    base::Bytes key;
    std::string octets;  ///< the reference as CDR: where it stands in by_reference_
    TargetPtr target;
  };

  std::uint32_t free_slot();
  base::Bytes new_key(std::uint32_t index);

  const std::size_t most_;
  const std::size_t most_octets_;
  mutable std::shared_mutex mutex_;  // guards what follows
  std::map<std::string, TargetPtr, std::less<>> added_;
  std::map<std::string, base::Bytes, std::less<>> added_keys_;  // of these, by the reference as CDR
  std::vector<Slot> slots_;
  std::map<std::string, std::uint32_t, std::less<>> by_reference_;
  std::random_device random_;
  std::atomic<std::uint64_t> uses_{0};
};

}  // namespace corbel::bridge

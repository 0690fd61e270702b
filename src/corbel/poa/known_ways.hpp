// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "corbel/base/bytes.hpp"
#include "corbel/base/thread_value.hpp"
#include "corbel/orb/entrance.hpp"

namespace corbel::poa {

/// The ways to the objects that the last requests of one thread went to, by object key: what references remember for
/// calls of this process, threads remember for requests that come from outside. Used only by its own thread; may
/// outlive the adapters.
class KnownWays {
 public:
  /// For ThreadValue.
  KnownWays() noexcept = default;
  ~KnownWays() { t_mine = nullptr; }
  KnownWays(const KnownWays&) = delete;
  KnownWays& operator=(const KnownWays&) = delete;

  struct Way {
    std::optional<orb::Place> place;
    const void* adapter = nullptr;
    std::uint32_t size = 0;
    std::uint32_t users = 0;  // while there are any it stays as it is
    std::array<std::uint8_t, 40> key{};
  };

  /// The way of one request, and of those that its upcall serves on the same thread meanwhile, as long as this lives.
  class Use {
   public:
    Use(const void* adapter, base::ConstByteSpan key) noexcept : way_(find(adapter, key)) {
      if (way_ != nullptr) ++way_->users;
    }
    ~Use() {
      if (way_ != nullptr) --way_->users;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    /// Null for a key that did not come twice in a row, as far as is remembered, and for a long one.
    orb::Place* place() noexcept { return way_ == nullptr ? nullptr : &*way_->place; }
    /// Where it led to is closed: a way that another adapter has made may take its place.
    void forget() noexcept {
      if (way_->users == 1) way_->place.emplace(orb::Place::For::requests);
    }

   private:
    Way* const way_;
  };

 private:
  using Block [[gnu::vector_size(16)]] = std::uint64_t;

  static constexpr std::size_t kShortest = 8;  // so that eight octets at a time can be compared
  static constexpr std::size_t kWays = 8;

  static Way* find(const void* adapter, base::ConstByteSpan key) noexcept {
    if (key.size() < kShortest || key.size() > sizeof Way::key) [[unlikely]]
      return nullptr;
    // Ids that a POA has made are a slot and a generation; other ids differ at their ends.
    const std::size_t number = key[key.size() - 8] ^ key[key.size() - 1];
    Way& way = here().ways_[number % kWays];
    if (way.adapter == adapter && way.size == key.size() && is_same(way.key.data(), key.data(), key.size())) [[likely]]
      return &way;
    replace(way, adapter, key);
    return nullptr;
  }
  static bool is_same(const std::uint8_t* one, const std::uint8_t* other, std::size_t size) noexcept {
    if (size < sizeof(Block)) return differ<std::uint64_t>(one, other, size) == 0;
    const Block difference = differ<Block>(one, other, size);
    return (difference[0] | difference[1]) == 0;
  }
  /// What differs, so many octets at a time; the last of them overlap those before.
  template <class Piece>
  static Piece differ(const std::uint8_t* one, const std::uint8_t* other, std::size_t size) noexcept {
    const auto piece = [&](std::size_t from) {
      Piece a;
      Piece b;
      std::memcpy(&a, one + from, sizeof a);
      std::memcpy(&b, other + from, sizeof b);
      return a ^ b;
    };
    Piece difference = piece(size - sizeof(Piece));
    for (std::size_t at = 0; at + sizeof(Piece) < size; at += sizeof(Piece)) difference |= piece(at);
    return difference;
  }
  static void replace(Way& way, const void* adapter, base::ConstByteSpan key) noexcept;
  static KnownWays& here() noexcept { return t_mine == nullptr ? make() : *t_mine; }
  static KnownWays& make() noexcept;

  // In the usual model each use would be a function call.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local KnownWays* t_mine = nullptr;

  std::array<Way, kWays> ways_;
};

}  // namespace corbel::poa

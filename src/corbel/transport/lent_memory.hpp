// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "corbel/base/bytes.hpp"
#include "corbel/base/intrusive_ptr.hpp"

namespace corbel::transport {

/// A place in memory that two processes share, for as long as this one has it: one that Transport::lend() gave, to be
/// filled and sent, or one that take_lent() gave, with what the peer sent. Move-only; its memory stays mapped also when
/// the carrier is gone. May be let go of by any thread.
class LentMemory {
 public:
  /// Whose places they are.
  class Owner : public base::RefCounted {
   public:
    virtual ~Owner() = default;
    /// This process does not need the place any more. Any thread.
    virtual void give_back(std::uint32_t place) noexcept = 0;
  };

  LentMemory() noexcept = default;
  LentMemory(base::IntrusivePtr<Owner> owner, std::uint32_t place, base::ByteSpan octets) noexcept
      : owner_(std::move(owner)), place_(place), octets_(octets) {}
  LentMemory(LentMemory&& other) noexcept
      : owner_(std::move(other.owner_)), place_(other.place_), octets_(std::exchange(other.octets_, {})) {}
  LentMemory& operator=(LentMemory&& other) noexcept {
    if (this != &other) {
      give_back();
      owner_ = std::move(other.owner_);
      place_ = other.place_;
      octets_ = std::exchange(other.octets_, {});
    }
    return *this;
  }
  ~LentMemory() { give_back(); }

  explicit operator bool() const noexcept { return owner_ != nullptr; }
  base::ByteSpan octets() const noexcept { return octets_; }

 private:
  void give_back() noexcept {
    if (owner_ != nullptr) owner_->give_back(place_);
    owner_ = nullptr;
    octets_ = {};
  }

  base::IntrusivePtr<Owner> owner_;
  std::uint32_t place_ = 0;
  base::ByteSpan octets_;
};

}  // namespace corbel::transport

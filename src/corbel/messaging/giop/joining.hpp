// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "corbel/base/function_ref.hpp"
#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::messaging::giop {

/// Messages of which only a part has come (CORBA 3.3 part 2, 9.4.9). Their number and their octets are bounded, and
/// `memory`, which outlives this, pays. Not thread-safe.
class Joining {
 public:
  Joining(const cdr::Limits& limits, Memory* memory) noexcept : limits_(limits), memory_(memory) {}
  ~Joining() { clear(); }
  Joining(const Joining&) = delete;
  Joining& operator=(const Joining&) = delete;

  /// The first piece of a message.
  base::Status begin(const Giop& codec, const FrameHeader& frame, base::ConstByteSpan octets);
  /// A further piece. True if the message is whole now: `frame` and `octets` are its own then, and `joined` holds it,
  /// which `memory` goes on paying for until it is used again.
  base::Result<bool> add(const Giop& codec, FrameHeader& frame, base::ConstByteSpan& octets, Joined& joined);
  /// Forgets a message; harmless if there is no such.
  void drop(std::uint32_t request_id) noexcept;
  void clear() noexcept;

  std::size_t octets() const noexcept { return open_octets_; }
  /// True if one of them is the reply to a request for which `awaited` is true.
  bool has_reply(base::FunctionRef<bool(Token)> awaited) const;
  /// A number of the message that has been open longest; 0: there is none.
  std::uint64_t oldest() const noexcept { return open_.empty() ? 0 : open_.front().number; }

 private:
  struct Open {
    FrameHeader frame;
    std::uint64_t number;
    std::uint32_t request_id;
    Joined parts;
  };
  static constexpr std::size_t kMaxOpen = 16;

  bool pay(std::size_t octets) { return memory_ == nullptr || memory_->take(octets); }
  void repay(std::size_t octets) noexcept {
    if (memory_ != nullptr) memory_->give(octets);
  }
  template <class T>
  base::Status make_room(std::vector<T>& all, std::size_t size, std::size_t capacity);
  base::Status append(Joined& parts, base::ConstByteSpan data, bool joint);
  void forget(std::vector<Open>::iterator open) noexcept;

  const cdr::Limits limits_;
  Memory* const memory_;
  std::vector<Open> open_;  // oldest first
  std::size_t open_octets_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace corbel::messaging::giop

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "corbel/base/bytes.hpp"
#include "corbel/base/result.hpp"
#include "corbel/connection/input_memory.hpp"
#include "corbel/messaging/session.hpp"
#include "corbel/transport/lent_memory.hpp"

namespace corbel::connection {

/// A message that ends with a long sequence of octets, numbers or plain structs, as far as can be told from its
/// beginning. The sequence is received into memory of its own, which its decoder may take over, so that nobody copies
/// it. Wrong guesses cost a copy. One message after the other; for the thread that uses its framer.
class LargeMessage final : public cdr::Rest {
 public:
  /// Octets of a sequence from which on this is worth a system call more.
  static constexpr std::size_t kLeast = 32U << 10;
  /// A sequence that begins later is not looked for.
  static constexpr std::size_t kLongestHead = 4096;

  /// `account` pays for the memory, and outlives this.
  explicit LargeMessage(InputAccount& account) noexcept : account_(account) {}
  ~LargeMessage() { end(); }
  LargeMessage(const LargeMessage&) = delete;
  LargeMessage& operator=(const LargeMessage&) = delete;

  /// True if the next message is not to be looked at, after a wrong guess. To be asked once for each.
  bool leaves_out() noexcept { return left_out_ != 0 && left_out_-- != 0; }
  /// True if the message of `size` octets that has `begun` is such a one; then that is kept, and space() is for the
  /// rest. `scratch`: something to decode into.
  bool begin(messaging::Session& session, base::ConstByteSpan begun, std::size_t size, messaging::Incoming& scratch);
  /// The same for one whose rest is all to come, in memory that the peer lends.
  bool begin_lent(messaging::Session& session, base::ConstByteSpan begun, std::size_t size,
                  messaging::Incoming& scratch);
  /// True if nothing of the rest has come, so that it may be in such memory.
  bool lacks_all() const noexcept { return filled_ == 0; }
  /// All of it is, until end_lent(), or until its octets are copied.
  void set_lent(transport::LentMemory memory) noexcept;
  /// The peer may have it back: nothing looks at the message any more.
  void end_lent() noexcept;
  std::size_t missing() const noexcept { return size_ - filled_; }
  /// Where to put what comes next: never empty, and not more than the message needs. Throws std::bad_alloc.
  base::ByteSpan space();
  void received(std::size_t size) noexcept { filled_ += size; }
  bool is_whole() const noexcept { return filled_ == size_; }
  /// Octets before the sequence, of the last message that was such a one; 0: none was.
  std::size_t head_size() const noexcept { return head_.size(); }
  /// The message, which is whole. In use until end().
  base::Status take(messaging::Session& session, messaging::Incoming& message);
  /// Keeps nothing that another message does not need; pays nothing any more.
  void end() noexcept;

 private:
  static constexpr std::size_t kStep = 128U << 10;
  static constexpr unsigned kAfterWrongGuess = 64;

  bool pay_for_whole(std::size_t size) override;
  void given_away() noexcept override;
  static bool is_begun(messaging::Session& session, base::ConstByteSpan begun, messaging::Incoming& scratch);
  std::size_t enough() const noexcept;
  void reserve(std::size_t capacity);
  void repay() noexcept;

  InputAccount& account_;
  transport::LentMemory memory_;
  base::Bytes head_;
  std::size_t element_ = 1;  // octets of one: memory is taken for whole ones
  std::size_t size_ = 0;     // of the rest and its lead
  std::size_t filled_ = 0;   // of that
  std::size_t paid_ = 0;
  std::size_t paid_for_whole_ = 0;
  std::size_t trusted_ = 0;  // the largest that came whole: the peer does not only announce them
  unsigned left_out_ = 0;    // messages that are not looked at, after a wrong guess
};

}  // namespace corbel::connection

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "corbel/base/bytes.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/base/result.hpp"
#include "corbel/connection/input_memory.hpp"
#include "corbel/connection/large_message.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::connection {

/// A whole message. A view, valid until the framer that gave it is used again.
using Message = messaging::Incoming;

/// Keeps received octets and lets a session cut them into messages. Messages stay where they were received; only what
/// is incomplete at the end of the buffer is moved. The buffer starts small and doubles whenever a receive fills it, so
/// that busy connections get many messages, or much of a large one, per system call and idle ones cost little. Memory
/// grows with octets that have arrived, never with what a header announces, and beyond what a message needs only while
/// there is plenty; then the next one finds the buffer as it was left. Used by one thread at a time; counted, because a
/// slow upcall may keep the buffer it decodes from while somebody else goes on reading the connection with a new one.
class Framer : public base::RefCounted {
 public:
  /// `account` pays for what grows beyond the first buffer; both outlive this. `largest_message`: of a carrier that
  /// keeps messages; space() has room for it, and each receive must bring one whole message. 0: the carrier is a byte
  /// stream. `forgiving`: a message that makes no sense is dropped, and those after it are served.
  Framer(messaging::Session& session, InputAccount& account, std::size_t largest_message = 0,
         bool forgiving = false) noexcept
      : session_(&session), account_(&account), largest_message_(largest_message), forgiving_(forgiving) {}
  ~Framer() { clear(); }
  Framer(const Framer&) = delete;
  Framer& operator=(const Framer&) = delete;

  /// The next whole message among the octets received: true and `message`, or false if more octets are needed. Fails
  /// (stage receive) as Session::take() does; the stream is unusable then. After out_of_resources it may be tried again
  /// if short_of_memory().
  [[gnu::always_inline]] base::Result<bool> next(Message& message) {
    if (large_ != Large::none) [[unlikely]]
      return next_large(message);
    return next_small(message);
  }
  /// The same into a place that need not be made anew for each, and goes with the buffer: for the thread that reads the
  /// connection, and one message at a time. What decoding its body leaves behind must go when it has been dealt with
  /// (Decoded).
  [[gnu::always_inline]] base::Result<bool> next() {
    if (first_ == nullptr) [[unlikely]]
      return false;  // nothing has been received
    return next(first_->message);
  }
  /// After next() was true.
  Message& message() noexcept { return first_->message; }
  class Decoded;

  /// Where to put the next octets: never empty. Invalidates messages.
  base::ByteSpan space() {
    // Nothing is left, and nothing unusual has come: what follows begins where the last did.
    if (begin_ != end_ || large_ != Large::none || looks_ || joined_.octets.data() != nullptr || capacity_ == 0)
        [[unlikely]]
      return space_with_care();
    begin_ = end_ = 0;
    return {data_, capacity_};
  }
  /// After space(): one large message after the other comes, and their sender awaits no replies, as far as can be told.
  bool expects_many() const noexcept { return expects_many_; }
  /// It was received for with that in mind. `vain`: no more came than otherwise; for a while it is not expected again.
  void received_many(std::size_t size, bool vain) noexcept {
    expects_many_ = false;
    if (vain) expects_none_ = kAfterVainWait;
    if (size != 0) received(size);
  }
  /// `size` octets were received into space().
  void received(std::size_t size) noexcept {
    if (large_ == Large::filling) [[unlikely]]
      return received_large(size);
    end_ += size;
    looks_ = end_ >= look_at_;
  }
  /// True if the message at hand lacks exactly so many octets, and may have them in memory that the peer lends.
  bool begin_lent(std::size_t octets) noexcept;
  /// They have come, there.
  void received_lent(transport::LentMemory memory) noexcept;
  /// Nothing looks at the current message any more: what is lent goes back.
  void end_lent() noexcept {
    if (large_ == Large::used) [[unlikely]]
      own_large_->end_lent();
  }
  /// True if the end of the stream now would cut a message.
  bool in_message() const noexcept { return has_begun() || session_->oldest_part() != 0; }
  /// A number that tells the message that has been incomplete longest from all others of this stream; 0: there is none.
  std::uint64_t oldest_part() const noexcept {
    if (const std::uint64_t part = session_->oldest_part()) return 2 * part + 1;
    return has_begun() ? 2 * consumed_ + 2 : 0;
  }
  /// Any thread: true if a message has come in part, and how large it is.
  bool wants_more() const noexcept { return wanted_.load(std::memory_order_relaxed) != 0; }
  /// True if parts of messages have come that others may come in between.
  bool has_open() const noexcept { return session_->oldest_part() != 0; }
  /// Forgets everything and gives the memory back. The stream cannot go on.
  void clear() noexcept;
  /// True if there was no memory for what was last asked for: space() or next() may be tried again.
  bool short_of_memory() const noexcept { return account_->refused(); }
  /// Gives memory back when nothing is buffered.
  void shrink() noexcept;
  /// As shrink(), but the first buffer stays.
  void rest() noexcept;
  /// Nobody else has it: for the next connection that this thread reads. A server's that rests has none.
  static void hand_on(base::IntrusivePtr<Framer> framer) noexcept;
  /// As the constructor, of what was handed on, if there is anything.
  static base::IntrusivePtr<Framer> make(messaging::Session& session, InputAccount& account,
                                         std::size_t largest_message, bool forgiving);
  /// Octets received and not yet consumed, after the current message.
  base::ConstByteSpan unread() const noexcept { return {data_ + begin_, end_ - begin_}; }
  /// True if the last receive left no room: there may be more at once.
  bool is_full() const noexcept { return end_ == capacity_; }
  /// True if the last receive is known to have brought less than there was room for: large messages are given no more
  /// than they need.
  bool took_all() const noexcept { return own_large_ == nullptr && !is_full(); }
  /// True if next() may have a message without anything more being received.
  bool has_unread() const noexcept { return begin_ != end_ || large_ == Large::whole; }
  /// Takes over what `other` has not consumed; `other` keeps the current message.
  void take_over(Framer& other);

  /// The owner of the current message while an upcall decodes from it (see Server::hand_over_slow_upcalls).
  enum class Owner : std::uint8_t { reader, upcall, handed_over };
  std::atomic<Owner> owner{Owner::reader};
  /// Counts upcalls, so that a look from outside can tell a slow one from the next.
  std::atomic<std::uint32_t> upcalls{0};

 private:
  static constexpr std::size_t kFirstCapacity = 2048;
  static constexpr std::size_t kBusyCapacity = 256U << 10;
  static constexpr unsigned kAfterVainWait = 64;

  /// Octets of a message that is not whole are here.
  bool has_begun() const noexcept { return has_unread() || large_ == Large::filling; }
  bool drop(base::Error error) noexcept;
  [[gnu::always_inline]] base::Result<bool> next_small(Message& message) {
    message.joined = &joined_;
    while (begin_ != end_) {
      const base::Status taken = session_->take({data_ + begin_, end_ - begin_}, message);
      if (!taken) [[unlikely]] {
        if (drop(taken.error())) break;
        return taken.error();
      }
      if (message.size != end_ - begin_ && largest_message_ != 0) [[unlikely]] {
        const base::Error malformed = base::error(base::Stage::receive, base::Code::malformed);
        if (drop(malformed)) break;
        return malformed;
      }
      if (message.size == 0) {
        wanted_.store(message.wanted, std::memory_order_relaxed);
        if (message.wanted >= LargeMessage::kLeast) [[unlikely]]
          begin_large(message);
        return false;
      }
      begin_ += message.size;
      consumed_ += message.size;
      wanted_.store(0, std::memory_order_relaxed);
      if (message.kind != messaging::Kind::nothing) [[likely]]
        return true;
    }
    return false;
  }
  void begin_large(Message& scratch);
  bool make_large() noexcept;
  base::Result<bool> next_large(Message& message);
  void end_large() noexcept;
  base::ByteSpan space_with_care();
  base::ByteSpan space_for_large();
  void received_large(std::size_t size) noexcept;
  base::ByteSpan space_in_buffer();
  void adapt() noexcept;
  void grow();
  void reserve(std::size_t capacity, bool must = false);
  bool resize(std::size_t capacity) noexcept;
  bool in_first() const noexcept { return data_ == first_->octets; }
  void repay() noexcept;

  messaging::Session* session_;
  InputAccount* account_;
  std::size_t largest_message_;
  bool forgiving_;
  /// What is needed from the first octet on, in one piece of memory, which connections hand on (base::Shelf).
  struct First {
    Message message;
    base::Octet octets[kFirstCapacity];
  };
  First* first_ = nullptr;
  base::Octet* data_ = nullptr;  // in there, or of its own (std::realloc)
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t look_at_ = 0;             // where a receive ends that makes adapt() look
  std::atomic<std::size_t> wanted_{0};  // octets that the message at begin_ needs, 0 if unknown; written by the reader
  std::uint64_t consumed_ = 0;          // octets of the stream before begin_
  bool looks_ = false;
  /// A large message is being filled, is whole, is in use; or the last one was one, and the next may be.
  enum class Large : std::uint8_t { none, filling, whole, used, expected };
  Large large_ = Large::none;
  std::unique_ptr<LargeMessage> own_large_;
  bool streams_ = false;  // the last large message wanted no reply: the next may follow at once
  bool expects_many_ = false;
  unsigned expects_none_ = 0;             // for so many receives
  std::uint64_t not_large_ = UINT64_MAX;  // consumed_ of a message that was looked at
  messaging::Joined joined_;
};

/// While a message's body is decoded; then lets go of what that has attached to the decoder.
class Framer::Decoded {
 public:
  explicit Decoded(Message& message) noexcept : message_(message) {}
  ~Decoded() {
    if (message_.body.attachment() != nullptr) [[unlikely]]
      message_.body.attach({});
  }
  Decoded(const Decoded&) = delete;
  Decoded& operator=(const Decoded&) = delete;

 private:
  Message& message_;
};

}  // namespace corbel::connection

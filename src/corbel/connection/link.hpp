// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "corbel/base/deadline.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/base/result.hpp"
#include "corbel/connection/token.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::connection {

struct Caller;

/// The carrier of a connection, and the token under which one message at a time is encoded and sent over it: the only
/// lock that is held across a system call. Thread-safe.
class Link final : private cdr::Encoder::Host {
 public:
  class Owner {
   public:
    /// `caller`, which reads the connection, will be busy with something else: code of the application runs in the
    /// middle of its request, or others are sending. It does not have the token.
    virtual void step_aside(Caller& caller) noexcept = 0;

   protected:
    ~Owner() = default;
  };
  class Writing;

  /// `gather_threshold`: messages refer to data of the application of so many octets or more.
  Link(std::unique_ptr<transport::Transport> transport, Owner& owner, std::size_t gather_threshold);

  transport::Transport& transport() const noexcept { return *transport_; }
  /// "tcp://127.0.0.1:4000".
  const std::string& peer() const noexcept { return peer_; }
  /// Octets of the largest message of a carrier that keeps messages; 0: it is a byte stream.
  std::size_t largest_message() const noexcept { return largest_message_; }
  /// True if messages may get lost on the way, and others' come in.
  bool lossy() const noexcept { return lossy_; }
  Token& token() noexcept { return token_; }
  /// True if other messages may have to leave before the next one.
  bool in_order() const noexcept { return in_order_.load(std::memory_order_relaxed); }
  void set_in_order(bool in_order) noexcept { in_order_.store(in_order, std::memory_order_relaxed); }
  /// Nothing may be sent for long: gives back the memory for messages, unless somebody is sending.
  void rest() noexcept;

  // --- with the token ---

  /// Throws std::bad_alloc if there is none and no memory for one.
  cdr::Encoder& encoder() {
    if (encoder_ == nullptr) encoder_ = make_encoder();
    return *encoder_;
  }
  /// Sends all of it, or the carrier has ended: half a message makes a stream useless. Errors: stage send; or encode,
  /// too_large: the carrier keeps messages, nothing of this one has left, and the carrier is well.
  base::Status send(std::span<const cdr::Segment> data, base::Deadline deadline) {
    CORBEL_PROBE("transport send");
    const auto sent = transport_->send(data, deadline);
    CORBEL_PROBE("after send");
    if (!sent) [[unlikely]]
      return broken_off(sent.error());
    return {};
  }
  /// Sends what the carrier takes at once; would_block if that is nothing, and the carrier is well. Else fails as
  /// send().
  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data);
  /// The same for messages of so many octets each, one behind the other, where the carrier keeps messages: how many of
  /// them have left.
  base::Result<std::size_t> send_messages(base::ConstByteSpan octets, std::span<const std::uint32_t> sizes);
  /// Ends the carrier. Before the next writer's turn: its octets would be taken for the rest of this message.
  base::Error broken_off(base::Error error) noexcept;

 private:
  std::unique_ptr<cdr::Encoder> make_encoder();
  cdr::Encoder* begin_encoder() noexcept;
  void on_foreign_code(cdr::Encoder& encoder) noexcept override;
  void let_others_read(Caller* caller) noexcept;
  bool wait_for_turn(Caller* caller, base::Deadline deadline) noexcept;

  const std::unique_ptr<transport::Transport> transport_;
  const std::string peer_;
  const std::size_t largest_message_;
  const std::size_t gather_threshold_;
  const bool lossy_;
  std::atomic<bool> in_order_{false};
  Owner& owner_;
  Token token_;                            // guards what follows
  std::unique_ptr<cdr::Encoder> encoder_;  // null while it rests
  Caller* caller_ = nullptr;               // the one whose request is being encoded
};

/// One message's hold on the token and the encoder.
class Link::Writing {
 public:
  /// Tells that the calling thread has the token.
  struct Locked {};

  /// `caller`: waits for the reply; null if no thread does. False if it did not get its turn by the deadline, or has no
  /// memory.
  Writing(Link& link, Caller* caller, base::Deadline deadline) noexcept : link_(link) {
    if (!link_.token_.try_lock() && !link_.wait_for_turn(caller, deadline)) [[unlikely]]
      return;
    begin(caller);
  }
  Writing(Link& link, Locked) noexcept : link_(link) { begin(nullptr); }
  ~Writing() {
    if (encoder_ == nullptr || left()) [[unlikely]] {
      end_elsewhere();
    } else {
      link_.token_.unlock();
    }
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  explicit operator bool() const noexcept { return encoder_ != nullptr; }
  /// Of one that is false: throws std::bad_alloc if that is for want of memory.
  void check_memory() const {
    if (how_ == How::no_memory) throw std::bad_alloc();
  }
  cdr::Encoder& encoder() noexcept { return *encoder_; }
  /// True if code of the application ran while the message was encoded: the token was let go of before, and the encoder
  /// is this message's own now.
  bool left() const noexcept { return encoder_->host() == nullptr; }
  /// Takes the token again; false if that took too long.
  bool come_back(base::Deadline deadline) noexcept {
    const bool back = link_.token_.lock_until(deadline);
    if (back) how_ = How::back;
    return back;
  }

 private:
  enum class How : std::uint8_t { usual, no_memory, back };

  /// With the token.
  void begin(Caller* caller) noexcept {
    link_.caller_ = caller;
    encoder_ = link_.encoder_.get();
    if (encoder_ != nullptr) [[likely]]
      return;
    encoder_ = link_.begin_encoder();
    if (encoder_ == nullptr) how_ = How::no_memory;
  }
  void end_elsewhere() noexcept;

  Link& link_;
  cdr::Encoder* encoder_ = nullptr;
  How how_ = How::usual;
};

/// What `encode` returns; false if there is no memory for what it writes.
template <class Encode>
inline bool encodes(const Encode& encode) noexcept {
  try {
    return encode();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace corbel::connection

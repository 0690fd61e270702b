// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <utility>

#include "corbel/base/deadline.hpp"
#include "corbel/base/error.hpp"
#include "corbel/connection/outstanding.hpp"
#include "corbel/connection/reading.hpp"
#include "corbel/messaging/protocol.hpp"

namespace corbel::connection {

/// A request whose caller does not wait. Keeps itself alive until finish().
class AsyncReply : public UnderWay {
 public:
  virtual ~AsyncReply() = default;
  /// The reply, in place: decode it. On the thread that reads the connection, which reads nothing else meanwhile, so no
  /// code of the application may run.
  virtual void on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept = 0;
  /// Now in the completion queue: a thread that waits for just this one may take it from there.
  virtual void on_queued() noexcept = 0;
  /// After on_reply(), on the same thread: does what finish() would, if that takes no time and runs no code of the
  /// application. False if finish() has to be called; else this may be gone.
  virtual bool finish_quietly() noexcept { return false; }
  /// Does what follows from the reply, or from `error`. Called once for each time it was started, with no lock
  /// held, unless it was finished quietly. It may run code of the application and call anything, when it has let
  /// another thread lead the reactor. This may be gone afterwards.
  virtual void finish() noexcept = 0;

  base::Deadline deadline = base::Deadline::none();
  base::Error error;  ///< why there is no reply

 protected:
  AsyncReply() noexcept : UnderWay(Kind::asynchronous) {}
  /// Before it is started: a thread is probably going to wait for it (Connection::help). Threads of the reactor then
  /// read it only after Connection::attend(), or if no thread has read for a while.
  void expect_asker(bool asked) noexcept { set_kind(asked ? Kind::asked : Kind::asynchronous); }

 private:
  friend class Completions;
  friend class Connection;
  /// As long as it is being encoded, a request is its sender's alone: code of the application may be running there, and
  /// the results may be the arguments. A thread that wants to end it meanwhile only says why.
  enum class Sending : std::uint8_t { encoding, given_up, begun };

  /// For its sender, with the writer token, before the first octet leaves: false if it is not to be sent, and `error`
  /// says why. After that others may finish it at any time.
  bool begin_sending() noexcept {
    auto encoding = Sending::encoding;
    return sending_.compare_exchange_strong(encoding, Sending::begun, std::memory_order_acq_rel);
  }
  /// With the connection's mutex, for a thread that has a reason to end it: true if the sender does so, which will ask.
  bool give_up(base::Error why) noexcept {
    auto encoding = sending_.load(std::memory_order_acquire);
    if (encoding != Sending::encoding) return encoding == Sending::given_up;
    error = why;
    return sending_.compare_exchange_strong(encoding, Sending::given_up, std::memory_order_acq_rel);
  }
  bool is_unsent() const noexcept { return sending_.load(std::memory_order_acquire) != Sending::begun; }

  std::atomic<Sending> sending_{Sending::begun};
  Sleeper* helpers_ = nullptr;  // threads that wait for it nevertheless; guarded as the links are
  bool queued_ = false;         // guarded by the mutex of Completions
};

/// What is left to do of a request that was to be taken back (Connection::take_back).
enum class TakenBack : std::uint8_t {
  no,      ///< it is not under way, or another thread is about to finish it
  unsent,  ///< its sender finishes it; nothing of it leaves
  sent,    ///< the caller finishes it, with `cancelled`
};

/// A queue of replies linked through themselves.
class AsyncReplyList {
 public:
  bool empty() const noexcept { return list_.empty(); }
  void push(AsyncReply& reply) noexcept { list_.push(reply); }
  void remove(AsyncReply& reply) noexcept { list_.remove(reply); }
  /// The oldest, taken out; nullptr if there is none.
  AsyncReply* pop() noexcept { return static_cast<AsyncReply*>(list_.pop()); }

 private:
  UnderWayList list_;
};

}  // namespace corbel::connection

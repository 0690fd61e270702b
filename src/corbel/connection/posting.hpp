// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <span>

#include "corbel/base/function_ref.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/connection/connection_settings.hpp"
#include "corbel/connection/link.hpp"
#include "corbel/policy/buffering.hpp"
#include "corbel/reactor/event_handler.hpp"
#include "corbel/reactor/timer_queue.hpp"

namespace corbel::reactor {
class Reactor;
}

namespace corbel::connection {

/// The deadline passed while others sent, or posted messages were before this one. Nothing of it was sent, and the
/// connection is well.
inline constexpr base::Error kBehindOthers = base::error(base::Stage::send, base::Code::timed_out, EAGAIN);
/// The carrier keeps messages, and has no room for this one.
inline constexpr base::Error kTooLarge = base::error(base::Stage::encode, base::Code::too_large);

/// True if the connection is well although a message could not be sent, for this reason.
inline bool leaves_intact(const base::Error& error) noexcept {
  return error.stage == base::Stage::encode || error == kBehindOthers;
}

/// The messages of a connection that no thread waits for: those that the carrier does not take at once, or that are
/// kept back to leave together, wait here, and whatever is sent later goes behind them. The next sender takes them
/// along; if none comes, a thread of the reactor sends them, when the carrier takes more or their time has come.
///
/// It knows how a message leaves (Link), and nothing of calls, of replies, or of who reads. Thread-safe.
class Posting {
 public:
  /// What it posts for: the connection.
  class Owner {
   public:
    /// Looks, without waiting, whether the peer has ended the conversation, and fails as that does.
    virtual base::Status check_idle() = 0;
    /// The reactor has to look anew what is waited for: wants_room().
    virtual void watch() noexcept = 0;
    /// A message could not be sent whole; without the token. What those are told who sent it.
    virtual base::Error fail_sending(base::Error error) noexcept = 0;

   protected:
    ~Owner() = default;
  };
  using Encode = base::FunctionRef<void(cdr::Encoder&)>;
  /// What is left of a message after post_now(): its octets, if it had been encoded, and how it may be kept back.
  struct Left {
    policy::Buffering buffering;
    base::Bytes octets;
  };

  /// `holder`: what is kept while a timer runs, and this with it.
  Posting(Link& link, messaging::Session& session, Owner& owner, reactor::EventHandler& holder,
          const ConnectionSettings& settings) noexcept
      : link_(link), session_(session), owner_(owner), holder_(holder), settings_(settings) {}
  ~Posting() { delete oneways_.load(); }
  Posting(const Posting&) = delete;
  Posting& operator=(const Posting&) = delete;

  /// Who sends what nobody takes along. Before the first message.
  void set_reactor(reactor::Reactor* reactor) noexcept { reactor_ = reactor; }

  /// Sends what `encode` writes if no other thread is sending, or keeps it back. would_block with no octets left if it
  /// did not get that far; with those of the message, if the carrier took nothing of it: post_later() then. Where a
  /// limit of the buffering is reached, nothing is to be kept back after this.
  base::Status post_now(Encode encode, Left& left);
  /// The message waits, or is dropped, or waits for room until the deadline if it has to.
  base::Status post_later(Encode encode, Left& left, base::Deadline deadline);
  /// Sends what waits, kept back or not taken, by the deadline. Fails with timed_out (the rest waits on) or as the
  /// connection does.
  base::Status flush(base::Deadline deadline);

  /// Brings the counters of such messages up to date.
  void tell_counters() const noexcept {
    if (OnewayQueue* const queue = oneways_.load(std::memory_order_acquire)) queue->tell();
  }
  /// True while messages wait.
  bool has_backlog() const noexcept {
    const OnewayQueue* const queue = oneways_.load(std::memory_order_acquire);
    return queue != nullptr && !queue->empty();
  }
  /// True if a thread of the reactor has to send what waits, now or at its time.
  bool needs_reactor() const noexcept {
    return drain_scheduled_.load(std::memory_order_relaxed) || flush_at_.load(std::memory_order_relaxed) != 0;
  }
  /// True if the reactor is to call when the carrier takes more.
  bool wants_room() const noexcept { return wants_room_.load(std::memory_order_seq_cst); }
  /// It has: sends what waits.
  void on_room() noexcept {
    if (wants_room_.exchange(false, std::memory_order_seq_cst)) drain_ready();
  }

  // --- with the link's token ---

  /// Sends what waits, and then the whole message.
  base::Status send(std::span<const cdr::Segment> message, base::Deadline deadline);
  /// Sends a message that the carrier does not take at once, in several.
  base::Status send_cut(std::span<const cdr::Segment> message, base::Deadline deadline);
  /// Sends what waits, in order, but for what others put in meanwhile, of which there may be no end. kBehindOthers if
  /// it is not gone by the deadline; otherwise a failure of the carrier.
  base::Status drain(base::Deadline deadline);
  /// What the carrier did not take of a message leaves before any other. Throws std::bad_alloc.
  void put_rest(base::ConstByteSpan rest);

  // --- the end ---

  /// The connection has ended: what waits is lost, and so is what comes.
  void end(base::Error why) noexcept;
  /// In a child, where other threads may have held any lock.
  void abandon() noexcept { ended_ = true; }

 private:
  base::Status post_encoded(cdr::Encoder& encoder, base::Bytes& octets);
  base::Status post_cut(std::span<const cdr::Segment> message);
  base::Status enqueue(base::ConstByteSpan octets, const policy::Buffering& buffering, base::Deadline deadline);
  bool keep_back(std::span<const cdr::Segment> message, const policy::Buffering& buffering);
  bool push_kept(std::span<const cdr::Segment> message, const policy::Buffering& buffering);
  void flush_within(base::Duration time);
  void flush_in_time(std::int64_t due) noexcept;
  base::Status send_in_order(std::span<const cdr::Segment> message, base::Deadline deadline);
  base::Result<std::size_t> send_behind(std::span<const cdr::Segment> message);
  base::Result<std::size_t> send_front(const OnewayQueue& queue, base::ConstByteSpan octets);
  void schedule_drain() noexcept;
  void wait_for_room();
  bool tells_of_room() const noexcept;
  bool is_drained() noexcept;
  void drain_ready() noexcept;
  void drain_later(base::Duration delay);
  void drain_in_background(base::Duration delay) noexcept;
  void tell_drained() noexcept;
  void lose() noexcept;
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
  OnewayQueue& oneways();

  Link& link_;
  messaging::Session& session_;
  Owner& owner_;
  reactor::EventHandler& holder_;
  const ConnectionSettings& settings_;
  reactor::Reactor* reactor_ = nullptr;

  std::atomic<OnewayQueue*> oneways_{nullptr};  // owned; made when the carrier first took less than it was given
  std::atomic<bool> drain_scheduled_{false};
  std::atomic<bool> wants_room_{false};  // the reactor will call when the carrier takes more
  std::atomic<bool> dropping_{false};
  std::atomic<bool> ended_{false};         // written under the mutex
  std::atomic<std::int64_t> flush_at_{0};  // when a timer sends what is kept back (Deadline::clock_now()); 0: none does
  std::atomic<std::int64_t> flush_span_{0};  // how long after it was started that is

  base::Mutex mutex_;  // guards what follows, and the making of the queue
  reactor::TimerId flush_timer_;
  base::Error why_;
};

}  // namespace corbel::connection

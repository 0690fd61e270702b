// SPDX-License-Identifier: Apache-2.0
// Client side of a connection: oneways that are kept back to leave together, and what leaves behind them.
#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/oneway_queue.hpp"
#include "corbel/connection/sending.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;
using cdr::Segment;

namespace {

constexpr std::size_t kGathered = 8;              // pieces of a message that leaves in one go with those before it
constexpr std::size_t kMostKeptBack = 16U << 10;  // octets of a message that is worth a copy
constexpr base::Duration kBusy = std::chrono::milliseconds(1);
constexpr base::Duration kNoLimit = std::chrono::hours(24 * 365 * 100);

using Pieces = std::array<Segment, kGathered + 1>;

/// What follows the first `skip` octets of a list of a few pieces.
std::span<const Segment> rest_of(std::span<const Segment> message, std::size_t skip, Pieces& pieces) noexcept {
  std::size_t used = 0;
  for (const Segment& each : message) {
    const std::size_t gone = std::min(skip, each.size);
    skip -= gone;
    if (gone < each.size) pieces[used++] = {static_cast<const base::Octet*>(each.data) + gone, each.size - gone};
  }
  return {pieces.data(), used};
}

}  // namespace

// --- keeping back ---

/// With the token: true if the message waits for others now. Else it has to leave, and they with it.
bool Connection::keep_back(std::span<const Segment> message, const policy::Buffering& buffering) {
  if (!push_kept(message, buffering)) return false;
  // Where others may go for a later one, what it told the peer has to be told again.
  if (oneways().drops_oldest()) session_->unsent();
  return true;
}

/// False if a limit is reached, or if there is no room.
bool Connection::push_kept(std::span<const Segment> message, const policy::Buffering& buffering) {
  const std::size_t size = total_size(message);
  OnewayQueue& queue = oneways();
  const bool full = queue.messages() + 1 >= buffering.messages || queue.octets() + size >= buffering.octets;
  if (full || size > kMostKeptBack || (link_.largest_message() != 0 && size > link_.largest_message())) return false;
  if (queue.push(message, OnewayQueue::Why::kept) != OnewayQueue::Pushed::queued) return false;
  flush_within(buffering.time);
  if (failed()) [[unlikely]]
    lose_oneways(why_failed());
  return true;
}

/// Starts the timer, unless there is one that is due as soon. It may have been meant for messages that have left since:
/// then those that are kept back now leave early.
void Connection::flush_within(base::Duration time) {
  if (time >= kNoLimit || completions_ == nullptr) return;
  const std::int64_t due = Deadline::clock_now() + time.count();
  // The message was put in before this looks for a timer; the timer says that it is over before it looks for messages.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const auto serves = [due](std::int64_t running) { return running != 0 && running <= due; };
  if (serves(flush_at_.load(std::memory_order_relaxed))) return;
  try {
    const std::lock_guard lock(mutex_);
    if (failed_ || serves(flush_at_)) return;
    flush_at_ = due;
    auto& reactor = completions_->reactor();
    const reactor::TimerId timer =
        reactor.schedule_after(time, [self = base::IntrusivePtr<Connection>(this), due] { self->flush_in_time(due); });
    (void)reactor.cancel(std::exchange(flush_timer_, timer));
    return;
  } catch (const std::bad_alloc&) {
    flush_at_ = 0;
  }
  schedule_drain();
}

/// On a thread of the reactor.
void Connection::flush_in_time(std::int64_t due) noexcept try {
  // A timer that started later and was due sooner stood for this one.
  if (!flush_at_.compare_exchange_strong(due, 0)) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (failed() || !has_backlog()) return;
  if (!check_idle()) return;  // as below
  if (!link_.token().try_lock()) return flush_within(kBusy);
  const auto drained = drain_oneways(Deadline::now());
  link_.token().unlock();
  if (!drained && !leaves_intact(drained.error())) return (void)fail(drained.error());
  if (has_backlog()) schedule_drain();
} catch (const std::bad_alloc&) {  // the next caller will
}

base::Status Connection::flush_oneways(Deadline deadline) {
  if (failed()) return why_failed();
  if (server_ != nullptr) return await_replies_sent(deadline);
  if (!has_backlog()) return {};
  // The peer may have gone since they were kept back: then it is better known.
  CORBEL_CHECK(check_idle());
  if (!link_.token().lock_until(deadline)) {
    schedule_drain();
    return kBehindOthers;
  }
  const auto drained = drain_oneways(deadline);
  link_.token().unlock();
  if (!drained && !leaves_intact(drained.error())) return fail(drained.error());
  return drained;
}

/// Where both sides ask, oneways wait among the replies, which the reactor sends.
base::Status Connection::await_replies_sent(Deadline deadline) {
  while (keeps_replies()) {
    if (failed()) return why_failed();
    if (deadline.expired()) return kBehindOthers;
    std::this_thread::sleep_for(std::min(kBusy, deadline.remaining()));
  }
  return {};
}

/// The connection has ended: only the log is told.
void Connection::lose_oneways(base::Error why) noexcept {
  OnewayQueue* const queue = oneways_.load(std::memory_order_acquire);
  if (queue == nullptr) return;
  const OnewayQueue::Count lost = queue->clear();
  if (lost.octets == 0) return;
  CORBEL_LOG(log(), connection, warning, "oneway messages lost", {"peer", peer()}, {"messages", lost.messages},
             {"octets", lost.octets}, {"error", why});
}

// --- what leaves behind them ---

/// With the token: a message that has to go behind others, or may have to.
base::Status Connection::send_queued(std::span<const Segment> message, Deadline deadline) {
  if (server_ != nullptr) return send_among_replies(message);
  auto sent = send_in_order(message, deadline);
  if (!sent && sent.error() == kTooLarge) sent = send_cut(message, deadline);
  return sent ? sent : not_sent(sent.error());
}

/// With the token: what waits, and then the whole message.
base::Status Connection::send_in_order(std::span<const Segment> message, Deadline deadline) {
  if (has_backlog() && link_.largest_message() == 0 && message.size() <= kGathered) {
    const auto sent = send_behind(message);
    if (!sent && sent.error().code != Code::would_block) return sent.error();
    if (sent) {
      if (*sent == total_size(message)) return {};
      Pieces pieces;
      return link_.send(rest_of(message, *sent, pieces), deadline);
    }
  }
  CORBEL_CHECK(drain_oneways(deadline));
  return link_.send(message, deadline);
}

/// With the token: what waits and then the message, as much as the carrier takes at once, by one system call if it is a
/// byte stream. How many octets of the message have left; would_block if none has.
base::Result<std::size_t> Connection::send_behind(std::span<const Segment> message) {
  OnewayQueue* const queue = oneways_.load(std::memory_order_acquire);
  if (queue == nullptr || (queue->empty() && !queue->begun())) return link_.send_some(message);
  const bool apart = link_.largest_message() != 0 || message.size() > kGathered;
  // What is leaving already may have others behind it.
  const base::ConstByteSpan waiting = apart ? base::ConstByteSpan() : queue->front();
  if (waiting.empty() || waiting.size() != queue->octets()) {
    if (auto drained = drain_oneways(Deadline::now()); !drained) {
      return leaves_intact(drained.error()) ? base::error(Stage::send, Code::would_block) : drained.error();
    }
    return link_.send_some(message);
  }
  Pieces pieces;
  pieces[0] = {waiting.data(), waiting.size()};
  std::copy(message.begin(), message.end(), pieces.begin() + 1);
  const auto sent = link_.send_some(std::span<const Segment>(pieces).first(message.size() + 1));
  const std::size_t taken = sent ? std::min(*sent, waiting.size()) : 0;
  if (taken != 0) queue->pop(taken);
  if (!sent || *sent == taken) {
    queue->put_back();
    return sent ? base::error(Stage::send, Code::would_block) : sent.error();
  }
  tell_drained();
  return *sent - taken;
}

}  // namespace corbel::connection

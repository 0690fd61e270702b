// SPDX-License-Identifier: Apache-2.0
// Messages that are kept back to leave together, and what leaves behind those that wait.
#include <algorithm>
#include <array>
#include <utility>

#include "corbel/connection/backlog.hpp"
#include "corbel/connection/posting.hpp"
#include "corbel/reactor/reactor.hpp"

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
bool Posting::keep_back(std::span<const Segment> message, const policy::Buffering& buffering) {
  if (!push_kept(message, buffering)) return false;
  // Where others may go for a later one, what it told the peer has to be told again.
  if (oneways().drops_oldest()) session_.unsent();
  return true;
}

/// False if a limit is reached, or if there is no room.
bool Posting::push_kept(std::span<const Segment> message, const policy::Buffering& buffering) {
  const std::size_t size = total_size(message);
  OnewayQueue& queue = oneways();
  const bool full = queue.messages() + 1 >= buffering.messages || queue.octets() + size >= buffering.octets;
  if (full || size > kMostKeptBack || (link_.largest_message() != 0 && size > link_.largest_message())) return false;
  if (queue.push(message, OnewayQueue::Why::kept) != OnewayQueue::Pushed::queued) return false;
  flush_within(buffering.time);
  if (ended()) [[unlikely]]
    lose();
  return true;
}

/// Starts the timer, unless there is one that is due as soon. It may have been meant for messages that have left since:
/// then those that are kept back now leave early.
void Posting::flush_within(base::Duration time) {
  if (time >= kNoLimit || reactor_ == nullptr) return;
  // The message was put in before this thread looks for a timer; a timer says that it is over before it looks for
  // messages.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // One that runs and was given no more time is due sooner: most messages need not ask what time it is.
  if (flush_at_.load(std::memory_order_acquire) != 0 && flush_span_.load(std::memory_order_relaxed) <= time.count())
    return;
  const std::int64_t due = Deadline::clock_now() + time.count();
  const auto serves = [due](std::int64_t running) { return running != 0 && running <= due; };
  if (serves(flush_at_.load(std::memory_order_relaxed))) return;
  try {
    const std::lock_guard lock(mutex_);
    if (ended_ || serves(flush_at_)) return;
    flush_span_.store(time.count(), std::memory_order_relaxed);
    flush_at_ = due;
    const reactor::TimerId timer = reactor_->schedule_after(
        time, [this, held = base::IntrusivePtr<reactor::EventHandler>(&holder_), due] { flush_in_time(due); });
    (void)reactor_->cancel(std::exchange(flush_timer_, timer));
    return;
  } catch (const std::bad_alloc&) {
    flush_at_ = 0;
  }
  schedule_drain();
}

/// On a thread of the reactor.
void Posting::flush_in_time(std::int64_t due) noexcept try {
  // A timer that started later and was due sooner stood for this one.
  if (!flush_at_.compare_exchange_strong(due, 0)) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (ended() || !has_backlog()) return;
  if (!owner_.check_idle()) return;  // as below
  if (!link_.token().try_lock()) return flush_within(kBusy);
  const auto drained = drain(Deadline::now());
  link_.token().unlock();
  if (!drained && !leaves_intact(drained.error())) return (void)owner_.fail_sending(drained.error());
  if (has_backlog()) schedule_drain();
} catch (const std::bad_alloc&) {  // the next caller will
}

base::Status Posting::flush(Deadline deadline) {
  if (!has_backlog()) return {};
  // The peer may have gone since they were kept back: then it is better known.
  if (const auto there = owner_.check_idle(); !there) {  // nothing of it has left, whatever the end says of others
    return base::error(Stage::send, there.error().code, there.error().os_error);
  }
  if (!link_.token().lock_until(deadline)) {
    schedule_drain();
    return kBehindOthers;
  }
  const auto drained = drain(deadline);
  link_.token().unlock();
  if (!drained && !leaves_intact(drained.error())) return owner_.fail_sending(drained.error());
  return drained;
}

void Posting::end(base::Error why) noexcept {
  {
    const std::lock_guard lock(mutex_);
    why_ = why;
    ended_.store(true, std::memory_order_release);
    if (flush_at_ != 0) (void)reactor_->cancel(flush_timer_);
  }
  lose();
}

/// The connection has ended: only the log is told.
void Posting::lose() noexcept {
  OnewayQueue* const queue = oneways_.load(std::memory_order_acquire);
  if (queue == nullptr) return;
  const OnewayQueue::Count lost = queue->clear();
  if (lost.octets == 0) return;
  base::Error why;
  {
    const std::lock_guard lock(mutex_);
    why = why_;
  }
  CORBEL_LOG(*settings_.log, connection, warning, "oneway messages lost", {"peer", link_.peer()},
             {"messages", lost.messages}, {"octets", lost.octets}, {"error", why});
}

// --- what leaves behind them ---

base::Status Posting::send(std::span<const Segment> message, Deadline deadline) {
  auto sent = send_in_order(message, deadline);
  if (!sent && sent.error() == kTooLarge) sent = send_cut(message, deadline);
  if (!sent && leaves_intact(sent.error())) session_.unsent();
  return sent;
}

/// With the token: what waits, and then the whole message.
base::Status Posting::send_in_order(std::span<const Segment> message, Deadline deadline) {
  if (has_backlog() && link_.largest_message() == 0 && message.size() <= kGathered) {
    const auto sent = send_behind(message);
    if (!sent && sent.error().code != Code::would_block) return sent.error();
    if (sent) {
      if (*sent == total_size(message)) return {};
      Pieces pieces;
      return link_.send(rest_of(message, *sent, pieces), deadline);
    }
  }
  CORBEL_CHECK(drain(deadline));
  return link_.send(message, deadline);
}

/// With the token: what waits and then the message, as much as the carrier takes at once, by one system call if it is a
/// byte stream. How many octets of the message have left; would_block if none has.
base::Result<std::size_t> Posting::send_behind(std::span<const Segment> message) {
  OnewayQueue* const queue = oneways_.load(std::memory_order_acquire);
  if (queue == nullptr || (queue->empty() && !queue->begun())) return link_.send_some(message);
  const bool apart = link_.largest_message() != 0 || message.size() > kGathered;
  // A message that is leaving already may have others behind it.
  const base::ConstByteSpan waiting = apart ? base::ConstByteSpan() : queue->front();
  if (waiting.empty() || waiting.size() != queue->octets()) {
    if (auto drained = drain(Deadline::now()); !drained) {
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

// SPDX-License-Identifier: Apache-2.0
// The end of a connection that is served: it begins no more, and closes when what runs has been answered.
#include <mutex>
#include <new>

#include "corbel/connection/server.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr base::Duration kLastWait = std::chrono::milliseconds(500);  // for a peer that takes nothing of what is left
constexpr base::Duration kLastLook = std::chrono::milliseconds(2);

}  // namespace

bool Connection::defer_request() noexcept {
  std::uint32_t before = deferred_.load(std::memory_order_relaxed);
  do {
    if (before >= server_->settings().limits.deferred_of_connection) return false;
  } while (!deferred_.compare_exchange_weak(before, before + 1, std::memory_order_seq_cst));
  return true;
}

void Connection::end_deferred() noexcept {
  deferred_.fetch_sub(1, std::memory_order_seq_cst);
  if (draining_.load(std::memory_order_seq_cst)) end_if_drained();
}

void Connection::drain() noexcept {
  draining_.store(true, std::memory_order_seq_cst);
  end_if_drained();
}

void Connection::end_if_drained() noexcept {
  if (under_way() != 0 || keeps_replies()) return;
  // Of several that get here one says so to the peer, before it closes; it may come again for that.
  if (ending_.exchange(true, std::memory_order_seq_cst)) return;
  // Who has shaken hands may have sent its first request, and is to hear that it was not executed.
  if (shakes_hands() && server_->awaits_hand_shakes()) return end_later();
  bool busy = false;
  {
    const std::lock_guard lock(mutex_);
    // What this side asked may yet be answered, and meanwhile begin_request_at_end() may have begun something.
    busy = under_way() != 0 || (!failed_ && outstanding_.count() != 0);
    ended_idle_ = ended_idle_ || !busy;  // nothing begins behind the word that this is the end
  }
  if (busy) return end_later();
  // The writer is sending a reply that is just leaving, or a request of this side, whose peer may take its time.
  if (!tell_close()) return end_later();
  end_when_sent(transport().unsent(), Deadline::after(kLastWait));
}

/// By the thread that has ending_.
void Connection::end_later() noexcept try {
  server_->reactor().schedule_after(kLastLook, [self = ConnectionPtr(this)] {
    // In the order that all see: who ends the last request finds it free, or this thread that none runs.
    self->ending_.store(false, std::memory_order_seq_cst);
    self->end_if_drained();
  });
} catch (const std::bad_alloc&) {
  cut(base::error(Stage::wait, Code::cancelled));
}

/// A system that has octets which were never read resets the connection when it closes: it drops what it has still to
/// send, and sends nothing again that was lost on its way. `unsent`: octets of that before; as long as they get fewer,
/// the peer has its time.
void Connection::end_when_sent(std::size_t unsent, Deadline until) noexcept try {
  const std::size_t now = failed() ? 0 : transport().unsent();
  if (now != 0 && now < unsent) until = Deadline::after(kLastWait);
  if (now != 0 && !until.expired()) {
    server_->reactor().schedule_after(kLastLook,
                                      [self = ConnectionPtr(this), now, until] { self->end_when_sent(now, until); });
    return;
  }
  (void)fail(base::error(Stage::wait, Code::cancelled));
  server_->forget(*this);
} catch (const std::bad_alloc&) {
  cut(base::error(Stage::wait, Code::cancelled));
}

}  // namespace corbel::connection

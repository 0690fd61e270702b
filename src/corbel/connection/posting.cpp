// SPDX-License-Identifier: Apache-2.0
// Messages that nobody waits for, and what becomes of them if the peer does not read.
#include "corbel/connection/posting.hpp"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "corbel/connection/backlog.hpp"
#include "corbel/ipc/handle.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr base::Duration kFirstDrain = std::chrono::milliseconds(1);
constexpr base::Duration kSlowestDrain = std::chrono::milliseconds(100);

base::Bytes joined(std::span<const cdr::Segment> segments) {
  base::Bytes octets;
  octets.reserve(total_size(segments));
  for (const cdr::Segment& segment : segments) {
    const auto* from = static_cast<const base::Octet*>(segment.data);
    octets.insert(octets.end(), from, from + segment.size);
  }
  return octets;
}

OnewayCounters& unobserved() {
  static OnewayCounters counters;
  return counters;
}

}  // namespace

base::Status Posting::post_now(Encode encode, Left& left) {
  const base::Error busy = base::error(Stage::send, Code::would_block);
  if (!link_.token().try_lock()) return busy;
  Link::Writing writing(link_, Link::Writing::Locked{});
  if (!writing) throw std::bad_alloc();
  cdr::Encoder& encoder = writing.encoder();
  encode(encoder);
  if (!encoder.ok()) return encoder.error();
  if (writing.left()) {  // others may be sending by now
    left.octets = encoder.to_bytes();
    return busy;
  }
  if (left.buffering.keeps() && keep_back(encoder.segments(), left.buffering)) return {};
  left.buffering = {};
  return post_encoded(encoder, left.octets);
}

base::Status Posting::post_later(Encode encode, Left& left, Deadline deadline) {
  if (left.octets.empty()) {
    cdr::Encoder own;
    encode(own);
    if (!own.ok()) return own.error();
    left.octets = own.to_bytes();
  }
  auto status = enqueue(left.octets, left.buffering, deadline);
  return status || leaves_intact(status.error()) ? status : base::Status(owner_.fail_sending(status.error()));
}

/// With the token: sends what waits and then this message, in one go; as post_now().
base::Status Posting::post_encoded(cdr::Encoder& encoder, base::Bytes& octets) {
  const auto segments = encoder.segments();
  const auto sent = send_behind(segments);
  if (sent && *sent == total_size(segments)) [[likely]]
    return {};
  if (!sent && sent.error() == kTooLarge) {
    auto cut = post_cut(segments);
    if (cut || cut.error().code != Code::would_block) return cut;
    octets = encoder.to_bytes();
    return cut;
  }
  if (!sent && sent.error().code != Code::would_block) return sent.error();
  if (!sent) {
    session_.unsent();  // it may yet be dropped
    octets = encoder.to_bytes();
    return sent.error();
  }
  try {
    put_rest(base::ConstByteSpan(encoder.to_bytes()).subspan(*sent));
  } catch (const std::bad_alloc&) {  // half of it has left
    return link_.broken_off(base::error(Stage::send, Code::out_of_resources));
  }
  return {};
}

void Posting::put_rest(base::ConstByteSpan rest) {
  oneways().push_begun(rest);
  schedule_drain();
}

base::Status Posting::send_cut(std::span<const cdr::Segment> message, Deadline deadline) {
  bool begun = false;
  return session_.cut(message, link_.largest_message(), [&](std::span<const cdr::Segment> piece) -> base::Status {
    if (!link_.lossy()) return link_.send(piece, deadline);
    const auto sent = link_.transport().send(piece, deadline);
    if (sent) {
      begun = true;
      return {};
    }
    const Code code = sent.error().code;
    if (code != Code::timed_out && code != Code::would_block) return link_.broken_off(sent.error());
    // A piece leaves whole or not at all: the carrier is well, and this one as good as lost on the way.
    session_.unsent();
    return begun ? base::Status() : kBehindOthers;
  });
}

/// As send_cut(); what the carrier does not take now waits. would_block if the caller has to wait for that: what has
/// left already does no harm if it comes twice.
base::Status Posting::post_cut(std::span<const cdr::Segment> message) {
  return session_.cut(message, link_.largest_message(), [&](std::span<const cdr::Segment> piece) -> base::Status {
    if (!has_backlog()) {
      const auto sent = link_.send_some(piece);
      if (sent) return {};
      if (sent.error().code != Code::would_block) return sent.error();
    }
    session_.unsent();  // it may yet be dropped
    if (settings_.oneways.overflow == policy::OnewayOverflow::wait) return base::error(Stage::send, Code::would_block);
    return enqueue(joined(piece), {}, Deadline::now());
  });
}

base::Status Posting::enqueue(base::ConstByteSpan octets, const policy::Buffering& buffering, Deadline deadline) {
  const cdr::Segment whole{octets.data(), octets.size()};
  if (const std::size_t most = link_.largest_message(); most != 0 && octets.size() > most) {
    return session_.cut({&whole, 1}, most, [&](std::span<const cdr::Segment> piece) {
      return enqueue(joined(piece), buffering, deadline);
    });
  }
  if (buffering.keeps() && push_kept({&whole, 1}, buffering)) return {};
  const auto pushed = oneways().push({&whole, 1}, OnewayQueue::Why::waits);
  if (pushed == OnewayQueue::Pushed::full) {
    if (!link_.token().lock_until(deadline)) return kBehindOthers;
    const std::lock_guard writer(link_.token(), std::adopt_lock);
    return send({&whole, 1}, deadline);
  }
  if (pushed != OnewayQueue::Pushed::queued && !dropping_.exchange(true)) {
    CORBEL_LOG(*settings_.log, connection, warning, "oneway messages dropped", {"peer", link_.peer()},
               {"waiting_octets", oneways().octets()}, {"limit", "-ORBOnewayQueue"});
  }
  if (ended()) lose();
  schedule_drain();
  return {};
}

OnewayQueue& Posting::oneways() {
  if (OnewayQueue* made = oneways_.load(std::memory_order_acquire)) return *made;
  const std::lock_guard lock(mutex_);
  if (oneways_ == nullptr) {
    oneways_ = new OnewayQueue(settings_.oneways,
                               settings_.oneway_counters != nullptr ? *settings_.oneway_counters : unobserved(),
                               link_.largest_message() != 0);
    link_.set_in_order(true);
  }
  return *oneways_;
}

base::Status Posting::drain(Deadline deadline) {
  if (oneways_.load(std::memory_order_acquire) == nullptr) return {};
  OnewayQueue& queue = oneways();
  std::size_t due = queue.octets();
  // What front() has shown leaves to its end, of which a part may have come since: a rest of a message that is put in
  // after this would take its place.
  for (bool stalled = false; due > 0 || queue.leaves();) {
    const auto octets = queue.front();
    if (octets.empty()) break;
    const auto sent = send_front(queue, octets);
    if (sent) {
      queue.pop(*sent);
      due -= std::min(due, *sent);
      stalled = false;
      continue;
    }
    if (sent.error().code != Code::would_block) return sent.error();
    queue.put_back();
    if (deadline.expired()) {
      schedule_drain();  // what was kept back has no other that sends it
      return kBehindOthers;
    }
    if (!tells_of_room() || std::exchange(stalled, true)) {
      std::this_thread::sleep_for(std::min(kFirstDrain, deadline.is_none() ? kFirstDrain : deadline.remaining()));
      continue;
    }
    (void)ipc::wait_ready(link_.transport().handle(), ipc::Ready::writable,
                          earlier(deadline, Deadline::after(kSlowestDrain)), Stage::send);
  }
  tell_drained();
  return {};
}

/// What the carrier takes at once of what is in front, in octets.
base::Result<std::size_t> Posting::send_front(const OnewayQueue& queue, base::ConstByteSpan octets) {
  if (link_.largest_message() == 0) {
    const cdr::Segment piece{octets.data(), octets.size()};
    CORBEL_TRY(const std::size_t sent, link_.send_some({&piece, 1}));
    return std::min(sent, octets.size());
  }
  const auto sizes = queue.front_sizes();
  const base::ConstByteSpan all(octets.data(), std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  CORBEL_TRY(const std::size_t sent, link_.send_messages(all, sizes));
  return std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sent), std::size_t{0});
}

void Posting::tell_drained() noexcept {
  if (!dropping_.load(std::memory_order_relaxed) || !dropping_.exchange(false)) return;
  const OnewayQueue::Count dropped = oneways().take_dropped();
  CORBEL_LOG(*settings_.log, connection, info, "oneway messages no longer dropped", {"peer", link_.peer()},
             {"messages", dropped.messages}, {"octets", dropped.octets});
}

/// The next caller sends what waits; if none comes, a thread of the reactor does, when the carrier says that it takes
/// more. If it cannot say so, the thread tries, seldomer the longer it was in vain.
void Posting::schedule_drain() noexcept try {
  if (reactor_ == nullptr || drain_scheduled_.exchange(true)) return;
  if (tells_of_room()) return wait_for_room();
  drain_later(kFirstDrain);
} catch (const std::bad_alloc&) {
  drain_scheduled_ = false;  // the next caller will
}

bool Posting::tells_of_room() const noexcept {
  const int handle = link_.transport().handle();
  return handle >= 0 && link_.transport().send_handle() == handle && !link_.transport().wants_input();
}

void Posting::wait_for_room() {
  wants_room_.store(true, std::memory_order_seq_cst);
  owner_.watch();
}

/// The carrier takes more.
void Posting::drain_ready() noexcept try {
  // Whoever is sending would have sent what waits before, but may have been too early.
  if (!link_.token().try_lock()) return drain_later(kFirstDrain);
  const auto drained = drain(Deadline::now());
  link_.token().unlock();
  if (!drained && !leaves_intact(drained.error())) return (void)owner_.fail_sending(drained.error());
  if (!is_drained()) wait_for_room();
} catch (const std::bad_alloc&) {
  drain_scheduled_ = false;  // the next caller will
}

/// True if nothing waits any more, and then whoever puts something in sees to it again.
bool Posting::is_drained() noexcept {
  if (has_backlog()) return false;
  drain_scheduled_ = false;
  // Something may have been put in, or dropped, by a thread that saw this one on its way.
  return (!has_backlog() && !dropping_) || drain_scheduled_.exchange(true);
}

void Posting::drain_later(base::Duration delay) {
  reactor_->schedule_after(
      delay, [this, held = base::IntrusivePtr<reactor::EventHandler>(&holder_), delay] { drain_in_background(delay); });
}

void Posting::drain_in_background(base::Duration delay) noexcept {
  if (ended()) return;
  const std::size_t before = oneways().octets();
  if (link_.token().try_lock()) {
    const auto drained = drain(Deadline::now());
    link_.token().unlock();
    if (!drained && !leaves_intact(drained.error())) {
      (void)owner_.fail_sending(drained.error());
      return;
    }
  }
  if (is_drained()) return;
  try {
    if (tells_of_room()) return wait_for_room();
    drain_later(oneways().octets() < before ? kFirstDrain : std::min(2 * delay, kSlowestDrain));
  } catch (const std::bad_alloc&) {
    drain_scheduled_ = false;  // the next caller will
  }
}

}  // namespace corbel::connection

// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/inproc/ring.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace corbel::transport::inproc {

using base::Code;
using base::Stage;

/// The segments that are still to be written.
struct Ring::Source {
  explicit Source(std::span<const cdr::Segment> data) noexcept : segments(data) {
    for (const cdr::Segment& segment : data) left += segment.size;
  }
  /// Moves the next octets, of which there are as many.
  void copy_to(base::Octet* to, std::size_t size) noexcept {
    left -= size;
    while (size != 0) {
      const cdr::Segment& segment = segments.front();
      const std::size_t piece = std::min(segment.size - offset, size);
      base::copy_octets(to, static_cast<const base::Octet*>(segment.data) + offset, piece);
      to += piece;
      size -= piece;
      offset += piece;
      if (offset != segment.size) continue;
      segments = segments.subspan(1);
      offset = 0;
    }
  }

  std::span<const cdr::Segment> segments;
  std::size_t offset = 0;  // in the first segment
  std::size_t left = 0;
};

/// With the lock, for a reader that waits while nothing is queued: puts octets straight where it wants them.
std::size_t Ring::give(std::unique_lock<std::mutex>& lock, Source& source) {
  const base::ByteSpan to = std::exchange(wanted_, {});
  const std::size_t size = std::min(to.size(), source.left);
  giving_ = true;
  lock.unlock();
  source.copy_to(to.data(), size);
  lock.lock();
  giving_ = false;
  given_ = size;
  filled_.notify_one();
  return size;
}

/// With the lock, for what the ring cannot hold: lets the reader take it from where it lies, behind what is in the
/// ring, until it has all or the deadline has passed.
void Ring::offer(std::unique_lock<std::mutex>& lock, Source& source, base::Deadline deadline) {
  offered_ = &source;
  update_event();
  if (reader_waits_) filled_.notify_one();
  const auto over = [&] { return !taking_ && (source.left == 0 || closed_); };
  if (!wait_until(drained_, lock, deadline, over)) {
    late_ = true;
    drained_.wait(lock, [&] { return !taking_; });
    late_ = false;
  }
  offered_ = nullptr;
  update_event();
}

/// With the lock: of what is offered so much as `buffer` has room for.
std::size_t Ring::take_offered(std::unique_lock<std::mutex>& lock, base::ByteSpan buffer) {
  Source& source = *offered_.load();
  const std::size_t size = std::min(source.left, buffer.size());
  taking_ = true;
  lock.unlock();
  source.copy_to(buffer.data(), size);
  lock.lock();
  taking_ = false;
  const bool over = source.left == 0 || closed_ || late_;
  if (source.left == 0) offered_ = nullptr;
  update_event();
  if (over) drained_.notify_one();
  return size;
}

base::Result<std::size_t> Ring::write(std::span<const cdr::Segment> data, base::Deadline deadline, bool some) {
  Source source(data);
  const std::size_t total = source.left;
  while (source.left != 0) {
    std::unique_lock lock(mutex_);
    if (!wanted_.empty() && used() == 0 && !closed_) {
      (void)give(lock, source);
      continue;
    }
    if (source.left > capacity_ && !deadline.is_now() && !closed_) {
      offer(lock, source, deadline);
      if (source.left == 0) break;
      if (closed_) return base::error(Stage::send, Code::lost);
      if (some) break;
      return base::error(Stage::send, Code::timed_out);
    }
    if (deadline.is_now() && !closed_ && used() == capacity_) break;
    writer_waits_ = true;
    const bool ready = wait_until(drained_, lock, deadline, [&] { return used() < capacity_ || closed_; });
    writer_waits_ = false;
    if (closed_) return base::error(Stage::send, Code::lost);
    if (!ready && some) break;
    if (!ready) return base::error(Stage::send, Code::timed_out);
    if (octets_ == nullptr) octets_ = std::make_unique_for_overwrite<base::Octet[]>(capacity_);
    const std::size_t room = std::min(capacity_ - used(), source.left);
    const auto begin = static_cast<std::size_t>(written_ % capacity_);
    lock.unlock();

    const std::size_t first = std::min(room, capacity_ - begin);
    source.copy_to(octets_.get() + begin, first);
    source.copy_to(octets_.get(), room - first);

    lock.lock();
    written_ += room;
    update_event();
    const bool wake = reader_waits_;
    lock.unlock();
    if (wake) filled_.notify_one();
    if (deadline.is_now()) break;
  }
  if (source.left == total && total != 0) return base::error(Stage::send, Code::would_block);
  return total - source.left;
}

base::Result<std::size_t> Ring::read(base::ByteSpan buffer, base::Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (!ready_to_read()) {
    if (deadline.is_now()) return base::error(Stage::receive, Code::would_block);
    reader_waits_ = true;
    wanted_ = buffer;
    const bool ready = wait_until(filled_, lock, deadline, [&] { return given_ != 0 || ready_to_read(); });
    filled_.wait(lock, [&] { return !giving_; });
    wanted_ = {};
    reader_waits_ = false;
    if (const std::size_t given = std::exchange(given_, 0); given != 0) {
      update_event();
      return given;
    }
    if (!ready) return base::error(Stage::receive, Code::timed_out);
  }
  if (used() == 0 && offered_ != nullptr) return take_offered(lock, buffer);
  const std::size_t size = std::min(used(), buffer.size());
  if (size == 0) {
    update_event();
    return base::error(Stage::receive, Code::closed);
  }
  const std::size_t begin = static_cast<std::size_t>(read_ % capacity_);
  lock.unlock();

  const std::size_t first = std::min(size, capacity_ - begin);
  base::copy_octets(buffer.data(), octets_.get() + begin, first);
  base::copy_octets(buffer.data() + first, octets_.get(), size - first);

  lock.lock();
  read_ += size;
  update_event();
  // A waiting writer is woken for a good piece of room, not for every octet; an empty ring is always enough.
  const bool wake = writer_waits_ && used() <= capacity_ / 2;
  lock.unlock();
  if (wake) drained_.notify_one();
  return size;
}

bool Ring::is_awaited() noexcept {
  const std::lock_guard lock(mutex_);
  return reader_waits_;
}

void Ring::close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  update_event();
  filled_.notify_all();
  drained_.notify_all();
}

int Ring::handle() noexcept {
  const std::lock_guard lock(mutex_);
  if (!event_.is_open()) {
    auto event = ipc::Event::open();
    if (!event) return ipc::Handle::kNone;
    event_ = *std::move(event);
    update_event();
  }
  return event_.handle();
}

void Ring::update_event() noexcept {
  if (!event_.is_open()) return;
  const bool wanted = ready_to_read() && !reader_waits_;
  if (wanted == event_is_set_) return;
  event_is_set_ = wanted;
  if (wanted) {
    event_.set();
  } else {
    event_.clear();
  }
}

}  // namespace corbel::transport::inproc

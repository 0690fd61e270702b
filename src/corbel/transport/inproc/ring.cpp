// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/inproc/ring.hpp"

#include <algorithm>
#include <cstring>

namespace corbel::transport::inproc {

using base::Code;
using base::Stage;

base::Result<std::size_t> Ring::write(std::span<const cdr::Segment> data, base::Deadline deadline, bool some) {
  std::size_t left = 0;
  for (const cdr::Segment& segment : data) left += segment.size;
  const std::size_t total = left;
  std::size_t index = 0;
  std::size_t offset = 0;
  while (left != 0) {
    std::unique_lock lock(mutex_);
    if (deadline.is_now() && !closed_ && used() == capacity_) break;
    writer_waits_ = true;
    const bool ready = wait_until(drained_, lock, deadline, [&] { return used() < capacity_ || closed_; });
    writer_waits_ = false;
    if (closed_) return base::error(Stage::send, Code::lost);
    if (!ready && some) break;
    if (!ready) return base::error(Stage::send, Code::timed_out);
    if (octets_ == nullptr) octets_ = std::make_unique_for_overwrite<base::Octet[]>(capacity_);
    const std::size_t room = std::min(capacity_ - used(), left);
    const std::uint64_t begin = written_;
    lock.unlock();

    for (std::size_t done = 0; done < room;) {
      const std::size_t size = std::min(data[index].size - offset, room - done);
      put(begin + done, static_cast<const base::Octet*>(data[index].data) + offset, size);
      done += size;
      offset += size;
      if (offset == data[index].size) {
        ++index;
        offset = 0;
      }
    }

    lock.lock();
    written_ += room;
    left -= room;
    update_event();
    const bool wake = reader_waits_;
    lock.unlock();
    if (wake) filled_.notify_one();
    if (deadline.is_now()) break;
  }
  if (left == total && total != 0) return base::error(Stage::send, Code::would_block);
  return total - left;
}

base::Result<std::size_t> Ring::read(base::ByteSpan buffer, base::Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (!ready_to_read()) {
    if (deadline.is_now()) return base::error(Stage::receive, Code::would_block);
    reader_waits_ = true;
    const bool ready = wait_until(filled_, lock, deadline, [&] { return ready_to_read(); });
    reader_waits_ = false;
    if (!ready) return base::error(Stage::receive, Code::timed_out);
  }
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
  // A writer that waits is woken for a good piece of room, not for every octet; an empty ring is always enough.
  const bool wake = writer_waits_ && used() <= capacity_ / 2;
  lock.unlock();
  if (wake) drained_.notify_one();
  return size;
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

void Ring::put(std::uint64_t at, const base::Octet* data, std::size_t size) noexcept {
  if (size == 0) return;
  const std::size_t begin = static_cast<std::size_t>(at % capacity_);
  const std::size_t first = std::min(size, capacity_ - begin);
  base::copy_octets(octets_.get() + begin, data, first);
  base::copy_octets(octets_.get(), data + first, size - first);
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

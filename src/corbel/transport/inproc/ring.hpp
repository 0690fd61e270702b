// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/base/result.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/ipc/event.hpp"

namespace corbel::transport::inproc {

/// Waits for `condition` until the deadline; true if it came about. Rechecks the deadline by its own clock.
template <class Condition>
bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, base::Deadline deadline,
                Condition condition) {
  while (!condition()) {
    if (deadline.is_none()) {
      changed.wait(lock);
    } else if (deadline.expired()) {
      return false;
    } else {
      changed.wait_for(lock, deadline.remaining());
    }
  }
  return true;
}

/// One direction of a conversation: a bounded queue of octets between one writing and one reading thread. Octets are
/// copied outside the lock; and once only, from where they lie to where the reader wants them, if it waits for them, or
/// if they are more than the queue holds. close() may come from any thread, any number of times.
class Ring {
 public:
  explicit Ring(std::size_t capacity) noexcept : capacity_(capacity) {}

  /// As Transport::send(): a full ring holds the writer up. With `some`, as Transport::send_some().
  base::Result<std::size_t> write(std::span<const cdr::Segment> data, base::Deadline deadline, bool some = false);
  /// As Transport::receive(): what was written before close() can still be read.
  base::Result<std::size_t> read(base::ByteSpan buffer, base::Deadline deadline);
  void close() noexcept;
  /// True if read() would return at once. For the reader; takes no lock, so it may ask again and again.
  bool ready_to_read() const noexcept {
    return written_ != read_ || closed_ || offered_.load(std::memory_order_relaxed) != nullptr;
  }
  /// True if a thread waits in read().
  bool is_awaited() noexcept;
  /// A handle that is readable while there is something to read and no thread waits in read() for it; made when first
  /// asked for. -1 if the system has none left.
  int handle() noexcept;

 private:
  struct Source;

  std::size_t used() const noexcept { return static_cast<std::size_t>(written_ - read_); }
  std::size_t give(std::unique_lock<std::mutex>& lock, Source& source);
  void offer(std::unique_lock<std::mutex>& lock, Source& source, base::Deadline deadline);
  std::size_t take_offered(std::unique_lock<std::mutex>& lock, base::ByteSpan buffer);
  void update_event() noexcept;

  const std::size_t capacity_;
  std::unique_ptr<base::Octet[]> octets_;  // made by the first write; the writer fills what the reader does not look at

  std::mutex mutex_;  // guards what follows
  std::condition_variable filled_;
  std::condition_variable drained_;
  std::atomic<std::uint64_t> written_ =
      0;                              // octets in all; only the writer changes it; without the mutex: ready_to_read
  std::uint64_t read_ = 0;            // octets in all; only the reader changes it
  std::atomic<bool> closed_ = false;  // likewise
  bool reader_waits_ = false;
  bool writer_waits_ = false;
  base::ByteSpan wanted_;                   // where a reader waits for octets; empty if none does, or they are there
  bool giving_ = false;                     // the writer fills that: the reader may not leave
  std::size_t given_ = 0;                   // octets of it that the writer has filled
  std::atomic<Source*> offered_ = nullptr;  // what a writer waits for the reader to take; likewise
  bool taking_ = false;                     // the reader does: the writer may not leave
  bool late_ = false;                       // it would
  bool event_is_set_ = false;
  ipc::Event event_;
};

}  // namespace corbel::transport::inproc

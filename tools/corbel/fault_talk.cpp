// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fault.hpp"
#include "giop_octets.hpp"

namespace corbel::tool {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::size_t kMostQueued = 16 << 20;      // octets of one way that wait; a side that sends more waits, too
constexpr std::size_t kLargestMessage = 16 << 20;  // beyond it pieces are as they come
constexpr std::size_t kMostWaiting = 64 << 20;     // of all connections, and then a little of each:
constexpr std::size_t kLeastQueued = 256 << 10;

Clock::duration milliseconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(Milliseconds(count));
}

}  // namespace

/// What waits is sent, unless the link is cut.
FaultTalk::~FaultTalk() {
  for (Lane& lane : lanes_) {
    {
      const std::lock_guard lock(lane.mutex);
      lane.ended = true;
    }
    lane.changed.notify_all();
    if (lane.sender.joinable()) lane.sender.join();
    rules_.waiting() -= lane.queued + lane.partial.size();
  }
}

bool FaultTalk::octets(Way way, base::ConstByteSpan octets, Link& link) {
  Lane& lane = lanes_[index(way)];
  if (!lane.sender.joinable()) lane.sender = std::thread([this, way, &link] { send_all(way, link); });
  lane.partial.insert(lane.partial.end(), octets.begin(), octets.end());
  rules_.waiting() += octets.size();
  for (;;) {
    const base::ConstByteSpan rest(lane.partial);
    if (rest.empty()) break;
    if (!lane.raw && !is_giop(rest)) lane.raw = true;
    std::size_t size = rest.size();
    if (!lane.raw) {
      if (rest.size() < kGiopHeader) break;
      const std::size_t others = rules_.waiting() - rest.size();
      const std::size_t left = kMostWaiting - std::min(kMostWaiting, others);
      if (giop_size(rest) > std::clamp(left, kLeastQueued, kLargestMessage))
        lane.raw = true;
      else
        size = giop_size(rest);
    }
    if (rest.size() < size) break;
    base::Bytes whole(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
    lane.partial.erase(lane.partial.begin(), lane.partial.begin() + static_cast<std::ptrdiff_t>(size));
    rules_.waiting() -= size;
    message(way, std::move(whole));
  }
  const std::lock_guard lock(lane.mutex);
  return !lane.gone;
}

/// Decides what becomes of a message.
void FaultTalk::message(Way way, base::Bytes octets) {
  const Faults faults = rules_.of(way);
  FaultCounts& counts = rules_.counts();
  Lane& lane = lanes_[index(way)];
  ++counts.messages;
  counts.octets += octets.size();
  if (rules_.silent() || rules_.happens(faults.drop)) {
    ++counts.dropped;
    return;
  }
  if (octets.size() > kGiopHeader && rules_.happens(faults.corrupt)) {
    const std::size_t first = lane.raw ? 0 : kGiopHeader;
    auto& octet = octets[first + rules_.below(octets.size() - first)];
    octet = static_cast<base::Octet>(octet ^ (1 + rules_.below(255)));
    ++counts.corrupted;
  }
  if (lane.held.empty() && rules_.happens(faults.reorder)) {
    lane.held = std::move(octets);
    return;
  }
  const bool twice = rules_.happens(faults.duplicate);
  if (twice) ++counts.duplicated;
  const base::Bytes copy = twice ? octets : base::Bytes();
  put(way, std::move(octets));
  if (twice) put(way, copy);
  if (!lane.held.empty()) {
    ++counts.reordered;
    put(way, std::exchange(lane.held, {}));
  }
}

/// Into the queue, with the time at which it may leave: never before those that came before it.
void FaultTalk::put(Way way, base::Bytes octets) {
  const Faults faults = rules_.of(way);
  Lane& lane = lanes_[index(way)];
  auto due = Clock::now() + milliseconds(faults.delay_ms);
  if (faults.jitter_ms > 0)
    due += milliseconds(faults.jitter_ms * static_cast<double>(rules_.below(1 << 20)) / (1 << 20));
  if (faults.delay_ms > 0 || faults.jitter_ms > 0) ++rules_.counts().delayed;
  due = std::max(due, lane.last_due);
  lane.last_due = due;
  std::unique_lock lock(lane.mutex);
  lane.changed.wait(lock, [&] {
    const bool roomy = lane.queued < kMostQueued && rules_.waiting() < kMostWaiting;
    return lane.gone || roomy || lane.queued < kLeastQueued;
  });
  lane.queued += octets.size();
  rules_.waiting() += octets.size();
  lane.queue.push_back({std::move(octets), due});
  lane.changed.notify_all();
}

void FaultTalk::end(Way way, Link& link) {
  Lane& lane = lanes_[index(way)];
  if (!lane.held.empty()) put(way, std::exchange(lane.held, {}));  // nothing is left to overtake it
  rules_.waiting() -= lane.partial.size();
  if (!lane.partial.empty()) put(way, std::exchange(lane.partial, {}));
  if (!lane.sender.joinable()) return link.finish(way);
  const std::lock_guard lock(lane.mutex);
  lane.ended = true;
  lane.changed.notify_all();
}

/// False if the link is cut before then; that wakes no thread here, so it is looked for.
bool FaultTalk::wait(Clock::time_point until, const Link& link) {
  constexpr auto kTurn = std::chrono::milliseconds(100);
  for (auto now = Clock::now(); now < until; now = Clock::now()) {
    if (link.broken()) return false;
    std::this_thread::sleep_until(std::min(until, now + kTurn));
  }
  return !link.broken();
}

void FaultTalk::send_all(Way way, Link& link) {
  Lane& lane = lanes_[index(way)];
  std::unique_lock lock(lane.mutex);
  for (;;) {
    lane.changed.wait(lock, [&] { return lane.ended || !lane.queue.empty(); });
    if (lane.queue.empty()) {
      lock.unlock();
      return link.finish(way);
    }
    const Piece piece = std::move(lane.queue.front());
    lane.queue.pop_front();
    lock.unlock();
    const bool sent = wait(piece.due, link) && send(way, piece, link);
    lock.lock();
    lane.queued -= piece.octets.size();
    rules_.waiting() -= piece.octets.size();
    lane.gone = !sent;
    lane.changed.notify_all();
    if (!sent) return;
  }
}

/// In pieces, at the rate, up to the octet at which the connection is cut.
bool FaultTalk::send(Way way, const Piece& piece, Link& link) {
  constexpr double kPiecesPerSecond = 50;
  Lane& lane = lanes_[index(way)];
  base::ConstByteSpan rest(piece.octets);
  auto next = Clock::now();
  while (!rest.empty()) {
    const Faults faults = rules_.of(way);
    std::size_t size = faults.split > 0 ? std::min(faults.split, rest.size()) : rest.size();
    if (faults.throttle > 0)
      size = std::min(size, std::max<std::size_t>(1, static_cast<std::size_t>(faults.throttle / kPiecesPerSecond)));
    const bool cuts = faults.cut_after > 0 && lane.sent + size >= faults.cut_after;
    if (cuts) size = faults.cut_after > lane.sent ? static_cast<std::size_t>(faults.cut_after - lane.sent) : 0;
    if (size > 0 && !link.send(way, rest.first(size))) return false;
    lane.sent += size;
    rest = rest.subspan(size);
    if (cuts) {
      ++rules_.counts().cut;
      link.cut(true);
      return false;
    }
    if (faults.throttle <= 0) continue;
    constexpr double kLongest = 86'400'000;  // ms: beyond what any clock counts otherwise
    next += milliseconds(std::min(kLongest, 1000.0 * static_cast<double>(size) / faults.throttle));
    if (!wait(next, link)) return false;
  }
  return true;
}

}  // namespace corbel::tool

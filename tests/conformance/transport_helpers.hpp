// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "conformance/transport_conformance.hpp"
#include "corbel/ipc/handle.hpp"

namespace corbel::conformance {

using base::Bytes;
using base::Code;
using base::Deadline;
using base::Stage;
using cdr::Segment;
using transport::EndpointPtr;
using transport::Options;
using transport::Traits;
using transport::Transport;
using namespace std::chrono_literals;

inline constexpr auto kPatience = 90s;  // for what must happen; only a failing test waits so long

/// Octets that differ from their neighbours and from those one ring or one buffer further on. Made once: with a
/// sanitizer an octet takes longer to make than to carry.
inline Bytes pattern(std::size_t size, std::uint32_t seed = 1) {
  struct Known {
    Bytes octets;
    std::uint32_t state;
  };
  static std::mutex mutex;
  static std::map<std::uint32_t, Known> all;
  const std::lock_guard lock(mutex);
  auto& [octets, state] = all.try_emplace(seed, Known{{}, seed * 2654435761U + 1}).first->second;
  const std::size_t before = octets.size();
  if (before < size) octets.resize(size);
  for (base::Octet *at = octets.data() + before, *const end = octets.data() + octets.size(); at != end; ++at) {
    state = state * 1664525U + 1013904223U;
    *at = static_cast<base::Octet>(state >> 24);
  }
  return {octets.data(), octets.data() + size};
}

inline std::vector<Segment> split(const Bytes& octets, std::size_t piece) {
  std::vector<Segment> list;
  for (std::size_t at = 0; at < octets.size(); at += piece) {
    list.push_back({octets.data() + at, std::min(piece, octets.size() - at)});
  }
  return list;
}

/// Octets that one send() may have.
inline std::size_t largest(const Transport& transport) {
  const std::size_t limit = transport.traits().largest_message;
  return limit == 0 ? static_cast<std::size_t>(-1) : limit;
}

/// All of it, in as many messages as it takes; how many octets, or the failure that ended it.
inline base::Result<std::size_t> send(Transport& transport, const Bytes& octets,
                                      Deadline deadline = Deadline::after(kPatience)) {
  std::size_t sent = 0;
  do {
    const Segment piece{octets.data() + sent, std::min(octets.size() - sent, largest(transport))};
    auto count = transport.send({&piece, 1}, deadline);
    if (!count) return count;
    sent += *count;
  } while (sent < octets.size());
  return sent;
}

/// Exactly `size` octets, or what came before a failure.
inline Bytes receive(Transport& transport, std::size_t size) {
  const Traits traits = transport.traits();
  Bytes octets;
  Bytes room(traits.byte_stream ? size : traits.largest_message);
  while (octets.size() < size) {
    const std::size_t wanted = traits.byte_stream ? size - octets.size() : room.size();
    const auto count = transport.receive(base::ByteSpan(room).first(wanted), Deadline::after(kPatience));
    if (!count) {
      ADD_FAILURE() << base::to_string(count.error()) << " after " << octets.size() << " octets";
      break;
    }
    octets.insert(octets.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
  }
  return octets;
}

inline bool ready(int handle) {
  return ipc::wait_ready(handle, ipc::Ready::readable, Deadline::now(), Stage::wait).ok();
}
inline bool becomes_ready(int handle) {
  return ipc::wait_ready(handle, ipc::Ready::readable, Deadline::after(kPatience), Stage::wait).ok();
}
/// True if there is something to receive, as the port says it: the handle tells, or the carrier does. One without a
/// handle is asked for it: what was there is lost.
inline bool ready(Transport& transport) {
  if (transport.pending()) return true;
  if (transport.handle() >= 0) return ready(transport.handle());
  Bytes room(std::max<std::size_t>(transport.traits().largest_message, 1));
  const auto received = transport.receive(room, Deadline::now());
  return received || received.error().code != Code::would_block;
}
/// Waits for that. One without a handle waits in receive(), which is what comes next.
inline bool becomes_ready(const Transport& transport) {
  return transport.pending() || transport.handle() < 0 || becomes_ready(transport.handle());
}

/// A thread of which one can tell that it is blocked in the system.
class Worker {
 public:
  explicit Worker(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          id_ = static_cast<long>(::syscall(SYS_gettid));
          work();
          done_ = true;
        }) {}
  ~Worker() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  /// Waits until the thread sleeps in a system call (or has ended).
  void until_asleep() const {
    for (int in_a_row = 0; in_a_row < 20 && !done_;) {
      std::this_thread::yield();
      if (id_ == 0) continue;
      std::ifstream file("/proc/self/task/" + std::to_string(id_.load()) + "/stat");
      std::string text;
      std::getline(file, text);
      const std::size_t state = text.rfind(')');
      in_a_row = state != std::string::npos && text.compare(state, 3, ") S") == 0 ? in_a_row + 1 : 0;
    }
  }

 private:
  std::atomic<long> id_{0};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace corbel::conformance

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
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
using transport::Transport;
using namespace std::chrono_literals;

inline constexpr auto kPatience = 20s;  // for what must happen; only a failing test waits so long

/// Octets that differ from their neighbours and from those one ring or one buffer further on.
inline Bytes pattern(std::size_t size, std::uint32_t seed = 1) {
  Bytes octets(size);
  std::uint32_t state = seed * 2654435761U + 1;
  for (auto& octet : octets) {
    state = state * 1664525U + 1013904223U;
    octet = static_cast<base::Octet>(state >> 24);
  }
  return octets;
}

inline std::vector<Segment> split(const Bytes& octets, std::size_t piece) {
  std::vector<Segment> list;
  for (std::size_t at = 0; at < octets.size(); at += piece) {
    list.push_back({octets.data() + at, std::min(piece, octets.size() - at)});
  }
  return list;
}

inline base::Result<std::size_t> send(Transport& transport, const Bytes& octets,
                                      Deadline deadline = Deadline::after(kPatience)) {
  const Segment whole{octets.data(), octets.size()};
  return transport.send({&whole, 1}, deadline);
}

/// Exactly `size` octets, or what came before a failure.
inline Bytes receive(Transport& transport, std::size_t size) {
  Bytes octets(size);
  std::size_t done = 0;
  while (done < size) {
    const auto count = transport.receive(base::ByteSpan(octets).subspan(done), Deadline::after(kPatience));
    if (!count) {
      ADD_FAILURE() << base::to_string(count.error()) << " after " << done << " octets";
      break;
    }
    done += *count;
  }
  octets.resize(done);
  return octets;
}

inline bool ready(int handle) {
  return ipc::wait_ready(handle, ipc::Ready::readable, Deadline::now(), Stage::wait).ok();
}
inline bool becomes_ready(int handle) {
  return ipc::wait_ready(handle, ipc::Ready::readable, Deadline::after(kPatience), Stage::wait).ok();
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

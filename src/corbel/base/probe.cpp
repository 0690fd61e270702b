// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/probe.hpp"

#ifdef CORBEL_PROBES

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>
#include <vector>

namespace corbel::base {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
#endif
}

/// Written by one thread, read when the process ends.
class Ring {
 public:
  void note(const char* layer) noexcept {
    const std::size_t count = count_.load(std::memory_order_relaxed);
    events_[count % events_.size()] = {layer, ticks()};
    count_.store(count + 1, std::memory_order_release);
  }

  void write(std::ostream& out) const {
    const std::size_t count = count_.load(std::memory_order_acquire);
    out << "thread\n";
    for (std::size_t i = count > events_.size() ? count - events_.size() : 0; i < count; ++i) {
      const Event& event = events_[i % events_.size()];
      out << event.ticks << ' ' << event.layer << '\n';
    }
  }

 private:
  struct Event {
    const char* layer;
    std::uint64_t ticks;
  };
  std::array<Event, 65536> events_{};
  std::atomic<std::size_t> count_{0};
};

/// All rings of the process. Never destroyed: threads may still run while the process ends.
class Rings {
 public:
  static Rings& all() {
    static Rings* const rings = new Rings;
    return *rings;
  }

  Ring* add() {
    const std::lock_guard lock(mutex_);
    rings_.reserve(rings_.size() + 1);
    rings_.push_back(new Ring);
    return rings_.back();
  }

 private:
  Rings() {
    std::atexit([] { all().write(); });
  }

  void write() {
    const char* const path = std::getenv("CORBEL_PROBE_FILE");
    if (path == nullptr) return;
    const std::uint64_t passed = ticks() - begin_ticks_;
    const std::chrono::duration<double> seconds = Clock::now() - begin_;
    std::ofstream file(path, std::ios::trunc);
    file << "ticks_per_second " << static_cast<std::uint64_t>(static_cast<double>(passed) / seconds.count()) << '\n';
    const std::lock_guard lock(mutex_);
    for (const Ring* ring : rings_) ring->write(file);
  }

  const std::uint64_t begin_ticks_ = ticks();
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::vector<Ring*> rings_;
};

Ring* new_ring() noexcept {
  try {
    return Rings::all().add();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void probe(const char* layer) noexcept {
  thread_local Ring* const ring = new_ring();
  if (ring != nullptr) ring->note(layer);
}

}  // namespace corbel::base

#endif

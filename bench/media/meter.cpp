// SPDX-License-Identifier: Apache-2.0
// Copies are counted where they are made: this program's own memcpy, memmove, send and receive functions stand before
// those of the C library, for all of the program and its libraries.
#include "media/meter.hpp"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace {

constexpr std::size_t kCounts = 512;  // octets: smaller ones are no copies of content
std::atomic<std::uint64_t> g_copied{0};
std::atomic<bool> g_counting{false};
int g_instructions = -1;

void count(std::size_t octets) noexcept {
  if (octets >= kCounts && g_counting.load(std::memory_order_relaxed))
    g_copied.fetch_add(octets, std::memory_order_relaxed);
}
ssize_t counted(ssize_t octets) noexcept {
  if (octets > 0) count(static_cast<std::size_t>(octets));
  return octets;
}

/// The function of the C library behind ours.
template <class Function>
Function* next(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// NOLINTBEGIN: names and parameters are those of the C library
void* memmove(void* to, const void* from, std::size_t size) noexcept {
  static auto* const real = next<void*(void*, const void*, std::size_t)>("memmove");
  count(size);
  return real(to, from, size);
}
void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) noexcept {
  static auto* const real = next<void*(void*, const void*, std::size_t)>("memmove");
  count(size);
  return real(to, from, size);
}
ssize_t sendmsg(int handle, const msghdr* message, int flags) {
  static auto* const real = next<ssize_t(int, const msghdr*, int)>("sendmsg");
  return counted(real(handle, message, flags));
}
ssize_t send(int handle, const void* data, std::size_t size, int flags) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t, int)>("send");
  return counted(real(handle, data, size, flags));
}
ssize_t recv(int handle, void* data, std::size_t size, int flags) {
  static auto* const real = next<ssize_t(int, void*, std::size_t, int)>("recv");
  return counted(real(handle, data, size, flags));
}
ssize_t recvfrom(int handle, void* data, std::size_t size, int flags, sockaddr* from, socklen_t* length) {
  static auto* const real = next<ssize_t(int, void*, std::size_t, int, sockaddr*, socklen_t*)>("recvfrom");
  return counted(real(handle, data, size, flags, from, length));
}
ssize_t recvmsg(int handle, msghdr* message, int flags) {
  static auto* const real = next<ssize_t(int, msghdr*, int)>("recvmsg");
  return counted(real(handle, message, flags));
}
// NOLINTEND
}
#pragma GCC visibility pop

namespace media {

void start_meters() {
  g_counting = true;
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_INSTRUCTIONS;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.inherit = 1;
  g_instructions = static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Cost cost_so_far() {
  Cost cost;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto microseconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  cost.processor_us = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
  std::uint64_t value = 0;
  if (g_instructions >= 0 && read(g_instructions, &value, sizeof value) == sizeof value) cost.instructions = value;
  cost.copied = g_copied.load(std::memory_order_relaxed);
  return cost;
}

}  // namespace media

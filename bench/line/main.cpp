// SPDX-License-Identifier: Apache-2.0
// corbel-bench-line PID DEVICE PID DEVICE BITS_PER_SECOND DELAY_NS OVERHEAD LEAST IN_CELLS QUEUE
//
// Makes a device in the network namespace of each of two processes and carries packets between them as the line that
// line/wire.hpp describes. Says "ready"; from then on answers each line of its input with what went over it, "PACKETS
// OCTETS FRAMED_OCTETS" of both directions together. Ends with its input.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "line/wire.hpp"

namespace {

constexpr std::size_t kMostInPacket = 65536;

void check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what + ": " + std::strerror(errno));
}

std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

/// A device of packets without a link layer in the network namespace of a process; this process is in it afterwards.
int make_device(const std::string& process, const std::string& name) {
  const std::string path = "/proc/" + process + "/ns/net";
  const int space = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(space >= 0, path);
  const bool entered = setns(space, CLONE_NEWNET) == 0;
  close(space);
  check(entered, path);
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  check(device >= 0, "/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  name.copy(static_cast<char*>(request.ifr_name), IFNAMSIZ - 1);
  check(ioctl(device, TUNSETIFF, &request) == 0, name);
  return device;
}

/// A direction of the line: what comes from one device goes to the other.
struct Way {
  int from;
  int to;
  line::Wire wire;

  void take_in() {
    static std::array<char, kMostInPacket> room;
    for (;;) {
      const ssize_t got = read(from, room.data(), room.size());
      if (got <= 0) return;  // no more, or the device is down
      wire.put({room.data(), room.data() + got}, now_ns());
    }
  }
  void give_out() {
    for (auto due = wire.next(); due && *due <= now_ns(); due = wire.next()) {
      const std::vector<char> packet = wire.take();
      // What a device that is down does not take is lost, as on any line.
      while (write(to, packet.data(), packet.size()) < 0 && errno == EINTR) {
      }
    }
  }
};

/// Until one of the devices or the input has something, or the next packet is due.
void wait(std::array<pollfd, 3>& ready, const std::array<Way, 2>& ways) {
  std::optional<std::uint64_t> due;
  for (const Way& way : ways) {
    const auto next = way.wire.next();
    if (next && (!due || *next < *due)) due = next;
  }
  const std::uint64_t now = now_ns();
  const std::uint64_t left = due && *due > now ? *due - now : 0;
  const timespec time{static_cast<time_t>(left / 1'000'000'000U), static_cast<long>(left % 1'000'000'000U)};
  if (ppoll(ready.data(), ready.size(), due ? &time : nullptr, nullptr) < 0) {
    check(errno == EINTR, "ppoll");
    for (pollfd& one : ready) one.revents = 0;
  }
}

/// False if the input has ended.
bool answer(const std::array<Way, 2>& ways) {
  std::array<char, 256> line;
  const ssize_t got = read(STDIN_FILENO, line.data(), line.size());
  if (got <= 0) return got < 0 && errno == EINTR;
  const auto sum = [&](auto count) {
    return static_cast<unsigned long long>((ways[0].wire.*count)() + (ways[1].wire.*count)());
  };
  std::printf("%llu %llu %llu\n", sum(&line::Wire::packets), sum(&line::Wire::octets), sum(&line::Wire::framed));
  std::fflush(stdout);
  return true;
}

void serve(char** words) {
  const int near = make_device(words[0], words[1]);
  const int far = make_device(words[2], words[3]);
  const auto whole = [&](std::size_t place) { return std::strtoull(words[place], nullptr, 10); };
  line::Nature nature;
  nature.bits_per_second = std::strtod(words[4], nullptr);
  if (!(nature.bits_per_second > 0)) throw std::runtime_error("no rate");
  nature.delay_ns = whole(5);
  nature.overhead = whole(6);
  nature.least = whole(7);
  nature.in_cells = whole(8) != 0;
  nature.queue = whole(9);
  prctl(PR_SET_TIMERSLACK, 1UL);
  std::array<Way, 2> ways{Way{near, far, line::Wire(nature)}, Way{far, near, line::Wire(nature)}};
  std::puts("ready");
  std::fflush(stdout);
  std::array<pollfd, 3> ready{{{near, POLLIN, 0}, {far, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
  for (;;) {
    wait(ready, ways);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (ready[i].revents != 0) ways[i].take_in();
      ways[i].give_out();
    }
    if (ready[2].revents != 0 && !answer(ways)) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kWords = 10;
  if (argc != kWords + 1) {
    std::fprintf(stderr, "usage: %s PID DEVICE PID DEVICE BITS_PER_SECOND DELAY_NS OVERHEAD LEAST IN_CELLS QUEUE\n",
                 argv[0]);
    return 2;
  }
  try {
    serve(argv + 1);
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "corbel-bench-line: %s\n", failure.what());
    return 1;
  }
}

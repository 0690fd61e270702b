// SPDX-License-Identifier: Apache-2.0
// What the programs of the laboratory have in common. One program per mechanism, with one command line:
//
//     PROGRAM about                                   prints its name and version, such as "omniORB 4.2.5"
//     PROGRAM server PROTOCOL TRANSPORT PATH          prints "ready REFERENCE", then serves until it is terminated
//     PROGRAM client PROTOCOL TRANSPORT REFERENCE     prints "ready", then obeys the commands on standard input
//
// TRANSPORT is tcp or unix; PATH is where a unix socket goes. A command is a line, and so is its answer:
//
//     ping N                    N void two-way calls one after the other -> "ok NANOSECONDS"
//     latency N                 the same, each timed -> "ok P50 P99 P999" in nanoseconds
//     stream TYPE BUFFER N      N oneway calls with a sequence of TYPE (octet or struct) that fills BUFFER octets, then
//     a
//                               two-way call that returns when all have arrived -> "ok NANOSECONDS OCTETS"
//
// or "failed WHY". A program ends with its input, and with its parent.
#pragma once

#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace peer {

/// The kernel ends this process with its parent; a clock ends it in any case.
inline void end_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  alarm(1800);
}

inline void announce(const std::string& reference) {
  std::printf(reference.empty() ? "ready\n" : "ready %s\n", reference.c_str());
  std::fflush(stdout);
}

inline std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

template <class Client>
void run_ping(Client& client, unsigned long count) {
  const std::uint64_t begin = now_ns();
  for (unsigned long i = 0; i < count; ++i) client.ping();
  std::printf("ok %llu\n", static_cast<unsigned long long>(now_ns() - begin));
}

template <class Client>
void run_latency(Client& client, unsigned long count) {
  std::vector<std::uint64_t> times(std::max(count, 1UL));
  std::uint64_t last = now_ns();
  for (std::uint64_t& time : times) {
    client.ping();
    const std::uint64_t now = now_ns();
    time = now - last;
    last = now;
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t per_mille) {
    return static_cast<unsigned long long>(times[std::min(times.size() * per_mille / 1000, times.size() - 1)]);
  };
  std::printf("ok %llu %llu %llu\n", at(500), at(990), at(999));
}

/// `Client::stream(type, buffer, count)` returns the octets of user data that arrived.
template <class Client>
void run_stream(Client& client, const std::string& type, unsigned long buffer, unsigned long count) {
  if ((type != "octet" && type != "struct") || buffer < 24 || buffer > (64UL << 20))
    throw std::runtime_error("bad stream");
  const auto prepared = client.prepare(type, buffer);
  const std::uint64_t begin = now_ns();
  const std::uint64_t octets = client.stream(prepared, count);
  std::printf("ok %llu %llu\n", static_cast<unsigned long long>(now_ns() - begin),
              static_cast<unsigned long long>(octets));
}

template <class Client>
void obey(Client& client, const char* command) {
  char type[16] = "";
  unsigned long first = 0;
  unsigned long second = 0;
  if (std::sscanf(command, "ping %lu", &first) == 1) return run_ping(client, first);
  if (std::sscanf(command, "latency %lu", &first) == 1) return run_latency(client, first);
  if (std::sscanf(command, "stream %15s %lu %lu", type, &first, &second) == 3) {
    return run_stream(client, type, first, second);
  }
  throw std::runtime_error("no such command");
}

/// Obeys commands until the input ends. `Describe` turns the mechanism's exceptions into text.
template <class Client>
int command_loop(Client& client) {
  announce("");
  char line[256];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    try {
      obey(client, line);
    } catch (const std::exception& failure) {
      std::printf("failed %s\n", failure.what());
    }
    std::fflush(stdout);
  }
  return 0;
}

/// Mechanism: about() -> text, serve(protocol, transport, path), run_client(protocol, transport, reference) -> status.
template <class Mechanism>
int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  try {
    if (role == "about") {
      std::printf("%s\n", Mechanism::about().c_str());
      return 0;
    }
    if (argc != 5 || (role != "server" && role != "client")) {
      std::fprintf(stderr, "usage: %s about | server PROTOCOL TRANSPORT PATH | client PROTOCOL TRANSPORT REFERENCE\n",
                   argv[0]);
      return 2;
    }
    end_with_parent();
    if (role == "client") return Mechanism::run_client(argv[2], argv[3], argv[4]);
    Mechanism::serve(argv[2], argv[3], argv[4]);
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 1;
  }
}

}  // namespace peer

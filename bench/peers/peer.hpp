// SPDX-License-Identifier: Apache-2.0
// What the programs of the laboratory have in common. One program per mechanism, with one command line:
//
//     PROGRAM about                                   prints what it is and can do (see About)
//     PROGRAM server PROTOCOL TRANSPORT WHERE         prints "ready REFERENCE", then serves until it is terminated
//     PROGRAM client PROTOCOL TRANSPORT REFERENCE     prints "ready", then obeys the commands on standard input
//
// WHERE is the path of a local socket (unix, shm), or the Internet address to listen on. Environment variables tell
// more: CORBEL_BENCH_QUEUE sets both socket queues, in octets; CORBEL_BENCH_THREADS makes servers without an ORB serve
// several connections at the same time; CORBEL_NO_DELAY=off leaves out TCP_NODELAY. A command is a line, and so is its
// answer:
//
//     ping N                         N void two-way calls one after the other -> "ok NANOSECONDS"
//     latency N PAYLOAD              N two-way calls with so many octets, each timed, the next when the last is done
//                                    -> "ok P50 P90 P99 P999 MAX" in nanoseconds
//     paced N PERIOD PAYLOAD         the same at fixed times, PERIOD nanoseconds apart; a call is timed from when it
//                                    was due, however late it began
//     threads T N                    T threads make N void calls each, all at the same time -> "ok NANOSECONDS"
//     fan C N                        N void calls, one after the other, over C connections in turn -> "ok NANOSECONDS".
//                                    REFERENCE has a '*' for the numbers from 0 on, each of which leads to the server
//     until-good PAUSE               void calls, PAUSE microseconds after each that failed, until one succeeds
//                                    -> "ok NANOSECONDS FAILURES"
//     endure PAUSE                   void calls, PAUSE microseconds after each, whatever becomes of them, until another
//                                    line comes -> "ok FAILURES GAP END": the longest time without a call that
//                                    succeeds (if any failed: among those with failures), and when it ended
//                                    (CLOCK_MONOTONIC), both in nanoseconds
//     stream MODE TYPE BUFFER N      N calls, MODE oneway or twoway, with as much of TYPE as fits into BUFFER octets;
//                                    waits until all has arrived -> "ok NANOSECONDS OCTETS". With MODE ring the data
//                                    come back from the server, and are counted both ways; MODE buffered are oneway
//                                    calls that are kept back until 100 leave together. Where some may get lost
//                                    (udp, oneway only), OCTETS are those that arrived, and a third number those sent
//     async HOW WINDOW N             N void calls by futures, pollers, handlers, coroutines or deferred (requests of
//     the
//                                    DII), WINDOW of them under way -> "ok NANOSECONDS"
//     operation ORDER MODE N         N calls to the first, the last or each in turn of a hundred operations, MODE as
//                                    in stream; waits until all are done -> "ok NANOSECONDS"
//     value WHAT N                   N two-way calls with a value of values.idl -> "ok NANOSECONDS"
//     cube WHAT N                    N two-way calls that return their argument cubed -> "ok NANOSECONDS"
//
// or "failed WHY". A program ends with its input, and with its parent.
#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "peers/clock.hpp"
#include "peers/endurance.hpp"

namespace peer {

/// What a program says of itself: the name on the first line, then a line for each list of words.
struct About {
  std::string name;                  ///< and version, such as "omniORB 4.2.5"
  std::string protocols = "none";    ///< what PROTOCOL may be
  std::string transports = "tcp";    ///< what TRANSPORT may be
  std::string commands = "latency";  ///< beyond ping: latency, threads, fan, oneway, twoway, ring, buffered (of
                                     ///< stream), cube, async, queues, delays, spins
  std::string types = "octet";       ///< of streams
};

inline constexpr const char* kAllTypes = "char octet short long double string struct";
/// Of those that send any memory as it lies.
inline constexpr const char* kPlainTypes = "char octet short long double string struct padded";

/// Stream of one kind of call: `run(count)` makes the calls and returns when all has arrived.
struct Flow {
  std::uint64_t octets;  ///< of user data in one call
  std::function<void(unsigned long count)> run;
  std::function<std::uint64_t()> arrived = {};  ///< octets of the last run, where some may get lost
};

/// A ring's data come back whole. Throws std::runtime_error if not.
inline void check_ring(std::size_t sent, std::size_t back) {
  if (back != sent) throw std::runtime_error("not all came back");
}

/// The papers' BinStruct as a C programmer lays it out.
struct BinStruct {
  short s;
  char c;
  int l;
  unsigned char o;
  double d;
};

/// The same made as large as a power of two, as the papers did: then any number of them fills a buffer.
union PaddedBinStruct {
  BinStruct value;
  char room[32];
};

/// Octets of one element of a stream; 0: no such type.
inline std::size_t size_of(const std::string& type) {
  if (type == "char" || type == "octet" || type == "string") return 1;
  if (type == "short") return 2;
  if (type == "long") return 4;
  if (type == "double") return 8;
  if (type == "padded") return sizeof(PaddedBinStruct);
  return type == "struct" ? sizeof(BinStruct) : 0;
}

/// The kernel ends this process with its parent; a clock ends it in any case.
inline void end_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  alarm(1800);
}

inline void announce(const std::string& reference) {
  std::printf(reference.empty() ? "ready\n" : "ready %s\n", reference.c_str());
  std::fflush(stdout);
}

/// Octets that the socket queues shall have; 0: what the system gives.
inline int queue_size() {
  const char* const text = std::getenv("CORBEL_BENCH_QUEUE");
  return text != nullptr ? std::atoi(text) : 0;
}

/// Whether TCP connections shall send at once.
inline bool no_delay() {
  const char* const text = std::getenv("CORBEL_NO_DELAY");
  return text == nullptr || std::strcmp(text, "off") != 0;
}

/// Whether a server without an ORB shall serve several connections at the same time, each in a thread; one after the
/// other is cheaper, since the C library's calls cost more in a process with threads.
inline bool serves_in_threads() {
  return std::getenv("CORBEL_BENCH_THREADS") != nullptr;
}

template <class Client>
void run_ping(Client& client, unsigned long count) {
  const std::uint64_t begin = now_ns();
  for (unsigned long i = 0; i < count; ++i) client.ping();
  answer_time(begin);
}

inline void answer_percentiles(std::vector<std::uint64_t>& times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t per_mille) {
    return static_cast<unsigned long long>(times[std::min(times.size() * per_mille / 1000, times.size() - 1)]);
  };
  std::printf("ok %llu %llu %llu %llu %llu\n", at(500), at(900), at(990), at(999), at(1000));
}

/// What a latency command calls: void, or with octets.
template <class Client>
std::function<void()> call_with(Client& client, unsigned long payload) {
  if (payload == 0) return [&client] { client.ping(); };
  if constexpr (requires { client.put(std::size_t{}); }) {
    return client.put(payload);
  } else {
    throw std::runtime_error("no payload");
  }
}

template <class Client>
void run_latency(Client& client, unsigned long count, unsigned long payload) {
  const auto call = call_with(client, payload);
  std::vector<std::uint64_t> times(std::max(count, 1UL));
  std::uint64_t last = now_ns();
  for (std::uint64_t& time : times) {
    call();
    const std::uint64_t now = now_ns();
    time = now - last;
    last = now;
  }
  answer_percentiles(times);
}

template <class Client>
void run_paced(Client& client, unsigned long count, unsigned long period, unsigned long payload) {
  const auto call = call_with(client, payload);
  prctl(PR_SET_TIMERSLACK, 1UL);
  std::vector<std::uint64_t> times(std::max(count, 1UL));
  std::uint64_t due = now_ns();
  for (std::uint64_t& time : times) {
    due += period;
    if (now_ns() < due) sleep_until(due);
    call();
    time = now_ns() - due;
  }
  answer_percentiles(times);
}

/// `Client::for_thread` returns a client that may be used at the same time as the others.
template <class Client>
void run_threads(Client& client, unsigned long threads, unsigned long count) {
  if constexpr (requires { client.for_thread(); }) {
    std::vector<decltype(client.for_thread())> clients;
    for (unsigned long i = 0; i < threads; ++i) clients.push_back(client.for_thread());
    for (auto& one : clients) one->ping();
    std::vector<std::string> failures(threads);
    std::vector<std::thread> running;
    const std::uint64_t begin = now_ns();
    for (unsigned long i = 0; i < threads; ++i) {
      running.emplace_back([&one = *clients[i], &failure = failures[i], count] {
        try {
          for (unsigned long k = 0; k < count; ++k) one.ping();
        } catch (const std::exception& caught) {
          failure = caught.what();
        }
      });
    }
    for (std::thread& thread : running) thread.join();
    for (const std::string& failure : failures) {
      if (!failure.empty()) throw std::runtime_error(failure);
    }
    answer_time(begin);
  } else {
    throw std::runtime_error("no threads");
  }
}

template <class Client>
Flow flow_of(Client& client, const std::string& mode, const std::string& type, std::size_t count) {
  if (mode == "buffered") {
    if constexpr (requires { client.buffered(type, count); }) return client.buffered(type, count);
    throw std::runtime_error("nothing is kept back");
  }
  if (mode != "ring") return client.flow(mode == "oneway", type, count);
  if constexpr (requires { client.ring(type, count); }) {
    return client.ring(type, count);
  } else {
    throw std::runtime_error("no ring");
  }
}

template <class Client>
void run_stream(Client& client, const std::string& mode, const std::string& type, unsigned long buffer,
                unsigned long count) {
  if constexpr (requires { client.flow(true, type, buffer); }) {
    if ((mode != "oneway" && mode != "twoway" && mode != "ring" && mode != "buffered") || size_of(type) == 0 ||
        buffer < 1 || buffer > (64UL << 20)) {
      throw std::runtime_error("bad stream");
    }
    const Flow flow = flow_of(client, mode, type, std::max<unsigned long>(1, buffer / size_of(type)));
    const std::uint64_t begin = now_ns();
    flow.run(count);
    const auto time = static_cast<unsigned long long>(now_ns() - begin);
    const auto sent = static_cast<unsigned long long>(flow.octets * count);
    if (flow.arrived) {
      std::printf("ok %llu %llu %llu\n", time, static_cast<unsigned long long>(flow.arrived()), sent);
    } else {
      std::printf("ok %llu %llu\n", time, sent);
    }
  } else {
    throw std::runtime_error("no streams");
  }
}

template <class Client>
void run_value(Client& client, const std::string& what, unsigned long count) {
  if constexpr (requires { client.value(what); }) {
    const std::function<void()> call = client.value(what);
    const std::uint64_t begin = now_ns();
    for (unsigned long i = 0; i < count; ++i) call();
    answer_time(begin);
  } else {
    throw std::runtime_error("no values");
  }
}

template <class Client>
void run_cube(Client& client, const std::string& what, unsigned long count) {
  if constexpr (requires { client.cube(what); }) {
    const std::function<void()> call = client.cube(what);
    const std::uint64_t begin = now_ns();
    for (unsigned long i = 0; i < count; ++i) call();
    answer_time(begin);
  } else {
    throw std::runtime_error("no cubes");
  }
}

template <class Client>
void run_operation(Client& client, const std::string& order, const std::string& mode, unsigned long count) {
  if constexpr (requires { client.operation(order, true); }) {
    const bool oneway = mode == "oneway";
    const std::function<void()> call = client.operation(order, oneway);
    const std::uint64_t begin = now_ns();
    for (unsigned long i = 0; i < count; ++i) call();
    if (oneway) client.ping();  // behind them on the same connection
    answer_time(begin);
  } else {
    throw std::runtime_error("no hundred operations");
  }
}

template <class Client>
void run_async(Client& client, const std::string& how, unsigned long window, unsigned long count) {
  if constexpr (requires { client.async(how, window, count); }) {
    const std::uint64_t begin = now_ns();
    client.async(how, window, count);
    answer_time(begin);
  } else {
    throw std::runtime_error("no asynchronous calls");
  }
}

template <class Client>
void obey(Client& client, const char* command) {
  char mode[16] = "";
  char type[16] = "";
  unsigned long first = 0;
  unsigned long second = 0;
  unsigned long third = 0;
  if (std::sscanf(command, "ping %lu", &first) == 1) return run_ping(client, first);
  if (std::sscanf(command, "latency %lu %lu", &first, &second) == 2) return run_latency(client, first, second);
  if (std::sscanf(command, "paced %lu %lu %lu", &first, &second, &third) == 3) {
    return run_paced(client, first, second, third);
  }
  if (std::sscanf(command, "threads %lu %lu", &first, &second) == 2) return run_threads(client, first, second);
  if (std::sscanf(command, "fan %lu %lu", &first, &second) == 2) return run_fan(client, first, second);
  if (std::sscanf(command, "until-good %lu", &first) == 1) return run_until_good(client, first);
  if (std::sscanf(command, "endure %lu", &first) == 1) return run_endure(client, first);
  if (std::sscanf(command, "stream %15s %15s %lu %lu", mode, type, &first, &second) == 4) {
    return run_stream(client, mode, type, first, second);
  }
  if (std::sscanf(command, "async %15s %lu %lu", mode, &first, &second) == 3) {
    return run_async(client, mode, first, second);
  }
  if (std::sscanf(command, "operation %15s %15s %lu", type, mode, &first) == 3) {
    return run_operation(client, type, mode, first);
  }
  if (std::sscanf(command, "cube %15s %lu", type, &first) == 2) return run_cube(client, type, first);
  if (std::sscanf(command, "value %15s %lu", type, &first) == 2) return run_value(client, type, first);
  throw std::runtime_error("no such command");
}

/// Obeys commands until the input ends.
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

inline int print_about(const About& about) {
  std::printf("%s\nprotocols %s\ntransports %s\ncommands %s\ntypes %s\n", about.name.c_str(), about.protocols.c_str(),
              about.transports.c_str(), about.commands.c_str(), about.types.c_str());
  return 0;
}

/// Mechanism: about(), serve(protocol, transport, where), run_client(protocol, transport, reference) -> status.
template <class Mechanism>
int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  try {
    if (role == "about") return print_about(Mechanism::about());
    if (argc != 5 || (role != "server" && role != "client")) {
      std::fprintf(stderr, "usage: %s about | server PROTOCOL TRANSPORT WHERE | client PROTOCOL TRANSPORT REFERENCE\n",
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

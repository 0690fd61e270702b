// SPDX-License-Identifier: Apache-2.0
// corbel-bench-layers FOLDER PROTOCOL TRANSPORT TYPE OCTETS CALLS: two-way calls between two processes, looked into.
//
// Prints for each side what one call copies and allocates, as "SIDE COPIES COPIED-OCTETS ALLOCATIONS", copies of -1
// where the compiler may have left out calls of memcpy, and "whole NANOSECONDS 0 0", the median of whole calls. In a
// build with CORBEL_PROBES each process leaves its time probes in FOLDER/client and FOLDER/server. The static library
// is linked in so that copies can be counted: all calls of memcpy and memmove that the compiler left as calls.
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <corbel/corbel.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <stdexcept>
#include <vector>

#include "corbel/base/probe.hpp"
#include "layers_server.hpp"

namespace {

struct Counters {
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> octets{0};
  std::atomic<std::uint64_t> allocations{0};
};
Counters before_main;
std::atomic<Counters*> counters{&before_main};

void count_copy(std::size_t size) noexcept {
  Counters& counted = *counters.load(std::memory_order_relaxed);
  counted.copies.fetch_add(1, std::memory_order_relaxed);
  counted.octets.fetch_add(size, std::memory_order_relaxed);
}

}  // namespace

extern "C" {
void* __real_memcpy(void* to, const void* from, std::size_t size);
void* __real_memmove(void* to, const void* from, std::size_t size);
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  count_copy(size);
  return __real_memcpy(to, from, size);
}
void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  count_copy(size);
  return __real_memmove(to, from, size);
}
}

void* operator new(std::size_t size) {
  counters.load(std::memory_order_relaxed)->allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using TargetRef = IDL::traits<Layers::Target>::ref_type;
constexpr int kWarmUp = 1000;
constexpr int kCalibrations = 2000;

class Target : public CORBA::servant_traits<Layers::Target>::base_type {
 public:
  explicit Target(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(std::move(orb)) {}
  void ping() override {}
  void take_octets(const Layers::Octets&) override {}
  void take_structs(const Layers::BinStructs&) override {}
  Layers::Octets give_octets(std::uint32_t size) override { return Layers::Octets(size, 'x'); }
  void shutdown() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
};

/// Client on the first processor, server on the last, if there are several.
void bind_to(bool last) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int chosen = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed) && (last || chosen < 0)) chosen = cpu;
  }
  CPU_ZERO(&allowed);
  CPU_SET(chosen, &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

int serve(const std::string& folder, const std::string& protocol, const std::string& transport, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bind_to(true);
  const std::string endpoint = transport == "unix" ? "unix://" + folder + "/socket" : "tcp://127.0.0.1:0";
  std::vector<std::string> arguments{"-ORBListenEndpoints", protocol + "+" + endpoint};
  const auto orb = CORBA::ORB_init(arguments);
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto id = poa->activate_object(CORBA::make_reference<Target>(orb));
  poa->the_POAManager()->activate();
  const std::string reference = orb->object_to_string(poa->id_to_reference(id)) + "\n";
  if (write(ready, reference.data(), reference.size()) < 0) return 1;
  close(ready);
  orb->run();
  orb->destroy();
  return 0;
}

#ifdef BENCH_INLINES_COPIES
constexpr bool kCountsCopies = false;
#else
constexpr bool kCountsCopies = true;
#endif

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <class Call>
void call_and_count(Counters* sides, int calls, Call call) {
  for (int i = 0; i < kWarmUp; ++i) call();
  std::uint64_t before[2][3];
  const auto read = [&](std::uint64_t(&values)[2][3]) {
    for (int side = 0; side < 2; ++side) {
      values[side][0] = sides[side].copies;
      values[side][1] = sides[side].octets;
      values[side][2] = sides[side].allocations;
    }
  };
  std::vector<double> times(static_cast<std::size_t>(calls));  // made now: nothing is allocated between the readings
  read(before);
  for (double& time : times) {
    const double begin = now_ns();
    call();
    time = now_ns() - begin;
  }
  std::uint64_t after[2][3];
  read(after);
  for (int side = 0; side < 2; ++side) {
    std::printf("%s", side == 0 ? "client" : "server");
    for (int i = 0; i < 3; ++i) {
      const bool counted = i == 2 || kCountsCopies;
      std::printf(" %.4f", counted ? static_cast<double>(after[side][i] - before[side][i]) / calls : -1.0);
    }
    std::printf("\n");
  }
  std::nth_element(times.begin(), times.begin() + calls / 2, times.end());
  std::printf("whole %.1f 0 0\n", times[static_cast<std::size_t>(calls / 2)]);
}

int call(const std::string& type, std::uint32_t octets, int calls, const std::string& reference, Counters* sides) {
  bind_to(false);
  for (int i = 0; i < kCalibrations; ++i) CORBEL_PROBE("calibration");
  std::vector<std::string> arguments;
  const auto orb = CORBA::ORB_init(arguments);
  const auto target = IDL::traits<Layers::Target>::narrow(orb->string_to_object(reference));
  if (type == "void") {
    call_and_count(sides, calls, [&] { target->ping(); });
  } else if (type == "octet") {
    const Layers::Octets data(octets, 'x');
    call_and_count(sides, calls, [&] { target->take_octets(data); });
  } else if (type == "BinStruct") {
    const Layers::BinStructs data(octets / sizeof(Layers::BinStruct), Layers::BinStruct(1, 'c', 2, 3, 4.5));
    call_and_count(sides, calls, [&] { target->take_structs(data); });
  } else if (type == "octet result") {
    call_and_count(sides, calls, [&] { target->give_octets(octets); });
  } else {
    throw std::runtime_error("no such type: " + type);
  }
  target->shutdown();
  orb->destroy();
  return 0;
}

int run(const std::string& folder, const std::string& protocol, const std::string& transport, const std::string& type,
        std::uint32_t octets, int calls) {
  void* const shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int ready[2];
  if (shared == MAP_FAILED || pipe(ready) != 0) throw std::runtime_error("no memory or pipe to share");
  auto* const sides = new (shared) Counters[2];
  const pid_t server = fork();
  if (server < 0) throw std::runtime_error("cannot fork");
  const bool is_server = server == 0;
  setenv("CORBEL_PROBE_FILE", (folder + (is_server ? "/server" : "/client")).c_str(), 1);
  counters = &sides[is_server ? 1 : 0];
  if (is_server) {
    close(ready[0]);
    return serve(folder, protocol, transport, ready[1]);
  }
  close(ready[1]);
  std::string reference;
  for (char c = 0; read(ready[0], &c, 1) == 1 && c != '\n';) reference += c;
  const int status = call(type, octets, calls, reference, sides);
  int server_status = 1;
  waitpid(server, &server_status, 0);
  return status != 0 || server_status != 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 7) {
    std::fprintf(stderr, "usage: %s FOLDER PROTOCOL TRANSPORT void|octet|BinStruct|\"octet result\" OCTETS CALLS\n",
                 argv[0]);
    return 2;
  }
  alarm(300);
  return run(argv[1], argv[2], argv[3], argv[4], static_cast<std::uint32_t>(std::atol(argv[5])), std::atoi(argv[6]));
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
  return 1;
}

// SPDX-License-Identifier: Apache-2.0
// corbel-bench-predictability ROLE ...: what suite predictability starts, one process for each role. All end when their
// standard input does.
//
//   scheduling              prints "SCHED_FIFO", or "SCHED_OTHER" and why no other
//   server one|lanes CLASS  prints the references of an object of high and of one of low priority
//   load REFERENCE          for each line with a number N: N threads call that object from now on; prints how many
//                           calls the threads before made, and for how many seconds
//   measure REFERENCE CLASS for each line with two numbers, N and M: calls that object N times, one each millisecond,
//                           but no more after M milliseconds; prints the 50th and 99th percentile, the maximum and the
//                           standard deviation, in ns
#include <corbel/corbel.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "RTCORBA.hpp"
#include "common/statistics.hpp"
#include "corbel_real_time.hpp"
#include "work_server.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using WorkerRef = IDL::traits<Predictability::Worker>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

constexpr std::uint32_t kThreads = 4;  // of the server, for low and high together
constexpr std::uint32_t kLowWork = 100;
constexpr std::uint32_t kHighWork = 20;
constexpr std::chrono::milliseconds kPeriod(1);
constexpr int kUncounted = 10;  // calls, the first ones
constexpr std::size_t kFewest = 10;

corbel::real_time::Settings settings_for(const std::string& scheduling) {
  using corbel::real_time::Scheduling;
  corbel::real_time::Settings settings;
  settings.scheduling = scheduling == "SCHED_FIFO" ? Scheduling::fifo : Scheduling::other;
  settings.lane_endpoints = {"tcp://127.0.0.1:0"};
  return settings;
}

OrbRef make_orb(std::vector<std::string> options) {
  options.insert(options.begin(), {"predictability", "-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  return CORBA::ORB_init(options);
}

WorkerRef worker_at(const OrbRef& orb, const std::string& reference) {
  return IDL::traits<Predictability::Worker>::narrow(orb->string_to_object(reference));
}

/// Of the calling thread.
std::int64_t processor_time_ns() {
  timespec now{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class Worker final : public virtual CORBA::servant_traits<Predictability::Worker>::base_type {
 public:
  void work(std::uint32_t microseconds) override {
    const std::int64_t end = processor_time_ns() + std::int64_t{microseconds} * 1000;
    while (processor_time_ns() < end) {
    }
  }
};

void until_input_ends() {
  for (std::string line; std::getline(std::cin, line);) {
  }
}

int say_scheduling() {
  const corbel::real_time::RealTime real_time(settings_for("SCHED_FIFO"));
  const OrbRef orb = make_orb({});
  const auto current = IDL::traits<RTCORBA::Current>::narrow(orb->resolve_initial_references("RTCurrent"));
  current->the_priority(RTCORBA::maxPriority);
  const std::string why = real_time.refused();
  std::cout << (why.empty() ? "SCHED_FIFO" : "SCHED_OTHER " + why) << std::endl;
  orb->destroy();
  return 0;
}

int serve(bool lanes, const std::string& scheduling) {
  const corbel::real_time::RealTime real_time(settings_for(scheduling));
  const OrbRef orb = make_orb({"-ORBThreads", std::to_string(lanes ? kThreads - 1 : kThreads)});
  const auto rt = IDL::traits<RTCORBA::RTORB>::narrow(orb->resolve_initial_references("RTORB"));
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  // Low: no model, so that its threads stay in the class of other programs. High: as urgent as can be.
  CORBA::PolicyList policies{
      rt->create_priority_model_policy(RTCORBA::PriorityModel::SERVER_DECLARED, RTCORBA::maxPriority)};
  if (lanes) {
    const auto pool =
        rt->create_threadpool_with_lanes(0, {RTCORBA::ThreadpoolLane(RTCORBA::maxPriority, 1, 0)}, false, false, 0, 0);
    policies.push_back(rt->create_threadpool_policy(pool));
  }
  const auto high = root->create_POA("high", root->the_POAManager(), policies);
  for (const auto& poa : {high, root}) {
    const auto id = poa->activate_object(CORBA::make_reference<Worker>());
    std::cout << orb->object_to_string(poa->id_to_reference(id)) << std::endl;
  }
  root->the_POAManager()->activate();
  until_input_ends();
  orb->destroy();
  return 0;
}

/// Threads that call an object without a pause.
class Load {
 public:
  Load(const WorkerRef& worker, int threads) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, worker] {
        while (!over_) {
          worker->work(kLowWork);
          ++calls_;
        }
      });
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
    const std::chrono::duration<double> time = Clock::now() - began_;
    std::cout << calls_ << ' ' << time.count() << std::endl;
  }

 private:
  const Clock::time_point began_ = Clock::now();
  std::atomic<bool> over_{false};
  std::atomic<long> calls_{0};
  std::vector<std::thread> threads_;
};

int load(const std::string& reference) {
  const OrbRef orb = make_orb({"-ORBConnectionsPerEndpoint", "256"});  // each thread has one of its own
  const WorkerRef worker = worker_at(orb, reference);
  std::unique_ptr<Load> running;
  for (int threads = 0; std::cin >> threads;) {
    if (running == nullptr) std::cout << "0 0" << std::endl;
    running.reset();
    running = std::make_unique<Load>(worker, threads);
  }
  running.reset();
  orb->destroy();
  return 0;
}

double deviation(const std::vector<double>& samples) {
  double mean = 0;
  for (const double one : samples) mean += one / static_cast<double>(samples.size());
  double sum = 0;
  for (const double one : samples) sum += (one - mean) * (one - mean);
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

int measure(const std::string& reference, const std::string& scheduling) {
  const corbel::real_time::RealTime real_time(settings_for(scheduling));
  const OrbRef orb = make_orb({});
  const auto current = IDL::traits<RTCORBA::Current>::narrow(orb->resolve_initial_references("RTCurrent"));
  current->the_priority(RTCORBA::maxPriority);
  const WorkerRef worker = worker_at(orb, reference);
  long limit = 0;
  for (int calls = 0; std::cin >> calls >> limit;) {
    std::vector<double> samples;
    Clock::time_point due = Clock::now();
    const Clock::time_point end = due + std::chrono::milliseconds(limit);
    for (int i = -kUncounted; i < calls && (due < end || samples.size() < kFewest); ++i) {
      due = std::max(due + kPeriod, Clock::now());
      std::this_thread::sleep_until(due);
      const Clock::time_point begin = Clock::now();
      worker->work(kHighWork);
      const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
      if (i >= 0) samples.push_back(time.count());
    }
    const double spread = deviation(samples);
    std::sort(samples.begin(), samples.end());
    std::cout << bench::percentile(samples, 50) << ' ' << bench::percentile(samples, 99) << ' ' << samples.back() << ' '
              << spread << std::endl;
  }
  orb->destroy();
  return 0;
}

int run(const std::vector<std::string>& words) {
  const std::string role = words.empty() ? "" : words[0];
  if (role == "scheduling" && words.size() == 1) return say_scheduling();
  if (role == "server" && words.size() == 3) return serve(words[1] == "lanes", words[2]);
  if (role == "load" && words.size() == 2) return load(words[1]);
  if (role == "measure" && words.size() == 3) return measure(words[1], words[2]);
  throw std::runtime_error("scheduling | server one|lanes CLASS | load REFERENCE | measure REFERENCE CLASS");
}

}  // namespace

int main(int argc, char** argv) try { return run({argv + 1, argv + argc}); } catch (const CORBA::Exception& exception) {
  std::cerr << "corbel-bench-predictability: " << exception << '\n';
  return 1;
} catch (const std::exception& failure) {
  std::cerr << "corbel-bench-predictability: " << failure.what() << '\n';
  return 1;
}

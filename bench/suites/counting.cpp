// SPDX-License-Identifier: Apache-2.0
#include "suites/counting.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "common/temporary.hpp"
#include "suites/callgrind.hpp"
#include "suites/strace.hpp"

namespace bench {
namespace {

/// Runs the pair under a tool that writes one file per side; `tool` makes its command line.
template <class Tool>
std::vector<std::string> traced_files(const Mechanism& mechanism, const std::string& transport, int calls,
                                      const std::string& folder, Tool tool, const Workload& workload) {
  std::vector<std::string> files;
  for (const std::string& side : kSides) files.push_back(folder + "/" + side + std::to_string(calls));
  Placement placement;
  placement.server.environment = workload.server_environment;
  placement.client_tool = tool(files[0]);
  placement.server_tool = tool(files[1]);
  placement.client.quiet = placement.server.quiet = true;
  Pair pair(mechanism, transport, folder + "/socket" + std::to_string(calls), placement);
  pair.command(workload.command + " " + std::to_string(calls));
  pair.end();
  return files;
}

Costs per_call(const Costs& few, const Costs& many, double calls) {
  Costs costs;
  for (const auto& [name, count] : many) {
    const auto before = few.find(name);
    const double difference = count - (before != few.end() ? before->second : 0);
    if (difference != 0) costs[name] = difference / calls;
  }
  return costs;
}

/// A number in a file that a preloaded library counts up.
class SharedCounter {
 public:
  explicit SharedCounter(std::string path) : path_(std::move(path)) {
    const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const bool sized = file >= 0 && ftruncate(file, sizeof(Counter)) == 0;
    void* const shared =
        sized ? mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0) close(file);
    if (shared == MAP_FAILED) throw std::runtime_error("cannot share " + path_ + ": " + std::strerror(errno));
    counter_ = static_cast<Counter*>(shared);
  }
  ~SharedCounter() { munmap(counter_, sizeof(Counter)); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  double value() const { return static_cast<double>(counter_->load()); }
  std::vector<std::string> environment() const {
    return {"LD_PRELOAD=" + beside("libcorbel-bench-allocations.so"), "CORBEL_BENCH_ALLOCATIONS=" + path_};
  }

 private:
  using Counter = std::atomic<std::uint64_t>;

  std::string path_;
  Counter* counter_ = nullptr;
};

}  // namespace

double sum(const Costs& costs) {
  double whole = 0;
  for (const auto& [name, cost] : costs) whole += cost;
  return whole;
}

std::vector<Costs> count_instructions(const Mechanism& mechanism, const std::string& transport,
                                      const Workload& workload) {
  const TemporaryFolder folder;
  const auto tool = [](const std::string& file) {
    return std::vector<std::string>{"valgrind", "--tool=callgrind", "--quiet", "--callgrind-out-file=" + file};
  };
  const auto few = traced_files(mechanism, transport, workload.few, folder.path(), tool, workload);
  const auto many = traced_files(mechanism, transport, workload.many, folder.path(), tool, workload);
  const double calls = workload.many - workload.few;
  std::vector<Costs> sides;
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    const bool runs = i == 0 || !is_inside(transport);
    sides.push_back(runs ? per_call(read_callgrind(few[i]), read_callgrind(many[i]), calls) : Costs());
  }
  return sides;
}

std::vector<SystemCalls> count_system_calls(const Mechanism& mechanism, const std::string& transport,
                                            const Workload& workload) {
  const TemporaryFolder folder;
  const auto tool = [](const std::string& file) {
    return std::vector<std::string>{"strace", "-f", "-qq", "-I", "2", "-s", "0", "-e", "signal=none", "-o", file};
  };
  const auto few = traced_files(mechanism, transport, workload.few, folder.path(), tool, workload);
  const auto many = traced_files(mechanism, transport, workload.many, folder.path(), tool, workload);
  const double calls = workload.many - workload.few;
  std::vector<SystemCalls> sides;
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    if (i != 0 && is_inside(transport)) {
      sides.emplace_back();
      continue;
    }
    const Trace before = read_strace(few[i]);
    const Trace after = read_strace(many[i]);
    sides.push_back({per_call(before.calls, after.calls, calls), (after.octets_sent - before.octets_sent) / calls});
  }
  return sides;
}

std::vector<double> count_allocations(const Mechanism& mechanism, const std::string& transport,
                                      const Workload& workload) {
  const TemporaryFolder folder;
  const SharedCounter client(folder.path() + "/client");
  const SharedCounter server(folder.path() + "/server");
  Placement placement;
  placement.client.environment = client.environment();
  placement.server.environment = server.environment();
  placement.server.environment.insert(placement.server.environment.end(), workload.server_environment.begin(),
                                      workload.server_environment.end());
  Pair pair(mechanism, transport, folder.path() + "/socket", placement);
  pair.command(workload.command + " " + std::to_string(workload.few));
  const double before[] = {client.value(), server.value()};
  pair.command(workload.command + " " + std::to_string(workload.many));
  const double after[] = {client.value(), server.value()};
  pair.end();
  return {(after[0] - before[0]) / workload.many, (after[1] - before[1]) / workload.many};
}

bool can_trace() {
  return program_exists("strace") &&
         output_of({"strace", "-qq", "-o", "/dev/null", "echo", "yes"}, std::chrono::seconds(10)) == "yes\n";
}

}  // namespace bench

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

constexpr int kFewCalls = 300;
constexpr int kManyCalls = 1300;
constexpr double kDifference = kManyCalls - kFewCalls;

/// Runs the pair under a tool that writes one file per side; `tool` makes its command line.
template <class Tool>
std::vector<std::string> traced_files(const Mechanism& mechanism, const std::string& transport, int calls,
                                      const std::string& folder, Tool tool, Placement placement = {}) {
  std::vector<std::string> files;
  for (const std::string& side : kSides) files.push_back(folder + "/" + side + std::to_string(calls));
  placement.client_tool = tool(files[0]);
  placement.server_tool = tool(files[1]);
  placement.client.quiet = placement.server.quiet = true;
  Pair pair(mechanism, transport, folder + "/socket" + std::to_string(calls), placement);
  pair.command("ping " + std::to_string(calls));
  pair.end();
  return files;
}

Costs per_call(const Costs& few, const Costs& many) {
  Costs costs;
  for (const auto& [name, count] : many) {
    const auto before = few.find(name);
    const double difference = count - (before != few.end() ? before->second : 0);
    if (difference != 0) costs[name] = difference / kDifference;
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

std::vector<Costs> count_instructions(const Mechanism& mechanism, const std::string& transport) {
  const TemporaryFolder folder;
  const auto tool = [](const std::string& file) {
    return std::vector<std::string>{"valgrind", "--tool=callgrind", "--quiet", "--callgrind-out-file=" + file};
  };
  const auto few = traced_files(mechanism, transport, kFewCalls, folder.path(), tool);
  const auto many = traced_files(mechanism, transport, kManyCalls, folder.path(), tool);
  std::vector<Costs> sides;
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    sides.push_back(per_call(read_callgrind(few[i]), read_callgrind(many[i])));
  }
  return sides;
}

std::vector<SystemCalls> count_system_calls(const Mechanism& mechanism, const std::string& transport,
                                            const std::vector<std::string>& server_environment) {
  const TemporaryFolder folder;
  Placement placement;
  placement.server.environment = server_environment;
  const auto tool = [](const std::string& file) {
    return std::vector<std::string>{"strace", "-f", "-qq", "-I", "2", "-s", "0", "-e", "signal=none", "-o", file};
  };
  const auto few = traced_files(mechanism, transport, kFewCalls, folder.path(), tool, placement);
  const auto many = traced_files(mechanism, transport, kManyCalls, folder.path(), tool, placement);
  std::vector<SystemCalls> sides;
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    const Trace before = read_strace(few[i]);
    const Trace after = read_strace(many[i]);
    sides.push_back({per_call(before.calls, after.calls), (after.octets_sent - before.octets_sent) / kDifference});
  }
  return sides;
}

std::vector<double> count_allocations(const Mechanism& mechanism, const std::string& transport,
                                      const std::vector<std::string>& server_environment) {
  const TemporaryFolder folder;
  const SharedCounter client(folder.path() + "/client");
  const SharedCounter server(folder.path() + "/server");
  Placement placement;
  placement.client.environment = client.environment();
  placement.server.environment = server.environment();
  placement.server.environment.insert(placement.server.environment.end(), server_environment.begin(),
                                      server_environment.end());
  Pair pair(mechanism, transport, folder.path() + "/socket", placement);
  pair.command("ping " + std::to_string(kFewCalls));
  const double before[] = {client.value(), server.value()};
  pair.command("ping " + std::to_string(kManyCalls));
  const double after[] = {client.value(), server.value()};
  pair.end();
  return {(after[0] - before[0]) / kManyCalls, (after[1] - before[1]) / kManyCalls};
}

bool can_trace() {
  return program_exists("strace") &&
         output_of({"strace", "-qq", "-o", "/dev/null", "echo", "yes"}, std::chrono::seconds(10)) == "yes\n";
}

}  // namespace bench

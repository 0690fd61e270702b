// SPDX-License-Identifier: Apache-2.0
// Suite profile: who spends what, function by function, while user data streams: tables 2 and 3 of the SIGCOMM paper of
// 1996, figure 4 of the COOTS paper of 1995.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "common/usage.hpp"
#include "suites/counting.hpp"
#include "suites/profile_shares.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

const std::vector<std::string> kCompared = {"wrappers", "ONC-RPC", "omniORB", "corbel"};
constexpr const char* kTransport = "tcp";
constexpr double kStreamed = 64.0 * 1024 * 1024;  ///< octets, as the paper's; what is counted over fewer is scaled
constexpr int kLargestBuffer = 131072;
constexpr double kShown = 1.5;  ///< per cent of instructions or of time from which on a function has a row of its own
constexpr std::size_t kWidest = 64;  ///< characters of a function's name in a table
constexpr double kKept = 0.1;        ///< the same, in the figures

/// What one side of one stream spends on 64 MiB.
struct Side {
  Case of;
  Costs functions = {};     ///< instructions
  Costs system_calls = {};  ///< calls
  std::vector<double> user = {};
  std::vector<double> system = {};  ///< milliseconds
  std::vector<Share> shares = {};
};

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings),
        report_(report),
        types_(!settings.types.empty() ? settings.types
               : settings.quick        ? std::vector<std::string>{"octet", "struct"}
                                       : std::vector<std::string>{"octet", "char", "struct"}),
        buffers_(settings.buffers.empty() ? std::vector<int>{kLargestBuffer} : settings.buffers),
        valgrind_(program_exists("valgrind")),
        strace_(can_trace()) {
    std::string last;
    for (Mechanism& one : find_all_mechanisms(report.machine, settings.only.empty() ? kCompared : settings.only)) {
      const bool again = settings.quick && one.orb.starts_with("omniORB") && last.starts_with("omniORB");
      if (!one.over(kTransport) || !one.can("oneway") || one.protocol == "giop_lite" || again) continue;
      last = one.orb;
      mechanisms_.push_back(std::move(one));
    }
  }

  void measure() {
    announce_duration(settings_, 25.0 * static_cast<double>(mechanisms_.size() * types_.size() * buffers_.size()));
    Progress progress(mechanisms_.size() * types_.size() * buffers_.size());
    for (const std::string& type : types_) {
      for (const int buffer : buffers_) {
        for (const Mechanism& mechanism : mechanisms_) {
          progress.step(mechanism.label() + ", " + type + " in buffers of " + std::to_string(buffer));
          if (mechanism.types.contains(type)) survives(mechanism, [&] { look_into(mechanism, type, buffer); });
        }
      }
    }
    progress.finish();
  }

  void report() {
    for (const Side& side : sides_) report_side(side);
  }

  void print() const {
    for (const std::string& type : types_) {
      for (const int buffer : buffers_) print_table(type, buffer);
    }
    if (!valgrind_) std::cout << "No functions: valgrind is not installed.\n";
    if (!strace_) std::cout << "No names of system calls: strace is not installed, or may not trace here.\n";
  }

 private:
  void look_into(const Mechanism& mechanism, const std::string& type, int buffer) {
    Workload workload;
    workload.command = "stream oneway " + type + " " + std::to_string(buffer);
    workload.few = 2;
    workload.many = workload.few + std::max(4, (settings_.quick ? 1 << 20 : 8 << 20) / buffer);
    workload.server_environment = kPatientServer;
    const auto instructions = valgrind_ ? count_instructions(mechanism, kTransport, workload) : std::vector<Costs>(2);
    const auto calls =
        strace_ ? count_system_calls(mechanism, kTransport, workload) : std::vector<SystemCalls>(kSides.size());
    const double buffers = kStreamed / buffer;
    std::vector<Side> sides;
    for (std::size_t i = 0; i < kSides.size(); ++i) {
      Side side{mechanism.case_on(kTransport)};
      side.of["side"] = i == 0 ? "sender" : "receiver";
      side.of["type"] = type_name(type);
      side.of["buffer"] = std::to_string(buffer);
      for (const auto& [function, count] : instructions[i]) {
        if (count > 0) side.functions[short_function(function)] += count * buffers;
      }
      for (const auto& [name, count] : calls[i].calls) {
        if (count > 0) side.system_calls[name] = count * buffers;
      }
      sides.push_back(std::move(side));
    }
    take_time(mechanism, workload.command, buffer, sides);
    for (Side& side : sides) {
      side.shares = shares_of(side.functions, total(side.user), total(side.system));
      sides_.push_back(std::move(side));
    }
  }

  static double total(const std::vector<double>& samples) {
    double sum = 0;
    for (const double one : samples) sum += one;
    return sum;
  }

  /// Streams for so long that the kernel's ticks (10 ms) tell user from system.
  void take_time(const Mechanism& mechanism, const std::string& stream, int buffer, std::vector<Side>& sides) const {
    const TemporaryFolder folder;
    Pair pair(mechanism, kTransport, folder.path() + "/socket");
    const long count = std::max(4L, std::lround(kStreamed / (settings_.quick ? 8 : 1) / buffer));
    const std::string command = stream + " " + std::to_string(count);
    pair.command(command);
    for (int repetition = 0; repetition < settings_.repetitions(3, 1); ++repetition) {
      const ProcessorTime before[] = {processor_time_of(pair.client().process()),
                                      processor_time_of(pair.server().process())};
      const double enough = settings_.choose(1.5e9, 0.6e9, 0.3e9);
      double octets = 0;
      for (double past = 0; past < enough;) {
        past += pair.command(command).at(0);
        octets += static_cast<double>(count) * buffer;
      }
      const ProcessorTime after[] = {processor_time_of(pair.client().process()),
                                     processor_time_of(pair.server().process())};
      for (std::size_t i = 0; i < sides.size(); ++i) {
        sides[i].user.push_back((after[i].user - before[i].user) * 1000 * kStreamed / octets);
        sides[i].system.push_back((after[i].system - before[i].system) * 1000 * kStreamed / octets);
      }
    }
    pair.end();
  }

  void add(Case of, const char* key, const std::string& name, const char* metric, const char* unit,
           const std::vector<double>& samples) {
    if (key != nullptr) of[key] = name;
    report_.results.push_back({"profile", std::move(of), metric, unit, summarise(samples)});
  }

  /// Of those that send or receive.
  static double calls_per_buffer(const Side& side) {
    double count = 0;
    for (const auto& [name, calls] : side.system_calls) {
      for (const char* const moving : {"send", "write", "recv", "read"}) count += name.starts_with(moving) ? calls : 0;
    }
    return count * std::strtod(side.of.at("buffer").c_str(), nullptr) / kStreamed;
  }

  void report_side(const Side& side) {
    add(side.of, nullptr, "", "user_time", "ms", side.user);
    add(side.of, nullptr, "", "system_time", "ms", side.system);
    if (strace_) add(side.of, nullptr, "", "calls_per_buffer", "calls", {calls_per_buffer(side)});
    for (const auto& [name, count] : side.system_calls) add(side.of, "call", name, "system_calls", "calls", {count});
    for (const Share& share : gathered(side.shares, kKept)) {
      if (share.instructions)
        add(side.of, "function", share.name, "instructions", "instructions", {*share.instructions});
      if (share.of_instructions) {
        add(side.of, "function", share.name, "share_of_instructions", "%", {*share.of_instructions});
      }
      if (share.of_time) add(side.of, "function", share.name, "share_of_time", "%", {*share.of_time});
    }
  }

  void print_table(const std::string& type, int buffer) const {
    const std::string shown = type_name(type);
    Table table({"mechanism", "side", "% time", "% instr.", "instructions", "function"}, 2, true);
    std::string last;
    for (const Side& side : sides_) {
      if (side.of.at("type") != shown || side.of.at("buffer") != std::to_string(buffer)) continue;
      const std::string name = Mechanism{side.of.at("orb"), side.of.at("protocol"), ""}.label();
      if (!last.empty()) table.add_rule();
      last = name;
      for (const Share& share : gathered(side.shares, kShown)) {
        const auto cell = [](const std::optional<double>& value, int digits) {
          return value ? number(*value, digits) : std::string();
        };
        std::string text = share.name.size() > kWidest ? share.name.substr(0, kWidest) + "..." : share.name;
        if (share.name == kSystem) text += names_of(side.system_calls);
        table.add({name, side.of.at("side"), cell(share.of_time, 1), cell(share.of_instructions, 1),
                   share.instructions ? grouped(*share.instructions) : "", text});
      }
      table.add(
          {name, side.of.at("side"), number(sum_of(side.shares, &Share::of_time), 1),
           number(sum_of(side.shares, &Share::of_instructions), 1), grouped(sum(side.functions)),
           "all: user " + number(summarise(side.user).median, 1) + " ms, system " +
               number(summarise(side.system).median, 1) + " ms" +
               (strace_ ? ", " + number(calls_per_buffer(side), 2) + " calls that move octets for a buffer" : "")});
    }
    if (last.empty()) return;
    std::cout << "\nWhat 64 MiB of " << shown << " in buffers of " << buffer
              << " octets cost, oneway over tcp: per cent of each side's processor time and user-space instructions.\n"
                 "User time is split by instructions; large copies count one for each octet, more than they take\n\n";
    table.print(std::cout);
  }

  static double sum_of(const std::vector<Share>& shares, std::optional<double> Share::*part) {
    double whole = 0;
    for (const Share& share : shares) whole += (share.*part).value_or(0);
    return whole;
  }

  /// " (512 sendmsg, 1 recvfrom)": those that make up a hundredth of all, at least.
  static std::string names_of(const Costs& calls) {
    const double all = sum(calls);
    std::string text;
    for (const auto& [name, count] : calls) {
      if (count >= all / 100) text += (text.empty() ? " (" : ", ") + grouped(count) + " " + name;
    }
    return text.empty() ? text : text + ")";
  }

  const Settings& settings_;
  Report& report_;
  std::vector<Mechanism> mechanisms_ = {};
  std::vector<std::string> types_;
  std::vector<int> buffers_;
  bool valgrind_;
  bool strace_;
  std::vector<Side> sides_ = {};
};

}  // namespace

int run_profile(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.measure(); },
                   [&] {
                     run.report();
                     run.print();
                   });
  return 0;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/results.hpp"
#include "common/rounds.hpp"

namespace bench {

/// How much a run shall do.
struct Settings {
  bool quick = false;                      ///< fewer cases and repetitions
  bool brief = false;                      ///< all cases, in shorter measurements, as in the run of all suites
  int repeat = 0;                          ///< repetitions; 0: what the suite finds right
  int profile = 0;                         ///< counts: print this many functions of each side
  std::vector<std::string> only = {};      ///< names that what is compared with the raw sockets begins with; empty: all
  std::vector<std::string> types = {};     ///< streams: these only; empty: what the suite finds right
  std::vector<int> buffers = {};           ///< streams: these sizes in octets instead of the suite's
  std::string transport = {};              ///< ttcp, networks: over this only; empty: all that the suite has
  std::string mode = {};                   ///< ttcp, networks: oneway, twoway or ring only
  std::string no_delay = {};               ///< networks: "off": TCP waits for more; empty: as the papers have it
  std::vector<int> queues = {};            ///< ttcp, networks: with socket queues of these sizes; 0: the system's
  std::vector<std::string> networks = {};  ///< networks: those whose names begin so
  std::vector<std::string> files;          ///< model, report: figures of earlier runs
  std::string output = ".";                ///< report: the folder to write to
  bool one_cpu = false;                    ///< ttcp: both sides on one processor
  std::string base = {};                   ///< gate: the folder of the laboratory that is compared with

  int repetitions(int full, int few) const { return repeat > 0 ? repeat : quick ? few : brief ? kLeast : full; }
  /// The same for what is repeated until it is known well enough, if the run is brief.
  Rounds rounds(int full, int few) const {
    const auto least = static_cast<std::size_t>(repetitions(full, few));
    return {least, brief && !quick && repeat == 0 ? kMost : least};
  }
  /// The one of three that belongs to how much the run shall do.
  template <class T>
  T choose(T full, T shorter, T few) const {
    return quick ? few : brief ? shorter : full;
  }

  static constexpr int kLeast = 5;          ///< samples of a cell, but for what counts come out alike
  static constexpr std::size_t kMost = 21;  ///< of a brief run
};

/// Says how long the run will take, unless that is a matter of seconds.
void announce_duration(const Settings& settings, double seconds);

/// A suite prints its tables on standard output and adds its figures to the report. Returns the exit status; throws
/// std::runtime_error if it cannot run. A new suite is one function here and one line in main.cpp.
int run_counts(const Settings& settings, Report& report);
int run_latency(const Settings& settings, Report& report);
int run_oneways(const Settings& settings, Report& report);
int run_ttcp(const Settings& settings, Report& report);
int run_profile(const Settings& settings, Report& report);
int run_cubit(const Settings& settings, Report& report);
int run_networks(const Settings& settings, Report& report);
int run_lines(const Settings& settings, Report& report);
int run_scale(const Settings& settings, Report& report);
int run_fanout(const Settings& settings, Report& report);
int run_restart(const Settings& settings, Report& report);
int run_contract(const Settings& settings, Report& report);
int run_gate(const Settings& settings, Report& report);
int run_demux(const Settings& settings, Report& report);
int run_servers(const Settings& settings, Report& report);
int run_values(const Settings& settings, Report& report);
int run_collocated(const Settings& settings, Report& report);
int run_micro(const Settings& settings, Report& report);
int run_predictability(const Settings& settings, Report& report);
int run_whitebox(const Settings& settings, Report& report);
int run_compile(const Settings& settings, Report& report);
int run_model(const Settings& settings, Report& report);
int run_report(const Settings& settings, Report& report);

}  // namespace bench

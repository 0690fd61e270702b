// SPDX-License-Identifier: Apache-2.0
// Streams of user data, as the suites ttcp and networks run them.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "common/rounds.hpp"
#include "suites/mechanism.hpp"

namespace bench {

class Progress;

/// One table: what is streamed, and how.
struct StreamPlan {
  std::string suite = "ttcp";
  Case of = {};                        ///< joins every case
  std::string transport = "tcp";       ///< tcp, udp, tls, unix or shm
  std::string mode = "oneway";         ///< oneway, twoway or ring
  std::vector<std::string> types;      ///< those of peers/peer.hpp
  std::vector<int> buffers;            ///< octets; 1 for the type octet only
  int queue = 0;                       ///< octets of the socket queues; 0: the system's
  bool no_delay = true;                ///< TCP sends at once; if not, those that always do so are left out
  std::vector<std::string> orbs = {};  ///< names that those who take part begin with; empty: all
  Placement placement = {};
  Rounds rounds = {};
  double least = 4;     ///< buffers in one measurement, and
  double octets = 0;    ///< at most that many octets,
  double seconds = 1;   ///< and at most about that long
  bool copies = false;  ///< also copy each buffer in memory
};

/// Runs a plan with every mechanism that can, interleaved, the raw sockets first.
class Streams {
 public:
  Streams(StreamPlan plan, std::vector<Mechanism> mechanisms)
      : plan_(std::move(plan)), mechanisms_(std::move(mechanisms)) {}

  /// How many measurements it is; measure() reports as many to the progress.
  std::size_t steps() const;
  /// Throws std::runtime_error if a mechanism fails.
  void measure(Progress& progress);
  const std::vector<Result>& results() const noexcept { return results_; }
  /// A table of what was measured; nothing if that is nothing.
  void print(std::ostream& out) const;

 private:
  /// One for each repetition.
  struct Samples {
    std::vector<double> rates;   ///< Mbit/s that arrived
    std::vector<double> losses;  ///< per cent of what was sent, where some may get lost
  };
  struct Running {
    const Mechanism* mechanism;
    Pair pair;
    long count;
    Samples samples;
    bool failed = false;
  };

  bool able(const Mechanism& mechanism) const;
  std::vector<int> buffers_of(const std::string& type) const;
  double trial(Pair& pair, const std::string& command) const;
  long suitable_count(Pair& pair, const std::string& stream, int buffer) const;
  void measure_case(std::vector<Running>& running, const std::string& type, int buffer, Progress& progress);
  void add(const Mechanism& mechanism, const std::string& type, int buffer, const Samples& samples,
           const Samples& control);
  std::string cell(const Result& result) const;

  StreamPlan plan_;
  std::vector<Mechanism> mechanisms_;
  std::vector<Result> results_;
};

}  // namespace bench

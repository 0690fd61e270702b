// SPDX-License-Identifier: Apache-2.0
// Measures small pieces of code: nanoseconds, or instructions when the program runs under callgrind. What belongs
// together is added first and then run in turns, so that what disturbs the machine disturbs all alike. Prints a line
// for each piece: "NAME MEDIAN MIN MAX N" with tabs between; under callgrind each piece ends with a dump of that name.
#pragma once

#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/statistics.hpp"

namespace bench {

/// Keeps the compiler from leaving out what computes `value`.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

class Meter {
 public:
  /// PROGRAM [REPETITIONS]
  Meter(int argc, char** argv) : repetitions_(argc > 1 ? std::max(1, std::atoi(argv[1])) : 9) {}

  /// `body` does `operations` operations and leaves everything as it found it. Names are "KEY=VALUE,KEY=VALUE".
  void add(std::string name, std::size_t operations, std::function<void()> body) {
    pieces_.push_back({std::move(name), static_cast<double>(operations), std::move(body), {}, 1});
  }

  /// Measures what was added since the last run and forgets it.
  void run() {
    for (Piece& piece : pieces_) piece.body();
    if (RUNNING_ON_VALGRIND) {
      count();
    } else {
      time();
    }
    pieces_.clear();
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Piece {
    std::string name;
    double operations;
    std::function<void()> body;
    std::vector<double> samples;
    int rounds;
  };
  static constexpr double kSample = 2e5;  // ns: much longer than the clock is coarse, much shorter than a time slice

  static double elapsed(const Piece& piece) {
    const auto begin = Clock::now();
    for (int i = 0; i < piece.rounds; ++i) piece.body();
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  }

  void time() {
    for (Piece& piece : pieces_) {
      piece.rounds = std::max(1, static_cast<int>(kSample / std::max(elapsed(piece), 1.0)));
    }
    for (int repetition = 0; repetition < repetitions_; ++repetition) {
      for (Piece& piece : pieces_) piece.samples.push_back(elapsed(piece) / piece.rounds / piece.operations);
    }
    for (const Piece& piece : pieces_) {
      const Summary value = summarise(piece.samples);
      std::printf("%s\t%.4f\t%.4f\t%.4f\t%zu\n", piece.name.c_str(), value.median, value.min, value.max, value.n);
    }
    std::fflush(stdout);
  }

  void count() {
    CALLGRIND_START_INSTRUMENTATION;  // the program starts without, which makes what it prepares five times faster
    CALLGRIND_DUMP_STATS_AT("warm-up");
    for (const Piece& piece : pieces_) {
      CALLGRIND_ZERO_STATS;
      piece.body();
      CALLGRIND_DUMP_STATS_AT(piece.name.c_str());
      std::printf("%s\t%.0f\n", piece.name.c_str(), piece.operations);
    }
    CALLGRIND_STOP_INSTRUMENTATION;
    std::fflush(stdout);
  }

  int repetitions_;
  std::vector<Piece> pieces_;
};

}  // namespace bench

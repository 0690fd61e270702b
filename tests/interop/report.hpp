// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace interop {

/// A check that did not hold; its text says what was expected and what came.
struct CheckFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool condition, const std::string& what) {
  if (!condition) throw CheckFailed(what);
}

/// Runs named checks and prints `ok NAME` or `FAIL NAME: why` for each, then one summary line.
class Report {
 public:
  /// `describe` turns the exception in flight into text (rethrow it); each ORB has its own hierarchy.
  Report(std::string filter, std::string (*describe)()) : filter_(std::move(filter)), describe_(describe) {}

  template <class Check>
  void run(const std::string& name, Check&& check) {
    if (name.find(filter_) == std::string::npos) return;
    if (const auto found = beyond_peer_.find(name); found != beyond_peer_.end()) return skip(name, found->second);
    try {
      check();
      ++passed_;
      std::printf("ok %s\n", name.c_str());
    } catch (const CheckFailed& failure) {
      fail(name, failure.what());
    } catch (...) {
      fail(name, describe_());
    }
    std::fflush(stdout);
  }

  /// A check that this pairing cannot pass, and why; it is printed, not counted.
  void skip(const std::string& name, const std::string& why) {
    std::printf("skip %s: %s\n", name.c_str(), why.c_str());
  }

  /// Checks by name that the peer cannot pass, and why; run() skips them.
  void set_beyond_peer(std::map<std::string, std::string> names) { beyond_peer_ = std::move(names); }

  /// The exit status: 0 when something ran and nothing failed.
  int finish() const {
    std::printf("done: %d ok, %d failed\n", passed_, failed_);
    return passed_ > 0 && failed_ == 0 ? 0 : 1;
  }

 private:
  void fail(const std::string& name, const std::string& why) {
    ++failed_;
    std::printf("FAIL %s: %s\n", name.c_str(), why.c_str());
  }

  std::string filter_;
  std::map<std::string, std::string> beyond_peer_;
  std::string (*describe_)();
  int passed_ = 0;
  int failed_ = 0;
};

}  // namespace interop

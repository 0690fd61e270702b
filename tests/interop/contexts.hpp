// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "report.hpp"

namespace interop {

/// The service context that clients send with each request of `--endpoint contexts`. What is answered in a context of
/// this id are its octets the other way round.
inline constexpr std::uint32_t kContextId = 0x434f5242;
using ContextOctets = std::vector<std::uint8_t>;

/// What a client sends in contexts, and what came back. Thread-safe.
class ContextCounts {
 public:
  /// Octets of another length each time.
  ContextOctets next() {
    ContextOctets made(3 + sent_++ * 97 % 5000);
    std::iota(made.begin(), made.end(), static_cast<std::uint8_t>(made.size()));
    return made;
  }

  /// `got`: what the reply to a request with the context `sent` has in its own; empty if it has none.
  void compare(ContextOctets sent, const ContextOctets& got) {
    std::reverse(sent.begin(), sent.end());
    ++(sent == got ? answered_ : wrong_);
  }

  /// The check of it: `ping` is a call that succeeds, `fail` one that catches its exception.
  template <class Ping, class Fail>
  void check(Report& report, Ping&& ping, Fail&& fail) {
    report.run("contexts", [&] {
      const int before = answered_;
      for (int i = 0; i < 60; ++i) ping();
      fail();
      require(answered_ == before + 61 && wrong_ == 0,
              std::to_string(answered_ - before) + " right, " + std::to_string(wrong_) + " wrong");
    });
  }

 private:
  std::atomic<unsigned> sent_{0};
  std::atomic<int> answered_{0}, wrong_{0};
};

}  // namespace interop

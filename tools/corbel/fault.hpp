// SPDX-License-Identifier: Apache-2.0
// What `corbel fault` does to messages: rules that are changed while it runs, and a queue for each way of a link.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "relay.hpp"

namespace corbel::tool {

/// What is done to the messages of one way. Probabilities are 0 to 1.
struct Faults {
  double delay_ms = 0;
  double jitter_ms = 0;  ///< up to so much more, evenly spread
  double throttle = 0;   ///< octets a second; 0: as fast as it goes
  double corrupt = 0;    ///< one octet behind the header is changed
  double drop = 0;
  double duplicate = 0;
  double reorder = 0;           ///< the message after it overtakes it
  std::size_t split = 0;        ///< octets of one send, at most; 0: all
  std::uint64_t cut_after = 0;  ///< octets of a connection, after which it is reset; 0: never
};

/// What happened so far.
struct FaultCounts {
  std::atomic<std::uint64_t> connections = 0, refused = 0, cut = 0, messages = 0, octets = 0, delayed = 0,
                             corrupted = 0, dropped = 0, duplicated = 0, reordered = 0;
};

/// The rules, and what came of them. Thread-safe.
class FaultRules {
 public:
  explicit FaultRules(std::uint64_t seed) : random_(seed) {}

  /// Obeys one command ("delay there 100 20"); the answer. Throws std::runtime_error for what it does not understand.
  std::string obey(const std::string& command);
  /// For commands that end connections: cuts all, and says how many. Null: no more commands of this kind.
  void set_cut(std::function<std::size_t(bool reset)> cut);

  Faults of(Way way) const;
  bool refuses() const { return refuse_; }
  bool silent() const { return silent_; }
  /// True in so many of all cases; repeatable by the seed.
  bool happens(double probability);
  /// Evenly spread below `end`.
  std::uint64_t below(std::uint64_t end);
  FaultCounts& counts() { return counts_; }
  /// Octets that all links keep.
  std::atomic<std::size_t>& waiting() { return waiting_; }

 private:
  std::string status() const;
  std::string set(const std::vector<std::string>& words);

  std::mutex obeying_;  // guards cut_
  std::function<std::size_t(bool)> cut_;
  mutable std::mutex mutex_;  // guards what follows
  Faults faults_[2];
  std::mt19937_64 random_;
  std::atomic<bool> refuse_ = false;
  std::atomic<bool> silent_ = false;
  FaultCounts counts_;
  std::atomic<std::size_t> waiting_ = 0;
};

/// One link with faults.
class FaultTalk final : public Talk {
 public:
  explicit FaultTalk(FaultRules& rules) : rules_(rules) {}
  ~FaultTalk() override;
  bool octets(Way way, base::ConstByteSpan octets, Link& link) override;
  void end(Way way, Link& link) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Piece {
    base::Bytes octets;
    Clock::time_point due;
  };
  struct Lane {
    base::Bytes partial;  ///< the begin of a message
    bool raw = false;     ///< what comes is no GIOP: pieces are as they came
    base::Bytes held;     ///< to be overtaken by the next message
    Clock::time_point last_due{};
    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    std::deque<Piece> queue;
    std::size_t queued = 0;  ///< octets; with those that are being sent
    bool ended = false, gone = false;
    std::uint64_t sent = 0;  ///< the sender's alone
    std::thread sender;
  };

  void message(Way way, base::Bytes octets);
  void put(Way way, base::Bytes octets);
  void send_all(Way way, Link& link);
  bool send(Way way, const Piece& piece, Link& link);
  static bool wait(Clock::time_point until, const Link& link);

  FaultRules& rules_;
  Lane lanes_[2];
};

}  // namespace corbel::tool

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

#include "corbel/base/fork.hpp"
#include "corbel/base/log.hpp"
#include "corbel/connection/own_threads.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::connection {

/// The threads that go on with hand-shakes: a step of one may take as long as many requests, and anybody may ask for
/// one. So there are few of them, and they leave the processors to threads that serve. They come when there is
/// something to do, and end when there was nothing for a while. Thread-safe; the reactor outlives it.
class HandShakes {
 public:
  /// `step` goes on with one hand-shake, without waiting and without throwing; false if none is to go on. At most
  /// `most` threads call it at the same time; 0: the one that runs the reactor does, once between two looks at what is
  /// ready. `log` is told of threads that could not be started: others do what they would have done.
  HandShakes(reactor::Reactor& reactor, std::uint32_t most, std::function<bool()> step, const base::Log& log);
  ~HandShakes();
  HandShakes(const HandShakes&) = delete;
  HandShakes& operator=(const HandShakes&) = delete;

  /// What `most` is if the user does not say: half of the processors that the process may use, and one at least.
  static std::uint32_t usual_most() noexcept;

  /// One more is to go on.
  void go_on() noexcept;
  /// The threads end after the step that they are in.
  void end() noexcept;
  /// Waits until they have ended, after end(). False if some had not by the deadline.
  bool join(base::Deadline deadline) noexcept { return own_.join(deadline); }

 private:
  struct Idle;

  void work() noexcept;
  bool rest() noexcept;
  void step_on_reactor() noexcept;

  reactor::Reactor& reactor_;
  const std::uint32_t most_;
  const std::function<bool()> step_;
  const base::Log& log_;
  const std::uint32_t generation_ = base::process_generation();
  std::mutex mutex_;  // guards what follows
  std::uint32_t threads_ = 0;
  Idle* idle_ = nullptr;
  bool missed_ = false;  // somebody came while all threads were busy
  bool posted_ = false;  // the reactor is to call step_on_reactor()
  bool ended_ = false;
  OwnThreads own_;  // last: they use the others
};

}  // namespace corbel::connection

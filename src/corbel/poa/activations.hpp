// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "corbel/base/deadline.hpp"

namespace corbel::poa {

/// What one adapter activator is being asked for, and what came of it.
struct Activation {
  std::string path;
  std::thread::id thread;
  bool over = false;
  std::optional<std::string> failure = {};  ///< what the activator's system exception said
};
using ActivationPtr = std::shared_ptr<const Activation>;

/// The calls of adapter activators that run. A POA that one of them makes exists for its thread only, until the call
/// returns: for all other threads it is still being made, with everything below it (CORBA 3.3 part 1, 15.3.3.2). Call
/// everything with AdapterSpace::tree() locked.
class Activations {
 public:
  /// The one that makes the path, or a POA above it, on another thread; null if none does.
  ActivationPtr find(std::string_view path) const;
  /// Whether the calling thread is asking for the very path: the activator has come back for what it is to make.
  bool asks_here(std::string_view path) const;
  /// Waits until it is over, unlocked; false if that takes too long.
  bool wait(std::unique_lock<std::mutex>& tree, const ActivationPtr& activation, base::Deadline deadline);

  /// The calling thread is about to ask for the path. To be given back to end().
  std::shared_ptr<Activation> begin(std::string path);
  void end(const std::shared_ptr<Activation>& activation);

 private:
  std::list<std::shared_ptr<Activation>> running_;
  std::condition_variable ended_;
};

}  // namespace corbel::poa

// SPDX-License-Identifier: Apache-2.0
// What makes an ORB compress: a layer over GIOP, and the ORBInitializer that goes with it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include <corbel/messaging/layer.hpp>

#include "engine.hpp"

namespace corbel::ziop {

/// The engines of ORBs that are being made: the layer makes one when the ORB takes its protocols, the initializer finds
/// it afterwards, on the thread that makes the ORB. Thread-safe.
class Making {
 public:
  void put(EnginePtr engine) {
    const std::lock_guard lock(mutex_);
    made_[std::this_thread::get_id()] = std::move(engine);
  }
  /// Null if the ORB that this thread makes has no layer.
  EnginePtr take() {
    const std::lock_guard lock(mutex_);
    auto node = made_.extract(std::this_thread::get_id());
    return node.empty() ? nullptr : std::move(node.mapped());
  }

 private:
  std::mutex mutex_;
  std::map<std::thread::id, EnginePtr> made_;
};
using MakingPtr = std::shared_ptr<Making>;

std::shared_ptr<const messaging::Layer> make_layer(MakingPtr making, Settings settings);
base::SharedPtr<PortableInterceptor::ORBInitializer> make_initializer(MakingPtr making);

}  // namespace corbel::ziop

// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/activations.hpp"

#include <algorithm>
#include <utility>

#include "corbel/poa/object_key.hpp"

namespace corbel::poa {

ActivationPtr Activations::find(std::string_view path) const {
  const auto here = std::this_thread::get_id();
  for (const auto& activation : running_) {
    const std::string_view made = activation->path;
    const bool within = path.starts_with(made) && (path.size() == made.size() || path[made.size()] == kPathSeparator);
    if (within && activation->thread != here) return activation;
  }
  return nullptr;
}

bool Activations::asks_here(std::string_view path) const {
  const auto here = std::this_thread::get_id();
  return std::any_of(running_.begin(), running_.end(),
                     [&](const auto& each) { return each->thread == here && each->path == path; });
}

bool Activations::wait(std::unique_lock<std::mutex>& tree, const ActivationPtr& activation, base::Deadline deadline) {
  const auto over = [&] { return activation->over; };
  if (!deadline.is_none()) return ended_.wait_for(tree, deadline.remaining(), over);
  ended_.wait(tree, over);
  return true;
}

std::shared_ptr<Activation> Activations::begin(std::string path) {
  return running_.emplace_back(std::make_shared<Activation>(Activation{std::move(path), std::this_thread::get_id()}));
}

void Activations::end(const std::shared_ptr<Activation>& activation) {
  activation->over = true;
  running_.remove(activation);
  ended_.notify_all();
}

}  // namespace corbel::poa

// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/bridge.hpp"

#include <utility>

#include "corbel/bridge/forwarder.hpp"

namespace corbel::bridge {

Bridge::Bridge(Settings settings) : forwarder_(std::make_shared<Forwarder>(std::move(settings))) {}
Bridge::~Bridge() = default;

orb::Components Bridge::components(orb::Components components) const {
  components.requests = forwarder_;
  return components;
}

std::string Bridge::add(CORBA::ORB& orb, const std::string& reference, const std::string& key) {
  return forwarder_->add(orb, reference, key);
}

Counts Bridge::counts() const {
  return forwarder_->counts();
}

}  // namespace corbel::bridge

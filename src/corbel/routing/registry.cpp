// SPDX-License-Identifier: Apache-2.0
// What there is: a list that is never changed, but replaced.
#include "corbel/routing/registry.hpp"

#include <algorithm>
#include <mutex>

namespace corbel::routing {

Registry::Registry(std::vector<ProtocolPtr> protocols, std::vector<FactoryPtr> transports,
                   messaging::Version max_version, const cdr::Limits& limits)
    : max_version_(max_version), limits_(limits) {
  auto parts = std::make_shared<Parts>();
  parts->protocols = std::move(protocols);
  for (auto& each : transports) {
    parts->transports.push_back(std::make_shared<const InstalledTransport>(std::move(each), next_order_++));
  }
  parts_ = std::move(parts);
}

const ProtocolPtr* Registry::Parts::find_protocol(std::string_view name) const noexcept {
  const auto at =
      std::find_if(protocols.begin(), protocols.end(), [&](const auto& one) { return one->name() == name; });
  return at == protocols.end() ? nullptr : &*at;
}

const TransportPtr* Registry::Parts::find_transport(std::string_view scheme) const noexcept {
  const auto at = std::find_if(transports.begin(), transports.end(),
                               [&](const auto& one) { return one->factory().scheme() == scheme; });
  return at == transports.end() ? nullptr : &*at;
}

const TransportPtr* Registry::Parts::find_transport_of_endpoint(std::string_view scheme) const noexcept {
  if (const TransportPtr* named = find_transport(scheme)) return named;
  const auto at = std::find_if(transports.begin(), transports.end(), [&](const auto& one) {
    return !scheme.empty() && one->factory().standard_scheme() == scheme;
  });
  return at == transports.end() ? nullptr : &*at;
}

Registry::PartsPtr Registry::parts() const {
  const std::lock_guard lock(mutex_);
  return parts_;
}

/// With the mutex.
void Registry::set(std::shared_ptr<Parts> parts) {
  parts_ = std::move(parts);
  changes_.fetch_add(1, std::memory_order_acq_rel);
}

std::string Registry::add(const std::vector<ProtocolPtr>& protocols, const std::vector<FactoryPtr>& transports) {
  // Connectors are made by foreign code, which is not called with the mutex.
  std::vector<TransportPtr> installed;
  std::size_t order = 0;
  {
    const std::lock_guard lock(mutex_);
    order = next_order_;
    next_order_ += transports.size();
  }
  for (const auto& each : transports) {
    if (each == nullptr) return "a transport that is nil";
    installed.push_back(std::make_shared<const InstalledTransport>(each, order++));
  }
  const std::lock_guard lock(mutex_);
  auto parts = std::make_shared<Parts>(*parts_);
  for (const auto& each : protocols) {
    if (each == nullptr) return "a protocol that is nil";
    if (parts->find_protocol(each->name()) != nullptr) {
      return std::string("a protocol '").append(each->name()).append("', which is there");
    }
    parts->protocols.push_back(each);
  }
  for (auto& each : installed) {
    if (const auto scheme = each->factory().scheme(); parts->find_transport(scheme) != nullptr) {
      return std::string("a transport '").append(scheme).append("', which is there");
    }
    parts->transports.push_back(std::move(each));
  }
  set(std::move(parts));
  return {};
}

ProtocolPtr Registry::withdraw_protocol(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const ProtocolPtr* found = parts_->find_protocol(name);
  if (found == nullptr) return nullptr;
  auto gone = *found;
  auto parts = std::make_shared<Parts>(*parts_);
  std::erase(parts->protocols, gone);
  set(std::move(parts));
  return gone;
}

TransportPtr Registry::withdraw_transport(std::string_view scheme) {
  const std::lock_guard lock(mutex_);
  const TransportPtr* found = parts_->find_transport(scheme);
  if (found == nullptr) return nullptr;
  auto gone = *found;
  auto parts = std::make_shared<Parts>(*parts_);
  std::erase(parts->transports, gone);
  set(std::move(parts));
  return gone;
}

bool Registry::has(const ProtocolPtr& protocol, const TransportPtr& transport) const {
  const PartsPtr now = parts();
  const auto holds = [](const auto& all, const auto& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  return holds(now->protocols, protocol) && holds(now->transports, transport);
}

}  // namespace corbel::routing

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace corbel::policy {

/// CORBA::PolicyType of corbel::TransportOptionsPolicy.
inline constexpr std::uint32_t kTransportOptionsType = 0x43424c01;

/// What one connection is to have, by the name that its transport gives to it: {"no_delay", "off"}.
struct TransportOption {
  std::string name;
  std::string value;
  friend bool operator==(const TransportOption&, const TransportOption&) = default;
};
using TransportOptions = std::vector<TransportOption>;

/// Null: the ORB's options. Shared by the calls that want these, and by their connections.
using TransportOptionsPtr = std::shared_ptr<const TransportOptions>;

/// True if connections made with one serve calls that want the other.
inline bool equal(const TransportOptionsPtr& one, const TransportOptionsPtr& other) noexcept {
  return one == other || (one != nullptr && other != nullptr && *one == *other);
}

}  // namespace corbel::policy

// SPDX-License-Identifier: Apache-2.0
// How priorities lie in service contexts and references (Real-time CORBA 1.2, 5.8.3; CORBA 3.3 part 2, 7.6.3, 7.7.2).
// Knows no ORB. Strangers' octets are safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace corbel::real_time {

inline constexpr std::uint32_t kPriorityContext = 10;  ///< IOP::RTCorbaPriority
inline constexpr std::uint32_t kTagPolicies = 2;       ///< IOP::TAG_POLICIES
inline constexpr std::uint32_t kModelPolicy = 40;      ///< RTCORBA::PRIORITY_MODEL_POLICY_TYPE
inline constexpr std::uint32_t kPoolPolicy = 41;       ///< RTCORBA::THREADPOOL_POLICY_TYPE

using Octets = std::vector<std::uint8_t>;

/// RTCORBA::PriorityModelPolicy as references have it.
struct Model {
  bool declared = false;      ///< SERVER_DECLARED; else CLIENT_PROPAGATED
  std::int16_t priority = 0;  ///< the server's
  friend bool operator==(const Model&, const Model&) = default;
};

/// The data of the context RTCorbaPriority: an encapsulated short.
Octets encode_priority(std::int16_t priority);
/// Nothing if it makes no sense.
std::optional<std::int16_t> decode_priority(const Octets& octets);
/// The data of a component TAG_POLICIES with this one policy.
Octets encode_policies(const Model& model);
/// What such a component says of it; nothing if that is nothing, or makes no sense.
std::optional<Model> find_model(const Octets& octets);

}  // namespace corbel::real_time

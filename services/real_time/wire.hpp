// SPDX-License-Identifier: Apache-2.0
// How priorities lie in service contexts and references (Real-time CORBA 1.2, 5.8.3; CORBA 3.3 part 2, 7.6.3, 7.7.2).
// Knows no ORB. Strangers' octets are safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace corbel::real_time {

inline constexpr std::uint32_t kPriorityContext = 10;  ///< IOP::RTCorbaPriority
inline constexpr std::uint32_t kTagPolicies = 2;       ///< IOP::TAG_POLICIES
inline constexpr std::uint32_t kModelPolicy = 40;      ///< RTCORBA::PRIORITY_MODEL_POLICY_TYPE
inline constexpr std::uint32_t kPoolPolicy = 41;       ///< RTCORBA::THREADPOOL_POLICY_TYPE
inline constexpr std::uint32_t kServerProtocolPolicy = 42;
inline constexpr std::uint32_t kClientProtocolPolicy = 43;
inline constexpr std::uint32_t kPrivatePolicy = 44;  ///< RTCORBA::PRIVATE_CONNECTION_POLICY_TYPE
inline constexpr std::uint32_t kBandsPolicy = 45;    ///< RTCORBA::PRIORITY_BANDED_CONNECTION_POLICY_TYPE

using Octets = std::vector<std::uint8_t>;

/// RTCORBA::PriorityModelPolicy as references have it.
struct Model {
  bool declared = false;      ///< SERVER_DECLARED; else CLIENT_PROPAGATED
  std::int16_t priority = 0;  ///< the server's
  friend bool operator==(const Model&, const Model&) = default;
};

/// RTCORBA::PriorityBand.
struct Band {
  std::int16_t low = 0;
  std::int16_t high = 0;
  friend bool operator==(const Band&, const Band&) = default;
};
using Bands = std::vector<Band>;
inline constexpr std::size_t kMostBands = 64;  ///< of one policy

/// The policies of these kinds that references have.
struct Exposed {
  std::optional<Model> model;
  Bands bands;
  friend bool operator==(const Exposed&, const Exposed&) = default;
};

/// The data of the context RTCorbaPriority: an encapsulated short.
Octets encode_priority(std::int16_t priority);
/// Nothing if it makes no sense.
std::optional<std::int16_t> decode_priority(const Octets& octets);
/// The data of a component TAG_POLICIES with these policies, as far as they are there.
Octets encode_policies(const Exposed& exposed);
/// What such a component says of them; nothing of those that it has not, or that make no sense.
Exposed decode_policies(const Octets& octets);

}  // namespace corbel::real_time

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/base/result.hpp"
#include "corbel/ior/ior.hpp"

namespace corbel::transport::tls {

/// What an association can do or must have (Security Service 1.8, Security::AssociationOptions).
inline constexpr std::uint16_t kIntegrity = 2;
inline constexpr std::uint16_t kConfidentiality = 4;
inline constexpr std::uint16_t kDetectReplay = 8;
inline constexpr std::uint16_t kDetectMisordering = 16;
inline constexpr std::uint16_t kTrustInTarget = 32;
inline constexpr std::uint16_t kTrustInClient = 64;
inline constexpr std::uint16_t kNoDelegation = 128;

/// The body of TAG_SSL_SEC_TRANS: how the host of the IIOP profile that it is in is reached by TLS.
struct SslComponent {
  std::uint16_t supports = 0;
  std::uint16_t requires_ = 0;
  std::uint16_t port = 0;  ///< 0: is not reached so
};

ior::TaggedComponent encode(const SslComponent& component);
/// What other ORBs claim in it is not looked at: omniORB and TAO say the same whatever they are told to do. Error:
/// unsupported for other tags, else that of the octets.
base::Result<SslComponent> decode(const ior::TaggedComponent& component);

}  // namespace corbel::transport::tls

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/messaging/protocol.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::routing {

/// Spoken where no text says which.
inline constexpr std::string_view kDefaultProtocol = "giop";

/// The first need of the protocol that the transport does not meet, in words that follow "a transport that"; empty if
/// all are met.
std::string_view unmet(const messaging::Protocol& protocol, const transport::Traits& gives) noexcept;

}  // namespace corbel::routing

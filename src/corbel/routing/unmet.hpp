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

/// What the writer of "host:port" got wrong that no transport takes; empty if that is none of the usual mistakes.
std::string_view address_hint(std::string_view address) noexcept;
/// True for an endpoint's text with an IPv6 address of one link that does not say of which: "rudp://[fe80::1]:4000".
bool lacks_interface(std::string_view endpoint) noexcept;

}  // namespace corbel::routing

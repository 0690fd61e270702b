// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "corbel/base/export.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// What an ORB may be told of it: -ORBRudp... (docs/options.md).
struct RudpSettings {
  /// A peer that has not acknowledged for so long what was sent to it is lost. One that has been silent for a third of
  /// it is asked whether it is there (ConnectionOptions::keep_alive).
  base::Duration give_up = std::chrono::seconds(10);
  /// Octets of the largest UDP datagram; less if the peer says so. 0: 1,232, which every path takes, and more between
  /// loopback addresses. What is below 512 is taken for that.
  std::uint32_t datagram = 0;
};

/// Reliability and order over UDP: a byte stream with connections, acknowledgements, retransmission, flow control and
/// congestion control of its own, between two Corbels. "rudp://host:port", "rudp://[v6]:port", and "rudp://:port" to
/// listen on every interface. ConnectionOptions::send_buffer and receive_buffer are octets that this side keeps until
/// they are acknowledged, and until they are received (4 KiB to 16 MiB; 256 KiB if not set).
CORBEL_API std::shared_ptr<const Factory> make_rudp(RudpSettings settings = {});

}  // namespace corbel::transport

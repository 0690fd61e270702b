// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "corbel/transport/transport.hpp"

/// What Factory::connection_options() returns for carriers of common kinds. The names are those of the members of
/// RTCORBA::TCPProtocolProperties.
namespace corbel::transport {

/// Of carriers with buffers whose size the connecting side chooses: send_buffer_size, recv_buffer_size.
std::span<const ConnectionOption> buffer_options() noexcept;
/// Of every connection, whatever carries it: gather_threshold.
std::span<const ConnectionOption> common_options() noexcept;
/// Of carriers over TCP: these, no_delay and keep_alive.
std::span<const ConnectionOption> tcp_options() noexcept;

}  // namespace corbel::transport

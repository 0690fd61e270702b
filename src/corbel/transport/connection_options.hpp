// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "corbel/transport/transport.hpp"

/// What Factory::connection_options() returns for carriers of common kinds. The names of buffers, no_delay and
/// keep_alive are those of the members of RTCORBA::TCPProtocolProperties.
namespace corbel::transport {

/// Of carriers with buffers whose size the connecting side chooses: send_buffer_size, recv_buffer_size.
std::span<const ConnectionOption> buffer_options() noexcept;
/// Of every connection, whatever carries it: gather_threshold, oneway_queue.
std::span<const ConnectionOption> common_options() noexcept;
/// Of carriers over Internet sockets: those of buffers, dscp, socket_priority, pacing_rate, time_to_live.
std::span<const ConnectionOption> inet_options() noexcept;
/// Of carriers to groups: as inet_options(), but that a time_to_live of 0 stays on this host.
std::span<const ConnectionOption> group_options() noexcept;
/// Of carriers over TCP: as inet_options(), and no_delay, keep_alive, unsent_limit.
std::span<const ConnectionOption> tcp_options() noexcept;
/// Of carriers over shared memory: ring_size.
std::span<const ConnectionOption> ring_options() noexcept;

}  // namespace corbel::transport

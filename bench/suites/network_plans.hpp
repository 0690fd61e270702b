// SPDX-License-Identifier: Apache-2.0
// What the suite networks measures over each network.
#pragma once

#include <vector>

#include "suites/latency.hpp"
#include "suites/network.hpp"
#include "suites/suite.hpp"
#include "suites/ttcp.hpp"

namespace bench {

/// The networks of the papers, and one without a limit.
std::vector<NetworkKind> papers_networks();

/// What is streamed over a network, one plan per table; `network` is where, null over loopback. Always octets and
/// BinStructs with the system's socket queues, and the round trip of chars; in full also what the papers streamed over
/// that one. 1995: octets and strings from 1 octet on, queues of 8 and 64 KiB, over Ethernet and ATM. 1996: all types
/// over ATM (SIGCOMM); over all of them queues of 8 and 64 KiB (1 MiB over HiPPI, too), connections that wait for more
/// (TCP_NODELAY off), datagrams, and 16 KiB of chars and BinStructs, there and back (NASA). Settings that choose
/// queues, mode, transport, no-delay or buffers choose a combination instead.
std::vector<StreamPlan> network_streams(const NetworkKind& kind, const Network* network, const Settings& settings);

/// Void calls and calls with octets over tcp, and the round trip of 8 octets over udp from which the NASA report's
/// model has its start-up time. None where a combination of streams was chosen.
std::vector<LatencyPlan> network_latencies(const NetworkKind& kind, const Network* network, const Settings& settings);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
// The two ends of a stream between machines: what `corbel-ttcp -r` and `corbel-ttcp -t` do.
#pragma once

#include <optional>
#include <string>

namespace bench {

/// What the command line says. Text that is empty was not given: a receiver then takes what comes, a transmitter what
/// is usual.
struct StreamOptions {
  std::string model = {};      ///< c, wrappers, rpc, corbel or omniorb
  std::string protocol = {};   ///< giop, giop_lite, giop-spin; stubs or opaque with rpc; none or spin with c
  std::string transport = {};  ///< tcp, tls, udp, unix or shm
  std::string type = {};       ///< one of peers/peer.hpp
  std::string mode = "oneway";
  int buffer = 8192;            ///< octets
  int queue = 0;                ///< octets of this side's socket queues; 0: the system's
  bool no_delay = true;         ///< TCP sends at once
  std::optional<int> cpu = {};  ///< the processor that this side's process is bound to
  unsigned long calls = 2048;
  int port = 5001;
  std::string listen = "0.0.0.0";  ///< the receiver's address
  std::string json = {};           ///< file for the figures
};

/// Receives one stream and returns 0; transmitters that ask for what is refused are told so, and the next is waited
/// for. Throw std::runtime_error.
int receive_stream(const StreamOptions& options);
/// Sends one stream to a receiver.
int transmit_stream(const StreamOptions& options, const std::string& host);

}  // namespace bench

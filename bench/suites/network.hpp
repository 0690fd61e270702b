// SPDX-License-Identifier: Apache-2.0
// A network of two hosts inside this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/child.hpp"

namespace bench {

/// What a network is like.
struct NetworkKind {
  std::string name;     ///< for people, and the `network` of a case
  double megabits = 0;  ///< per second in each direction; 0: unlimited
  int mtu = 1500;       ///< octets of the largest packet
  int queue = 0;        ///< octets of the socket queues that were found best for it; 0: nothing is known
};

/// Two network namespaces joined by a pair of virtual Ethernet devices. They exist as long as two processes of ours
/// live in them: whatever ends this process, the kernel takes them away.
class Network {
 public:
  /// Throws std::runtime_error if the kernel or our rights do not allow it.
  explicit Network(const NetworkKind& kind);

  /// What a program of the server's or the client's host runs under.
  std::vector<std::string> on_server() const { return inside(*server_); }
  std::vector<std::string> on_client() const { return inside(*client_); }
  /// Where the server listens.
  static const char* server_address() { return "10.77.0.1"; }

  /// True if this process may make networks here.
  static bool possible();

 private:
  static std::vector<std::string> inside(const Child& host);

  std::optional<Child> server_;  ///< a process that only keeps the namespace alive
  std::optional<Child> client_;
};

}  // namespace bench

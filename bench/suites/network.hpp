// SPDX-License-Identifier: Apache-2.0
// A network of two hosts inside this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/child.hpp"

namespace bench {

/// What a link adds to each packet of IP.
struct Framing {
  int overhead = 0;    ///< octets
  int least = 0;       ///< octets that a frame has at least
  bool cells = false;  ///< frames go in cells of 53 octets with 48 of theirs each
};
inline constexpr Framing kEthernet{.overhead = 38, .least = 84};  ///< with preamble and gap between frames
inline constexpr Framing kFddi{.overhead = 36};                   ///< RFC 1390, with preamble
inline constexpr Framing kAtm{.overhead = 16, .cells = true};     ///< LLC and SNAP, AAL5's trailer (RFC 2684)
inline constexpr Framing kHippi{.overhead = 40};                  ///< RFC 2067
inline constexpr Framing kPpp{.overhead = 8};                     ///< in frames like HDLC's (RFC 1662)

/// What a network is like.
struct NetworkKind {
  std::string name;     ///< for people, and the `network` of a case
  double megabits = 0;  ///< per second in each direction; 0: unlimited
  int mtu = 1500;       ///< octets of the largest packet
  Framing framing = {};
  double delay_us = 0;  ///< propagation, one way; of lines
  /// Every packet takes the time of its octets and the propagation, a lone one, too: a program of ours carries them,
  /// where the kernel has nothing that delays (netem). That costs some tens of microseconds a packet.
  bool line = false;
  int queue = 0;  ///< octets of the socket queues that were found best for it; 0: nothing is known
};

/// Two network namespaces joined by a pair of virtual Ethernet devices, whose rate a token bucket limits: a lone packet
/// goes at once. They exist as long as two processes of ours live in them: whatever ends this process, the kernel takes
/// them away.
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
  /// True if it may make networks of which `line` is true here.
  static bool lines_possible();

  /// What has gone over a line, both ways together.
  struct Traffic {
    double packets = 0;
    double octets = 0;  ///< of IP
    double framed = 0;  ///< octets on the line
  };
  /// Of a network of which `line` is true. Throws std::runtime_error.
  Traffic traffic();

 private:
  void join_by_devices();
  void join_by_line(const NetworkKind& kind);
  static std::vector<std::string> inside(const Child& host);

  std::optional<Child> server_;  ///< a process that only keeps the namespace alive
  std::optional<Child> client_;
  std::optional<Child> line_;  ///< the process that carries the packets of a line
};

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "media/content.hpp"
#include "media/sight.hpp"

namespace media {

/// How frames get from one process to the other.
class Way {
 public:
  virtual ~Way() = default;
  /// Sends one; captured at `moment`. Throws if it cannot.
  virtual void picture(std::uint32_t number, const Octets& octets, std::chrono::steady_clock::time_point moment) = 0;
  virtual void sound(std::uint32_t number, const Octets& octets, std::chrono::steady_clock::time_point moment) = 0;
  /// What the other end has reported, if it does.
  virtual std::string reported() { return {}; }
};

/// By a socket that a C programmer opens: a header of number, kind and time, and the octets. "unix" (a stream), "udp"
/// and "multicast", where frames are cut into datagrams of `kPlainPiece` octets at most.
std::unique_ptr<Way> make_plain_way(const std::string& address);
/// Largest datagram of a transport.
std::size_t plain_piece(const std::string& transport);

/// The receiving end of all plain ways; its threads live as long as the process. Returns "TRANSPORT ADDRESS" lines.
std::vector<std::string> receive_plainly(Sight& sight, const std::string& folder);

}  // namespace media

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "giop_writer.hpp"

namespace corbel::test {

/// A GIOP client made by hand: it sends the octets it is told to, reads only when told to, and gives what came as it
/// came. For whatever tests servers. Everything that waits gives up after a long time.
class RawPeer {
 public:
  /// Takes a descriptor; connect() needs none. `receive_buffer`: of the socket, 0: the system's.
  explicit RawPeer(int receive_buffer = 0);
  RawPeer(std::uint16_t port, int receive_buffer = 0) : RawPeer(receive_buffer) { (void)connect(port); }
  ~RawPeer();
  RawPeer(RawPeer&& other) noexcept;
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  RawPeer& operator=(RawPeer&&) = delete;

  bool connect(std::uint16_t port);
  /// Before connect(): the address to come from, of those of this host ("127.0.0.2").
  bool come_from(const char* address);
  /// Sends all; false if the peer has ended the connection.
  bool send(const Octets& octets);
  /// Sends what goes without waiting; how much that was.
  std::size_t send_some(const Octets& octets);
  /// The next message, whole; nothing if the stream ends before or in it.
  std::optional<Octets> message();
  /// At most so many octets of what has come; how many that were.
  std::size_t take(std::size_t most);
  /// Everything up to the end of the stream; nothing if there is none.
  std::optional<Octets> rest();
  /// True if nothing has come that was not read.
  bool silent() const;
  /// "I send no more."
  void end_sending();

 private:
  bool read(Octets& into, std::size_t size);

  int socket_;
};

/// A request in GIOP 1.2; `body` writes the arguments (at a multiple of 8).
Octets raw_request(std::uint32_t id, std::string_view key, std::string_view operation,
                   const std::function<void(Writer&)>& body = {}, std::uint8_t response_flags = 3);
/// A message that has nothing but its header: 5 CloseConnection, 6 MessageError.
Octets raw_control(std::uint8_t type, std::uint8_t minor = 2);

}  // namespace corbel::test

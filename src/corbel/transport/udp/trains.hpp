// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "corbel/base/bytes.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/datagram.hpp"

namespace corbel::transport::udp {

/// Receives datagrams one by one, but takes those that left together from the system by one call (UDP_GRO): a fifteenth
/// of the system's time for each, and a fifth of that for their sender. Where datagrams come by themselves such a call
/// takes a quarter longer than recv(2); so it is tried now and then, seldomer and seldomer, and kept up while it is
/// worth it. For one thread at a time, the reader.
class Trains {
 public:
  /// As ipc::ConnectedUdp::recv(); also out_of_resources.
  base::Result<std::size_t> recv(ipc::ConnectedUdp& socket, base::ByteSpan room, ipc::RecvFlags flags) noexcept {
    if (!on_) [[likely]] {
      if (--until_try_ != 0) [[likely]]
        return socket.recv(room, flags);
      begin(socket);
    }
    return recv_of_train(socket, room, flags);
  }
  /// True if datagrams are here that the system has no longer.
  bool has_more() const noexcept { return at_ != end_; }

 private:
  static constexpr std::size_t kRoom = 1U << 16;  // more than the system gives at once
  static constexpr unsigned kLeast = 256;         // datagrams from one try to the next
  static constexpr unsigned kMost = 8192;
  static constexpr unsigned kVain = 32;  // that came by themselves, until it is given up

  void begin(ipc::ConnectedUdp& socket) noexcept;
  void end(ipc::ConnectedUdp& socket) noexcept;
  base::Result<std::size_t> recv_of_train(ipc::ConnectedUdp& socket, base::ByteSpan room,
                                          ipc::RecvFlags flags) noexcept;
  base::Status fill(ipc::ConnectedUdp& socket, ipc::RecvFlags flags) noexcept;

  bool on_ = false;
  unsigned until_try_ = kLeast;
  unsigned pause_ = kLeast;  // the next one
  unsigned vain_ = 0;
  std::size_t at_ = 0;  // in `octets_`, and so are these
  std::size_t end_ = 0;
  std::size_t size_ = 0;                   // of each but the last
  std::unique_ptr<base::Octet[]> octets_;  // not while nothing comes
};

}  // namespace corbel::transport::udp

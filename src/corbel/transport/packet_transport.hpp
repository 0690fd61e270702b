// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "corbel/ipc/packet.hpp"
#include "corbel/transport/socket_transport.hpp"

namespace corbel::transport {

/// The carrier over a connected socket that keeps messages. A warm send is one system call, and so is a receive,
/// whatever the deadline. `Socket`: an ipc::PacketStream, or what has its functions.
template <class Socket>
class MessageTransport : public SocketTransport<Socket> {
  using Base = SocketTransport<Socket>;

 public:
  /// `scheme` must outlive the transport (a literal). `traits`: the socket itself may take less than its largest
  /// message.
  MessageTransport(std::string_view scheme, Socket socket, const base::Spin& spin, const Traits& traits)
      : Base(scheme, std::move(socket), spin), traits_(traits) {
    if (const auto room = this->socket().get(ipc::option::send_buffer)) {
      traits_.largest_message =
          std::min(traits_.largest_message, static_cast<std::size_t>(std::max(*room - kBookkeeping, 1)));
    }
  }

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    std::size_t size = 0;
    for (const cdr::Segment& segment : data) size += segment.size;
    if (size > traits_.largest_message) return base::error(base::Stage::send, base::Code::too_large);
    if (size == 0) return size;
    if (data.size() > kMaxPieces) return send_joined(data, size, deadline);
    // The queue nearly always has room, and then no deadline has to be looked at.
    auto count = send_once(data, ipc::SendFlags::dont_wait);
    while (Base::would_block(count) && !deadline.is_now()) {
      CORBEL_CHECK(this->prepare_send(deadline));
      count = send_once(data, ipc::SendFlags::interruptible);
    }
    return count;
  }

  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    auto sent = send(data, deadline);
    if (sent || sent.error().code != base::Code::timed_out) return sent;
    return base::error(base::Stage::send, base::Code::would_block);
  }

  Traits traits() const noexcept override { return traits_; }

 private:
  static constexpr int kBookkeeping = 32;          // octets that Linux sets aside of a send buffer
  static constexpr std::size_t kMaxPieces = 1024;  // what one system call takes on Linux

  base::Result<std::size_t> send_once(std::span<const cdr::Segment> data, ipc::SendFlags flags) noexcept {
    // The system takes 7 % longer over sendmsg(2) for one piece.
    if (data.size() == 1) [[likely]] {
      return this->socket().send({static_cast<const base::Octet*>(data[0].data), data[0].size}, flags);
    }
    static_assert(sizeof(cdr::Segment) == sizeof(ipc::ConstIoVector) && offsetof(cdr::Segment, data) == 0);
    return this->socket().sendv({reinterpret_cast<const ipc::ConstIoVector*>(data.data()), data.size()}, flags);
  }

  base::Result<std::size_t> send_joined(std::span<const cdr::Segment> data, std::size_t size, base::Deadline deadline) {
    try {
      base::Bytes joined;
      joined.reserve(size);
      for (const cdr::Segment& segment : data) {
        const auto* octets = static_cast<const base::Octet*>(segment.data);
        joined.insert(joined.end(), octets, octets + segment.size);
      }
      const cdr::Segment whole{joined.data(), joined.size()};
      return send({&whole, 1}, deadline);
    } catch (const std::bad_alloc&) {
      return base::error(base::Stage::send, base::Code::out_of_resources);
    }
  }

  Traits traits_;
};

using PacketTransport = MessageTransport<ipc::PacketStream>;

}  // namespace corbel::transport

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "corbel/ipc/stream.hpp"
#include "corbel/transport/socket_transport.hpp"

namespace corbel::transport {

/// The carrier over a connected stream socket in blocking mode, shared by all transports that have one. A warm send is
/// one system call, and so is a receive, whatever the deadline.
template <class AddressType>
class StreamTransport final : public SocketTransport<ipc::Stream<AddressType>> {
  using Base = SocketTransport<ipc::Stream<AddressType>>;

 public:
  /// `scheme` must outlive the transport (a literal).
  StreamTransport(std::string_view scheme, ipc::Stream<AddressType> stream, const base::Spin& spin = {})
      : Base(scheme, std::move(stream), spin) {}

  Traits traits() const noexcept override { return {.edges = true}; }

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    // What is small nearly always fits into the socket's queue at once, and then no deadline has to be looked at.
    if (data.size() == 1 && data[0].size <= kSmallSend) [[likely]] {
      auto count =
          this->socket().send({static_cast<const base::Octet*>(data[0].data), data[0].size}, ipc::SendFlags::dont_wait);
      if (count && *count == data[0].size) [[likely]]
        return count;
      if (deadline.is_now()) return count;
      if (!count && count.error().code != base::Code::would_block) return count;
      std::size_t sent = count ? *count : 0;
      return send_rest(data, sent, deadline);
    }
    std::size_t sent = 0;
    return send_rest(data, sent, deadline);
  }

  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    std::size_t sent = 0;
    auto whole = send_rest(data, sent, deadline);
    if (whole || (whole.error().code != base::Code::timed_out && whole.error().code != base::Code::would_block)) {
      return whole;
    }
    if (sent == 0) return base::error(base::Stage::send, base::Code::would_block);
    return sent;
  }

  /// Not over local sockets: their senders sleep as soon as little has not been received.
  void wait_for_many(std::size_t octets) noexcept override {
    if constexpr (AddressType::kInternet) {
      if (!this->spins()) ipc::wait_for_octets(this->handle(), octets, kMoment);
    }
  }

  std::size_t unsent() const noexcept override {
    if constexpr (AddressType::kInternet) return ipc::unsent(this->handle());
    return 0;
  }

 private:
  /// Where in a gather list sending goes on.
  struct Position {
    std::size_t segment = 0;
    std::size_t offset = 0;

    void advance(std::span<const cdr::Segment> data, std::size_t count) noexcept {
      offset += count;
      while (segment < data.size() && offset >= data[segment].size) offset -= data[segment++].size;
    }
  };
  /// A blocking send on a local socket may wait its time-out for every buffer that the system fills, of some 32 KiB. A
  /// peer that reads drop by drop must not stretch a deadline by that: what is large waits a share of the time at each.
  static constexpr std::size_t kLocalBuffer = 32U << 10;
  static constexpr std::size_t kMaxTimedLocalSend = 2U << 20;
  static constexpr std::size_t kPieces = 64;
  static constexpr base::Duration kMoment = std::chrono::microseconds(20);  // the system adds its own 50 as a rule
  static constexpr std::size_t kMaxPieces = 1024;                           // what one system call takes on Linux
  static constexpr std::size_t kSmallSend = 16U << 10;

  /// The general case: from octet `sent` of the list on, by the deadline. `sent` is right however it ends.
  base::Result<std::size_t> send_rest(std::span<const cdr::Segment> data, std::size_t& sent, base::Deadline deadline) {
    std::size_t total = 0;
    for (const cdr::Segment& segment : data) total += segment.size;
    Position position;
    position.advance(data, sent);
    while (sent < total) {
      if (!deadline.is_now()) {
        CORBEL_CHECK(this->prepare_send(share_of(deadline, total - sent)));
      }
      const auto count = send_some(data, position, total - sent, deadline);
      if (count) [[likely]] {
        sent += *count;
        if (deadline.is_now()) return sent;
        if (sent < total) position.advance(data, *count);
      } else if (count.error().code != base::Code::would_block || deadline.is_now()) {
        return count.error();
      }
    }
    return total;
  }

  /// How long the next send of so many octets may wait for one buffer.
  static base::Deadline share_of(base::Deadline deadline, std::size_t left) noexcept {
    if (AddressType::kInternet || left <= kLocalBuffer || deadline.is_none()) return deadline;
    constexpr auto kBuffers = static_cast<base::Duration::rep>(kMaxTimedLocalSend / kLocalBuffer);
    return base::Deadline::after(deadline.remaining() / kBuffers);
  }
  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, Position position, std::size_t left,
                                      base::Deadline deadline) noexcept {
    static_assert(sizeof(cdr::Segment) == sizeof(ipc::ConstIoVector) && offsetof(cdr::Segment, data) == 0);
    const auto flags = deadline.is_now() ? ipc::SendFlags::dont_wait : ipc::SendFlags::interruptible;
    const bool bounded = !AddressType::kInternet && left > kMaxTimedLocalSend && !deadline.is_none();
    if (position.segment == 0 && position.offset == 0 && !bounded && data.size() <= kMaxPieces) [[likely]] {
      if (data.size() == 1)
        return this->socket().send({static_cast<const base::Octet*>(data[0].data), data[0].size}, flags);
      return this->socket().sendv({reinterpret_cast<const ipc::ConstIoVector*>(data.data()), data.size()}, flags);
    }
    std::array<ipc::ConstIoVector, kPieces> pieces;
    std::size_t used = 0;
    std::size_t room = bounded ? kMaxTimedLocalSend : left;
    for (std::size_t offset = position.offset; position.segment < data.size() && used < kPieces && room > 0;) {
      const cdr::Segment& segment = data[position.segment++];
      const std::size_t size = segment.size - offset < room ? segment.size - offset : room;
      pieces[used++] = ipc::ConstIoVector(static_cast<const base::Octet*>(segment.data) + offset, size);
      room -= size;
      offset = 0;
    }
    return this->socket().sendv({pieces.data(), used}, flags);
  }
};

}  // namespace corbel::transport

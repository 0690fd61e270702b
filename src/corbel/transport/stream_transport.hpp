// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/base/spin.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport {

/// Bounds blocking operations of one direction of a socket by the socket's own time-out, which costs nothing per call:
/// it is set once and changed only when a deadline differs from it by more than a sixteenth. Used by one thread at a
/// time.
class SocketTimeout {
 public:
  /// Makes the next blocking operation end at about `deadline` (not now()): at most a sixteenth and the clock's
  /// resolution late. It may end early; then look at the deadline and prepare again. Error: timed_out.
  template <class Stream, class Option>
  base::Status prepare(Stream& stream, const Option& option, base::Deadline deadline, base::Stage stage) noexcept {
    const base::Duration left = deadline.remaining();
    if (left >= least_ && left <= most_) [[likely]]
      return {};
    return set(stream, option, left, stage);
  }

 private:
  static constexpr base::Duration kClockResolution = std::chrono::milliseconds(4);
  static constexpr base::Duration kNever = base::Duration::max();

  template <class Stream, class Option>
  [[gnu::noinline]] base::Status set(Stream& stream, const Option& option, base::Duration left,
                                     base::Stage stage) noexcept {
    if (left == base::Duration::zero()) return base::error(stage, base::Code::timed_out);
    if (auto status = stream.set(option, left == kNever ? base::Duration::zero() : left); !status) {
      return base::error(stage, status.error().code, status.error().os_error);
    }
    const base::Duration apart = left == kNever ? base::Duration::zero() : left / 17 + kClockResolution;
    least_ = std::max(left - apart, base::Duration(1));
    most_ = left + apart;
    return {};
  }

  // What the socket's time-out will do for; a fresh socket has none.
  base::Duration least_ = kNever;
  base::Duration most_ = kNever;
};

/// The carrier over a connected stream socket in blocking mode, shared by all transports that have one. A warm send is
/// one system call, and so is a receive, whatever the deadline.
template <class Address>
class StreamTransport final : public Transport {
 public:
  /// `scheme` must outlive the transport (a literal).
  StreamTransport(std::string_view scheme, ipc::Stream<Address> stream, const base::Spin& spin = {})
      : scheme_(scheme), stream_(std::move(stream)), spin_(spin), peer_(text_of(stream_.peer_address())) {}

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    // What is small nearly always fits into the socket's queue at once, and then no deadline has to be looked at.
    if (data.size() == 1 && data[0].size <= kSmallSend) [[likely]] {
      auto count =
          stream_.send({static_cast<const base::Octet*>(data[0].data), data[0].size}, ipc::SendFlags::dont_wait);
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

  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override {
    if (spin_.enabled() && !deadline.is_now()) [[unlikely]] {
      base::Result<std::size_t> found = base::error(base::Stage::receive, base::Code::would_block);
      const auto look = [&] {
        found = receive_once(buffer, ipc::RecvFlags::dont_wait);
        return !would_block(found);
      };
      if (spin_.until(deadline, look)) return found;
    }
    return receive_asleep(buffer, deadline);
  }

  std::size_t unsent() const noexcept override {
    if constexpr (std::is_same_v<Address, ipc::InetAddress>) return ipc::unsent(stream_.handle());
    return 0;
  }
  void abandon() noexcept override { stream_.close(); }
  void shutdown() noexcept override { (void)stream_.shutdown(ipc::Direction::both); }
  int handle() const noexcept override { return stream_.handle(); }
  int send_handle() const noexcept override { return stream_.handle(); }
  Traits traits() const noexcept override { return {}; }
  std::string local() const override { return text_of(stream_.local_address()); }
  std::string peer() const override { return peer_; }

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
  /// A blocking send on a local socket waits up to its time-out for every buffer of about 100 KiB: bounding one call
  /// keeps a peer that reads drop by drop from stretching a deadline without end.
  static constexpr std::size_t kTimedLocalSend = 256U << 10;
  static constexpr std::size_t kPieces = 64;
  static constexpr std::size_t kMaxPieces = 1024;  // what one system call takes on Linux
  static constexpr std::size_t kSmallSend = 16U << 10;

  static bool would_block(const base::Result<std::size_t>& count) noexcept {
    return !count && count.error().code == base::Code::would_block;
  }

  base::Result<std::size_t> receive_once(base::ByteSpan buffer, ipc::RecvFlags flags) noexcept {
    auto count = stream_.recv(buffer, flags);
    if (count && *count == 0) [[unlikely]]
      return base::error(base::Stage::receive, base::Code::closed);
    return count;
  }

  base::Result<std::size_t> receive_asleep(base::ByteSpan buffer, base::Deadline deadline) {
    if (deadline.is_now()) return receive_once(buffer, ipc::RecvFlags::dont_wait);
    for (;;) {
      CORBEL_CHECK(receive_timeout_.prepare(stream_, ipc::option::receive_timeout, deadline, base::Stage::receive));
      auto count = receive_once(buffer, ipc::RecvFlags::interruptible);
      if (!would_block(count)) [[likely]]
        return count;
    }
  }

  /// The general case: from octet `sent` of the list on, by the deadline. `sent` is right however it ends.
  base::Result<std::size_t> send_rest(std::span<const cdr::Segment> data, std::size_t& sent, base::Deadline deadline) {
    std::size_t total = 0;
    for (const cdr::Segment& segment : data) total += segment.size;
    Position position;
    position.advance(data, sent);
    while (sent < total) {
      if (!deadline.is_now()) {
        CORBEL_CHECK(send_timeout_.prepare(stream_, ipc::option::send_timeout, deadline, base::Stage::send));
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

  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, Position position, std::size_t left,
                                      base::Deadline deadline) noexcept {
    static_assert(sizeof(cdr::Segment) == sizeof(ipc::ConstIoVector) && offsetof(cdr::Segment, data) == 0);
    const auto flags = deadline.is_now() ? ipc::SendFlags::dont_wait : ipc::SendFlags::interruptible;
    const bool bounded = !Address::kInternet && left > kTimedLocalSend && !deadline.is_none();
    if (position.segment == 0 && position.offset == 0 && !bounded && data.size() <= kMaxPieces) [[likely]] {
      if (data.size() == 1) return stream_.send({static_cast<const base::Octet*>(data[0].data), data[0].size}, flags);
      return stream_.sendv({reinterpret_cast<const ipc::ConstIoVector*>(data.data()), data.size()}, flags);
    }
    std::array<ipc::ConstIoVector, kPieces> pieces;
    std::size_t used = 0;
    std::size_t room = bounded ? kTimedLocalSend : left;
    for (std::size_t offset = position.offset; position.segment < data.size() && used < kPieces && room > 0;) {
      const cdr::Segment& segment = data[position.segment++];
      const std::size_t size = segment.size - offset < room ? segment.size - offset : room;
      pieces[used++] = ipc::ConstIoVector(static_cast<const base::Octet*>(segment.data) + offset, size);
      room -= size;
      offset = 0;
    }
    return stream_.sendv({pieces.data(), used}, flags);
  }

  std::string text_of(const base::Result<Address>& address) const {
    return std::string(scheme_).append("://").append(address ? address->to_string() : std::string());
  }

  std::string_view scheme_;
  ipc::Stream<Address> stream_;
  SocketTimeout send_timeout_;
  SocketTimeout receive_timeout_;
  base::Spin spin_;
  std::string peer_;
};

}  // namespace corbel::transport

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "corbel/connection/connection.hpp"
#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/giop.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

inline messaging::OutgoingRequest request_named(std::string_view operation) {
  static const base::Bytes key{'k', 'e', 'y'};
  messaging::OutgoingRequest request;
  request.object_key = key;
  request.operation = operation;
  return request;
}

inline base::Status call(Connection& connection, Deadline deadline = Deadline::after(std::chrono::seconds(20))) {
  return connection.call(
      request_named("echo"), [](cdr::Encoder& e) { e.put_string("x"); }, deadline,
      [](const messaging::IncomingReply&, cdr::Decoder&) {});
}

/// An asynchronous request whose outcome is not looked at.
class Unwatched final : public AsyncReply {
 public:
  explicit Unwatched(Connection& connection) { token = connection.take_token(); }
  void on_reply(const messaging::IncomingReply&, cdr::Decoder&) noexcept override {}
  void on_queued() noexcept override {}
  void finish() noexcept override {}
  messaging::OutgoingRequest request(std::string_view operation) const { return request_named(operation); }
};

/// A carrier that does what the test says.
class Scripted final : public transport::Transport {
 public:
  struct Acts {
    std::function<base::Result<std::size_t>(std::size_t, Deadline)> send = [](std::size_t size, Deadline) {
      return base::Result<std::size_t>(size);
    };
    std::function<base::Result<std::size_t>(base::ByteSpan, Deadline)> receive = [](base::ByteSpan, Deadline) {
      return base::Result<std::size_t>(base::error(Stage::receive, Code::would_block));
    };
    std::function<void(const base::Bytes&)> on_send;                                         // before `send`
    std::function<base::Result<std::size_t>(std::span<const std::uint32_t>)> send_messages;  // if none: one, by `send`
    transport::Traits traits;
    std::function<void()> shutdown = [] {};
    int handle = -1;
    int send_handle = -1;
    std::function<bool()> pending = [] { return false; };
    std::function<void()> on_handle = [] {};
  };
  explicit Scripted(Acts& acts) : acts_(acts) {}

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, Deadline deadline) override {
    std::size_t size = 0;
    base::Bytes octets;
    for (const auto& segment : data) {
      size += segment.size;
      const auto* const begin = static_cast<const base::Octet*>(segment.data);
      octets.insert(octets.end(), begin, begin + segment.size);
    }
    if (acts_.on_send) acts_.on_send(octets);
    return acts_.send(size, deadline);
  }
  base::Result<std::size_t> send_messages(base::ConstByteSpan octets, std::span<const std::uint32_t> sizes) override {
    return acts_.send_messages ? acts_.send_messages(sizes) : Transport::send_messages(octets, sizes);
  }
  base::Result<std::size_t> receive(base::ByteSpan buffer, Deadline deadline) override {
    return acts_.receive(buffer, deadline);
  }
  void shutdown() noexcept override { acts_.shutdown(); }
  int handle() const noexcept override {
    acts_.on_handle();
    return acts_.handle;
  }
  int send_handle() const noexcept override { return acts_.send_handle; }
  bool pending() const noexcept override { return acts_.pending(); }
  transport::Traits traits() const noexcept override { return acts_.traits; }
  std::string local() const override { return "here"; }
  std::string peer() const override { return "there"; }

 private:
  Acts& acts_;
};

inline ConnectionPtr connect(Scripted::Acts& acts) {
  Connection::Settings settings;
  settings.version = {1, 2};
  return ConnectionPtr(new Connection(std::make_unique<Scripted>(acts), messaging::make_giop(), settings));
}

/// What a peer would send.
class Octets {
 public:
  Octets& reply(std::uint32_t id, messaging::ReplyStatus status = messaging::ReplyStatus::no_exception) {
    return add([&](cdr::Encoder& encoder) { codec_.encode_reply(encoder, id, status, {}, [](cdr::Encoder&) {}); });
  }
  Octets& control(messaging::MessageType type) {
    return add([&](cdr::Encoder& encoder) { codec_.encode_control(encoder, type); });
  }
  /// Puts it all into `buffer` at once.
  base::Result<std::size_t> into(base::ByteSpan buffer) {
    std::copy(octets_.begin(), octets_.end(), buffer.begin());
    return std::exchange(octets_, {}).size();
  }

 private:
  template <class Encode>
  Octets& add(const Encode& encode) {
    cdr::Encoder encoder;
    encode(encoder);
    const base::Bytes message = encoder.to_bytes();
    octets_.insert(octets_.end(), message.begin(), message.end());
    return *this;
  }

  const messaging::giop::Giop codec_{{1, 2}};
  base::Bytes octets_;
};

/// A GIOP 1.1 reply with so many octets of body, cut behind the first `first` octets of the message.
inline base::Bytes in_two_fragments(std::uint32_t id, std::size_t first) {
  cdr::Encoder encoder({.giop_minor = 1});
  messaging::giop::Giop({1, 2}).encode_reply(encoder, id, messaging::ReplyStatus::no_exception, {},
                                             [](cdr::Encoder& body) {
                                               for (std::uint32_t n = 0; n < 16; ++n) body.put(n);
                                             });
  base::Bytes whole = encoder.to_bytes();
  base::Bytes rest(whole.begin(), whole.begin() + 12);  // the header again
  rest.insert(rest.end(), whole.begin() + static_cast<std::ptrdiff_t>(first), whole.end());
  whole.resize(first);
  const auto finish = [](base::Bytes& message, std::uint8_t flags, std::uint8_t type) {
    message[6] = static_cast<std::uint8_t>((message[6] & 1U) | flags);
    message[7] = type;
    const auto size = static_cast<std::uint32_t>(message.size() - 12);
    std::memcpy(&message[8], &size, sizeof size);
  };
  finish(whole, 2, 1);
  finish(rest, 0, 7);
  whole.insert(whole.end(), rest.begin(), rest.end());
  return whole;
}

}  // namespace corbel::connection

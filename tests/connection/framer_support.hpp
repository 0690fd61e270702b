// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "corbel/connection/framer.hpp"
#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/giop.hpp"

namespace corbel::connection {

class FramerTest : public testing::Test {
 protected:
  base::Bytes request(std::uint32_t id, std::size_t body_size, messaging::Version version = {1, 2}) const {
    const base::Bytes body(body_size, 0x5a);
    return request(
        id, [&](cdr::Encoder& e) { e.put_octet_sequence(body); }, version);
  }
  base::Bytes request(std::uint32_t id, messaging::BodyWriter body, messaging::Version version = {1, 2}) const {
    cdr::Format format;
    format.giop_minor = version.minor;
    cdr::Encoder encoder(format);
    const base::Bytes key{1, 2, 3, 4};
    messaging::OutgoingRequest header;
    header.object_key = key;
    header.operation = "test";
    codec_.encode_request(encoder, id, header, body);
    return encoder.to_bytes();
  }

  /// Cuts a message into a first message and fragments of `piece` octets of body each.
  static base::Bytes fragmented(const base::Bytes& whole, std::size_t piece, std::uint32_t id, std::uint8_t minor) {
    base::Bytes stream(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(piece));
    patch(stream, 0, stream.size(), true);
    for (std::size_t at = piece; at < whole.size(); at += piece) {
      const std::size_t size = std::min(piece, whole.size() - at);
      base::Bytes fragment{'G', 'I', 'O', 'P', 1, minor, 1, 7, 0, 0, 0, 0};
      if (minor >= 2) fragment.insert(fragment.end(), {static_cast<base::Octet>(id), 0, 0, 0});
      fragment.insert(fragment.end(), whole.begin() + static_cast<std::ptrdiff_t>(at),
                      whole.begin() + static_cast<std::ptrdiff_t>(at + size));
      patch(fragment, 0, fragment.size(), at + size < whole.size());
      stream.insert(stream.end(), fragment.begin(), fragment.end());
    }
    return stream;
  }
  static void patch(base::Bytes& message, std::size_t at, std::size_t size, bool more) {
    message[at + 6] = static_cast<base::Octet>(1 | (more ? 2 : 0));
    const auto body = static_cast<std::uint32_t>(size - 12);
    std::memcpy(message.data() + at + 8, &body, 4);
  }

  void feed(base::ConstByteSpan octets, std::size_t step = SIZE_MAX) {
    while (!octets.empty()) {
      const base::ByteSpan space = framer_.space();
      const std::size_t size = std::min({space.size(), octets.size(), step});
      std::memcpy(space.data(), octets.data(), size);
      framer_.received(size);
      octets = octets.subspan(size);
    }
  }

  /// A framer and what it needs of a connection.
  struct Input {
    explicit Input(const cdr::Limits& limits, InputMemory* memory = nullptr)
        : account(memory), session(messaging::make_giop()->open(settings(limits, account))) {}
    static messaging::SessionSettings settings(const cdr::Limits& limits, InputAccount& account) {
      messaging::SessionSettings settings;
      settings.side = messaging::Side::acceptor;
      settings.limits = limits;
      settings.memory = &account;
      return settings;
    }
    InputAccount account;
    std::unique_ptr<messaging::Session> session;
    Framer framer{*session, account};
  };

  const messaging::giop::Giop codec_{{1, 2}};
  cdr::Limits limits_;
  Input input_{limits_};
  Framer& framer_ = input_.framer;
  Message message_;
};

}  // namespace corbel::connection

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>

#include "corbel/messaging/protocol.hpp"

namespace corbel::fuzz {

/// Reads a stream of messages as a connection would: whole messages first, then some values of their bodies. What is
/// not whole is not taken, and what is taken lies in the octets that came.
inline void read_stream(messaging::Session& session, base::ConstByteSpan octets) {
  messaging::Joined joined;
  while (!octets.empty()) {
    messaging::Incoming incoming;
    incoming.joined = &joined;
    if (!session.take(octets, incoming)) return;
    if (incoming.size > octets.size()) std::abort();
    if (incoming.size == 0) {
      if (incoming.kind != messaging::Kind::nothing) std::abort();
      if (incoming.wanted != 0 && incoming.wanted <= octets.size()) std::abort();
      return;
    }
    octets = octets.subspan(incoming.size);
    const bool request = incoming.kind == messaging::Kind::request;
    if (incoming.kind == messaging::Kind::answer) {
      cdr::Encoder encoder;
      session.put_answer(encoder, incoming);
      if (!encoder.ok() || encoder.to_bytes().empty()) std::abort();
    }
    if (!request && incoming.kind != messaging::Kind::reply) continue;
    if (incoming.body_at > incoming.octets.size()) std::abort();
    (request ? incoming.request.contexts : incoming.reply.contexts).for_each([](const messaging::ServiceContext&) {});
    ior::Ior reference;
    ior::decode(incoming.body, reference, {});
  }
}

/// The same for both sides of a conversation in the protocol.
inline void read_stream(const messaging::Protocol& protocol, base::ConstByteSpan octets) {
  for (const messaging::Side side : {messaging::Side::acceptor, messaging::Side::initiator}) {
    messaging::SessionSettings settings;
    settings.side = side;
    settings.limits.max_message_size = 4096;
    settings.now = [] { return std::int64_t{0}; };
    read_stream(*protocol.open(settings), octets);
  }
}

}  // namespace corbel::fuzz

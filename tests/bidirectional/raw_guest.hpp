// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corbel/ior/profile.hpp"
#include "support.hpp"

namespace corbel::bidirectional_test {

using Points = std::vector<std::pair<std::string, std::uint16_t>>;

/// The data of the service context that lists these; or announces `count`.
inline test::Octets points_context(const Points& points, std::optional<std::uint32_t> count = {}) {
  test::Writer writer;
  writer.octet(1).align(4).u32(count.value_or(static_cast<std::uint32_t>(points.size())));
  for (const auto& [host, port] : points) writer.string(host).u16(port);
  return writer.written();
}

/// A client made by hand that enters itself with a server and is called back, or not.
class RawGuest {
 public:
  explicit RawGuest(const ServerSide& server) : peer_(port_of(server)), key_(key_of(server)) {}

  /// Calls Host::enter with a reference to `guest`; `context`: the listen points, none if empty. True if it was served.
  bool enter(const test::ProfileData& guest, const test::Octets& context, std::uint8_t minor = 2) {
    test::Writer writer;
    writer.giop(test::kRequest, minor);
    if (minor >= 2) {
      writer.u32(id_ += 2).octet(3).octet(0).octet(0).octet(0);
      writer.u16(0).octets(test::octets_of(key_)).string("enter");
      contexts(writer, context);
      writer.align(8);
    } else {
      contexts(writer, context);
      writer.u32(id_ += 2).octet(1).octet(0).octet(0).octet(0);
      writer.octets(test::octets_of(key_)).string("enter").u32(0);
    }
    test::write_ior(writer, {guest}, "IDL:Guests/Guest:1.0");
    if (!peer_.send(writer.finish())) return false;
    const auto reply = peer_.message();
    return reply && reply->at(7) == test::kReply;
  }
  /// Waits for a request of the server: its id.
  std::uint32_t await_request() {
    const auto request = peer_.message();
    if (!request || request->at(7) != test::kRequest) return 0;
    return test::Reader(*request, true, 12).u32();
  }
  void answer(std::uint32_t id, const std::string& text) {
    test::Writer reply;
    reply.giop(test::kReply, 2).u32(id).u32(0).u32(0).align(8).string(text);
    peer_.send(reply.finish());
  }
  test::RawPeer& peer() { return peer_; }

  static std::uint16_t port_of(const ServerSide& server) { return profile_of(server).port; }
  static std::string key_of(const ServerSide& server) {
    return std::string(base::as_text(profile_of(server).object_key));
  }

 private:
  static ior::IiopProfile profile_of(const ServerSide& server) {
    return *ior::decode_iiop_profile(server.servant->self->_target()->ior().profiles.at(0));
  }
  static void contexts(test::Writer& writer, const test::Octets& points) {
    if (points.empty()) {
      writer.u32(0);
    } else {
      writer.u32(1).u32(5).octets(points).align(4);
    }
  }

  test::RawPeer peer_;
  const std::string key_;
  std::uint32_t id_ = 0;
};

}  // namespace corbel::bidirectional_test

// SPDX-License-Identifier: Apache-2.0
// What tests of compression have in common.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <atomic>
#include <memory>
#include <string_view>

#include <corbel/messaging/giop/giop.hpp>

#include "layer.hpp"
#include "wire.hpp"

namespace corbel::ziop {

// What omniORB 4.3.4 and its client and server in Python sent (strace): `say` of 3600 octets, its reply, and the first
// fragment of a longer one. Its gaps are not zero.
inline constexpr std::string_view kOmniRequest =
    "5a494f50010201006500000004006500410e000059000000789c63636060606680003e20fed7dcc995cdc020ec0d16f9ff9f0548162756"
    "827982400519a93939f90ac9f9b90545a9c5c599f9790aa322a322a322a322a322a322a322a322a322a322a322a322a32223418401004835"
    "835e";
inline constexpr std::string_view kOmniReply =
    "5a494f50010201014800000004006500210e00003c000000789cedc8b10900200c00c15496821b64371114a211b33f583a847fe525794a16"
    "e9cdccb5fadca7450c5fca300cc3300cc3300cc3fc307201f8cb7d21";
inline constexpr std::string_view kOmniFragment =
    "5a494f50010203006e00000004003900f41f000062000000789cedc8310e82401005d049a4b2d8c67390208ae8193885b525153595c7b2"
    "f158ac9bf510346f92fff3fea48838c4ff52c9b6be8faf88d3543f3937a5e7e752d7e7db4677ee2fd7e136de1f444444444444444444444444"
    "444444b4a77ebe188c04";
/// The component TAG_POLICIES of its references, and the context INVOCATION_POLICIES of its first request.
inline constexpr std::string_view kOmniComponent =
    "010111a902000000400000000200000001011588410000000c000000010111a90100000004000600";
inline constexpr std::string_view kOmniContext =
    "0101000002000000400000000200000001010000410000000c000000010100000100000004000600";

inline base::Bytes octets_of(std::string_view hex) {
  base::Bytes octets;
  EXPECT_TRUE(base::from_hex(hex, octets));
  return octets;
}

/// What zlib makes of it.
inline base::Bytes deflated(base::ConstByteSpan octets) {
  uLongf size = compressBound(static_cast<uLong>(octets.size()));
  base::Bytes data(size);
  EXPECT_EQ(compress2(data.data(), &size, octets.data(), static_cast<uLong>(octets.size()), 6), Z_OK);
  data.resize(size);
  return data;
}

/// A compressed message with such data.
inline base::Bytes with_data(base::ConstByteSpan giop, std::uint16_t compressor, std::uint32_t original_length,
                             base::ConstByteSpan data) {
  base::Bytes message(kDataAt);
  put_head(giop, false, compressor, original_length, static_cast<std::uint32_t>(data.size()), message.data());
  message.insert(message.end(), data.begin(), data.end());
  return message;
}

/// A message of GIOP in little-endian order, compressed.
inline base::Bytes compressed(base::ConstByteSpan giop) {
  const base::ConstByteSpan body = giop.subspan(kGiopHeader);
  return with_data(giop, kZlib, static_cast<std::uint32_t>(body.size()), deflated(body));
}

/// GIOP with the layer over it, and its engine.
struct Layered {
  explicit Layered(const Settings& settings = {}) {
    const auto making = std::make_shared<Making>();
    protocol = make_layer(making, settings)->over(messaging::make_giop(), {});
    engine = making->take();
  }
  std::unique_ptr<messaging::Session> open(messaging::Side side, const cdr::Limits& limits = {},
                                           messaging::Memory* memory = nullptr) const {
    messaging::SessionSettings settings;
    settings.side = side;
    settings.limits = limits;
    settings.memory = memory;
    return protocol->open(settings);
  }

  std::shared_ptr<const messaging::Protocol> protocol;
  EnginePtr engine;
};

/// Counts what is taken of it, and at most gives so much.
class Purse final : public messaging::Memory {
 public:
  explicit Purse(std::size_t most = SIZE_MAX) noexcept : limit(most) {}
  bool take(std::size_t octets) override {
    most_asked = std::max(most_asked, octets);
    if (octets > limit - taken) return false;
    taken += octets;
    return true;
  }
  void give(std::size_t octets) noexcept override {
    EXPECT_LE(octets, taken);
    taken -= octets;
  }
  std::size_t limit;
  std::size_t taken = 0;
  std::size_t most_asked = 0;
};

/// What a session finds in octets.
struct Taken {
  messaging::Joined joined;
  messaging::Incoming incoming;
  base::Status take(messaging::Session& session, base::ConstByteSpan octets) {
    incoming.joined = &joined;
    return session.take(octets, incoming);
  }
};

}  // namespace corbel::ziop

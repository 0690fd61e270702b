// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop_lite/giop_lite.hpp"

#include <gtest/gtest.h>

#include "corbel/messaging/giop_lite/codec.hpp"
#include "support/byte_order.hpp"

namespace corbel::messaging {
namespace {

const auto kLite = std::make_unique<const giop_lite::GiopLite>();

std::string hex(cdr::Encoder& encoder) {
  return base::to_hex(encoder.to_bytes());
}

base::Code frame_code(std::string_view hex_text, const cdr::Limits& limits = {}) {
  base::Bytes octets;
  EXPECT_TRUE(base::from_hex(hex_text, octets));
  const auto frame = kLite->decode_frame(octets, limits);
  return frame ? base::Code::none : frame.error().code;
}

TEST(GiopLite, LaysOutRequestsAfterAFiveOctetHeader) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  const base::Bytes key = {'k', 'e', 'y'};
  const auto request = [&](Response response) {
    cdr::Encoder encoder;
    kLite->encode_request(encoder, 7, {response, key, "ping", {}}, [](cdr::Encoder& body) { body.put(true); });
    return hex(encoder);
  };
  EXPECT_EQ(request(Response::with_target),
            "2400000000000000"
            "07000000"
            "01000000"
            "030000006b657900"
            "0500000070696e6700"
            "00000000000000"  // bodies begin at multiples of 8
            "01");
  cdr::Encoder none;
  kLite->encode_request(none, 7, {Response::with_target, key, "ping", {}}, [](cdr::Encoder&) {});
  EXPECT_EQ(none.position(), 33U) << "no body, no gap";
  EXPECT_EQ(request(Response::none).substr(24, 2), "00");
  EXPECT_EQ(request(Response::with_server).substr(24, 2), "81");
}

TEST(GiopLite, LaysOutReplies) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  cdr::Encoder encoder;
  kLite->encode_reply(
      encoder, 7, ReplyStatus::location_forward_perm, [](cdr::Encoder& body) { body.put(true); }, true);
  EXPECT_EQ(hex(encoder),
            "0c00000001010000"  // 1: indices are understood
            "07000000"
            "03000000"
            "01");
}

TEST(GiopLite, LaysOutIndices) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  const base::Bytes key = {'k'};
  cdr::Encoder given;
  kLite->encode_request(
      given, 7, {Response::with_target, key, "p", {}}, [](cdr::Encoder&) {}, 0x102);
  EXPECT_EQ(hex(given),
            "1900000000000201"
            "07000000"
            "01000000"
            "010000006b000000"
            "020000007000");
  const auto used = [](Response response) {
    cdr::Encoder encoder;
    kLite->encode_indexed(encoder, 7, response, 0x102, [](cdr::Encoder& body) { body.put(true); });
    return hex(encoder);
  };
  EXPECT_EQ(used(Response::with_target),
            "0c00000008010201"
            "07000000"
            "00000000"
            "01");
  EXPECT_EQ(used(Response::none).substr(10, 2), "00");
  EXPECT_EQ(used(Response::with_server).substr(10, 2), "81");
}

TEST(GiopLite, HasNoStatusesBeyondLocationForward) {
  cdr::Encoder encoder;
  kLite->encode_reply(encoder, 7, ReplyStatus::needs_addressing_mode, [](cdr::Encoder&) {});
  EXPECT_EQ(encoder.error().code, base::Code::unsupported);
  encoder.reset({});
  kLite->encode_locate_reply(encoder, 7, LocateStatus::system_exception, [](cdr::Encoder&) {});
  EXPECT_EQ(encoder.error().code, base::Code::unsupported);
}

TEST(GiopLite, RefusesToWriteTheOtherByteOrder) {
  cdr::Encoder encoder({.little_endian = std::endian::native != std::endian::little});
  kLite->encode_cancel_request(encoder, 1);
  EXPECT_EQ(encoder.error().code, base::Code::unsupported);
}

TEST(GiopLite, ChecksTypesAndSizes) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  EXPECT_EQ(frame_code("0700000002"), base::Code::none);
  EXPECT_EQ(frame_code("0600000002"), base::Code::malformed);
  EXPECT_EQ(frame_code("0700000007"), base::Code::malformed);
  EXPECT_EQ(frame_code("0700000008"), base::Code::none);
  EXPECT_EQ(frame_code("0600000008"), base::Code::malformed);
  EXPECT_EQ(frame_code("0700000009"), base::Code::malformed);
  EXPECT_EQ(frame_code("0000000005"), base::Code::none);
  EXPECT_EQ(frame_code("0100000005"), base::Code::malformed);
  EXPECT_EQ(frame_code("47494f5001"), base::Code::too_large);
  EXPECT_EQ(frame_code("ffffffff00"), base::Code::too_large);
  EXPECT_EQ(frame_code("07000000"), base::Code::truncated);
}

TEST(GiopLite, SaysWhatItOffers) {
  const auto protocol = make_giop_lite();
  EXPECT_EQ(to_string(protocol->offers()), "two-way, oneway, locate, cancel");
  EXPECT_EQ(protocol->name(), "giop_lite");
}

}  // namespace
}  // namespace corbel::messaging

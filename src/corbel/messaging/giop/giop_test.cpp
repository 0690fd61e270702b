// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/giop.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "corbel/ior/profile.hpp"
#include "corbel/messaging/giop/codec.hpp"

namespace corbel::messaging {
namespace {

const auto kGiop = std::make_unique<const giop::Giop>(Version{1, 2});
const base::Bytes kKey = {'k', 'e', 'y'};

base::Bytes bytes(std::string_view hex) {
  base::Bytes octets;
  EXPECT_TRUE(base::from_hex(hex, octets));
  return octets;
}

cdr::Format format(std::uint8_t minor, bool little_endian = true) {
  return {.little_endian = little_endian, .giop_minor = minor};
}

std::string request_hex(cdr::Format form, std::span<const ServiceContext> contexts, std::size_t body_size) {
  cdr::Encoder encoder(form);
  kGiop->encode_request(encoder, 2, {Response::with_target, kKey, "ping", contexts},
                        [&](cdr::Encoder& body) { body.copy_octets("xyz", body_size); });
  return base::to_hex(encoder.to_bytes());
}

base::Code frame_code(std::string_view hex, const giop::Giop& codec = *kGiop) {
  const auto frame = codec.decode_frame(bytes(hex), {});
  return frame ? base::Code::none : frame.error().code;
}

TEST(Giop, LaysOutRequestsOfEachVersion) {
  EXPECT_EQ(request_hex(format(0), {}, 1),
            "47494f500100010025000000"
            "00000000"
            "02000000"
            "01000000"
            "030000006b657900"
            "0500000070696e6700000000"
            "00000000"
            "78");
  EXPECT_EQ(request_hex(format(1, false), {}, 1),
            "47494f500101000000000025"
            "00000000"
            "00000002"
            "01000000"
            "000000036b657900"
            "0000000570696e6700000000"
            "00000000"
            "78");
  EXPECT_EQ(request_hex(format(2), {}, 1),
            "47494f500102010025000000"
            "02000000"
            "03000000"
            "00000000"
            "030000006b657900"
            "0500000070696e6700000000"
            "00000000"
            "78");
}

TEST(Giop, AlignsBodiesOfVersion12OnlyIfThereIsOne) {
  const ServiceContext contexts[] = {{1, kKey}};
  EXPECT_EQ(request_hex(format(2), contexts, 0).size() / 2, 59U);
  EXPECT_EQ(request_hex(format(2), contexts, 1).size() / 2, 64U + 1);
  EXPECT_EQ(request_hex(format(1), {}, 1).size() / 2, 48U + 1);
}

TEST(Giop, LaysOutServiceContextsBeforeOrAfter) {
  const base::Bytes data = {0xaa};
  const ServiceContext contexts[] = {{1, data}};
  EXPECT_EQ(request_hex(format(1), contexts, 0),
            "47494f500101010030000000"
            "0100000001000000"
            "01000000aa000000"
            "02000000"
            "01000000"
            "030000006b657900"
            "0500000070696e6700000000"
            "00000000");
  EXPECT_EQ(request_hex(format(2), contexts, 0),
            "47494f50010201002d000000"
            "02000000"
            "03000000"
            "00000000"
            "030000006b657900"
            "0500000070696e6700000000"
            "0100000001000000"
            "01000000aa");
}

TEST(Giop, LaysOutRepliesOfEachVersion) {
  const auto reply = [](cdr::Format form) {
    cdr::Encoder encoder(form);
    kGiop->encode_reply(encoder, 2, ReplyStatus::user_exception, {}, [](cdr::Encoder& body) { body.put(1.0); });
    return base::to_hex(encoder.to_bytes());
  };
  EXPECT_EQ(reply(format(0)),
            "47494f500100010114000000"
            "00000000"
            "02000000"
            "01000000"
            "000000000000f03f");
  EXPECT_EQ(reply(format(2)),
            "47494f500102010114000000"
            "02000000"
            "01000000"
            "00000000"
            "000000000000f03f");
}

TEST(GiopFrame, RefusesWhatIsNotGiop) {
  EXPECT_EQ(frame_code("47494f50010201000000000"
                       "0"),
            base::Code::none);
  EXPECT_EQ(frame_code("47494f58010201000000000"
                       "0"),
            base::Code::malformed);
  EXPECT_EQ(frame_code("5a494f50010201000000000"
                       "0"),
            base::Code::malformed);
  EXPECT_EQ(frame_code("47494f5001020100000000"), base::Code::truncated);
}

TEST(GiopFrame, RefusesVersionsItDoesNotSpeak) {
  for (const char* hex : {"47494f500103010000000000", "47494f500104010000000000", "47494f500200010000000000",
                          "47494f500000010000000000"}) {
    EXPECT_EQ(frame_code(hex), base::Code::unsupported) << hex;
  }
  const auto old = std::make_unique<const giop::Giop>(Version{1, 0});
  EXPECT_EQ(frame_code("47494f500101010000000000", *old), base::Code::unsupported);
  EXPECT_EQ(frame_code("47494f500100010000000000", *old), base::Code::none);
  EXPECT_EQ(old->version(), (Version{1, 0}));
  EXPECT_FALSE(make_giop({1, 0})->offers().service_contexts);
  EXPECT_FALSE(make_giop({1, 0})->offers().fragments);
  EXPECT_TRUE(make_giop()->offers().service_contexts);
  EXPECT_EQ(giop::Giop({1, 9}).version(), (Version{1, 2}));
}

TEST(GiopFrame, ChecksFlagsAndTypesByVersion) {
  EXPECT_EQ(frame_code("47494f500100020000000000"), base::Code::malformed);  // 1.0 has a boolean there
  EXPECT_EQ(frame_code("47494f500101030000000000"), base::Code::none);
  EXPECT_EQ(frame_code("47494f500101040000000000"), base::Code::malformed);
  EXPECT_EQ(frame_code("47494f500102810000000000"), base::Code::malformed);
  EXPECT_EQ(frame_code("47494f500100000700000000"), base::Code::malformed);  // no fragments in 1.0
  EXPECT_EQ(frame_code("47494f500101000700000000"), base::Code::none);
  EXPECT_EQ(frame_code("47494f500102000800000000"), base::Code::malformed);
  EXPECT_EQ(frame_code("47494f500101020300000000"), base::Code::malformed);  // LocateRequest in fragments
  EXPECT_EQ(frame_code("47494f500102020300000000"), base::Code::none);
  EXPECT_EQ(frame_code("47494f500102020500000000"), base::Code::malformed);  // CloseConnection in fragments
}

TEST(GiopFrame, ReadsSizesInTheOrderOfTheMessageAndLimitsThem) {
  const auto big = kGiop->decode_frame(bytes("47494f500102000000000102"), {});
  ASSERT_TRUE(big);
  EXPECT_EQ(big->message_size, 12U + 0x102);
  EXPECT_FALSE(big->little_endian);
  EXPECT_EQ(frame_code("47494f5001020100ffffffff"), base::Code::too_large);
  EXPECT_EQ(frame_code("47494f5001020000ffffffff"), base::Code::too_large);
}

TEST(GiopFragments, CarryARequestIdFrom12On) {
  const base::Bytes message = bytes(
      "47494f500102010708000000"
      "04000000"
      "61626364");
  const auto frame = kGiop->decode_frame(message, {});
  ASSERT_TRUE(frame);
  const auto fragment = kGiop->decode_fragment(*frame, message);
  ASSERT_TRUE(fragment);
  EXPECT_TRUE(fragment->has_request_id);
  EXPECT_EQ(fragment->request_id, 4U);
  EXPECT_EQ(fragment->data_offset, 16U);
  EXPECT_EQ(*kGiop->peek_request_id(*frame, message), 4U);
  EXPECT_FALSE(kGiop->decode_fragment(*frame, base::ConstByteSpan(message).first(15)));
}

TEST(GiopFragments, CarryNoneIn11) {
  const base::Bytes message = bytes(
      "47494f500101010704000000"
      "61626364");
  const auto frame = kGiop->decode_frame(message, {});
  ASSERT_TRUE(frame);
  const auto fragment = kGiop->decode_fragment(*frame, message);
  ASSERT_TRUE(fragment);
  EXPECT_FALSE(fragment->has_request_id);
  EXPECT_EQ(fragment->data_offset, 12U);
  EXPECT_FALSE(kGiop->peek_request_id(*frame, message));
}

/// A GIOP 1.2 request whose target address is written by the caller.
base::Bytes request_to(cdr::Format form, const std::function<void(cdr::Encoder&)>& put_target) {
  cdr::Encoder encoder(form);
  kGiop->encode_control(encoder, MessageType::request);
  encoder.put(std::uint32_t{5});
  encoder.put(std::uint8_t{3});
  encoder.copy_octets("\0\0\0", 3);
  put_target(encoder);
  encoder.put_plain_string("op");
  encoder.put_count(0);
  encoder.patch_u32(8, static_cast<std::uint32_t>(encoder.position() - 12));
  return encoder.to_bytes();
}

class GiopTarget : public testing::TestWithParam<bool> {
 protected:
  base::Result<DecodedRequest> decode(const std::function<void(cdr::Encoder&)>& put_target) {
    message_ = request_to(format(2, GetParam()), put_target);
    cdr::Decoder body;
    const auto frame = kGiop->decode_frame(message_, {});
    return kGiop->decode_request(*frame, message_, {}, body);
  }
  static void put_profile(cdr::Encoder& encoder, const ior::TaggedProfile& profile) {
    encoder.put(profile.tag);
    encoder.put_octet_sequence(profile.data);
  }
  static ior::TaggedProfile profile() {
    ior::IiopProfile iiop;
    iiop.host = "h";
    iiop.object_key = kKey;
    return ior::encode_profile(iiop);
  }

 private:
  base::Bytes message_;
};

TEST_P(GiopTarget, MayBeAProfile) {
  const auto request = decode([](cdr::Encoder& encoder) {
    encoder.put(std::uint16_t{1});
    put_profile(encoder, profile());
  });
  ASSERT_TRUE(request);
  EXPECT_EQ(base::Bytes(request->object_key.begin(), request->object_key.end()), kKey);
  EXPECT_EQ(request->operation, "op");
  EXPECT_FALSE(request->needs_key_addressing);
}

TEST_P(GiopTarget, MayBeAProfileOfAReference) {
  const auto put_reference = [](std::uint32_t selected) {
    return [selected](cdr::Encoder& encoder) {
      encoder.put(std::uint16_t{2});
      encoder.put(selected);
      ior::encode(encoder, {"IDL:X:1.0", {{0x1234, {1, 2, 3}}, profile()}});
    };
  };
  const auto request = decode(put_reference(1));
  ASSERT_TRUE(request);
  EXPECT_EQ(base::Bytes(request->object_key.begin(), request->object_key.end()), kKey);
  EXPECT_EQ(request->operation, "op");
  const auto strange = decode(put_reference(0));
  ASSERT_TRUE(strange);
  EXPECT_TRUE(strange->needs_key_addressing);
  EXPECT_EQ(strange->operation, "op");
  EXPECT_EQ(decode(put_reference(2)).error().code, base::Code::malformed);
}

TEST_P(GiopTarget, AsksForAKeyWhenTheProfileGivesNone) {
  const auto request = decode([](cdr::Encoder& encoder) {
    encoder.put(std::uint16_t{1});
    put_profile(encoder, {0x54414f02, {1, 2, 3}});
  });
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->needs_key_addressing);
  EXPECT_EQ(request->origin.id, 5U);
}

TEST_P(GiopTarget, IsWrittenInEachForm) {
  const base::Bytes other{'?'};
  TargetAddress address;
  address.ior = {"IDL:X:1.0", {{0x1234, {1, 2, 3}}, profile()}};
  address.selected = 1;
  for (const auto by : {TargetAddress::By::profile, TargetAddress::By::reference}) {
    address.by = by;
    cdr::Encoder encoder(format(2, GetParam()));
    OutgoingRequest outgoing{Response::with_target, other, "op", {}};
    outgoing.address = &address;
    kGiop->encode_request(encoder, 5, outgoing, [](cdr::Encoder& body) { body.put(std::uint32_t{77}); });
    const base::Bytes message = encoder.to_bytes();
    cdr::Decoder body;
    const auto frame = kGiop->decode_frame(message, {});
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->message_size, message.size());
    EXPECT_EQ(message[GetParam() ? 20 : 21], static_cast<std::uint8_t>(by));
    const auto request = kGiop->decode_request(*frame, message, {}, body);
    ASSERT_TRUE(request);
    EXPECT_FALSE(request->needs_key_addressing);
    EXPECT_EQ(base::Bytes(request->object_key.begin(), request->object_key.end()), kKey);
    EXPECT_EQ(request->operation, "op");
    EXPECT_EQ(request->origin.id, 5U);
    EXPECT_EQ(body.get<std::uint32_t>(), 77U);
    EXPECT_TRUE(body.ok());
  }
}

// Older versions know keys only.
TEST(Giop, NamesTargetsByTheirKeysBeforeVersion12) {
  const TargetAddress address;
  for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}}) {
    cdr::Encoder encoder(format(minor));
    OutgoingRequest outgoing{Response::with_target, kKey, "ping", {}};
    outgoing.address = &address;
    kGiop->encode_request(encoder, 2, outgoing, [](cdr::Encoder&) {});
    EXPECT_EQ(base::to_hex(encoder.to_bytes()), request_hex(format(minor), {}, 0));
  }
}

TEST_P(GiopTarget, HasNoOtherForm) {
  const auto put_unknown = [](cdr::Encoder& encoder) {
    encoder.put(std::uint16_t{3});
    encoder.put_count(0);
  };
  EXPECT_EQ(decode(put_unknown).error().code, base::Code::malformed);
}

INSTANTIATE_TEST_SUITE_P(BothOrders, GiopTarget, testing::Bool());

TEST(Giop, ReadsReservedResponseFlagsByTheirLowBit) {
  base::Bytes message = bytes(request_hex(format(2), {}, 0));
  const auto frame = kGiop->decode_frame(message, {});
  const auto response_of = [&](std::uint8_t flags) {
    message[16] = flags;
    cdr::Decoder body;
    return kGiop->decode_request(*frame, message, {}, body)->response;
  };
  EXPECT_EQ(response_of(0), Response::none);
  EXPECT_EQ(response_of(1), Response::with_server);
  EXPECT_EQ(response_of(2), Response::none);
  EXPECT_EQ(response_of(3), Response::with_target);
}

TEST(Giop, KnowsTheStatusesOfEachVersion) {
  for (std::uint8_t minor = 0; minor < 3; ++minor) {
    for (std::uint32_t status = 0; status < 8; ++status) {
      cdr::Encoder encoder(format(minor));
      kGiop->encode_reply(encoder, 1, static_cast<ReplyStatus>(status), {}, [](cdr::Encoder&) {});
      const base::Bytes reply = encoder.to_bytes();
      cdr::Decoder body;
      const bool ok = kGiop->decode_reply(*kGiop->decode_frame(reply, {}), reply, {}, body).ok();
      EXPECT_EQ(ok, status <= (minor < 2 ? 3U : 5U)) << int{minor} << ' ' << status;
      encoder.reset(format(minor));
      kGiop->encode_locate_reply(encoder, 1, static_cast<LocateStatus>(status), [](cdr::Encoder&) {});
      const base::Bytes located = encoder.to_bytes();
      const bool located_ok = kGiop->decode_locate_reply(*kGiop->decode_frame(located, {}), located, {}, body).ok();
      EXPECT_EQ(located_ok, status <= (minor < 2 ? 2U : 5U)) << int{minor} << ' ' << status;
    }
  }
}

TEST(Giop, ToleratesFewerStrayOctetsThanTheGapBeforeABody) {
  base::Bytes message = bytes(request_hex(format(2), {}, 0));
  message[8] = static_cast<base::Octet>(message[8] + 1);
  message.push_back(0);
  cdr::Decoder body;
  ASSERT_TRUE(kGiop->decode_request(*kGiop->decode_frame(message, {}), message, {}, body));
  EXPECT_TRUE(body.ok());
}

}  // namespace
}  // namespace corbel::messaging

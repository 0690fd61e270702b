// SPDX-License-Identifier: Apache-2.0
// What GIOP and what is cut from it must read and write, in every version and byte order that they have.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "codecs.hpp"
#include "support/allocations.hpp"

namespace corbel::messaging {
namespace {

using conformance::Case;
using conformance::Codec;

const base::Bytes kKey = {0xff, 'k', 0, 1, 2};
const base::Bytes kSmall = {1, 2, 3};
const base::Bytes kOther = {9};

class CodecConformance : public testing::TestWithParam<Case> {
 protected:
  using Writer = std::function<void(cdr::Encoder&)>;

  const Codec& codec() const { return *codec_; }
  base::Bytes encode(const Writer& write) const {
    cdr::Encoder encoder(GetParam().format, 64);
    write(encoder);
    EXPECT_TRUE(encoder.ok());
    return encoder.to_bytes();
  }
  FrameHeader frame_of(const base::Bytes& message, MessageType type) const {
    const auto frame = codec_->decode_frame(base::ConstByteSpan(message).first(codec_->frame_header_size()), {});
    EXPECT_TRUE(frame);
    if (!frame) return {};
    EXPECT_EQ(frame->type, type);
    EXPECT_EQ(frame->message_size, message.size());
    EXPECT_EQ(frame->header_size, codec_->frame_header_size());
    EXPECT_EQ(frame->little_endian, GetParam().format.little_endian);
    EXPECT_EQ(frame->version.minor, GetParam().format.giop_minor);
    EXPECT_FALSE(frame->more_fragments);
    return *frame;
  }
  /// One message of each type.
  std::vector<std::pair<MessageType, base::Bytes>> samples() const {
    const std::vector<ServiceContext> contexts = sample_contexts();
    const auto body = [](cdr::Encoder& encoder) { encoder.put(1.5); };
    std::vector<std::pair<MessageType, base::Bytes>> all;
    all.emplace_back(MessageType::request, encode([&](cdr::Encoder& e) {
                       codec_->encode_request(e, 7, {Response::with_target, kKey, "ping", contexts}, body);
                     }));
    all.emplace_back(MessageType::reply, encode([&](cdr::Encoder& e) {
                       codec_->encode_reply(e, 7, ReplyStatus::user_exception, contexts, body);
                     }));
    all.emplace_back(MessageType::cancel_request,
                     encode([&](cdr::Encoder& e) { codec_->encode_cancel_request(e, 7); }));
    all.emplace_back(MessageType::locate_request,
                     encode([&](cdr::Encoder& e) { codec_->encode_locate_request(e, 7, kKey); }));
    all.emplace_back(MessageType::locate_reply, encode([&](cdr::Encoder& e) {
                       codec_->encode_locate_reply(e, 7, LocateStatus::object_forward, body);
                     }));
    for (const MessageType type : {MessageType::close_connection, MessageType::message_error}) {
      all.emplace_back(type, encode([&](cdr::Encoder& e) { codec_->encode_control(e, type); }));
    }
    return all;
  }
  std::vector<ServiceContext> sample_contexts() const {
    if (!GetParam().contexts) return {};
    return {{1, kSmall}, {77, {}}, {1, kOther}};
  }
  /// Everything a connection might call for a message; true if the header was accepted.
  bool read(const FrameHeader& frame, base::ConstByteSpan message, const cdr::Limits& limits) const {
    cdr::Decoder body;
    switch (frame.type) {
      case MessageType::request: {
        const auto request = codec_->decode_request(frame, message, limits, body);
        if (request) request->contexts.for_each([](const ServiceContext&) {});
        return request.ok();
      }
      case MessageType::reply:
        return codec_->decode_reply(frame, message, limits, body).ok();
      case MessageType::cancel_request:
        return codec_->decode_cancel_request(frame, message).ok();
      case MessageType::locate_request:
        return codec_->decode_locate_request(frame, message, limits).ok();
      case MessageType::locate_reply:
        return codec_->decode_locate_reply(frame, message, limits, body).ok();
      default:
        return true;
    }
  }

 private:
  std::unique_ptr<const Codec> codec_ = GetParam().make();
};

TEST_P(CodecConformance, RequestsSurviveWithKeysAndNamesOfEveryLength) {
  for (std::size_t size = 0; size < 80; ++size) {
    const base::Bytes key(size == 79 ? 5000 : size, 0x5a);
    const std::string operation(1 + size, 'o');
    const base::Bytes message = encode([&](cdr::Encoder& e) {
      codec().encode_request(e, static_cast<std::uint32_t>(size), {Response::with_target, key, operation, {}},
                             [](cdr::Encoder& body) { body.put(std::uint64_t{42}); });
    });
    cdr::Decoder body;
    const auto request = codec().decode_request(frame_of(message, MessageType::request), message, {}, body);
    ASSERT_TRUE(request) << size;
    EXPECT_EQ(request->origin.id, size);
    EXPECT_EQ(request->response, Response::with_target);
    EXPECT_EQ(base::Bytes(request->object_key.begin(), request->object_key.end()), key);
    EXPECT_EQ(request->operation, operation);
    EXPECT_FALSE(request->needs_key_addressing);
    EXPECT_EQ(body.get<std::uint64_t>(), 42U);
    EXPECT_TRUE(body.ok());
    EXPECT_EQ(body.remaining(), 0U);
  }
}

TEST_P(CodecConformance, RequestsSayWhatReplyTheyWant) {
  for (const Response response : {Response::none, Response::with_server, Response::with_target}) {
    const base::Bytes message = encode([&](cdr::Encoder& e) {
      codec().encode_request(e, 1, {response, kKey, "x", {}}, [](cdr::Encoder&) {});
    });
    cdr::Decoder body;
    const auto request = codec().decode_request(frame_of(message, MessageType::request), message, {}, body);
    ASSERT_TRUE(request);
    const bool inexpressible = response == Response::with_server && !GetParam().with_server;
    EXPECT_EQ(request->response, inexpressible ? Response::with_target : response);
  }
}

TEST_P(CodecConformance, MessagesWithoutBodyEndWithTheirHeader) {
  for (std::size_t size = 0; size < 8; ++size) {
    const base::Bytes key(size, 1);
    const auto request = [&](std::size_t body_size) {
      return encode([&](cdr::Encoder& e) {
        codec().encode_request(e, 1, {Response::none, key, "ping", {}},
                               [&](cdr::Encoder& body) { body.copy_octets(kKey.data(), body_size); });
      });
    };
    const base::Bytes empty = request(0);
    cdr::Decoder body;
    ASSERT_TRUE(codec().decode_request(frame_of(empty, MessageType::request), empty, {}, body));
    EXPECT_EQ(body.remaining(), 0U);
    const base::Bytes one = request(1);
    ASSERT_TRUE(codec().decode_request(frame_of(one, MessageType::request), one, {}, body));
    EXPECT_EQ(body.remaining(), 1U);
    EXPECT_TRUE(std::equal(empty.begin() + 12, empty.end(), one.begin() + 12));
  }
}

TEST_P(CodecConformance, BodiesMayReferToUserDataOfAnySize) {
  const base::Bytes large(100000, 3);
  const base::Bytes message = encode([&](cdr::Encoder& e) {
    codec().encode_reply(e, 1, ReplyStatus::no_exception, {}, [&](cdr::Encoder& b) { b.put_octet_sequence(large); });
  });
  cdr::Decoder body;
  ASSERT_TRUE(codec().decode_reply(frame_of(message, MessageType::reply), message, {}, body));
  EXPECT_EQ(body.get_octet_sequence().size(), large.size());
}

TEST_P(CodecConformance, RepliesSurviveWithTheStatusesThatAllVersionsHave) {
  for (const ReplyStatus status : {ReplyStatus::no_exception, ReplyStatus::user_exception,
                                   ReplyStatus::system_exception, ReplyStatus::location_forward}) {
    const base::Bytes message = encode([&](cdr::Encoder& e) {
      codec().encode_reply(e, 0x01020304, status, {}, [](cdr::Encoder& body) { body.put(2.5); });
    });
    cdr::Decoder body;
    const auto reply = codec().decode_reply(frame_of(message, MessageType::reply), message, {}, body);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->token, 0x01020304U);
    EXPECT_EQ(reply->status, status);
    EXPECT_EQ(body.get<double>(), 2.5);
    EXPECT_EQ(body.remaining(), 0U);
  }
}

TEST_P(CodecConformance, ServiceContextsSurviveInOrder) {
  const std::vector<ServiceContext> contexts = sample_contexts();
  const auto check = [&](const ServiceContextView& view) {
    ASSERT_EQ(view.count(), contexts.size());
    std::size_t index = 0;
    view.for_each([&](const ServiceContext& context) {
      EXPECT_EQ(context.id, contexts[index].id);
      EXPECT_TRUE(std::equal(context.data.begin(), context.data.end(), contexts[index].data.begin(),
                             contexts[index].data.end()));
      ++index;
    });
    EXPECT_EQ(index, contexts.size());
    base::ConstByteSpan data;
    EXPECT_EQ(view.find(1, data), !contexts.empty());
    EXPECT_EQ(data.size(), contexts.empty() ? 0 : kSmall.size());
    EXPECT_FALSE(view.find(2, data));
  };
  for (const std::size_t body_size : {0U, 1U}) {
    const auto write = [&](cdr::Encoder& body) { body.copy_octets(kOther.data(), body_size); };
    cdr::Decoder body;
    const base::Bytes request_message = encode([&](cdr::Encoder& e) {
      codec().encode_request(e, 1, {Response::with_target, kKey, "op", contexts}, write);
    });
    const auto request =
        codec().decode_request(frame_of(request_message, MessageType::request), request_message, {}, body);
    ASSERT_TRUE(request);
    check(request->contexts);
    EXPECT_EQ(request->origin.id, 1U);
    EXPECT_EQ(request->operation, "op");
    EXPECT_EQ(body.remaining(), body_size);
    const base::Bytes reply_message =
        encode([&](cdr::Encoder& e) { codec().encode_reply(e, 2, ReplyStatus::no_exception, contexts, write); });
    const auto reply = codec().decode_reply(frame_of(reply_message, MessageType::reply), reply_message, {}, body);
    ASSERT_TRUE(reply);
    check(reply->contexts);
    EXPECT_EQ(reply->token, 2U);
    EXPECT_EQ(body.remaining(), body_size);
  }
}

TEST_P(CodecConformance, LocateMessagesSurvive) {
  const base::Bytes asked = encode([&](cdr::Encoder& e) { codec().encode_locate_request(e, 9, kKey); });
  const auto request = codec().decode_locate_request(frame_of(asked, MessageType::locate_request), asked, {});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->origin.id, 9U);
  EXPECT_EQ(base::Bytes(request->object_key.begin(), request->object_key.end()), kKey);
  for (const LocateStatus status :
       {LocateStatus::unknown_object, LocateStatus::object_here, LocateStatus::object_forward}) {
    const base::Bytes told = encode([&](cdr::Encoder& e) {
      codec().encode_locate_reply(e, 9, status, [](cdr::Encoder& body) { body.put(std::uint32_t{5}); });
    });
    cdr::Decoder body;
    const auto reply = codec().decode_locate_reply(frame_of(told, MessageType::locate_reply), told, {}, body);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->token, 9U);
    EXPECT_EQ(reply->status, status);
    EXPECT_EQ(body.get<std::uint32_t>(), 5U);
    EXPECT_EQ(body.remaining(), 0U);
  }
}

TEST_P(CodecConformance, ControlMessagesAreNothingButAFrameHeader) {
  for (const auto& [type, message] : samples()) {
    EXPECT_EQ(message.size() == codec().frame_header_size(), type >= MessageType::close_connection);
  }
}

TEST_P(CodecConformance, RefusesSizesBeyondTheLimitFromTheFrameHeaderAlone) {
  for (const auto& [type, message] : samples()) {
    cdr::Limits limits;
    limits.max_message_size = static_cast<std::uint32_t>(message.size());
    EXPECT_TRUE(codec().decode_frame(message, limits));
    limits.max_message_size -= 1;
    const auto frame = codec().decode_frame(message, limits);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error(), base::error(base::Stage::decode, base::Code::too_large));
  }
}

TEST_P(CodecConformance, RefusesKeysNamesAndContextsBeyondTheirLimits) {
  const base::Bytes message = samples()[0].second;
  const FrameHeader frame = frame_of(message, MessageType::request);
  const auto code_with = [&](auto change) {
    cdr::Limits limits;
    change(limits);
    cdr::Decoder body;
    const auto request = codec().decode_request(frame, message, limits, body);
    return request ? base::Code::none : request.error().code;
  };
  EXPECT_EQ(code_with([](cdr::Limits& limits) { limits.max_object_key = 4; }), base::Code::too_large);
  EXPECT_EQ(code_with([](cdr::Limits& limits) { limits.max_operation = 3; }), base::Code::too_large);
  if (GetParam().contexts) {
    EXPECT_EQ(code_with([](cdr::Limits& limits) { limits.max_service_contexts = 2; }), base::Code::too_large);
  }
  EXPECT_EQ(code_with([](cdr::Limits&) {}), base::Code::none);
}

TEST_P(CodecConformance, RefusesHeadersCutAtAnyLength) {
  for (const auto& [type, message] : samples()) {
    const FrameHeader frame = frame_of(message, type);
    const base::ConstByteSpan whole(message);
    for (std::size_t size = 0; size < codec().frame_header_size(); ++size) {
      EXPECT_FALSE(codec().decode_frame(whole.first(size), {}));
    }
    bool accepted = false;
    for (std::size_t size = codec().frame_header_size(); size <= message.size(); ++size) {
      const base::Bytes cut(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(size));
      const bool now = read(frame, cut, {});
      EXPECT_TRUE(now || !accepted) << "a longer message was refused after a shorter one was accepted";
      accepted = now;
    }
    EXPECT_TRUE(accepted);
  }
}

TEST_P(CodecConformance, SurvivesEverySingleOctetMutation) {
  for (const auto& [type, message] : samples()) {
    for (std::size_t at = 0; at < message.size(); ++at) {
      for (int octet = 0; octet < 256; ++octet) {
        base::Bytes mutated = message;
        mutated[at] = static_cast<base::Octet>(octet);
        const auto frame = codec().decode_frame(mutated, {});
        if (frame) read(*frame, mutated, {});
      }
    }
  }
}

TEST_P(CodecConformance, WarmEncodingAndDecodingAllocateNothing) {
  cdr::Encoder encoder(GetParam().format);
  const std::vector<ServiceContext> contexts = sample_contexts();
  const base::Bytes message = samples()[0].second;
  const FrameHeader frame = frame_of(message, MessageType::request);
  const auto round = [&] {
    encoder.reset(GetParam().format);
    codec().encode_request(encoder, 1, {Response::with_target, kKey, "ping", contexts}, [](cdr::Encoder&) {});
    const bool written = !encoder.segments().empty();
    cdr::Decoder body;
    return written && codec().decode_request(frame, message, {}, body).ok();
  };
  EXPECT_TRUE(round());
  const std::size_t before = test::allocations();
  const bool ok = round();
  EXPECT_EQ(test::allocations(), before);
  EXPECT_TRUE(ok);
}

INSTANTIATE_TEST_SUITE_P(AllCodecs, CodecConformance, testing::ValuesIn(conformance::cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace corbel::messaging

// SPDX-License-Identifier: Apache-2.0
// Limits hold to the octet: what is as large as allowed passes, what is larger does not.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "corbel/base/kept_log.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "support/byte_order.hpp"

namespace corbel::messaging::limits {
namespace {

const auto kGiop = std::make_unique<const giop::Giop>(Version{1, 2});

base::Bytes request(std::uint8_t minor, std::string_view operation, std::span<const ServiceContext> contexts = {}) {
  cdr::Format format;
  format.giop_minor = minor;
  cdr::Encoder encoder(format);
  const base::Bytes key = {'k', 'e', 'y'};
  kGiop->encode_request(encoder, 6, {Response::with_target, key, operation, contexts}, [](cdr::Encoder&) {});
  return encoder.to_bytes();
}

base::Result<DecodedRequest> decode(const base::Bytes& message, const cdr::Limits& limits) {
  const auto frame = kGiop->decode_frame(message, limits);
  if (!frame) return frame.error();
  cdr::Decoder body;
  return kGiop->decode_request(*frame, message, limits, body);
}

TEST(GiopLimits, AMessageMayBeAsLargeAsTheLimit) {
  const base::Bytes message = request(2, "ping");
  cdr::Limits limits;
  limits.max_message_size = static_cast<std::uint32_t>(message.size());
  EXPECT_TRUE(kGiop->decode_frame(message, limits));
  --limits.max_message_size;
  EXPECT_EQ(kGiop->decode_frame(message, limits).error().code, base::Code::too_large);
}

TEST(GiopLimits, AnOperationMayBeAsLongAsTheLimit) {
  cdr::Limits limits;
  limits.max_operation = 20;
  for (const auto minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    EXPECT_TRUE(decode(request(minor, std::string(18, 'o')), limits)) << int{minor};
    EXPECT_FALSE(decode(request(minor, std::string(22, 'o')), limits)) << int{minor};
  }
}

/// A request of GIOP 1.2 whose target is profile `selected` of a reference with `count` of them.
base::Bytes to_reference(std::uint32_t selected, std::uint32_t count, std::size_t key_size) {
  ior::IiopProfile profile;
  profile.version = {1, 2};
  profile.host = "h";
  profile.object_key.assign(key_size, 'k');
  const ior::TaggedProfile tagged = encode_profile(profile);
  cdr::Encoder encoder(cdr::Format{});
  encoder.put_octets("GIOP\1\2\1\0\0\0\0\0", 12);
  encoder.put(std::uint32_t{6});
  encoder.put(std::uint32_t{3});
  encoder.put(std::uint16_t{2});  // ReferenceAddr
  encoder.put(selected);
  encoder.put_plain_string("IDL:x:1.0");
  encoder.put(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    encoder.put(tagged.tag);
    encoder.put_count(tagged.data.size());
    encoder.copy_octets(tagged.data.data(), tagged.data.size());
  }
  encoder.put_plain_string("ping");
  encoder.put(std::uint32_t{0});
  base::Bytes message = encoder.to_bytes();
  const auto size = static_cast<std::uint32_t>(message.size() - 12);
  message[6] = test::kOrderFlag;
  std::memcpy(&message[8], &size, sizeof size);
  return message;
}

TEST(GiopLimits, ATargetMayListAsManyProfilesAsTheLimit) {
  cdr::Limits limits;
  limits.max_profiles = 5;
  EXPECT_TRUE(decode(to_reference(4, 5, 3), limits));
  EXPECT_FALSE(decode(to_reference(4, 6, 3), limits));
}

TEST(GiopLimits, AKeyInAProfileMayBeAsLongAsTheLimit) {
  cdr::Limits limits;
  limits.max_object_key = 100;
  const auto request = decode(to_reference(0, 1, 100), limits);
  ASSERT_TRUE(request);
  EXPECT_FALSE(decode(to_reference(0, 1, 101), limits));
}

TEST(GiopLimits, FragmentsAreMatchedByTheIdBehindTheContextsOf11) {
  const base::Bytes data(9, 0xee);
  const ServiceContext contexts[] = {{1, data}, {2, data}};
  for (const auto minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    const base::Bytes message = request(minor, "ping", contexts);
    const auto frame = kGiop->decode_frame(message, {});
    ASSERT_TRUE(frame);
    const auto id = kGiop->peek_request_id(*frame, message);
    ASSERT_TRUE(id) << int{minor};
    EXPECT_EQ(*id, 6U) << int{minor};
  }
}

class GiopLimitsLog : public testing::Test {
 protected:
  GiopLimitsLog() { limits.max_operation = 20; }
  std::unique_ptr<Session> open(Side side) {
    SessionSettings settings;
    settings.side = side;
    settings.log = &log_;
    settings.peer = "tcp://somebody";
    settings.limits = limits;
    return make_giop()->open(settings);
  }

  cdr::Limits limits;
  const std::shared_ptr<base::KeptLog> kept = std::make_shared<base::KeptLog>();

 private:
  const base::Log log_{{.levels = base::KeptLog::everything(), .sink = kept}};
};

TEST_F(GiopLimitsLog, TellsWhatIsBeyondThemByNameOfTheOptions) {
  const auto session = open(Side::acceptor);
  Incoming incoming;
  EXPECT_TRUE(session->take(request(2, std::string(30, 'o')), incoming));
  ASSERT_EQ(kept->entries().size(), 1U);
  EXPECT_EQ(kept->entries()[0].event, "the header of a message is beyond a limit");
  EXPECT_EQ(kept->entries()[0].value("peer"), "tcp://somebody");
  EXPECT_EQ(kept->entries()[0].value("limit"), "-ORBMaxOperation");
  EXPECT_FALSE(session->take(base::Bytes{'G', 'I', 'O', 'P', 1, 2, 1, 0, 0, 0, 0, 0}, incoming));
  ASSERT_EQ(kept->entries().size(), 2U);
  EXPECT_EQ(kept->entries()[1].event, "the header of a message makes no sense") << "and is beyond no limit";
}

TEST_F(GiopLimitsLog, ARequestBeyondThemIsAnsweredAndTheConversationGoesOn) {
  limits.max_service_contexts = 1;
  const base::Bytes data(9, 0xee);
  const base::Bytes code_sets{1, 0, 0, 0, 1, 0, 1, 5, 9, 1, 1, 0};  // UTF-8, UTF-16
  const ServiceContext contexts[] = {{1, code_sets}, {0x4143, data}};
  for (const auto minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    const auto session = open(Side::acceptor);
    for (const auto& [message, option] : {std::pair(request(minor, "ping", contexts), "-ORBMaxServiceContexts"),
                                          std::pair(request(minor, std::string(30, 'o'), {}), "-ORBMaxOperation")}) {
      Incoming incoming;
      ASSERT_TRUE(session->take(message, incoming)) << int{minor};
      ASSERT_EQ(incoming.kind, Kind::answer);
      EXPECT_EQ(kept->entries().back().value("limit"), option);
      cdr::Encoder encoder(cdr::Format{});
      session->put_answer(encoder, incoming);
      const base::Bytes answer = encoder.to_bytes();
      const auto frame = kGiop->decode_frame(answer, {});
      ASSERT_TRUE(frame);
      cdr::Decoder body;
      const auto reply = kGiop->decode_reply(*frame, answer, {}, body);
      ASSERT_TRUE(reply);
      EXPECT_EQ(reply->token, 6U);
      EXPECT_EQ(reply->status, ReplyStatus::system_exception);
      EXPECT_EQ(body.get_plain_string(), "IDL:omg.org/CORBA/IMP_LIMIT:1.0");
      EXPECT_EQ(body.get<std::uint32_t>(), 0x43420408U);
      EXPECT_EQ(body.get<std::uint32_t>(), 1U) << "COMPLETED_NO";
    }
    EXPECT_TRUE(session->heard_code_sets()) << "they are not told again";
    Incoming incoming;
    ASSERT_TRUE(session->take(request(minor, "ping", std::span(contexts).first(1)), incoming));
    EXPECT_EQ(incoming.kind, Kind::request);
  }
}

TEST_F(GiopLimitsLog, DoesNotSayThatWhatHasOnlyBegunMakesNoSense) {
  const auto session = open(Side::acceptor);
  for (const char* name : {"ping", "much longer than the limit"}) {
    const base::Bytes message = request(2, name);
    Incoming incoming;
    for (std::size_t came = 12; came < message.size(); ++came) {
      (void)session->take_begun(base::ConstByteSpan(message).first(came), incoming);
      EXPECT_TRUE(kept->entries().empty()) << name << ", " << came << " octets";
    }
  }
}

TEST_F(GiopLimitsLog, DoesNotSayThatRubbishLikeALargeNumberIsBeyondALimit) {
  const auto session = open(Side::initiator);
  Incoming incoming;
  base::Bytes reply{'G', 'I', 'O', 'P', 1, 2, 1, 1, 12, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
  reply.insert(reply.end(), {0xde, 0xad, 0xbe, 0xef});  // so many contexts
  EXPECT_EQ(session->take(reply, incoming).error().code, base::Code::malformed);
  ASSERT_EQ(kept->entries().size(), 1U);
  EXPECT_EQ(kept->entries()[0].event, "the header of a message makes no sense");
  EXPECT_EQ(kept->entries()[0].value("message"), "reply");
  EXPECT_EQ(kept->entries()[0].value("error"), "data ends too early");
}

}  // namespace
}  // namespace corbel::messaging::limits

// SPDX-License-Identifier: Apache-2.0
// What a conversation in GIOP keeps: code sets and versions.
#include "corbel/messaging/giop/session.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "corbel/messaging/giop/giop.hpp"

namespace corbel::messaging::conversation {
namespace {

const base::Bytes kKey = {'k', 'e', 'y'};

struct Host final : cdr::Encoder::Host {
  void on_foreign_code(cdr::Encoder&) noexcept override {}
};

class GiopConversation : public testing::Test {
 protected:
  void begin(cdr::CodeSet for_char, cdr::CodeSet for_wchar, std::uint8_t minor = 2) {
    SessionSettings settings;
    settings.version = {1, minor};
    settings.code_sets = {for_char, for_wchar, true, true};
    client_ = make_giop()->open(settings);
    settings.code_sets = {};
    settings.version = {1, 2};
    settings.side = Side::acceptor;
    server_ = make_giop()->open(settings);
    encoder_.set_host(&host_);
  }
  base::Bytes request(Response response = Response::with_target) {
    client_->put_request(encoder_, client_->next_token(), {response, kKey, "op", {}},
                         [](cdr::Encoder& body) { body.put_string("gr\u00fcn"); });
    EXPECT_TRUE(encoder_.ok());
    return encoder_.to_bytes();
  }
  Incoming& take(Session& session, const base::Bytes& octets) {
    message_ = octets;
    incoming_ = {};
    incoming_.joined = &joined_;
    EXPECT_TRUE(session.take(message_, incoming_).ok());
    return incoming_;
  }
  static std::string text(cdr::Decoder& body) {
    std::string value;
    body.get_string(value);
    return value;
  }

  Host host_;
  cdr::Encoder encoder_;
  std::unique_ptr<Session> client_;
  std::unique_ptr<Session> server_;
  base::Bytes message_;
  Joined joined_;
  Incoming incoming_;
};

TEST_F(GiopConversation, TextIsConvertedInBothDirections) {
  begin(cdr::CodeSet::iso_8859_1, cdr::CodeSet::utf_16);
  Incoming& asked = take(*server_, request());
  ASSERT_EQ(asked.kind, Kind::request);
  EXPECT_EQ(text(asked.body), "gr\u00fcn");
  server_->put_reply(encoder_, asked.request.origin, ReplyStatus::no_exception, {},
                     [](cdr::Encoder& body) { body.put_string("wei\u00df"); });
  Incoming& told = take(*client_, encoder_.to_bytes());
  ASSERT_EQ(told.kind, Kind::reply);
  EXPECT_EQ(text(told.body), "wei\u00df");
}

TEST_F(GiopConversation, CodeSetsAreToldOnce) {
  begin(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16);
  const std::size_t first = request().size();
  const std::size_t second = request().size();
  EXPECT_LT(second, first);
  client_->unsent();
  EXPECT_EQ(request().size(), first);
}

TEST_F(GiopConversation, AServerThatAsksTooSaysOnceWhatItsClientSpeaks) {
  begin(cdr::CodeSet::iso_8859_1, cdr::CodeSet::utf_16);
  (void)take(*server_, request());
  const auto ask_back = [&] {
    server_->put_request(encoder_, server_->next_token(), {Response::with_target, kKey, "op", {}},
                         [](cdr::Encoder& body) { body.put_string("wei\u00df"); });
    return encoder_.to_bytes();
  };
  const base::Bytes first = ask_back();
  base::ConstByteSpan sets;
  Incoming& asked = take(*client_, first);
  EXPECT_TRUE(asked.request.contexts.find(1, sets));
  EXPECT_EQ(text(asked.body), "wei\u00df");
  const base::Bytes second = ask_back();
  Incoming& again = take(*client_, second);
  EXPECT_EQ(again.request.contexts.count(), 0U);
  EXPECT_EQ(text(again.body), "wei\u00df");
}

// Also if the peer chooses others for what it asks.
TEST_F(GiopConversation, EachDirectionHasItsOwnCodeSets) {
  begin(cdr::CodeSet::iso_8859_1, cdr::CodeSet::utf_16);
  (void)take(*server_, request());
  SessionSettings settings;
  settings.version = {1, 2};
  settings.code_sets = {cdr::CodeSet::utf_8, cdr::CodeSet::utf_16, true, true};
  const auto other = make_giop()->open(settings);
  other->put_request(encoder_, other->next_token(), {Response::with_target, kKey, "op", {}},
                     [](cdr::Encoder& body) { body.put_string("wei\u00df"); });
  EXPECT_EQ(text(take(*client_, encoder_.to_bytes()).body), "wei\u00df");
  EXPECT_EQ(text(take(*server_, request()).body), "gr\u00fcn") << "what the client asks is as it was";
}

TEST_F(GiopConversation, AnIntroductionIsGivenOnceAndAgainIfItMayHaveBeenLost) {
  begin(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16);
  client_->introduce(5, {1, 2, 3});
  const auto introduces = [&](const base::Bytes& octets) {
    base::ConstByteSpan data;
    const auto& contexts = take(*server_, octets).request.contexts;
    return contexts.find(5, data) && base::Bytes(data.begin(), data.end()) == base::Bytes{1, 2, 3};
  };
  EXPECT_TRUE(introduces(request()));
  EXPECT_FALSE(introduces(request()));
  client_->unsent();
  EXPECT_TRUE(introduces(request()));
  EXPECT_TRUE(server_->goes_both_ways(incoming_.request.origin));
  begin(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16, 1);
  (void)take(*server_, request());
  EXPECT_FALSE(server_->goes_both_ways(incoming_.request.origin));
}

TEST_F(GiopConversation, CodeSetsAreToldWithEveryRequestThatMayGetLost) {
  begin(cdr::CodeSet::iso_8859_1, cdr::CodeSet::utf_16);
  SessionSettings settings;
  settings.code_sets = {cdr::CodeSet::iso_8859_1, cdr::CodeSet::utf_16, true, true};
  settings.lossy = true;
  client_ = make_giop()->open(settings);
  (void)request();
  for (int i = 0; i < 3; ++i) {
    Incoming& second = take(*server_, request());
    ASSERT_EQ(second.kind, Kind::request);
    EXPECT_EQ(text(second.body), "gr\u00fcn") << "the server has not seen what came before";
    SessionSettings other;
    other.side = Side::acceptor;
    server_ = make_giop()->open(other);
  }
}

TEST_F(GiopConversation, PiecesAreJoinedOnlyIfTheyComeInOrder) {
  for (const bool lossy : {false, true}) {
    begin(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16);
    SessionSettings settings;
    settings.side = Side::acceptor;
    settings.lossy = lossy;
    server_ = make_giop()->open(settings);
    base::Bytes first = request();
    first[6] |= 2;
    incoming_ = {};
    incoming_.joined = &joined_;
    const auto taken = server_->take(first, incoming_);
    EXPECT_EQ(taken.ok(), !lossy);
    if (lossy) {
      EXPECT_EQ(taken.error(), base::error(base::Stage::receive, base::Code::malformed));
    }
    EXPECT_EQ(take(*server_, request()).kind, Kind::request) << "a whole one beside it";
  }
}

TEST_F(GiopConversation, ContextsOfACallAreThereBesideTheCodeSets) {
  const base::Bytes data{1, 2, 3};
  for (const std::size_t count : {1U, 6U, 7U, 8U, 20U}) {
    begin(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16);
    std::vector<ServiceContext> contexts;
    for (std::uint32_t i = 0; i < count; ++i) contexts.push_back({1000 + i, data});
    client_->introduce(5, data);
    client_->put_request(encoder_, client_->next_token(), {Response::with_target, kKey, "op", contexts},
                         [](cdr::Encoder& body) { body.put_string("x"); });
    ASSERT_TRUE(encoder_.ok());
    const Incoming& asked = take(*server_, encoder_.to_bytes());
    EXPECT_EQ(asked.request.contexts.count(), count + 2);
    base::ConstByteSpan found;
    EXPECT_TRUE(asked.request.contexts.find(1000 + static_cast<std::uint32_t>(count) - 1, found));
    EXPECT_TRUE(asked.request.contexts.find(1, found));
  }
}

TEST_F(GiopConversation, RequestsInCodeSetsThatAreNoneOfOursAreRefusedByTheSession) {
  begin(cdr::CodeSet::utf_8, cdr::CodeSet::ucs_4);
  Incoming& asked = take(*server_, request());
  ASSERT_EQ(asked.kind, Kind::answer);
  server_->put_answer(encoder_, asked);
  Incoming& told = take(*client_, encoder_.to_bytes());
  ASSERT_EQ(told.kind, Kind::reply);
  EXPECT_EQ(told.reply.status, ReplyStatus::system_exception);
  EXPECT_EQ(told.body.get_plain_string(), "IDL:omg.org/CORBA/CODESET_INCOMPATIBLE:1.0");
  EXPECT_EQ(told.body.get<std::uint32_t>(), 0x4f4d0002U);
  EXPECT_EQ(told.body.get<std::uint32_t>(), 1U);
}

TEST_F(GiopConversation, AClientWithoutACharCodeSetSpeaksUtf8) {
  begin(cdr::CodeSet::none, cdr::CodeSet::utf_16);
  Incoming& asked = take(*server_, request());
  ASSERT_EQ(asked.kind, Kind::request);
  EXPECT_EQ(text(asked.body), "gr\u00fcn");
}

/// A request of GIOP 1.2 whose target is a profile that no key can be taken from.
base::Bytes to_unknown_profile(std::uint8_t flags) {
  cdr::Encoder encoder(cdr::Format{});
  encoder.put_octets("GIOP\1\2", 6);
  encoder.put(std::uint8_t{std::endian::native == std::endian::little ? 1 : 0});
  encoder.put(std::uint8_t{0});
  encoder.put(std::uint32_t{0});
  encoder.put(std::uint32_t{6});
  encoder.put(std::uint32_t{flags});  // and three reserved octets
  encoder.put(std::uint16_t{1});      // ProfileAddr
  encoder.put(std::uint32_t{0x12345678});
  encoder.put_count(5);
  encoder.put_octets("hello", 5);
  encoder.put_plain_string("ping");
  encoder.put(std::uint32_t{0});
  base::Bytes message = encoder.to_bytes();
  const auto size = static_cast<std::uint32_t>(message.size() - 12);
  std::memcpy(&message[8], &size, sizeof size);
  return message;
}

TEST_F(GiopConversation, ATargetWithoutKeyIsAskedForByKeyAndNotDispatched) {
  begin(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16);
  if (std::endian::native != std::endian::little) GTEST_SKIP() << "the flags lie in the first octet";
  Incoming& asked = take(*server_, to_unknown_profile(3));
  ASSERT_EQ(asked.kind, Kind::answer);
  base::Bytes locate = to_unknown_profile(3);  // what is there of the request before is not what this one asks for
  locate.erase(locate.begin() + 16, locate.begin() + 20);
  locate[7] = 3;
  locate[8] = static_cast<base::Octet>(locate.size() - 12);
  ASSERT_TRUE(server_->take(message_ = locate, incoming_).ok());
  server_->put_answer(encoder_, incoming_);
  EXPECT_EQ(encoder_.to_bytes().at(7), 4) << "a LocateReply";
  server_->put_answer(encoder_, take(*server_, to_unknown_profile(3)));
  Incoming& told = take(*client_, encoder_.to_bytes());
  ASSERT_EQ(told.kind, Kind::reply);
  EXPECT_EQ(told.reply.status, ReplyStatus::needs_addressing_mode);
  EXPECT_EQ(told.body.get<std::int16_t>(), 0);
  EXPECT_EQ(take(*server_, to_unknown_profile(0)).kind, Kind::nothing) << "of a oneway nobody waits for an answer";
}

TEST_F(GiopConversation, OfAMessageInPiecesNoNumberBeginsInOneAndEndsInTheNext) {
  begin(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16, 1);
  client_->put_request(encoder_, client_->next_token(), {Response::with_target, kKey, "op", {}},
                       [](cdr::Encoder& body) { body.put(std::uint8_t{7}); });
  base::Bytes first = encoder_.to_bytes();
  first[6] |= 2;  // more follows
  first.push_back(0);
  first.push_back(0);  // too little for a number: it begins behind the joint (CORBA 3.3 part 2, 9.4.9)
  const auto size = static_cast<std::uint32_t>(first.size() - 12);
  std::memcpy(&first[8], &size, sizeof size);
  cdr::Encoder second(cdr::Format{});
  second.put_octets("GIOP\1\1", 6);
  second.put(std::uint8_t{std::endian::native == std::endian::little ? 1 : 0});
  second.put(std::uint8_t{7});
  second.put(std::uint32_t{4});
  second.put(std::uint32_t{0x01020304});
  message_ = first;
  incoming_ = {};
  incoming_.joined = &joined_;
  ASSERT_TRUE(server_->take(message_, incoming_).ok());
  const base::Bytes rest = second.to_bytes();
  Incoming& asked = take(*server_, rest);
  ASSERT_EQ(asked.kind, Kind::request);
  EXPECT_EQ(asked.body.get<std::uint8_t>(), 7U);
  EXPECT_EQ(asked.body.get<std::uint32_t>(), 0x01020304U);
  EXPECT_TRUE(asked.body.ok());
}

TEST_F(GiopConversation, SixteenMessagesMayBeIncompleteAtATime) {
  begin(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16);
  for (int i = 1; i <= 17; ++i) {
    base::Bytes begun = request();
    begun[6] |= 2;
    incoming_ = {};
    incoming_.joined = &joined_;
    const auto taken = server_->take(begun, incoming_);
    ASSERT_EQ(taken.ok(), i <= 16) << i;
    if (!taken) {
      EXPECT_EQ(taken.error(), base::error(base::Stage::receive, base::Code::too_large));
    }
  }
}

TEST_F(GiopConversation, OnewaysInSuchCodeSetsAreDropped) {
  begin(cdr::CodeSet::utf_8, cdr::CodeSet::ucs_4);
  EXPECT_EQ(take(*server_, request(Response::none)).kind, Kind::nothing);
}

class GiopGroup : public GiopConversation {
 protected:
  GiopGroup() {
    SessionSettings settings;
    settings.lossy = true;
    settings.group_profile = 3;
    settings.code_sets = {cdr::CodeSet::iso_8859_1, cdr::CodeSet::utf_16, true, true};
    client_ = make_giop()->open(settings);
    settings.code_sets = {};
    settings.side = Side::acceptor;
    server_ = make_giop()->open(settings);
    encoder_.set_host(&host_);
  }
  base::Bytes to_group(Response response = Response::none) {
    client_->put_request(encoder_, client_->next_token(), {response, kProfile, "op", {}},
                         [](cdr::Encoder& body) { body.put_string("gr\u00fcn"); });
    return encoder_.ok() ? encoder_.to_bytes() : base::Bytes();
  }
  const base::Bytes kProfile = {1, 1, 0, 0, 9, 9, 9};  // any octets: they are handed on as they are
};

TEST_F(GiopGroup, ARequestNamesTheGroupByItsProfile) {
  const base::Bytes octets = to_group();
  const Incoming& asked = take(*server_, octets);
  ASSERT_EQ(asked.kind, Kind::request);
  EXPECT_EQ(asked.request.response, Response::none);
  EXPECT_EQ(base::Bytes(asked.request.object_key.begin(), asked.request.object_key.end()), kProfile);
  EXPECT_EQ(asked.request.operation, "op");
  EXPECT_EQ(text(incoming_.body), "gr\u00fcn");
  // Request id, no reply, ProfileAddr, TAG_UIPMC, the profile's size (CORBA 3.3 part 2, 9.4.2.1).
  const bool little = std::endian::native == std::endian::little;
  const base::Bytes target = little ? base::Bytes{0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 7, 0, 0, 0}
                                    : base::Bytes{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 7};
  EXPECT_EQ(base::Bytes(octets.begin() + 16, octets.begin() + 32), target);
}

TEST_F(GiopGroup, ARequestOfJacorbIsRead) {
  base::Bytes octets;
  ASSERT_TRUE(base::from_hex(
      "47494f5001020000000000880000000000000000000100000000000300000040000100000000000e3233392e3235352e37372e33"
      "300015b300000001000000270000001c0001000000000007446f6d61696e00000000000000000001000000000000000863617074"
      "696f6e0000000001000000010000000c00000000050100010001010900000001000000086a61636f72623000",
      octets));
  const Incoming& asked = take(*server_, octets);
  ASSERT_EQ(asked.kind, Kind::request);
  EXPECT_EQ(asked.request.operation, "caption");
  EXPECT_EQ(asked.request.object_key.size(), 64U);
  EXPECT_EQ(text(incoming_.body), "jacorb0");
}

TEST_F(GiopGroup, OneSendersCodeSetsAreNotAnothers) {
  EXPECT_EQ(text(take(*server_, to_group()).body), "gr\u00fcn");
  SessionSettings other;
  other.lossy = true;
  other.group_profile = 3;
  client_ = make_giop()->open(other);
  EXPECT_EQ(text(take(*server_, to_group()).body), "gr\u00fcn") << "in UTF-8, without saying so";
}

TEST_F(GiopGroup, NobodyIsAskedForAReplyAndWhoAsksGetsNone) {
  EXPECT_TRUE(to_group(Response::with_target).empty());
  EXPECT_EQ(encoder_.error().code, base::Code::unsupported);
  SessionSettings settings;
  const auto stranger = make_giop()->open(settings);
  stranger->put_request(encoder_, 2, {Response::with_target, kKey, "op", {}}, [](cdr::Encoder&) {});
  EXPECT_EQ(take(*server_, encoder_.to_bytes()).kind, Kind::nothing);
  ASSERT_TRUE(stranger->put_close(encoder_));
  EXPECT_EQ(take(*server_, encoder_.to_bytes()).kind, Kind::nothing);
  ASSERT_TRUE(stranger->put_error(encoder_));
  EXPECT_EQ(take(*server_, encoder_.to_bytes()).kind, Kind::nothing);
  stranger->put_reply(encoder_, {2, 2}, ReplyStatus::no_exception, {}, [](cdr::Encoder&) {});
  EXPECT_EQ(take(*server_, encoder_.to_bytes()).kind, Kind::nothing);
  base::Bytes in_parts = to_group();
  in_parts[6] |= 2;
  incoming_.joined = &joined_;
  EXPECT_FALSE(server_->take(in_parts, incoming_).ok());
}

TEST_F(GiopConversation, WhatAVersionCannotSayBecomesTheNearest) {
  const giop::Giop codec({1, 2});
  for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    begin(cdr::CodeSet::utf_8, cdr::CodeSet::utf_16, minor);
    const Origin origin = take(*server_, request()).request.origin;
    const auto located = [&](LocateStatus status) {
      server_->put_locate_reply(encoder_, origin, status, [](cdr::Encoder&) {});
      const base::Bytes octets = encoder_.to_bytes();
      cdr::Decoder body;
      return codec.decode_locate_reply(*codec.decode_frame(octets, {}), octets, {}, body)->status;
    };
    EXPECT_EQ(located(LocateStatus::system_exception),
              minor < 2 ? LocateStatus::object_here : LocateStatus::system_exception);
    EXPECT_EQ(located(LocateStatus::object_forward_perm),
              minor < 2 ? LocateStatus::object_forward : LocateStatus::object_forward_perm);
    server_->put_reply(encoder_, origin, ReplyStatus::location_forward_perm, {}, [](cdr::Encoder&) {});
    EXPECT_EQ(take(*client_, encoder_.to_bytes()).reply.status,
              minor < 2 ? ReplyStatus::location_forward : ReplyStatus::location_forward_perm);
    EXPECT_EQ(client_->put_close(encoder_), minor == 2);
    EXPECT_TRUE(server_->put_close(encoder_));
  }
}

}  // namespace
}  // namespace corbel::messaging::conversation

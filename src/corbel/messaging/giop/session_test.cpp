// SPDX-License-Identifier: Apache-2.0
// What a conversation in GIOP keeps: code sets and versions.
#include "corbel/messaging/giop/session.hpp"

#include <gtest/gtest.h>

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

TEST_F(GiopConversation, OnewaysInSuchCodeSetsAreDropped) {
  begin(cdr::CodeSet::utf_8, cdr::CodeSet::ucs_4);
  EXPECT_EQ(take(*server_, request(Response::none)).kind, Kind::nothing);
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

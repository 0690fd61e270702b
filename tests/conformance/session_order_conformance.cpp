// SPDX-License-Identifier: Apache-2.0
// What sessions must know of each other's state when messages go in another order than they were written in, or never.
#include "conformance/session_conformance.hpp"

namespace corbel::conformance {

using messaging::Kind;
using messaging::Side;

void SessionConformance::acquaint(messaging::Session& client, messaging::Session& server) {
  const base::Bytes asked = request(client, kOther, "acquaint", 0);
  Taken taken(server, asked);
  EXPECT_TRUE(is_request(taken, kOther, "acquaint", 0));
  if (!protocol_->offers().two_way) return;
  cdr::Encoder encoder;
  server.put_reply(encoder, taken.incoming.request.origin, messaging::ReplyStatus::no_exception, {},
                   [](cdr::Encoder&) {});
  const base::Bytes answer = encoder.to_bytes();
  EXPECT_EQ(Taken(client, answer).incoming.kind, Kind::reply);
}

namespace {

TEST_P(SessionConformance, AMessageThatFailsToEncodeSpoilsNothing) {
  for (const bool acquainted : {false, true}) {
    const auto client = open(Side::initiator);
    const auto server = open(Side::acceptor);
    if (acquainted) acquaint(*client, *server);
    cdr::Encoder encoder;
    client->put_request(encoder, client->next_token(), {response(), kObject, "op", {}},
                        [](cdr::Encoder& body) { body.fail(base::Code::bad_argument); });
    EXPECT_EQ(encoder.error().code, base::Code::bad_argument);
    EXPECT_TRUE(is_request(*server, request(*client, kObject, "op", 1), kObject, "op", 1));
  }
}

TEST_P(SessionConformance, WhatARequestNamesStaysWhileFurtherMessagesAreTaken) {
  for (const bool acquainted : {false, true}) {
    const auto client = open(Side::initiator);
    const auto server = open(Side::acceptor);
    if (acquainted) acquaint(*client, *server);
    const base::Bytes first = request(*client, kObject, "first", 1);
    const base::Bytes again = request(*client, kObject, "first", 2);
    Taken early(*server, first);
    Taken late(*server, again);
    for (std::uint32_t i = 0; i < 300; ++i) {
      const std::string operation = "other" + std::to_string(i);
      ASSERT_TRUE(is_request(*server, request(*client, kOther, operation, i), kOther, operation, i)) << i;
    }
    EXPECT_TRUE(is_request(early, kObject, "first", 1));
    EXPECT_TRUE(is_request(late, kObject, "first", 2));
  }
}

// Written while another thread was the writer, and sent when that lets go of the conversation.
TEST_P(SessionConformance, AMessageThatIsKeptMayBeSentLaterOrNever) {
  for (const bool acquainted : {false, true}) {
    const auto client = open(Side::initiator);
    const auto server = open(Side::acceptor);
    if (acquainted) acquaint(*client, *server);
    const auto keep = [&](const base::Bytes& key, std::uint32_t value) {
      cdr::Encoder encoder;
      client->put_request(encoder, client->next_token(), {response(), key, "kept", {}},
                          [&](cdr::Encoder& body) { body.put(value); });
      EXPECT_TRUE(encoder.ok());
      return encoder.to_bytes();
    };
    const auto say = [&](const base::Bytes& key, std::string_view operation, std::uint32_t value) {
      return is_request(*server, request(*client, key, operation, value), key, operation, value);
    };
    const base::Bytes early = keep(kObject, 1);
    EXPECT_TRUE(say(kObject, "kept", 2));
    EXPECT_TRUE(say(kObject, "kept", 3));
    const base::Bytes lost = keep(kOther, 4);
    const base::Bytes late = keep(kObject, 5);
    EXPECT_TRUE(say(kOther, "kept", 6));
    EXPECT_TRUE(is_request(*server, late, kObject, "kept", 5));
    EXPECT_TRUE(say(kOther, "kept", 7));
    EXPECT_TRUE(is_request(*server, early, kObject, "kept", 1));
    EXPECT_TRUE(say(kOther, "kept", 8));
  }
}

// A value type with marshalling code of the application's lets go of the conversation while it is written: others
// write and send before the message is whole and goes, too.
TEST_P(SessionConformance, WhatIsWrittenWhileABodyIsWrittenGoesFirst) {
  for (const std::string_view inner : {"outer", "inner"}) {
    for (const bool warm : {false, true}) {
      const auto client = open(Side::initiator);
      const auto server = open(Side::acceptor);
      const auto say = [&](std::string_view operation, std::uint32_t value) {
        return is_request(*server, request(*client, kObject, operation, value), kObject, operation, value);
      };
      if (warm) {
        acquaint(*client, *server);
        ASSERT_TRUE(say("outer", 0));
      }
      cdr::Encoder encoder;
      encoder.set_host(&host_);
      client->put_request(encoder, client->next_token(), {response(), kObject, "outer", {}}, [&](cdr::Encoder& body) {
        body.before_foreign_code();
        EXPECT_TRUE(say(inner, 1));
        body.put(std::uint32_t{2});
      });
      ASSERT_TRUE(encoder.ok());
      EXPECT_TRUE(is_request(*server, encoder.to_bytes(), kObject, "outer", 2)) << inner << warm;
      EXPECT_TRUE(say(inner, 3)) << inner << warm;
      EXPECT_TRUE(say("outer", 4)) << inner << warm;
    }
  }
}

TEST_P(SessionConformance, WhatCarriersLoseOrExchangeIsMissedAndNothingElse) {
  const messaging::Requirements needs = protocol_->requirements();
  if (needs.reliable) GTEST_SKIP() << "needs a carrier that loses nothing";
  const auto client = open(Side::initiator, {}, true);
  const auto server = open(Side::acceptor, {}, true);
  std::vector<base::Bytes> sent;
  const auto key = [](std::uint32_t i) { return i % 3 == 0 ? kOther : kObject; };
  for (std::uint32_t i = 0; i < 12; ++i) sent.push_back(request(*client, key(i), "op", i));
  std::vector<std::uint32_t> arrive = {1, 2, 4, 5, 7, 8, 9};
  if (!needs.ordered) arrive = {1, 4, 2, 8, 7, 9, 5};
  for (const std::uint32_t i : arrive) {
    Taken taken(*server, sent[i]);
    ASSERT_TRUE(taken.status) << i;
    EXPECT_EQ(taken.incoming.size, sent[i].size());
    const bool misses = taken.incoming.kind != Kind::request;
    EXPECT_TRUE(misses || is_request(taken, key(i), "op", i)) << i;
    EXPECT_TRUE(i != 1 || !misses) << "the first that came stands for itself";
  }
}

TEST_P(SessionConformance, WhatAnUnsentMessageToldIsToldAgain) {
  for (const bool acquainted : {false, true}) {
    const auto client = open(Side::initiator);
    const auto server = open(Side::acceptor);
    if (acquainted) acquaint(*client, *server);
    (void)request(*client, kObject, "op", 1);
    client->unsent();
    EXPECT_TRUE(is_request(*server, request(*client, kObject, "op", 2), kObject, "op", 2));
  }
}

}  // namespace
}  // namespace corbel::conformance

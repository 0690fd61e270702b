// SPDX-License-Identifier: Apache-2.0
// Conversations, octet by octet: what omniORB compressed is read, what lies is refused, and what is sent is compressed
// when that was agreed on.
#include "session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "support/giop_writer.hpp"
#include "test_support.hpp"

namespace corbel::ziop {
namespace {

using base::Bytes;
using base::Code;
using messaging::Kind;
using messaging::Side;

const std::string kBig = std::string(3000, 'x') + "compressible";

/// Is the writer, as connections are.
struct Host final : cdr::Encoder::Host {
  void on_foreign_code(cdr::Encoder&) noexcept override {}
};

class ZiopSessions : public ::testing::Test {
 protected:
  /// A request with the terms that an interceptor would give; nullptr: none.
  Bytes request(messaging::Session& session, const std::string& text, const Terms* terms, bool hosted = true) {
    Bytes context;
    messaging::ServiceContext contexts[1];
    messaging::OutgoingRequest outgoing;
    const Bytes key{1, 2, 3};
    outgoing.object_key = key;
    outgoing.operation = "say";
    if (terms != nullptr) {
      context = layered_.engine->encode(*terms);
      contexts[0] = {Engine::kTermsContext, context};
      outgoing.contexts = contexts;
    }
    cdr::Encoder encoder;
    encoder.set_host(hosted ? &host_ : nullptr);
    session.put_request(encoder, session.next_token(), outgoing, [&](cdr::Encoder& to) { to.put_string(text); });
    EXPECT_TRUE(encoder.ok());
    return encoder.to_bytes();
  }
  Bytes reply(messaging::Session& session, const std::string& text, const Terms* terms = nullptr) {
    const Bytes context = terms == nullptr ? Bytes() : layered_.engine->encode(*terms);
    const messaging::ServiceContext contexts[1] = {{Engine::kTermsContext, context}};
    cdr::Encoder encoder;
    session.put_reply(encoder, {2, 2}, messaging::ReplyStatus::no_exception,
                      terms == nullptr ? std::span<const messaging::ServiceContext>() : contexts,
                      [&](cdr::Encoder& to) { to.put_string(text); });
    EXPECT_TRUE(encoder.ok());
    return encoder.to_bytes();
  }
  static bool is_ziop(const Bytes& message) { return is_compressed(message); }
  static std::string text_in(messaging::Incoming& incoming) {
    std::string text;
    incoming.body.get_string(text);
    return incoming.body.ok() ? text : "?";
  }
  static bool has(const Bytes& message, std::string_view text) {
    return base::as_text(message).find(text) != std::string_view::npos;
  }

  Host host_;
  Layered layered_;
  const Terms terms_ = layered_.engine->terms();
};

// --- reading ---

TEST_F(ZiopSessions, ReadWhatOmniOrbCompressed) {
  const auto server = layered_.open(Side::acceptor);
  Taken taken;
  const Bytes request = octets_of(kOmniRequest);
  ASSERT_TRUE(taken.take(*server, request));
  EXPECT_EQ(taken.incoming.kind, Kind::request);
  EXPECT_EQ(taken.incoming.size, request.size());
  EXPECT_EQ(taken.incoming.request.operation, "say");
  const std::string sent = text_in(taken.incoming);
  EXPECT_EQ(sent.size(), 3600U);
  EXPECT_TRUE(sent.starts_with("hello compression hello")) << sent.substr(0, 40);

  const auto client = layered_.open(Side::initiator);
  const Bytes reply = octets_of(kOmniReply);
  ASSERT_TRUE(taken.take(*client, reply));
  EXPECT_EQ(taken.incoming.kind, Kind::reply);
  EXPECT_EQ(taken.incoming.size, reply.size());
  EXPECT_EQ(text_in(taken.incoming), sent);
  EXPECT_EQ(taken.incoming.octets.data(), taken.joined.octets.data());
  EXPECT_EQ(layered_.engine->received.messages, 2U);
}

TEST_F(ZiopSessions, TakeNothingOfAMessageThatIsNotWhole) {
  const auto server = layered_.open(Side::acceptor);
  const Bytes whole = octets_of(kOmniRequest);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Taken taken;
    ASSERT_TRUE(taken.take(*server, base::ConstByteSpan(whole).first(size))) << size;
    EXPECT_EQ(taken.incoming.kind, Kind::nothing);
    EXPECT_EQ(taken.incoming.size, 0U);
    EXPECT_EQ(taken.incoming.wanted, size < 12 ? 0U : whole.size());
    EXPECT_TRUE(taken.joined.octets.empty());
  }
}

TEST_F(ZiopSessions, TakeOneOfSeveralMessages) {
  const auto server = layered_.open(Side::acceptor);
  Bytes two = octets_of(kOmniRequest);
  const std::size_t first = two.size();
  two.insert(two.end(), {'G', 'I', 'O', 'P'});
  Taken taken;
  ASSERT_TRUE(taken.take(*server, two));
  EXPECT_EQ(taken.incoming.size, first);
}

/// omniORB compresses each fragment by itself, and not all of them.
TEST_F(ZiopSessions, JoinFragmentsThatCameCompressed) {
  Purse purse;
  {
    const auto server = layered_.open(Side::acceptor, {}, &purse);
    Taken taken;
    ASSERT_TRUE(taken.take(*server, octets_of(kOmniFragment)));
    EXPECT_EQ(taken.incoming.kind, Kind::nothing);
    EXPECT_EQ(taken.incoming.size, 122U);
    EXPECT_NE(server->oldest_part(), 0U);
    const std::size_t begun = server->part_octets();
    EXPECT_EQ(begun, 12U + 0x1ff4);
    std::uint32_t id = 0;
    std::memcpy(&id, taken.joined.octets.data() + 12, sizeof id);
    const test::Octets plain = test::Writer().giop(7, 2, true).u32(id).raw(std::string(4000, 'b')).finish();
    const test::Octets last = test::Writer().giop(7, 2, false).u32(id).raw(std::string(5000, 'c')).finish();
    ASSERT_TRUE(taken.take(*server, compressed(plain)));
    EXPECT_EQ(server->part_octets(), begun + 4000);
    ASSERT_TRUE(taken.take(*server, plain));  // one that is not
    const Bytes end = compressed(last);
    ASSERT_TRUE(taken.take(*server, end));
    EXPECT_EQ(taken.incoming.kind, Kind::request);
    EXPECT_EQ(taken.incoming.size, end.size());
    EXPECT_EQ(taken.incoming.octets.size(), begun + 2 * 4000 + 5000);
    EXPECT_EQ(server->oldest_part(), 0U);
    EXPECT_EQ(purse.taken, taken.joined.cost());
  }
}

TEST_F(ZiopSessions, RefuseDataThatAreNotWhatTheHeadSays) {
  const Bytes request = octets_of(kOmniRequest);
  const base::ConstByteSpan data = base::ConstByteSpan(request).subspan(kDataAt);
  constexpr std::uint32_t kLength = 0x0e41;
  const auto code = [&](const Bytes& message) {
    const auto server = layered_.open(Side::acceptor);
    Taken taken;
    const auto status = taken.take(*server, message);
    EXPECT_TRUE(status || status.error().stage == base::Stage::receive);
    return status ? Code::none : status.error().code;
  };
  EXPECT_EQ(code(with_data(request, kZlib, kLength, data)), Code::none);
  EXPECT_EQ(code(with_data(request, kZlib, kLength - 1, data)), Code::malformed);
  EXPECT_EQ(code(with_data(request, kZlib, kLength + 1, data)), Code::malformed);
  EXPECT_EQ(code(with_data(request, kZlib, 0, data)), Code::malformed);
  EXPECT_EQ(code(with_data(request, kZlib, kLength, data.first(data.size() - 1))), Code::malformed);
  EXPECT_EQ(code(with_data(request, kZlib, kLength, {})), Code::malformed);
  EXPECT_EQ(code(with_data(request, kZlib, 0, {})), Code::malformed);
  Bytes longer(data.begin(), data.end());
  longer.push_back(0);
  EXPECT_EQ(code(with_data(request, kZlib, kLength, longer)), Code::malformed);
  for (const auto unknown : std::to_array<std::uint16_t>({0, 1, 2, 3, 5, 6, 101, 65535})) {
    EXPECT_EQ(code(with_data(request, unknown, kLength, data)), Code::unsupported) << unknown;
  }
  // What is inside need not make sense, either: a compressed message in a compressed message, a type that is none.
  EXPECT_EQ(code(with_data(request, kZlib, 3, deflated(Bytes{1, 2, 3}))), Code::malformed);
  Bytes type = request;
  type[7] = 8;
  EXPECT_EQ(code(with_data(type, kZlib, kLength, data)), Code::malformed);
  EXPECT_EQ(layered_.engine->refused, 15U);  // the last two are for GIOP to refuse
}

TEST_F(ZiopSessions, InflateNoMoreThanIsAnnouncedAndAllowed) {
  const Bytes bomb = deflated(Bytes(16U << 20));
  ASSERT_LT(bomb.size(), 100'000U);
  const Bytes head = octets_of(kOmniRequest);
  Purse purse;
  cdr::Limits limits;
  limits.max_message_size = 1U << 20;
  const auto code = [&](std::uint32_t original_length) {
    const auto server = layered_.open(Side::acceptor, limits, &purse);
    Taken taken;
    const auto status = taken.take(*server, with_data(head, kZlib, original_length, bomb));
    EXPECT_EQ(purse.taken, taken.joined.cost());
    purse.give(taken.joined.cost());
    return status ? Code::none : status.error().code;
  };
  EXPECT_EQ(code(16U << 20), Code::too_large);
  EXPECT_EQ(purse.most_asked, 0U);  // before anything was taken
  EXPECT_EQ(code(1000), Code::malformed);
  EXPECT_EQ(purse.most_asked, 1012U);
  EXPECT_EQ(code((1U << 20) - 12), Code::malformed);
  EXPECT_EQ(purse.most_asked, 1U << 20);
  // Few octets cannot be many: nothing is inflated to see that.
  const auto server = layered_.open(Side::acceptor, limits);
  Taken taken;
  EXPECT_EQ(taken.take(*server, with_data(head, kZlib, 1U << 19, Bytes(64, 'x'))).error().code, Code::malformed);
}

TEST_F(ZiopSessions, RefuseTooMuchAsSoonAsTheHeadIsThere) {
  cdr::Limits limits;
  limits.max_message_size = 4096;
  const auto server = layered_.open(Side::acceptor, limits);
  Taken taken;
  const Bytes message = with_data(octets_of(kOmniRequest), kZlib, 4085, Bytes(100));
  ASSERT_TRUE(taken.take(*server, base::ConstByteSpan(message).first(23)));
  EXPECT_EQ(taken.take(*server, base::ConstByteSpan(message).first(24)).error().code, Code::too_large);
}

TEST_F(ZiopSessions, AreShownAMessageAgainForWhichThereWasNoMemory) {
  Purse purse(1000);
  const auto server = layered_.open(Side::acceptor, {}, &purse);
  const Bytes request = octets_of(kOmniRequest);
  Taken taken;
  EXPECT_EQ(taken.take(*server, request).error().code, Code::out_of_resources);
  EXPECT_EQ(purse.taken, 0U);
  purse.limit = 1U << 20;
  ASSERT_TRUE(taken.take(*server, request));
  EXPECT_EQ(taken.incoming.kind, Kind::request);
  EXPECT_EQ(purse.taken, taken.joined.cost());
  ASSERT_TRUE(taken.take(*server, Bytes(request)));
  EXPECT_EQ(purse.taken, taken.joined.cost());  // of the last one alone
}

TEST_F(ZiopSessions, SurviveEveryMutation) {
  for (const std::string_view hex : {kOmniRequest, kOmniReply, kOmniFragment}) {
    const Bytes whole = octets_of(hex);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff, whole[at] ^ 1, whole[at] ^ 0x10}) {
        Bytes mutated = whole;
        mutated[at] = static_cast<base::Octet>(value);
        Purse purse(16U << 20);
        const auto session = layered_.open(hex == kOmniReply ? Side::initiator : Side::acceptor, {}, &purse);
        Taken taken;
        if (taken.take(*session, mutated) && taken.incoming.kind == Kind::request) (void)text_in(taken.incoming);
        session->forget_parts();
        EXPECT_EQ(purse.taken, taken.joined.cost()) << at << ' ' << value;
      }
    }
  }
}

// --- writing ---

TEST_F(ZiopSessions, CompressNothingThatNobodyAskedFor) {
  const auto client = layered_.open(Side::initiator);
  EXPECT_FALSE(is_ziop(request(*client, kBig, nullptr)));
  const auto server = layered_.open(Side::acceptor);
  EXPECT_FALSE(is_ziop(reply(*server, kBig)));
  EXPECT_EQ(layered_.engine->sent.messages, 0U);
}

TEST_F(ZiopSessions, CompressWhatTheOtherSideReads) {
  const auto client = layered_.open(Side::initiator);
  const auto server = layered_.open(Side::acceptor);
  const Bytes sent = request(*client, kBig, &terms_);
  ASSERT_TRUE(is_ziop(sent));
  EXPECT_LT(sent.size(), 250U);
  Taken taken;
  ASSERT_TRUE(taken.take(*server, sent));
  ASSERT_EQ(taken.incoming.kind, Kind::request);
  EXPECT_EQ(text_in(taken.incoming), kBig);
  // Its caller takes compressed replies, as the request said.
  const Bytes answer = reply(*server, kBig);
  ASSERT_TRUE(is_ziop(answer));
  ASSERT_TRUE(taken.take(*client, answer));
  EXPECT_EQ(text_in(taken.incoming), kBig);
  EXPECT_EQ(layered_.engine->sent.messages, 2U);
  EXPECT_EQ(layered_.engine->sent.compressed, sent.size() + answer.size());
  EXPECT_EQ(layered_.engine->received.octets, layered_.engine->sent.octets);
}

TEST_F(ZiopSessions, TellThePeerOnceUnlessItMayNotHaveHeard) {
  const auto client = layered_.open(Side::initiator);
  const std::string context = std::string("\x07\0\0\0\x28\0\0\0", 8);
  const auto tells = [&](const Bytes& message) {
    EXPECT_FALSE(has(message, "zLBC")) << "the terms are this process's own";
    return has(message, context);
  };
  EXPECT_TRUE(tells(request(*client, "small", &terms_, false)));  // kept: may never leave
  EXPECT_TRUE(tells(request(*client, "small", &terms_)));
  EXPECT_FALSE(tells(request(*client, "small", &terms_)));
  client->unsent();
  EXPECT_TRUE(tells(request(*client, "small", &terms_)));
  EXPECT_FALSE(tells(request(*client, "small", &terms_)));
  Terms other = terms_;
  other.compressors = {{kZlib, 1}};
  EXPECT_TRUE(tells(request(*client, "small", &other)));
}

TEST_F(ZiopSessions, LeaveShortAndIncompressibleMessagesAsTheyAre) {
  const auto client = layered_.open(Side::initiator);
  Terms terms = terms_;
  EXPECT_FALSE(is_ziop(request(*client, std::string(100, 'x'), &terms)));
  terms.low_value = 0;
  EXPECT_TRUE(is_ziop(request(*client, std::string(100, 'x'), &terms)));
  std::string noise;
  std::uint32_t state = 1;
  while (noise.size() < 3000)
    noise.push_back(static_cast<char>(1 + ((state = state * 1664525 + 1013904223) >> 24) % 127));
  EXPECT_FALSE(is_ziop(request(*client, noise, &terms)));
  terms.min_ratio = 0.01F;
  EXPECT_FALSE(is_ziop(request(*client, std::string(100, 'x'), &terms)));
  terms.enabled = false;
  terms.min_ratio = 1;
  EXPECT_FALSE(is_ziop(request(*client, kBig, &terms)));
}

TEST_F(ZiopSessions, ObeyWhatAnAdapterSaysOfItsReplies) {
  const auto client = layered_.open(Side::initiator);
  const auto server = layered_.open(Side::acceptor);
  Taken taken;
  ASSERT_TRUE(taken.take(*server, request(*client, "small", &terms_)));
  Terms own = terms_;
  EXPECT_TRUE(is_ziop(reply(*server, kBig, &own)));
  EXPECT_FALSE(has(reply(*server, "small", &own), "zLBC"));
  own.enabled = false;
  EXPECT_FALSE(is_ziop(reply(*server, kBig, &own)));
  own = terms_;
  own.compressors = {{101, 3}};
  EXPECT_FALSE(is_ziop(reply(*server, kBig, &own)));
  own.compressors = {{101, 3}, {kZlib, 1}};
  EXPECT_TRUE(is_ziop(reply(*server, kBig, &own)));
}

TEST_F(ZiopSessions, HeedWhatAPeerSaysAnewOfTheSameCompressors) {
  const auto client = messaging::make_giop()->open({});
  const auto server = layered_.open(Side::acceptor);
  for (const bool enabled : {false, true, false, true}) {
    const Bytes news = encode({enabled, terms_.compressors});
    const messaging::ServiceContext contexts[] = {{kInvocationPolicies, news}};
    cdr::Encoder encoder;
    client->put_request(encoder, client->next_token(), {messaging::Response::with_target, {}, "say", contexts},
                        [](auto&) {});
    Taken taken;
    ASSERT_TRUE(taken.take(*server, encoder.to_bytes()));
    EXPECT_EQ(is_ziop(reply(*server, kBig)), enabled);
  }
}

TEST_F(ZiopSessions, TakeNoStrangersTermsForTheirOwn) {
  const Layered other;
  const auto client = layered_.open(Side::initiator);
  const Bytes foreign = other.engine->encode(terms_);
  const messaging::ServiceContext contexts[] = {{Engine::kTermsContext, foreign}};
  messaging::OutgoingRequest outgoing;
  outgoing.operation = "say";
  outgoing.contexts = contexts;
  cdr::Encoder encoder;
  client->put_request(encoder, 2, outgoing, [](cdr::Encoder& to) { to.put_string(kBig); });
  EXPECT_FALSE(is_ziop(encoder.to_bytes()));
}

TEST_F(ZiopSessions, CompressWhatIsReferredToAndFailsNothing) {
  const auto client = layered_.open(Side::initiator);
  const Bytes large(100'000, 7);  // beyond what is copied
  const Bytes context = layered_.engine->encode(terms_);
  const messaging::ServiceContext contexts[] = {{Engine::kTermsContext, context}};
  messaging::OutgoingRequest outgoing;
  outgoing.operation = "say";
  outgoing.contexts = contexts;
  cdr::Encoder encoder;
  client->put_request(encoder, 2, outgoing, [&](cdr::Encoder& to) {
    to.put_octet_sequence(large);
    to.put(std::uint32_t{42});
  });
  const Bytes sent = encoder.to_bytes();
  ASSERT_TRUE(is_ziop(sent));
  const auto server = layered_.open(Side::acceptor);
  Taken taken;
  ASSERT_TRUE(taken.take(*server, sent));
  const auto octets = taken.incoming.body.get_octet_sequence();
  EXPECT_TRUE(std::ranges::equal(octets, large));
  EXPECT_EQ(taken.incoming.body.get<std::uint32_t>(), 42U);
}

TEST_F(ZiopSessions, CompressNothingBelowGiop12) {
  messaging::SessionSettings settings;
  settings.version = {1, 1};
  const auto client = layered_.protocol->open(settings);
  const Bytes sent = request(*client, kBig, &terms_);
  EXPECT_FALSE(is_ziop(sent));
  EXPECT_FALSE(has(sent, "zLBC"));
}

}  // namespace
}  // namespace corbel::ziop

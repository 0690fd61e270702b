// SPDX-License-Identifier: Apache-2.0
// What every message protocol must do, whatever it looks like on the wire: two sessions talk to each other.
#include "conformance/session_conformance.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "support/allocations.hpp"

namespace corbel::conformance {

using messaging::Incoming;
using messaging::Joined;
using messaging::Kind;
using messaging::LocateStatus;
using messaging::Origin;
using messaging::ReplyStatus;
using messaging::Response;
using messaging::ServiceContext;
using messaging::Session;
using messaging::Side;
using messaging::Token;

namespace {

// A service context of four octets, of a message that is long gone.
const base::Bytes kStale = {0xee, 0xee, 0xee, 0xee, 4, 0, 0, 0, 0xee, 0xee, 0xee, 0xee};
constexpr std::size_t kStaleJoints[] = {1, 5};

bool is_within(base::ConstByteSpan inner, base::ConstByteSpan outer) {
  const std::less_equal<const base::Octet*> not_after;
  return not_after(outer.data(), inner.data()) && not_after(inner.data() + inner.size(), outer.data() + outer.size());
}
bool is_stale(base::ConstByteSpan octets) {
  return !octets.empty() && is_within(octets, kStale);
}

/// What a connection shows is what the message before has left of it; `with_contexts`: of a protocol that has them.
void leave_stale(Incoming& incoming, Joined& joined, bool with_contexts) {
  constexpr bool kSwapped = std::endian::native != std::endian::little;
  messaging::ServiceContextView contexts;
  if (with_contexts) contexts = {kStale, 1, kSwapped};
  incoming.kind = Kind::error;
  incoming.size = 13;
  incoming.wanted = 17;
  incoming.octets = kStale;
  incoming.body_at = kStale.size() + 1;
  incoming.joints = kStaleJoints;
  incoming.request = {{77, 7}, Response::with_server, kStale, base::as_text(kStale), contexts};
  incoming.locate = {{77, 7}, kStale};
  incoming.reply = {77, ReplyStatus::needs_addressing_mode, contexts};
  incoming.body = cdr::Decoder(kStale, {}, {}, 4);
  incoming.body.set_joints(kStaleJoints);
  joined = {kStale, {std::begin(kStaleJoints), std::end(kStaleJoints)}};
}

}  // namespace

SessionConformance::Taken::Taken(Session& session, base::ConstByteSpan octets) {
  leave_stale(incoming, joined, GetParam().make()->offers().service_contexts);
  incoming.joined = &joined;
  status = session.take(octets, incoming);
  if (status) check(octets);
}

/// That everything was set which is read of such a message.
void SessionConformance::Taken::check(base::ConstByteSpan octets) const {
  const bool is_reply = incoming.kind == Kind::reply;
  EXPECT_LE(incoming.size, octets.size());
  if (incoming.size == 0) {
    EXPECT_EQ(incoming.kind, Kind::nothing);
    EXPECT_TRUE(incoming.wanted == 0 || incoming.wanted > octets.size()) << "Incoming::wanted is " << incoming.wanted;
  }
  if (incoming.kind == Kind::locate_request) {
    EXPECT_FALSE(is_stale(incoming.locate.object_key)) << "Incoming::locate is another message's";
  }
  if (incoming.kind != Kind::request && !is_reply) return;
  const base::ConstByteSpan message = incoming.octets;
  const bool in_pieces = message.data() == joined.octets.data();
  ASSERT_TRUE(in_pieces || message.data() == octets.data()) << "Incoming::octets is not the message";
  EXPECT_EQ(message.size(), in_pieces ? joined.octets.size() : incoming.size) << "Incoming::octets is not the message";
  const std::span<const std::size_t> joints = in_pieces ? joined.joints : std::span<const std::size_t>();
  EXPECT_TRUE(std::equal(joints.begin(), joints.end(), incoming.joints.begin(), incoming.joints.end()))
      << "Incoming::joints are another message's";
  ASSERT_LE(incoming.body_at, message.size()) << "Incoming::body_at is another message's";
  const cdr::Decoder copied(message, incoming.body.format(), {}, incoming.body_at);
  EXPECT_EQ(incoming.body.position(), incoming.body_at) << "Incoming::body stands elsewhere";
  EXPECT_EQ(incoming.body.remaining(), copied.remaining()) << "Incoming::body is not of this message";
  EXPECT_EQ(incoming.body.has_joints(), !joints.empty()) << "Incoming::body has joints of another message";
  (is_reply ? incoming.reply.contexts : incoming.request.contexts).for_each([&](const ServiceContext& context) {
    EXPECT_FALSE(is_stale(context.data)) << "the service contexts are another message's";
    EXPECT_TRUE(!is_reply || context.data.empty() || is_within(context.data, message))
        << "the service contexts of a reply lie in Incoming::octets";
  });
  if (is_reply) return;
  EXPECT_FALSE(is_stale(incoming.request.object_key)) << "Incoming::request is another message's";
  EXPECT_FALSE(is_stale(base::as_bytes(incoming.request.operation))) << "Incoming::request is another message's";
}

SessionConformance::SessionConformance() : protocol_(GetParam().make()) {}

std::unique_ptr<Session> SessionConformance::open(Side side, const cdr::Limits& limits, bool lossy) const {
  messaging::SessionSettings settings;
  settings.side = side;
  settings.version = GetParam().version;
  settings.limits = limits;
  settings.lossy = lossy;
  settings.now = [] { return std::int64_t{1'000'000}; };
  settings.code_sets.for_wchar = cdr::CodeSet::utf_16;
  settings.code_sets.negotiated = true;
  return protocol_->open(settings);
}

Response SessionConformance::response() const {
  return protocol_->offers().two_way ? Response::with_target : Response::none;
}

base::Bytes SessionConformance::request(Session& from, const base::Bytes& key, std::string_view operation,
                                        std::uint32_t value, Token* token) {
  cdr::Encoder encoder;
  encoder.set_host(&host_);
  const Token made = from.next_token();
  if (token != nullptr) *token = made;
  from.put_request(encoder, made, {response(), key, operation, {}}, [&](cdr::Encoder& body) { body.put(value); });
  EXPECT_TRUE(encoder.ok());
  return encoder.to_bytes();
}

bool SessionConformance::is_request(Taken& taken, const base::Bytes& key, std::string_view operation,
                                    std::uint32_t value) {
  const messaging::IncomingRequest& request = taken.incoming.request;
  return taken.status && taken.incoming.kind == Kind::request &&
         std::equal(key.begin(), key.end(), request.object_key.begin(), request.object_key.end()) &&
         request.operation == operation && taken.incoming.body.get<std::uint32_t>() == value &&
         taken.incoming.body.ok() && taken.incoming.body.remaining() == 0;
}

bool SessionConformance::is_request(Session& to, base::ConstByteSpan message, const base::Bytes& key,
                                    std::string_view operation, std::uint32_t value) {
  Taken taken(to, message);
  return is_request(taken, key, operation, value) && taken.incoming.size == message.size();
}

namespace {

TEST_P(SessionConformance, AProtocolSaysWhatItIs) {
  const std::string_view name = protocol_->name();
  EXPECT_FALSE(name.empty());
  for (const char each : name) {  // a word in "name+tcp://host:port"
    EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_' || each == '-' || each == '.')
        << name;
  }
  EXPECT_TRUE(protocol_->offers().two_way || protocol_->offers().oneway) << "nothing can be said in it";
  EXPECT_EQ(protocol_->version().major, 1);
  EXPECT_LE(protocol_->version().minor, 2);
}

TEST_P(SessionConformance, RequestsArriveAsTheyWereSentAgainAndAgain) {
  const auto client = open(Side::initiator);
  const auto server = open(Side::acceptor);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t size = 1; size < 80; ++size) {
      const base::Bytes key(size == 79 ? 5000 : size, 0x5a);
      const std::string operation(size, 'o');
      const base::Bytes message = request(*client, key, operation, size);
      ASSERT_TRUE(is_request(*server, message, key, operation, size)) << round << ' ' << size;
    }
  }
}

TEST_P(SessionConformance, ARequestSaysWhetherAReplyIsWanted) {
  const auto client = open(Side::initiator);
  const auto server = open(Side::acceptor);
  for (const Response wanted : {Response::none, response()}) {
    cdr::Encoder encoder;
    client->put_request(encoder, client->next_token(), {wanted, kObject, "x", {}}, [](cdr::Encoder&) {});
    const base::Bytes message = encoder.to_bytes();
    const Taken taken(*server, message);
    ASSERT_EQ(taken.incoming.kind, Kind::request);
    EXPECT_EQ(taken.incoming.request.response, wanted);
  }
}

TEST_P(SessionConformance, AReplyFindsItsRequest) {
  const auto client = open(Side::initiator);
  const auto server = open(Side::acceptor);
  std::vector<std::pair<Token, Origin>> asked;
  for (std::uint32_t i = 0; i < 3; ++i) {
    Token token = 0;
    const base::Bytes message = request(*client, kObject, "op", i, &token);
    const Taken taken(*server, message);
    asked.emplace_back(token, taken.incoming.request.origin);
  }
  const ReplyStatus statuses[] = {ReplyStatus::no_exception, ReplyStatus::user_exception,
                                  ReplyStatus::system_exception};
  const base::Bytes said = {1, 2, 3};
  std::vector<ServiceContext> contexts;
  if (protocol_->offers().service_contexts) contexts.push_back({0x77, said});
  for (std::size_t i = 3; i-- > 0;) {  // in another order
    cdr::Encoder encoder;
    server->put_reply(encoder, asked[i].second, statuses[i], contexts, [&](cdr::Encoder& body) { body.put(2.5); });
    if (!protocol_->offers().two_way) {
      EXPECT_EQ(encoder.error().code, base::Code::unsupported);
      continue;
    }
    const base::Bytes message = encoder.to_bytes();
    Taken taken(*client, message);
    ASSERT_EQ(taken.incoming.kind, Kind::reply);
    EXPECT_EQ(taken.incoming.reply.token, asked[i].first);
    EXPECT_EQ(taken.incoming.reply.status, statuses[i]);
    EXPECT_EQ(taken.incoming.body.get<double>(), 2.5);
    // As a caller reads it for which another one has copied it.
    const base::ConstByteSpan octets = taken.incoming.octets;
    const base::Bytes copy(octets.begin(), octets.end());
    EXPECT_EQ(cdr::Decoder(copy, taken.incoming.body.format(), {}, taken.incoming.body_at).get<double>(), 2.5);
    base::ConstByteSpan found;
    const bool any = taken.incoming.reply.contexts.moved(octets.data(), copy.data()).find(0x77, found);
    EXPECT_EQ(any, !contexts.empty());
    EXPECT_TRUE(!any || std::equal(found.begin(), found.end(), said.begin(), said.end()));
  }
}

TEST_P(SessionConformance, PermanentForwardsAndLocateAnswersAreUnderstood) {
  if (!protocol_->offers().locate) GTEST_SKIP() << "offers " << to_string(protocol_->offers());
  const auto client = open(Side::initiator);
  const auto server = open(Side::acceptor);
  Token token = 0;
  const base::Bytes asked = request(*client, kObject, "op", 1, &token);
  const Origin origin = Taken(*server, asked).incoming.request.origin;
  cdr::Encoder encoder;
  server->put_reply(encoder, origin, ReplyStatus::location_forward_perm, {}, [](cdr::Encoder&) {});
  const base::Bytes message = encoder.to_bytes();
  const Taken taken(*client, message);
  ASSERT_EQ(taken.incoming.kind, Kind::reply);
  EXPECT_TRUE(taken.incoming.reply.status == ReplyStatus::location_forward ||
              taken.incoming.reply.status == ReplyStatus::location_forward_perm);
  for (const LocateStatus status :
       {LocateStatus::unknown_object, LocateStatus::object_here, LocateStatus::object_forward,
        LocateStatus::object_forward_perm, LocateStatus::system_exception}) {
    server->put_locate_reply(encoder, origin, status, [](cdr::Encoder& body) { body.put(1); });
    EXPECT_TRUE(encoder.ok()) << static_cast<int>(status);
  }
}

TEST_P(SessionConformance, NothingIsTakenOfAMessageThatIsNotWhole) {
  if (!cuts_messages()) GTEST_SKIP() << "needs a carrier that keeps messages";
  const auto client = open(Side::initiator);
  const auto server = open(Side::acceptor);
  const base::Bytes message = request(*client, kObject, "ping", 7);
  for (std::size_t size = 0; size < message.size(); ++size) {
    const base::Bytes cut(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(size));
    const Taken taken(*server, cut);
    ASSERT_TRUE(taken.status) << size;
    EXPECT_EQ(taken.incoming.kind, Kind::nothing);
    EXPECT_EQ(taken.incoming.size, 0U);
    EXPECT_TRUE(taken.incoming.wanted == 0 || taken.incoming.wanted == message.size()) << size;
  }
  EXPECT_TRUE(is_request(*server, message, kObject, "ping", 7));
}

TEST_P(SessionConformance, MessagesFollowEachOther) {
  if (!cuts_messages()) GTEST_SKIP() << "needs a carrier that keeps messages";
  const auto client = open(Side::initiator);
  const auto server = open(Side::acceptor);
  base::Bytes stream;
  for (std::uint32_t i = 0; i < 5; ++i) {
    const base::Bytes one = request(*client, kObject, "ping", i);
    stream.insert(stream.end(), one.begin(), one.end());
  }
  base::ConstByteSpan rest(stream);
  for (std::uint32_t i = 0; i < 5; ++i) {
    Taken taken(*server, rest);
    ASSERT_EQ(taken.incoming.kind, Kind::request);
    EXPECT_EQ(taken.incoming.body.get<std::uint32_t>(), i);
    EXPECT_EQ(taken.incoming.body.remaining(), 0U);
    rest = rest.subspan(taken.incoming.size);
  }
  EXPECT_TRUE(rest.empty());
}

TEST_P(SessionConformance, SizesBeyondTheLimitAreRefused) {
  const auto client = open(Side::initiator);
  const base::Bytes message = request(*client, kObject, "ping", 7);
  cdr::Limits limits;
  limits.max_message_size = static_cast<std::uint32_t>(message.size());
  EXPECT_TRUE(is_request(*open(Side::acceptor, limits), message, kObject, "ping", 7));
  limits.max_message_size -= 1;
  EXPECT_EQ(Taken(*open(Side::acceptor, limits), message).status.error(),
            base::error(base::Stage::receive, base::Code::too_large));
}

TEST_P(SessionConformance, KeysAndNamesBeyondTheirLimitsAreRefused) {
  const auto client = open(Side::initiator);
  const base::Bytes message = request(*client, kObject, "ping", 7);
  // Perhaps with an answer.
  const auto refuses = [&](const cdr::Limits& limits) {
    const auto session = open(Side::acceptor, limits);
    const Taken taken(*session, message);
    return !taken.status || taken.incoming.kind == Kind::answer;
  };
  cdr::Limits limits;
  limits.max_object_key = 4;
  EXPECT_TRUE(refuses(limits));
  limits = {};
  limits.max_operation = 3;
  EXPECT_TRUE(refuses(limits));
}

TEST_P(SessionConformance, EverySingleOctetMutationIsSurvived) {
  for (const bool acquainted : {false, true}) {
    const auto client = open(Side::initiator);
    const auto peer = open(Side::acceptor);
    if (acquainted) acquaint(*client, *peer);
    const base::Bytes first = request(*client, kObject, "ping", 7);
    const base::Bytes second = request(*client, kObject, "ping", 8);
    for (const base::Bytes& message : {first, second}) {
      for (std::size_t at = 0; at < message.size(); ++at) {
        const auto server = open(Side::acceptor);
        (void)Taken(*server, first);
        for (int octet = 0; octet < 256; ++octet) {
          base::Bytes mutated = message;
          mutated[at] = static_cast<base::Octet>(octet);
          const Taken taken(*server, mutated);
          EXPECT_LE(taken.incoming.size, taken.status ? mutated.size() : SIZE_MAX);
        }
      }
    }
  }
}

TEST_P(SessionConformance, ControlMessagesSayWhatTheyAre) {
  for (const Side side : {Side::initiator, Side::acceptor}) {
    const auto from = open(side);
    const auto to = open(side == Side::initiator ? Side::acceptor : Side::initiator);
    const auto kind_of = [&](cdr::Encoder& encoder) {
      EXPECT_TRUE(encoder.ok());
      const base::Bytes message = encoder.to_bytes();
      const Taken taken(*to, message);
      EXPECT_EQ(taken.incoming.size, message.size());
      return taken.incoming.kind;
    };
    cdr::Encoder encoder;
    if (from->put_cancel(encoder, 2)) {
      EXPECT_TRUE(protocol_->offers().cancel);
      EXPECT_EQ(kind_of(encoder), Kind::cancel);
    }
    if (from->put_close(encoder)) {
      EXPECT_EQ(kind_of(encoder), Kind::close);
    }
    if (from->put_error(encoder)) {
      EXPECT_EQ(kind_of(encoder), Kind::error);
    }
  }
}

TEST_P(SessionConformance, TokensAreNotGivenTwice) {
  const auto client = open(Side::initiator);
  const Token first = client->next_token();
  const Token second = client->next_token();
  EXPECT_NE(first, second);
  EXPECT_TRUE(client->was_issued(first));
  EXPECT_TRUE(client->was_issued(second));
  EXPECT_FALSE(client->was_issued(first + 1));
  EXPECT_FALSE(client->was_issued(second + 2));
}

TEST_P(SessionConformance, WarmSessionsAllocateNothing) {
  const auto client = open(Side::initiator);
  const auto server = open(Side::acceptor);
  acquaint(*client, *server);
  cdr::Encoder encoder;
  encoder.set_host(&host_);
  const auto round = [&] {
    client->put_request(encoder, client->next_token(), {response(), kObject, "ping", {}}, [](cdr::Encoder&) {});
    const auto segments = encoder.segments();
    Incoming incoming;
    Joined joined;
    incoming.joined = &joined;
    const bool good =
        server->take({static_cast<const base::Octet*>(segments[0].data), segments[0].size}, incoming).ok();
    return good && incoming.kind == Kind::request;
  };
  EXPECT_TRUE(round());
  EXPECT_TRUE(round());
  const std::size_t before = test::allocations();
  const bool ok = round();
  EXPECT_EQ(test::allocations(), before);
  EXPECT_TRUE(ok);
}

}  // namespace
}  // namespace corbel::conformance

// SPDX-License-Identifier: Apache-2.0
// Requests that name their target by an index: what both ends make of it, and of peers that know none, or lie.
#include "corbel/messaging/giop_lite/indices.hpp"

#include <gtest/gtest.h>

#include <map>

#include "corbel/base/log.hpp"
#include "corbel/messaging/giop_lite/codec.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"

namespace corbel::messaging::giop_lite {
namespace {

const base::Bytes kKey = {'k', 'e', 'y', 0, 1, 2, 3, 4, 5, 6, 7, 8};
const base::Bytes kOtherKey = {'k', 'e', 'y', 0, 1, 2, 3, 4, 5, 6, 7, 9};
constexpr std::size_t kIndexedSize = 12;

/// As much as there is.
class Purse final : public Memory {
 public:
  explicit Purse(std::size_t octets) noexcept : left(octets) {}
  bool take(std::size_t octets) override {
    if (octets > left) return false;
    left -= octets;
    return true;
  }
  void give(std::size_t octets) noexcept override { left += octets; }
  bool take_for_good(std::size_t octets) noexcept override { return take(octets); }
  void give_for_good(std::size_t octets) noexcept override { give(octets); }
  std::size_t left;
};

/// The events that were logged, and the fields of the last.
struct Sink final : base::LogSink {
  void write(const base::LogRecord& record) override {
    events.emplace_back(record.event);
    for (const base::LogField& field : record.fields) fields[std::string(field.name)] = base::to_string(field);
  }
  std::vector<std::string> events;
  std::map<std::string, std::string> fields;
};

struct Host final : cdr::Encoder::Host {
  void on_foreign_code(cdr::Encoder& encoder) noexcept override { encoder.set_host(nullptr); }
};

/// Two sessions, and the octets between them.
class Indices : public testing::Test {
 protected:
  static std::unique_ptr<Session> open(Side side, bool lossy = false, Memory* memory = nullptr) {
    SessionSettings settings;
    settings.side = side;
    settings.lossy = lossy;
    settings.memory = memory;
    return make_giop_lite()->open(settings);
  }
  base::Bytes ask(Session& from, const base::Bytes& key, std::string_view operation) {
    cdr::Encoder encoder;
    encoder.set_host(&host_);
    from.put_request(encoder, from.next_token(), {Response::with_target, key, operation, {}}, [](cdr::Encoder&) {});
    EXPECT_TRUE(encoder.ok());
    return encoder.to_bytes();
  }
  base::Bytes ask(const base::Bytes& key, std::string_view operation) { return ask(*client_, key, operation); }
  static base::Bytes answer(Session& from) {
    cdr::Encoder encoder;
    from.put_reply(encoder, {}, ReplyStatus::no_exception, {}, [](cdr::Encoder&) {});
    return encoder.to_bytes();
  }
  static base::Code take(Session& session, const base::Bytes& message) {
    Incoming incoming;
    const base::Status status = session.take(message, incoming);
    EXPECT_TRUE(!status || incoming.size == message.size());
    return status ? base::Code::none : status.error().code;
  }
  /// "key operation" of a request, "error" of what is none.
  static std::string read(Session& session, const base::Bytes& message) {
    Incoming incoming;
    if (!session.take(message, incoming) || incoming.kind != Kind::request) return "error";
    EXPECT_EQ(incoming.request.response, Response::with_target);
    return base::to_hex(incoming.request.object_key) + ' ' + std::string(incoming.request.operation);
  }
  std::string read(const base::Bytes& message) { return read(*server_, message); }
  static std::string named(const base::Bytes& key, std::string_view operation) {
    return base::to_hex(key) + ' ' + std::string(operation);
  }
  /// The server has answered something.
  void acquaint() {
    EXPECT_EQ(take(*server_, written(kKey, "hello", 0)), base::Code::none);
    EXPECT_EQ(take(*client_, answer(*server_)), base::Code::none);
  }
  /// As a codec without a session writes it.
  static base::Bytes written(const base::Bytes& key, std::string_view operation, std::uint16_t index, Token token = 2) {
    cdr::Encoder encoder;
    GiopLite().encode_request(
        encoder, token, {Response::with_target, key, operation, {}}, [](cdr::Encoder&) {}, index);
    return encoder.to_bytes();
  }
  static base::Bytes written(std::uint16_t index) {
    cdr::Encoder encoder;
    GiopLite().encode_indexed(encoder, 2, Response::with_target, index, [](cdr::Encoder&) {});
    return encoder.to_bytes();
  }

  std::unique_ptr<Session> client_ = open(Side::initiator);
  std::unique_ptr<Session> server_ = open(Side::acceptor);
  Host host_;
};

TEST_F(Indices, StandForNamesFromTheSecondRequestOn) {
  const base::Bytes first = ask(kKey, "ping");
  EXPECT_EQ(read(first), named(kKey, "ping"));
  acquaint();
  for (int i = 0; i < 3; ++i) {
    const base::Bytes again = ask(kKey, "ping");
    EXPECT_EQ(again.size(), kIndexedSize);
    EXPECT_EQ(read(again), named(kKey, "ping"));
  }
  for (const auto& key : {kKey, kOtherKey}) {
    for (const char* const operation : {"ping", "pong", "a_long_operation_name", ""}) {
      const bool known = key == kKey && std::string_view(operation) == "ping";
      const base::Bytes one = ask(key, operation);
      EXPECT_EQ(one.size() == kIndexedSize, known);
      EXPECT_EQ(read(one), named(key, operation));
    }
  }
  for (const auto& key : {kOtherKey, kKey}) {
    for (const char* const operation : {"", "pong", "a_long_operation_name", "ping"}) {
      const base::Bytes one = ask(key, operation);
      EXPECT_EQ(one.size(), kIndexedSize);
      EXPECT_EQ(read(one), named(key, operation));
    }
  }
}

TEST_F(Indices, AreNotUsedBeforeThePeerHasSaidThatItUnderstandsThem) {
  for (int i = 0; i < 3; ++i) {
    const base::Bytes one = ask(kKey, "ping");
    EXPECT_GT(one.size(), kIndexedSize);
    EXPECT_EQ(GiopLite::index_in(one), i == 0 ? 1 : 0) << "told once";
    EXPECT_EQ(read(one), named(kKey, "ping"));
  }
  acquaint();
  EXPECT_EQ(ask(kKey, "ping").size(), kIndexedSize);
}

TEST_F(Indices, AreNotForAnOlderPeer) {
  EXPECT_EQ(read(ask(kKey, "ping")), named(kKey, "ping"));
  base::Bytes reply = answer(*server_);
  for (std::size_t at = kHeaderSize; at < 8; ++at) reply[at] = 0;  // as it was before there were indices
  EXPECT_EQ(take(*client_, reply), base::Code::none);
  for (Token token = 4; token < 10; token += 2) {
    EXPECT_EQ(ask(kKey, "ping"), written(kKey, "ping", 0, token)) << "every octet as before";
  }
  acquaint();  // it changes its mind
  EXPECT_GT(ask(kKey, "ping").size(), kIndexedSize);
}

TEST_F(Indices, AreNotForCarriersThatLoseMessages) {
  const auto client = open(Side::initiator, true);
  const auto server = open(Side::acceptor, true);
  for (Token token = 2; token < 8; token += 2) {
    const base::Bytes one = ask(*client, kKey, "ping");
    EXPECT_EQ(one, written(kKey, "ping", 0, token));
    EXPECT_EQ(read(*server, one), named(kKey, "ping"));
    EXPECT_EQ(take(*client, answer(*server)), base::Code::none);
  }
  EXPECT_EQ(read(*server, written(kKey, "ping", 1)), named(kKey, "ping"));
  EXPECT_EQ(take(*server, written(1)), base::Code::malformed);
}

TEST_F(Indices, EndWhereTheTableDoes) {
  acquaint();
  for (int i = 0; i < kMaxIndices + 10; ++i) {
    const base::Bytes one = ask(kKey, std::to_string(i));
    EXPECT_EQ(GiopLite::index_in(one), i < kMaxIndices ? i + 1 : 0);
    ASSERT_EQ(read(one), named(kKey, std::to_string(i)));
  }
  for (int i = 0; i < kMaxIndices + 10; ++i) {
    const base::Bytes one = ask(kKey, std::to_string(i));
    EXPECT_EQ(one.size() == kIndexedSize, i < kMaxIndices) << i;
    ASSERT_EQ(read(one), named(kKey, std::to_string(i)));
  }
}

TEST_F(Indices, EndWhereTheRoomForNamesDoes) {
  acquaint();
  constexpr std::size_t kLong = 5000;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 2 * kMaxNameOctets / kLong; ++i) {
      base::Bytes key(kLong, static_cast<base::Octet>(i));
      const base::Bytes one = ask(key, "o");
      const bool fits = (i + 1) * (kLong + 1) <= kMaxNameOctets;
      EXPECT_EQ(GiopLite::index_in(one) != 0, fits) << i;
      EXPECT_EQ(one.size() == kIndexedSize, fits && round == 1);
      ASSERT_EQ(read(one), named(key, "o"));
    }
  }
  EXPECT_NE(GiopLite::index_in(ask(kKey, "short")), 0) << "there is room for it";
}

TEST_F(Indices, ThatWereNeverGivenAreRefused) {
  EXPECT_EQ(read(written(kKey, "ping", 3)), named(kKey, "ping"));
  EXPECT_EQ(read(written(3)), named(kKey, "ping"));
  for (const int index : {0, 1, 2, 4, int{kMaxIndices}, int{kMaxIndices} + 1, 0xffff}) {
    EXPECT_EQ(take(*server_, written(static_cast<std::uint16_t>(index))), base::Code::malformed) << index;
  }
  EXPECT_EQ(take(*open(Side::acceptor), written(3)), base::Code::malformed) << "another conversation's";
}

TEST_F(Indices, MeanWhatTheyMeantFirst) {
  EXPECT_EQ(take(*server_, written(kKey, "ping", 3)), base::Code::none);
  EXPECT_EQ(take(*server_, written(kKey, "ping", 3)), base::Code::none) << "told again";
  EXPECT_EQ(take(*server_, written(kOtherKey, "ping", 3)), base::Code::malformed);
  EXPECT_EQ(take(*server_, written(kKey, "pong", 3)), base::Code::malformed);
  EXPECT_EQ(take(*server_, written(kKey, "pingping", 3)), base::Code::malformed);
  EXPECT_EQ(take(*server_, written({}, "ping", 3)), base::Code::malformed);
  EXPECT_EQ(read(written(3)), named(kKey, "ping"));
  EXPECT_EQ(take(*server_, written(kKey, "ping", 4)), base::Code::none) << "two for one";
}

TEST_F(Indices, AreBoundedWhateverThePeerSays) {
  EXPECT_EQ(take(*server_, written(kKey, "ping", kMaxIndices)), base::Code::none);
  EXPECT_EQ(take(*server_, written(kKey, "ping", kMaxIndices + 1)), base::Code::malformed);
  EXPECT_EQ(take(*server_, written(kKey, "ping", 0xffff)), base::Code::malformed);
  const base::Bytes half(kMaxNameOctets / 2, 1);
  EXPECT_EQ(take(*server_, written(half, "", 1)), base::Code::none);
  EXPECT_EQ(take(*server_, written(half, "", 2)), base::Code::too_large);
  EXPECT_EQ(take(*server_, written(kKey, "", 2)), base::Code::none) << "the failure has changed nothing";
}

TEST_F(Indices, OfNamesBeyondALimitAreAnsweredAndHarmNoOthers) {
  const auto sink = std::make_shared<Sink>();
  const base::Log log({.levels = base::LogLevels::all(base::LogLevel::warning), .sink = sink});
  SessionSettings settings;
  settings.side = Side::acceptor;
  settings.log = &log;
  settings.limits.max_object_key = static_cast<std::uint32_t>(kKey.size());
  settings.limits.max_operation = 6;  // with its NUL
  const auto server = make_giop_lite()->open(settings);
  const base::Bytes longer(kKey.size() + 1, 'k');
  const auto kind = [&](const base::Bytes& message) {
    Incoming incoming;
    EXPECT_TRUE(server->take(message, incoming));
    EXPECT_EQ(incoming.size, message.size());
    if (incoming.kind != Kind::answer) return incoming.kind;
    cdr::Encoder encoder;
    server->put_answer(encoder, incoming);
    const base::Bytes answer = encoder.to_bytes();
    EXPECT_EQ(take(*client_, answer), base::Code::none);
    const auto text = base::as_text(answer);
    EXPECT_NE(text.find("IDL:omg.org/CORBA/IMP_LIMIT:1.0"), text.npos);
    return incoming.kind;
  };
  EXPECT_EQ(kind(written(kKey, "right", 1)), Kind::request);
  EXPECT_EQ(kind(written(longer, "right", 2)), Kind::answer);
  EXPECT_EQ(sink->fields["limit"], "-ORBMaxObjectKey");
  EXPECT_EQ(kind(written(kKey, "toolong", 3)), Kind::answer);
  EXPECT_EQ(sink->fields["limit"], "-ORBMaxOperation");
  EXPECT_EQ(kind(written(longer, "toolong", 0)), Kind::answer);
  EXPECT_EQ(kind(written(1)), Kind::request);
  EXPECT_EQ(kind(written(2)), Kind::answer) << "as the one that gave it";
  EXPECT_EQ(kind(written(3)), Kind::answer);
  EXPECT_EQ(take(*server, written(4)), base::Code::malformed) << "never given";
  cdr::Encoder oneway;
  GiopLite().encode_request(oneway, 2, {Response::none, longer, "right", {}}, [](cdr::Encoder&) {});
  EXPECT_EQ(kind(oneway.to_bytes()), Kind::nothing);
  base::Bytes cut = written(longer, "right", 0);
  cut[16] = 0xff;  // the key's length: more than the message has room for
  cut[17] = 0xff;
  EXPECT_EQ(take(*server, cut), base::Code::malformed);
}

TEST_F(Indices, ThatAreRefusedAreToldInTheLog) {
  const auto sink = std::make_shared<Sink>();
  const base::Log log({.levels = base::LogLevels::all(base::LogLevel::warning), .sink = sink});
  SessionSettings settings;
  settings.side = Side::acceptor;
  settings.log = &log;
  settings.peer = "tcp://192.0.2.7:4000";
  const auto server = make_giop_lite()->open(settings);
  EXPECT_EQ(take(*server, written(7)), base::Code::malformed);
  EXPECT_EQ(sink->events, std::vector<std::string>{"a request names its target by an index that was never given"});
  EXPECT_EQ(sink->fields["index"] + ' ' + sink->fields["peer"], "7 tcp://192.0.2.7:4000");
  const auto other = make_giop_lite()->open(settings);
  EXPECT_EQ(take(*other, written(kKey, "ping", 7)), base::Code::none);
  // A long message is looked at as it comes.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(take(*other, written(kKey, "pong", 7)), base::Code::malformed);
  EXPECT_EQ(sink->events.back(), "an index is refused that a request gives to its names");
  EXPECT_EQ(sink->fields["operation"], "pong");
  EXPECT_EQ(sink->events.size(), 2U);
}

TEST_F(Indices, ArePaidForBeforeTheyAreOffered) {
  Purse purse(100'000);
  {
    const auto server = open(Side::acceptor, false, &purse);
    EXPECT_EQ(purse.left, 100'000U) << "nobody has asked yet";
    EXPECT_EQ(take(*server, written(kKey, "ping", 0)), base::Code::none);
    const std::size_t left = purse.left;
    EXPECT_LT(left, 100'000 - kMaxNameOctets);
    for (std::uint16_t index = 1; index <= kMaxIndices; ++index) {
      EXPECT_EQ(take(*server, written(kKey, std::to_string(index), index)), base::Code::none);
    }
    EXPECT_EQ(purse.left, left);
  }
  EXPECT_EQ(purse.left, 100'000U);
}

TEST_F(Indices, AreNotOfferedWithoutMemoryForThem) {
  Purse purse(kMaxNameOctets);
  const auto server = open(Side::acceptor, false, &purse);
  for (Token token = 2; token < 8; token += 2) {
    EXPECT_EQ(read(*server, ask(kKey, "ping")), named(kKey, "ping"));
    EXPECT_EQ(take(*client_, answer(*server)), base::Code::none);
  }
  EXPECT_EQ(GiopLite::index_in(ask(kKey, "ping")), 0) << "every octet as to older peers";
  purse.left = 100'000;
  EXPECT_EQ(read(*server, written(kKey, "ping", 1)), named(kKey, "ping")) << "what was not offered is not looked at";
  EXPECT_EQ(take(*server, written(1)), base::Code::malformed);
  EXPECT_EQ(purse.left, 100'000U);
}

TEST_F(Indices, AreToldAgainIfTheMessageNeverLeft) {
  acquaint();
  (void)ask(kKey, "ping");
  client_->unsent();
  const base::Bytes again = ask(kKey, "ping");
  EXPECT_EQ(GiopLite::index_in(again), 1);
  EXPECT_EQ(read(again), named(kKey, "ping"));
  const base::Bytes used = ask(kKey, "ping");
  EXPECT_EQ(read(used), named(kKey, "ping"));
  client_->unsent();
  EXPECT_GT(ask(kKey, "ping").size(), kIndexedSize) << "it may have been thought to be told by the one before";
  cdr::Encoder spoilt;
  spoilt.set_host(&host_);
  client_->put_request(spoilt, 2, {Response::none, kOtherKey, "ping", {}},
                       [](cdr::Encoder& body) { body.fail(base::Code::bad_argument); });
  EXPECT_EQ(read(ask(kOtherKey, "ping")), named(kOtherKey, "ping"));
}

TEST_F(Indices, AreNotGivenByMessagesThatAreKept) {
  acquaint();
  EXPECT_EQ(read(ask(kKey, "ping")), named(kKey, "ping"));
  cdr::Encoder kept;  // without a host
  client_->put_request(kept, 2, {Response::with_target, kKey, "ping", {}}, [](cdr::Encoder&) {});
  EXPECT_EQ(kept.to_bytes(), written(kKey, "ping", 0));
}

TEST_F(Indices, HoldWhereTheBodyIsStillToCome) {
  const auto begin = [&](const base::Bytes& message, std::size_t came) {
    Incoming incoming;
    const base::Status status = server_->take_begun(base::ConstByteSpan(message).first(came), incoming);
    if (!status || incoming.kind != Kind::request) return std::string("error");
    EXPECT_EQ(incoming.size, message.size());
    return named({incoming.request.object_key.begin(), incoming.request.object_key.end()}, incoming.request.operation);
  };
  const base::Bytes first = written(kKey, "ping", 1);
  for (std::size_t came = 0; came < first.size(); ++came) EXPECT_EQ(begin(first, came), "error") << came;
  EXPECT_EQ(take(*server_, written(1)), base::Code::malformed) << "half a message gives nothing";
  EXPECT_EQ(begin(first, first.size()), named(kKey, "ping"));
  EXPECT_EQ(begin(first, first.size()), named(kKey, "ping"));
  const base::Bytes used = written(1);
  for (std::size_t came = 0; came < used.size(); ++came) EXPECT_EQ(begin(used, came), "error") << came;
  EXPECT_EQ(begin(used, used.size()), named(kKey, "ping"));
}

}  // namespace
}  // namespace corbel::messaging::giop_lite

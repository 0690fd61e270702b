// SPDX-License-Identifier: Apache-2.0
// Callers that share one connection, and a peer that the test plays: exactly what is sent, and which of them is told
// what.
#include <algorithm>
#include <future>
#include <latch>
#include <thread>
#include <vector>

#include "corbel/ipc/event.hpp"
#include "harness.hpp"
#include "scripted.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

constexpr std::uint8_t kCancelRequest = 2;
constexpr std::uint8_t kCloseConnection = 5;

/// The types of the messages that were sent, each in one piece.
class Sent {
 public:
  explicit Sent(Scripted::Acts& acts) {
    acts.on_send = [this](const base::Bytes& octets) {
      const std::lock_guard lock(mutex_);
      all_.push_back(octets);
    };
  }
  std::vector<base::Bytes> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  std::size_t count(std::uint8_t type) const {
    const auto messages = all();
    return static_cast<std::size_t>(
        std::count_if(messages.begin(), messages.end(), [&](const base::Bytes& one) { return one[7] == type; }));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<base::Bytes> all_;
};

base::Result<std::size_t> nothing_yet() {
  return base::error(Stage::receive, Code::would_block);
}

TEST(Callers, AReplyInFragmentsKeepsItsJointsWhenAnotherCallerReadsIt) {
  Scripted::Acts acts;
  Connection::Settings settings;
  settings.version = {1, 1};
  const ConnectionPtr connection(new Connection(std::make_unique<Scripted>(acts), messaging::make_giop(), settings));
  const Sent sent(acts);
  std::promise<void> both;
  acts.receive = [&, told = both.get_future().share()](base::ByteSpan buffer, Deadline) {
    told.wait();
    base::Bytes octets = in_two_fragments(4, 28);
    cdr::Encoder first({.giop_minor = 1});
    messaging::giop::Giop({1, 2}).encode_reply(first, 2, messaging::ReplyStatus::no_exception, {},
                                               [](cdr::Encoder&) {});
    const base::Bytes own = first.to_bytes();
    octets.insert(octets.end(), own.begin(), own.end());
    std::copy(octets.begin(), octets.end(), buffer.begin());
    return base::Result<std::size_t>(octets.size());
  };
  std::thread reader([&] { EXPECT_TRUE(call(*connection).ok()); });
  while (sent.all().size() < 1) std::this_thread::yield();
  bool joined = false;
  std::thread other([&] {
    EXPECT_TRUE(connection
                    ->call(
                        request_named("other"), [](cdr::Encoder&) {}, Deadline::after(20s),
                        [&](const messaging::IncomingReply&, cdr::Decoder& body) { joined = body.has_joints(); })
                    .ok());
  });
  while (sent.all().size() < 2) std::this_thread::yield();
  both.set_value();
  reader.join();
  other.join();
  EXPECT_TRUE(joined);
}

TEST(Callers, CopiesOfLargeRepliesAreCountedUntilTheyHaveBeenRead) {
  constexpr std::size_t kLarge = 200'000;
  InputMemory memory(5 * kLarge / 2);  // room for the reader's buffer and one copy
  Scripted::Acts acts;
  const Sent sent(acts);
  const base::Bytes octets(kLarge);  // encoders refer to them
  base::Bytes stream;
  for (const std::uint32_t id : {4U, 6U, 2U}) {
    cdr::Encoder reply;
    messaging::giop::Giop({1, 2}).encode_reply(reply, id, messaging::ReplyStatus::no_exception, {},
                                               [&](cdr::Encoder& body) { body.put_octet_sequence(octets); });
    const base::Bytes one = reply.to_bytes();
    stream.insert(stream.end(), one.begin(), one.end());
  }
  std::promise<void> all;
  acts.receive = [&, told = all.get_future().share(), at = std::size_t{0}](base::ByteSpan buffer, Deadline) mutable {
    told.wait();
    const std::size_t size = std::min(buffer.size(), stream.size() - at);
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), size, buffer.begin());
    at += size;
    return base::Result<std::size_t>(size);
  };
  {
    Connection::Settings settings;
    settings.input_memory = &memory;
    const ConnectionPtr connection(new Connection(std::make_unique<Scripted>(acts), messaging::make_giop(), settings));
    std::promise<void> over;
    std::thread reader([&] { EXPECT_TRUE(call(*connection).ok()); });
    while (sent.all().size() < 1) std::this_thread::yield();
    std::thread keeps([&] {
      const auto wait = [&](const messaging::IncomingReply&, cdr::Decoder& body) {
        EXPECT_EQ(body.get_octet_sequence().size(), kLarge);
        over.get_future().wait();
      };
      const auto nothing = [](cdr::Encoder&) {};
      EXPECT_TRUE(connection->call(request_named("keep"), nothing, Deadline::after(20s), wait).ok());
    });
    while (sent.all().size() < 2) std::this_thread::yield();
    std::thread lacks(
        [&] { EXPECT_EQ(call(*connection).error(), base::error(Stage::receive, Code::out_of_resources)); });
    while (sent.all().size() < 3) std::this_thread::yield();
    all.set_value();
    lacks.join();
    EXPECT_GE(memory.used(), kLarge);
    over.set_value();
    keeps.join();
    reader.join();
    EXPECT_FALSE(connection->failed()) << "only one reply is lost";
  }
  EXPECT_EQ(memory.used(), 0U);
}

TEST(Callers, TellTheCodeSetsUntilARequestThatDoesHasLeft) {
  Scripted::Acts acts;
  const Sent sent(acts);
  Connection::Settings settings;
  settings.version = {1, 2};
  settings.code_sets = {cdr::CodeSet::utf_8, cdr::CodeSet::utf_16, true, true};
  const ConnectionPtr connection(new Connection(std::make_unique<Scripted>(acts), messaging::make_giop(), settings));
  const auto tell = [&](const std::function<void(cdr::Encoder&)>& arguments) {
    return connection->send_oneway(request_named("tell"), arguments, Deadline::after(20s));
  };
  EXPECT_FALSE(tell([](cdr::Encoder& encoder) { encoder.fail(Code::bad_string); }).ok());
  EXPECT_THROW((void)tell([](cdr::Encoder&) { throw std::runtime_error("thrown"); }), std::runtime_error);
  EXPECT_EQ(sent.all().size(), 0U);
  for (int n = 0; n < 3; ++n) EXPECT_TRUE(tell([](cdr::Encoder&) {}).ok());
  const auto messages = sent.all();
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_GT(messages[0].size(), messages[1].size());
  EXPECT_EQ(messages[1].size(), messages[2].size());
}

TEST(Callers, WhoGivesUpCancelsItsRequestOnce) {
  Scripted::Acts acts;
  const Sent sent(acts);
  acts.receive = [](base::ByteSpan, Deadline) {
    return base::Result<std::size_t>(base::error(Stage::receive, Code::timed_out));
  };
  const auto connection = connect(acts);
  EXPECT_EQ(call(*connection).error(), base::error(Stage::wait, Code::timed_out));
  EXPECT_EQ(sent.count(kCancelRequest), 1U);
  EXPECT_EQ(sent.all().back()[12], 2);  // the id of the request
  EXPECT_FALSE(connection->failed());
  EXPECT_EQ(connection->load(), 0U);
}

TEST(Callers, HalfACancelRequestIsMadeWholeBeforeTheNextMessage) {
  Scripted::Acts acts;
  std::vector<std::size_t> sizes;
  acts.receive = [](base::ByteSpan, Deadline) {
    return base::Result<std::size_t>(base::error(Stage::receive, Code::timed_out));
  };
  acts.send = [&](std::size_t size, Deadline deadline) {
    const std::size_t taken = deadline.is_now() && sizes.size() == 1 ? 5 : size;
    sizes.push_back(taken);
    return base::Result<std::size_t>(taken);
  };
  const auto connection = connect(acts);
  EXPECT_FALSE(call(*connection).ok());
  EXPECT_FALSE(connection->failed());
  EXPECT_TRUE(connection->has_backlog());
  EXPECT_FALSE(call(*connection).ok());
  ASSERT_GE(sizes.size(), 4U);
  EXPECT_EQ(sizes[1] + sizes[2], 16U + sizes[0]);  // the CancelRequest, and with its rest the second request
  EXPECT_EQ(sizes[3], 16U);                        // which is cancelled, too
}

TEST(Callers, AnIdleConnectionIsAskedWhetherItIsAlive) {
  Scripted::Acts acts;
  acts.receive = [](base::ByteSpan, Deadline) { return nothing_yet(); };
  const auto connection = connect(acts);
  for (int n = 0; n < 2; ++n) (void)connection->take_token();
  std::int64_t now = 1'000'000'000;
  EXPECT_TRUE(connection->usable(now));
  acts.receive = [&, first = true](base::ByteSpan buffer, Deadline deadline) mutable {
    EXPECT_TRUE(deadline.is_now());
    if (!std::exchange(first, false)) return nothing_yet();
    return Octets().reply(2).reply(4).into(buffer);  // late ones
  };
  EXPECT_TRUE(connection->usable(now += 2'000'000'000));
  EXPECT_FALSE(connection->failed());
  acts.receive = [&](base::ByteSpan buffer, Deadline) {
    return Octets().reply(2).control(messaging::MessageType::close_connection).into(buffer);
  };
  EXPECT_TRUE(connection->usable(now += 500'000'000));  // not asked yet
  EXPECT_FALSE(connection->usable(now += 2'000'000'000));
  EXPECT_EQ(call(*connection).error(), base::error(Stage::send, Code::closed));
}

TEST(Callers, APeerThatSendsLateRepliesWithoutEndHoldsUpNobodyWhoAsksWhetherItIsAlive) {
  Scripted::Acts acts;
  acts.receive = [](base::ByteSpan, Deadline) { return nothing_yet(); };
  const auto connection = connect(acts);
  (void)connection->take_token();
  EXPECT_TRUE(connection->usable(1));
  int receptions = 0;
  acts.receive = [&](base::ByteSpan buffer, Deadline) {
    return ++receptions > 1000 ? nothing_yet() : Octets().reply(2).into(buffer);
  };
  EXPECT_TRUE(connection->usable(5'000'000'000));
  EXPECT_GT(receptions, 1);
  EXPECT_LT(receptions, 100);
}

TEST(Callers, WhyAPeerStoppedReadingIsHeardAlsoInPieces) {
  Scripted::Acts acts;
  acts.send = [](std::size_t, Deadline) { return base::Result<std::size_t>(base::error(Stage::send, Code::lost)); };
  for (const std::size_t first : {std::size_t{12}, std::size_t{5}, std::size_t{1}}) {
    base::Bytes refusal(64);
    refusal.resize(*Octets().control(messaging::MessageType::message_error).into(refusal));
    acts.receive = [&, given = std::size_t{0}](base::ByteSpan buffer, Deadline) mutable {
      const std::size_t size = std::min(given == 0 ? first : refusal.size() - given, buffer.size());
      if (size == 0) return base::Result<std::size_t>(base::error(Stage::receive, Code::lost));
      std::copy_n(refusal.begin() + static_cast<std::ptrdiff_t>(given), size, buffer.begin());
      given += size;
      return base::Result<std::size_t>(size);
    };
    EXPECT_EQ(call(*connect(acts)).error(), base::error(Stage::send, Code::protocol_error)) << first;
  }
}

// The one that asks reads what comes for the other, too.
TEST(Callers, WhoBeginsWhileAnIdleConnectionIsAskedGetsItsReply) {
  Scripted::Acts acts;
  acts.receive = [](base::ByteSpan, Deadline) { return nothing_yet(); };
  const auto connection = connect(acts);
  EXPECT_TRUE(connection->usable(1));
  std::thread caller;
  acts.receive = [&](base::ByteSpan buffer, Deadline deadline) {
    if (!deadline.is_now()) return base::Result<std::size_t>(base::error(Stage::receive, Code::timed_out));
    if (caller.joinable()) return nothing_yet();
    caller = std::thread([&] { EXPECT_TRUE(call(*connection).ok()); });
    const Deadline bound = Deadline::after(20s);
    while (connection->load() < 2 && !bound.expired()) std::this_thread::yield();
    EXPECT_EQ(connection->load(), 2U);  // the one that asks and the one that calls
    return Octets().reply(2).into(buffer);
  };
  EXPECT_TRUE(connection->usable(5'000'000'000));
  caller.join();
  EXPECT_EQ(connection->load(), 0U);
}

TEST(Callers, OnAnEndedConnectionNothingIsSentAndTheReasonIsTold) {
  Scripted::Acts acts;
  const Sent sent(acts);
  const auto connection = connect(acts);
  connection->close();
  connection->close();
  EXPECT_EQ(sent.count(kCloseConnection), 1U);
  EXPECT_EQ(sent.all().size(), 1U);
  const auto nothing = [](cdr::Encoder&) {};
  const base::Error cancelled = base::error(Stage::send, Code::cancelled);
  EXPECT_EQ(call(*connection).error(), cancelled);
  EXPECT_EQ(connection->send_oneway(request_named("tell"), nothing, Deadline::after(5s)).error(), cancelled);
  EXPECT_EQ(connection->post_oneway(request_named("tell"), nothing, Deadline::after(5s)).error(), cancelled);
  EXPECT_EQ(sent.all().size(), 1U);
}

TEST(Callers, ClientsOfOldVersionsEndWithoutAWord) {
  for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}}) {
    Scripted::Acts acts;
    const Sent sent(acts);
    Connection::Settings settings;
    settings.version = {1, minor};
    const ConnectionPtr connection(new Connection(std::make_unique<Scripted>(acts), messaging::make_giop(), settings));
    connection->close();
    EXPECT_EQ(sent.all().size(), 0U);
  }
}

TEST(Callers, AOnewayThatBreaksTheStreamEndsTheConnection) {
  Scripted::Acts acts;
  acts.send = [](std::size_t, Deadline) { return base::Result<std::size_t>(base::error(Stage::send, Code::lost)); };
  for (const bool wait : {true, false}) {
    const auto connection = connect(acts);
    const auto nothing = [](cdr::Encoder&) {};
    const auto sent = wait ? connection->send_oneway(request_named("tell"), nothing, Deadline::after(5s))
                           : connection->post_oneway(request_named("tell"), nothing, Deadline::after(5s));
    EXPECT_EQ(sent.error(), base::error(Stage::send, Code::lost));
    EXPECT_TRUE(connection->failed());
  }
}

TEST(Callers, OnewaysWaitInOrderBehindTheOneThatHasBegunToLeave) {
  Scripted::Acts acts;
  acts.receive = [](base::ByteSpan, Deadline) {
    return base::Result<std::size_t>(base::error(Stage::receive, Code::timed_out));
  };
  base::Bytes stream;
  std::size_t room = 0;
  acts.on_send = [&](const base::Bytes& octets) {
    stream.insert(stream.end(), octets.begin(),
                  octets.begin() + static_cast<std::ptrdiff_t>(std::min(room, octets.size())));
  };
  acts.send = [&](std::size_t size, Deadline) {
    const std::size_t taken = std::min(size, room);
    room -= taken;
    if (taken == 0) return base::Result<std::size_t>(base::error(Stage::send, Code::would_block));
    return base::Result<std::size_t>(taken);
  };
  const auto connection = connect(acts);
  const auto post = [&](char letter) {
    EXPECT_TRUE(connection
                    ->post_oneway(
                        request_named("tell"), [&](cdr::Encoder& body) { body.put_string(std::string(5, letter)); },
                        Deadline::now())
                    .ok());
  };
  room = 10;
  post('a');  // ten octets leave
  post('b');
  post('c');
  EXPECT_EQ(stream.size(), 10U);
  EXPECT_TRUE(connection->has_backlog());
  room = 1'000'000;
  post('d');  // and with it everything before
  EXPECT_FALSE(connection->has_backlog());
  const std::string text(stream.begin(), stream.end());
  std::size_t at = 0;
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    const std::size_t found = text.find(std::string(5, letter));
    ASSERT_NE(found, std::string::npos) << letter;
    EXPECT_GT(found, at) << letter;
    at = found;
  }
  EXPECT_EQ(text.find("GIOP"), 0U);
  connection->close();
}

}  // namespace
}  // namespace corbel::connection

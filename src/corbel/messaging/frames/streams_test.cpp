// SPDX-License-Identifier: Apache-2.0
// Two ends of a stream, and a carrier between them that loses, repeats, delays and changes the order of what it is
// given, on a seed.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "corbel/messaging/frames/arrival.hpp"
#include "corbel/messaging/frames/frames.hpp"
#include "corbel/messaging/frames/layout.hpp"

namespace corbel::messaging::frames {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
std::int64_t stream_time = 0;  // nanoseconds; both ends have the same clock
const base::Bytes kStreamKey = {'c', 'a', 'm'};

base::Bytes picture(std::size_t size, std::uint32_t number) {
  base::Bytes octets(size);
  for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<base::Octet>(i * 7 + (i >> 8) + number * 13);
  return octets;
}

/// What a carrier does to messages.
struct Harm {
  double loses = 0;
  double repeats = 0;
  double delays = 0;  ///< until up to 8 others have passed
};

class Carrier {
 public:
  Carrier(Harm harm, std::uint32_t seed) : harm_(harm), random_(seed) {}
  void send(base::Bytes message) {
    if (chance(harm_.loses)) {
      ++lost;
      return;
    }
    if (chance(harm_.repeats)) way_.push_back(message);
    if (chance(harm_.delays)) {
      held_.emplace_back(1 + random_() % 8, std::move(message));
    } else {
      way_.push_back(std::move(message));
    }
    for (auto& [turns, late] : held_) {
      if (--turns == 0) way_.push_back(std::move(late));
    }
    std::erase_if(held_, [](const auto& late) { return late.first == 0; });
  }
  bool receive(base::Bytes& message) {
    if (way_.empty()) return false;
    message = std::move(way_.front());
    way_.pop_front();
    return true;
  }
  int lost = 0;

 private:
  bool chance(double probability) { return std::uniform_real_distribution<>(0, 1)(random_) < probability; }
  const Harm harm_;
  std::mt19937 random_;
  std::deque<base::Bytes> way_;
  std::vector<std::pair<unsigned, base::Bytes>> held_;
};

class Streams : public testing::Test {
 protected:
  Streams() {
    stream_time = 5 * kMillisecond;
    encoder_.set_host(&host_);
  }
  static std::unique_ptr<Session> open(Side side, bool lossy = true, std::uint32_t group = 0) {
    SessionSettings settings;
    settings.side = side;
    settings.lossy = lossy;
    settings.group_profile = group;
    settings.limits.max_message_size = 1U << 20;
    settings.now = [] { return stream_time; };
    settings.wall = [] { return stream_time + 1'700'000'000'000'000'000; };
    return make_frames()->open(settings);
  }
  static std::uint64_t figure(const Session& session, std::string_view name) {
    std::uint64_t value = UINT64_MAX;
    session.report([&](const Figure& figure) {
      if (figure.name == name) value = figure.value;
    });
    EXPECT_NE(value, UINT64_MAX) << name;
    return value;
  }
  /// As a connection sends: what is too large is cut, and the session says what it has to say.
  void push(Session& sender, Carrier& carrier, std::uint32_t number, std::size_t size,
            std::string_view operation = "push") {
    const base::Bytes content = picture(size, number);
    sender.put_request(encoder_, 0, {Response::none, kStreamKey, operation, {}}, [&](cdr::Encoder& body) {
      body.put(number);
      body.put(static_cast<std::uint32_t>(size));
      body.put_octets(content.data(), content.size());
    });
    ASSERT_TRUE(encoder_.ok());
    const base::Bytes frame = encoder_.to_bytes();
    if (frame.size() <= kLargest) {
      carrier.send(frame);
    } else {
      const cdr::Segment whole{frame.data(), frame.size()};
      EXPECT_TRUE(sender.cut({&whole, 1}, kLargest, [&](std::span<const cdr::Segment> piece) -> base::Status {
        base::Bytes octets;
        for (const cdr::Segment& segment : piece) {
          const auto* from = static_cast<const base::Octet*>(segment.data);
          octets.insert(octets.end(), from, from + segment.size);
        }
        EXPECT_LE(octets.size(), kLargest);
        carrier.send(std::move(octets));
        return {};
      }));
    }
    if (sender.has_own() && sender.put_own(encoder_)) carrier.send(encoder_.to_bytes());
  }
  /// Takes everything that has come; answers go back. What a datagram says that makes no sense is dropped.
  void take(Session& receiver, Carrier& carrier, Carrier* back = nullptr) {
    base::Bytes message;
    while (carrier.receive(message)) {
      Incoming incoming;
      incoming.joined = &joined_;
      if (!receiver.take(message, incoming)) continue;
      if (incoming.size != message.size()) continue;
      if (incoming.kind == Kind::answer) {
        cdr::Encoder answer;
        receiver.put_answer(answer, incoming);
        EXPECT_TRUE(answer.ok());
        if (back != nullptr) back->send(answer.to_bytes());
      }
      if (incoming.kind == Kind::request) serve(incoming);
    }
  }
  void serve(Incoming& incoming) {
    EXPECT_EQ(base::as_text(incoming.request.object_key), "cam");
    const auto number = incoming.body.get<std::uint32_t>();
    const auto size = incoming.body.get<std::uint32_t>();
    const auto at = incoming.body_at + 8;
    ASSERT_EQ(incoming.octets.size() - at, size);
    const base::Bytes expected = picture(size, number);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), incoming.octets.begin() + static_cast<long>(at)));
    ++served_[{std::string(incoming.request.operation), number}];
  }

  static constexpr std::size_t kLargest = 1200;
  struct Host final : cdr::Encoder::Host {
    void on_foreign_code(cdr::Encoder& encoder) noexcept override { encoder.set_host(nullptr); }
  };
  Host host_;
  cdr::Encoder encoder_;
  Joined joined_;
  std::map<std::pair<std::string, std::uint32_t>, int> served_;
};

TEST_F(Streams, OverACarrierThatLosesRepeatsAndReordersAreServedOnceAndCountedRight) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    served_.clear();
    const auto sender = open(Side::initiator);
    const auto receiver = open(Side::acceptor);
    Carrier there({.loses = 0.1, .repeats = 0.05, .delays = 0.1}, seed);
    Carrier back({.loses = 0.3}, seed + 1000);
    constexpr std::uint32_t kFrames = 2000;
    Carrier quiet({}, 0);
    push(*sender, quiet, kFrames + 1, 10);  // from where losses are counted
    take(*receiver, quiet, &back);
    for (std::uint32_t i = 0; i < kFrames; ++i) {
      push(*sender, there, i, i % 5 == 0 ? 4000 : 200, i % 3 == 0 ? "picture" : "sound");
      stream_time += 2 * kMillisecond;
      take(*receiver, there, &back);
      take(*sender, back);
    }
    push(*sender, quiet, kFrames, 10);  // shows what was lost at the end
    take(*receiver, quiet);
    for (const auto& [frame, times] : served_) ASSERT_EQ(times, 1) << seed << ' ' << frame.second;
    EXPECT_EQ(figure(*receiver, "received"), served_.size()) << seed;
    EXPECT_EQ(figure(*receiver, "unresolved"), 0U) << "names are told until it is reported that they are known";
    EXPECT_EQ(figure(*sender, "sent"), kFrames + 2);
    EXPECT_EQ(figure(*receiver, "received") + figure(*receiver, "lost"), kFrames + 2) << seed;
    // A frame of four pieces is lost if one of them is.
    EXPECT_NEAR(static_cast<double>(served_.size()), kFrames * (0.8 * 0.9 + 0.2 * 0.66), kFrames * 0.04) << seed;
    EXPECT_GT(figure(*receiver, "reordered"), 20U);
    EXPECT_GT(figure(*receiver, "duplicates"), 20U);
    EXPECT_GT(figure(*receiver, "incomplete"), 50U);
    EXPECT_GT(figure(*sender, "reports"), 5U);
    EXPECT_LE(figure(*sender, "peer_received"), figure(*receiver, "received"));
    EXPECT_GT(figure(*sender, "peer_lost_of_256"), 5U);
  }
}

TEST_F(Streams, TellNamesUntilItIsReportedThatTheyAreKnownAndNoLonger) {
  const auto sender = open(Side::initiator);
  const auto receiver = open(Side::acceptor);
  Carrier there({}, 1);
  Carrier back({}, 1);
  Carrier nowhere({.loses = 1}, 1);
  for (int i = 0; i < 50; ++i) push(*sender, nowhere, 1, 10);
  push(*sender, there, 2, 10);
  take(*receiver, there, &back);
  EXPECT_EQ(served_.size(), 1U) << "the names came with it";
  stream_time += 11 * kMillisecond;
  push(*sender, there, 3, 10);  // and asks
  take(*receiver, there, &back);
  take(*sender, back);
  EXPECT_EQ(figure(*sender, "reports"), 1U);
  sender->put_request(encoder_, 0, {Response::none, kStreamKey, "push", {}}, [](cdr::Encoder&) {});
  EXPECT_EQ(encoder_.to_bytes().size(), kHeaderSize + kSourceSize);
}

TEST_F(Streams, AreUnderstoodAgainByAReceiverThatBeganAnew) {
  const auto sender = open(Side::initiator);
  Carrier there({}, 1);
  Carrier back({}, 1);
  std::size_t size = 100;
  const auto run = [&](Session& receiver, std::uint32_t from) {
    for (std::uint32_t i = from; i < from + 20; ++i) {
      push(*sender, there, i, size);
      stream_time += 5 * kMillisecond;
      take(receiver, there, &back);
      take(*sender, back);
    }
  };
  const auto first = open(Side::acceptor);
  run(*first, 0);
  EXPECT_EQ(served_.size(), 20U);
  const auto second = open(Side::acceptor);
  run(*second, 20);
  EXPECT_EQ(figure(*second, "unresolved"), 1U) << "the first one; it said what it knew, which was nothing";
  EXPECT_EQ(served_.size(), 39U);
  // Whose frames are less than an answer could be anybody's: they are answered when they ask.
  stream_time += 201 * kMillisecond;
  const auto third = open(Side::acceptor);
  size = 10;
  run(*third, 40);
  EXPECT_EQ(figure(*third, "unresolved"), 1U);
  EXPECT_EQ(served_.size(), 58U);
}

TEST_F(Streams, OfUnknownIndicesAreAnsweredOnlyIfTheAnswerIsNotLarger) {
  const auto sender = open(Side::initiator);
  const auto first = open(Side::acceptor);
  Carrier there({}, 1);
  Carrier back({}, 1);
  push(*sender, there, 0, 10);
  take(*first, there, &back);
  take(*sender, back);
  base::Bytes frame;
  for (std::uint32_t size = 0; size < 200; ++size) {
    const auto receiver = open(Side::acceptor);  // has no idea what the index means
    push(*sender, there, 1 + size, size);
    ASSERT_TRUE(there.receive(frame));
    Carrier one({}, 1);
    one.send(frame);
    take(*receiver, one, &back);
    EXPECT_EQ(figure(*receiver, "unresolved"), 1U);
    base::Bytes answer;
    const bool answered = back.receive(answer);
    EXPECT_EQ(answered, frame.size() >= kHeaderSize + kSourceSize + kWordSize) << frame.size();
    EXPECT_LE(answer.size(), frame.size());
  }
}

TEST_F(Streams, GiveUpAFrameWhenWhatIsMissingOfItWillNotCome) {
  const auto sender = open(Side::initiator);
  const auto receiver = open(Side::acceptor);
  Carrier there({}, 1);
  const auto send_half = [&](Session& from, std::uint32_t number) {
    Carrier all({}, 1);
    push(from, all, number, 3000);
    base::Bytes piece;
    ASSERT_TRUE(all.receive(piece));
    there.send(std::move(piece));
    take(*receiver, there);
  };
  push(*sender, there, 0, 10);
  send_half(*sender, 1);
  EXPECT_NE(receiver->oldest_part(), 0U);
  for (std::uint32_t i = 2; i < 70; ++i) {
    push(*sender, there, i, 10);
    take(*receiver, there);
    EXPECT_EQ(receiver->oldest_part() == 0, i - 1 >= 64) << "by its number: " << i;
  }
  EXPECT_EQ(receiver->part_octets(), 0U);
  EXPECT_EQ(figure(*receiver, "incomplete"), 1U);
  send_half(*open(Side::initiator), 1);  // of a stranger, who says no more
  send_half(*sender, 70);
  stream_time += 900 * kMillisecond;
  push(*sender, there, 71, 10);
  take(*receiver, there);
  EXPECT_NE(receiver->oldest_part(), 0U) << "the rest may yet come";
  stream_time += 200 * kMillisecond;
  push(*sender, there, 72, 10);
  take(*receiver, there);
  EXPECT_EQ(receiver->oldest_part(), 0U) << "by its age";
  EXPECT_EQ(receiver->part_octets(), 0U);
  EXPECT_EQ(figure(*receiver, "incomplete"), 3U);
}

TEST_F(Streams, OfASenderThatBeganAnewAreHeardAtOnce) {
  const auto receiver = open(Side::acceptor);
  Carrier there({}, 1);
  for (std::uint32_t round = 0; round < 30; ++round) {
    const auto sender = open(Side::initiator);
    for (std::uint32_t i = 0; i < 10; ++i) push(*sender, there, round * 10 + i, 10, i % 2 == 0 ? "a" : "b");
    stream_time += 500 * kMillisecond;
    take(*receiver, there);
  }
  EXPECT_EQ(served_.size(), 300U);
  EXPECT_EQ(figure(*receiver, "refused"), 0U);
}

TEST_F(Streams, ThatAreForgedDoNoHarmToTheOthers) {
  const auto sender = open(Side::initiator);
  const auto receiver = open(Side::acceptor);
  Carrier there({}, 1);
  Carrier back({}, 1);
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < 200; ++i) {
    push(*sender, there, i, i % 10 == 0 ? 3000 : 10);
    take(*receiver, there, &back);
    take(*sender, back);
    stream_time += kMillisecond;
    // A stranger that knows how frames look, but not the number of the source.
    const auto stranger = open(Side::initiator);
    Carrier forged({.loses = 0.5}, i);
    push(*stranger, forged, 1'000'000 + i, i % 2 == 0 ? 3000 : 10, "push");
    push(*stranger, forged, 2'000'000 + i, 10, "other" + std::to_string(i));
    base::Bytes junk(random() % 200);
    for (auto& octet : junk) octet = static_cast<base::Octet>(random());
    if (junk.size() > 2) junk[0] = kMagic, junk[1] = static_cast<base::Octet>(0x10 | (junk[1] & 0x0f));
    forged.send(std::move(junk));
    take(*receiver, forged);
  }
  std::size_t honest = 0;
  for (const auto& [frame, times] : served_) honest += frame.second < 1000 ? 1 : 0;
  EXPECT_EQ(honest, 200U);
  EXPECT_GT(figure(*receiver, "refused"), 100U) << "there is room for so many senders at one address";
}

TEST_F(Streams, AreReportedOnceAMillisecondAtMostAndWithNoMoreOctetsThanWereAskedWith) {
  const auto sender = open(Side::initiator);
  const auto receiver = open(Side::acceptor);
  Carrier there({}, 1);
  Carrier back({}, 1);
  push(*sender, there, 1, 10);
  base::Bytes message;
  base::Bytes question;
  while (there.receive(message)) {
    if ((message[1] & kControl) != 0) question = message;
  }
  ASSERT_FALSE(question.empty());
  int answers = 0;
  for (int i = 0; i < 1000; ++i) {
    Carrier one({}, 1);
    one.send(question);
    take(*receiver, one, &back);
    while (back.receive(message)) {
      ++answers;
      EXPECT_EQ(message.size(), question.size());
    }
    stream_time += kMillisecond / 100;
  }
  EXPECT_EQ(answers, 10);
}

TEST_F(Streams, TellHowLongTheWayThereAndBackTakes) {
  const auto sender = open(Side::initiator);
  const auto receiver = open(Side::acceptor);
  Carrier there({}, 1);
  Carrier back({}, 1);
  push(*sender, there, 1, 10);
  stream_time += 3 * kMillisecond;
  take(*receiver, there, &back);
  stream_time += 4 * kMillisecond;
  take(*sender, back);
  EXPECT_EQ(figure(*sender, "round_trip_us"), 7000U);
  EXPECT_EQ(figure(*sender, "peer_received"), 1U);
}

TEST_F(Streams, OfOneHostShowTheSameMomentHoweverLongEachTook) {
  const auto picture_sender = open(Side::initiator);
  const auto sound_sender = open(Side::initiator);
  const auto picture_receiver = open(Side::acceptor);
  const auto sound_receiver = open(Side::acceptor);
  Carrier pictures({}, 1);
  Carrier sounds({}, 1);
  const auto captured = [&](Session& receiver, Carrier& carrier) {
    take(receiver, carrier);
    const Arrival* arrival = last_arrival();
    EXPECT_NE(arrival, nullptr);
    EXPECT_EQ(arrival->arrived.time_since_epoch(), std::chrono::nanoseconds(stream_time));
    return arrival->captured;
  };
  // The first frames bring the questions, and with them what the clocks are to each other.
  push(*picture_sender, pictures, 0, 10);
  push(*sound_sender, sounds, 0, 10);
  EXPECT_FALSE(captured(*picture_receiver, pictures).has_value());
  EXPECT_FALSE(captured(*sound_receiver, sounds).has_value());
  const std::chrono::steady_clock::time_point moment{std::chrono::nanoseconds(stream_time)};
  stream_time += 20 * kMillisecond;
  {
    const Captured same(moment);
    push(*picture_sender, pictures, 1, 10);
  }
  stream_time += 15 * kMillisecond;
  {
    const Captured same(moment);
    push(*sound_sender, sounds, 1, 10);
  }
  stream_time += 4 * kMillisecond;
  const auto sound = captured(*sound_receiver, sounds);
  stream_time += 70 * kMillisecond;
  const auto image = captured(*picture_receiver, pictures);
  ASSERT_TRUE(image && sound);
  EXPECT_EQ(*image, *sound);
  EXPECT_EQ(image->time_since_epoch(), std::chrono::nanoseconds(5 * kMillisecond + 1'700'000'000'000'000'000));
  push(*sound_sender, sounds, 2, 10);
  EXPECT_EQ(*captured(*sound_receiver, sounds) - *sound, std::chrono::milliseconds(109)) << "when it was sent";
}

TEST_F(Streams, OfManyWhoSendToAGroupAreKeptApartAndNobodyIsAnswered) {
  const auto receiver = open(Side::acceptor, true, 3);
  std::vector<std::unique_ptr<Session>> senders;
  for (int i = 0; i < 10; ++i) senders.push_back(open(Side::initiator, true, 3));
  Carrier there({}, 1);
  Carrier back({}, 1);
  for (std::uint32_t i = 0; i < 100; ++i) {
    for (std::uint32_t s = 0; s < senders.size(); ++s) {
      push(*senders[s], there, i * 10 + s, 2000, "by" + std::to_string(s));
    }
    take(*receiver, there, &back);
    stream_time += 10 * kMillisecond;
  }
  EXPECT_EQ(served_.size(), 1000U);
  EXPECT_EQ(figure(*receiver, "lost"), 0U);
  base::Bytes none;
  EXPECT_FALSE(back.receive(none));
  // Who comes later understands soon.
  const auto late = open(Side::acceptor, true, 3);
  served_.clear();
  for (std::uint32_t i = 0; i < 64; ++i) push(*senders[0], there, i, 10, "by0");
  take(*late, there);
  EXPECT_GE(served_.size(), 1U);
  EXPECT_EQ(figure(*late, "unresolved") + served_.size(), 64U);
}

TEST_F(Streams, WhereNothingIsLostAreServedHoweverLateTheyAre) {
  const auto sender = open(Side::initiator, false);
  const auto receiver = open(Side::acceptor, false);
  Carrier there({}, 1);
  push(*sender, there, 0, 10);
  take(*receiver, there);
  Carrier slow({}, 1);
  push(*sender, slow, 1, 10);    // by a thread that took long
  push(*sender, slow, 2, 3000);  // in pieces
  for (std::uint32_t i = 3; i < 200; ++i) push(*sender, there, i, 10);
  take(*receiver, there);
  EXPECT_EQ(figure(*receiver, "lost"), 2U);
  take(*receiver, slow);
  EXPECT_EQ(served_.size(), 200U);
  EXPECT_EQ(figure(*receiver, "late"), 0U);
  EXPECT_EQ(figure(*receiver, "lost"), 0U);
}

TEST_F(Streams, WhereNothingIsLostAreReportedToo) {
  const auto sender = open(Side::initiator, false);
  const auto receiver = open(Side::acceptor, false);
  Carrier there({}, 1);
  Carrier back({}, 1);
  for (std::uint32_t i = 0; i < 300; ++i) {
    push(*sender, there, i, 10);
    stream_time += 10 * kMillisecond;
    take(*receiver, there, &back);
    take(*sender, back);
  }
  EXPECT_EQ(served_.size(), 300U);
  EXPECT_EQ(figure(*sender, "reports"), 15U);
  EXPECT_GT(figure(*sender, "peer_received"), 270U);
}

}  // namespace
}  // namespace corbel::messaging::frames

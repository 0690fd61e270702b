// SPDX-License-Identifier: Apache-2.0
// Two ends of a stream, and a carrier between them that loses, repeats, delays and changes the order of what it is
// given, on a seed.
#include "corbel/messaging/frames/test_support.hpp"

namespace corbel::messaging::frames {
namespace {

using namespace test;  // NOLINT: the fixture's names

class Streams : public StreamsFixture {};

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
  // Frames that are smaller than an answer may be forged: their sender is answered when it asks.
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
  send_half(*open(Side::initiator), 1);  // of a stranger that says no more
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
  // A listener that comes later understands soon.
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

}  // namespace
}  // namespace corbel::messaging::frames

// SPDX-License-Identifier: Apache-2.0
// What the two ends of a stream tell each other of it.
#include "corbel/messaging/frames/test_support.hpp"

namespace corbel::messaging::frames {
namespace {

using namespace test;  // NOLINT: the fixture's names

class StreamReports : public StreamsFixture {};

TEST_F(StreamReports, AreReportedOnceAMillisecondAtMostAndWithNoMoreOctetsThanWereAskedWith) {
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

TEST_F(StreamReports, TellHowLongTheWayThereAndBackTakes) {
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

TEST_F(StreamReports, OfOneHostShowTheSameMomentHoweverLongEachTook) {
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

TEST_F(StreamReports, WhereNothingIsLostAreReportedToo) {
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

// SPDX-License-Identifier: Apache-2.0
// Large messages one after the other, whose sender awaits nothing.
#include "corbel/connection/receiving.hpp"
#include "framer_support.hpp"

namespace corbel::connection {
namespace {

/// A peer whose octets are there after a moment, or not.
class Sender final : public transport::Transport {
 public:
  base::Result<std::size_t> send(std::span<const cdr::Segment>, base::Deadline) override { return 0; }
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override {
    if (deadline.is_now()) {
      ++looks;
    } else {
      ++sleeps;
    }
    std::size_t& there = deadline.is_now() ? come : queued;
    if (there == 0) return base::error(base::Stage::receive, base::Code::would_block);
    const std::size_t size = std::min({buffer.size(), there, queued});
    std::memcpy(buffer.data(), octets.data() + octets.size() - queued, size);
    queued -= size;
    come -= std::min(come, size);
    return size;
  }
  void wait_for_many(std::size_t wanted) noexcept override {
    ++moments;
    come = in_time ? std::min(wanted, queued) : 0;
  }
  void shutdown() noexcept override {}
  int handle() const noexcept override { return -1; }
  std::string local() const override { return {}; }
  std::string peer() const override { return {}; }

  base::Bytes octets;
  std::size_t queued = 0;  // of the octets, still to be received
  std::size_t come = 0;    // of those, there already
  bool in_time = true;
  unsigned looks = 0, sleeps = 0, moments = 0;
};

class StreamTest : public FramerTest {
 protected:
  base::Bytes large(messaging::Response response) const {
    cdr::Encoder encoder;
    const base::Bytes body(60'000, 7);
    messaging::OutgoingRequest header;
    header.operation = "put";
    header.response = response;
    codec_.encode_request(encoder, 2, header, [&](cdr::Encoder& e) { e.put_octet_sequence(body); });
    return encoder.to_bytes();
  }
  /// As a reading thread does it, until the message is there.
  void take(const base::Bytes& octets) {
    sender_.octets = octets;
    sender_.queued = octets.size();
    sender_.come = 0;
    while (!*framer_.next(message_)) {
      const base::ByteSpan space = framer_.space();
      if (framer_.expects_many()) {
        ASSERT_TRUE(receive_many(sender_, framer_, space, base::Deadline::none()));
      } else {
        framer_.received(*sender_.receive(space, base::Deadline::none()));
      }
    }
  }

  Sender sender_;
};

TEST_F(StreamTest, OfOnewaysIsLetComeForAMoment) {
  for (int i = 0; i < 10; ++i) take(large(messaging::Response::none));
  EXPECT_EQ(sender_.moments, 9U) << "each but the first, which nobody expected";
  EXPECT_EQ(sender_.sleeps, 2U) << "for the beginning and the rest of the first";
}

TEST_F(StreamTest, OfRequestsWhoseSenderWaitsIsNot) {
  for (int i = 0; i < 10; ++i) take(large(messaging::Response::with_target));
  EXPECT_EQ(sender_.moments, 0U);
  EXPECT_EQ(sender_.looks, 0U);
}

TEST_F(StreamTest, ThatPausesIsNotWaitedForAgainAtOnce) {
  sender_.in_time = false;
  for (int i = 0; i < 31; ++i) take(large(messaging::Response::none));
  EXPECT_EQ(sender_.moments, 1U) << "two receives for each message, 64 without hope";
  sender_.in_time = true;
  for (int i = 0; i < 10; ++i) take(large(messaging::Response::none));
  EXPECT_GT(sender_.moments, 5U);
}

}  // namespace
}  // namespace corbel::connection

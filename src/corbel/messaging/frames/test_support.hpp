// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "corbel/messaging/frames/arrival.hpp"
#include "corbel/messaging/frames/frames.hpp"
#include "corbel/messaging/frames/layout.hpp"

namespace corbel::messaging::frames::test {

inline constexpr std::int64_t kMillisecond = 1'000'000;
inline std::int64_t stream_time = 0;  // nanoseconds; both ends have the same clock
inline const base::Bytes kStreamKey = {'c', 'a', 'm'};

inline base::Bytes picture(std::size_t size, std::uint32_t number) {
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

/// A carrier of messages, on a seed.
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

/// Two ends of a stream, and what was served at one of them.
class StreamsFixture : public testing::Test {
 protected:
  StreamsFixture() {
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

}  // namespace corbel::messaging::frames::test

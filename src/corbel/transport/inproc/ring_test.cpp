// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/inproc/ring.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <numeric>
#include <thread>

namespace corbel::transport::inproc {
namespace {

using base::Bytes;
using base::Deadline;
using namespace std::chrono_literals;

/// A thread that reads once.
class Reader {
 public:
  Reader(Ring& ring, std::size_t room) : octets(room) {
    thread_ = std::thread([&ring, this] { count = ring.read(octets, Deadline::after(20s)); });
    while (!ring.is_awaited()) std::this_thread::yield();
  }
  /// What it has read.
  Bytes get() {
    thread_.join();
    EXPECT_TRUE(count);
    octets.resize(count ? *count : 0);
    return octets;
  }

 private:
  Bytes octets;
  base::Result<std::size_t> count = std::size_t{0};
  std::thread thread_;
};

Bytes numbered(std::size_t size) {
  Bytes octets(size);
  std::iota(octets.begin(), octets.end(), base::Octet{1});
  return octets;
}

TEST(Ring, FillsTheBufferOfAReaderThatWaitsHoweverSmallItIsItself) {
  Ring ring(16);
  Reader reader(ring, 1000);
  const Bytes octets = numbered(1100);
  const cdr::Segment pieces[] = {{octets.data(), 7}, {octets.data() + 7, 0}, {octets.data() + 7, octets.size() - 7}};
  const auto written = ring.write(pieces, Deadline::now());
  ASSERT_TRUE(written);
  EXPECT_EQ(*written, 1000U + 16U);
  EXPECT_EQ(reader.get(), Bytes(octets.begin(), octets.begin() + 1000));
  Bytes rest(50);
  const auto count = ring.read(rest, Deadline::now());
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, 16U);
  EXPECT_TRUE(std::equal(rest.begin(), rest.begin() + 16, octets.begin() + 1000));
}

TEST(Ring, TakesNothingBackFromAReaderWhenItIsClosed) {
  Ring ring(16);
  Reader reader(ring, 100);
  const Bytes octets = numbered(20);
  const cdr::Segment piece[] = {{octets.data(), octets.size()}};
  ASSERT_TRUE(ring.write(piece, Deadline::now()));
  ring.close();
  EXPECT_EQ(reader.get(), octets);
  Bytes room(1);
  EXPECT_EQ(ring.read(room, Deadline::now()).error().code, base::Code::closed);
}

TEST(Ring, KeepsTheOrderWhetherTheReaderWaitsOrNot) {
  Ring ring(64);
  const Bytes octets = numbered(100'000);
  std::thread writer([&] {
    std::size_t size = 1;
    for (std::size_t at = 0; at < octets.size(); at += size, size = size * 7 % 301 + 1) {
      const std::size_t now = std::min(size, octets.size() - at);
      const cdr::Segment piece[] = {{octets.data() + at, now}};
      ASSERT_TRUE(ring.write(piece, Deadline::after(20s)));
    }
  });
  Bytes received;
  Bytes room(90);
  while (received.size() < octets.size()) {
    const auto count = ring.read(room, Deadline::after(20s));
    ASSERT_TRUE(count);
    received.insert(received.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
  }
  writer.join();
  EXPECT_EQ(received, octets);
}

/// A thread that writes once.
class Writer {
 public:
  Writer(Ring& ring, const Bytes& octets, Deadline deadline, bool some = false) {
    thread_ = std::thread([&ring, &octets, deadline, some, this] {
      const cdr::Segment pieces[] = {{octets.data(), 5}, {octets.data() + 5, octets.size() - 5}};
      count_ = ring.write(pieces, deadline, some);
    });
  }
  base::Result<std::size_t> get() {
    thread_.join();
    return std::move(count_);
  }

 private:
  base::Result<std::size_t> count_ = std::size_t{0};
  std::thread thread_;
};

void read_all(Ring& ring, const Bytes& expected, std::size_t step) {
  Bytes received;
  Bytes room(step);
  while (received.size() < expected.size()) {
    const auto count = ring.read(room, Deadline::after(20s));
    ASSERT_TRUE(count) << received.size();
    received.insert(received.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
  }
  EXPECT_EQ(received, expected);
}

TEST(Ring, OffersWhatItCannotHoldBehindWhatItHas) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{40}, std::size_t{999}, std::size_t{5000}}) {
    Ring ring(64);
    const Bytes first = numbered(60);
    const cdr::Segment piece[] = {{first.data(), first.size()}};
    ASSERT_TRUE(ring.write(piece, Deadline::now()));
    const Bytes large = numbered(1000);
    Writer writer(ring, large, Deadline::after(20s));
    Bytes both = first;
    both.insert(both.end(), large.begin(), large.end());
    read_all(ring, both, step);
    const auto count = writer.get();
    ASSERT_TRUE(count);
    EXPECT_EQ(*count, 1000U);
    EXPECT_FALSE(ring.ready_to_read());
  }
}

TEST(Ring, TellsOfWhatIsOfferedByItsHandle) {
  Ring ring(64);
  const int handle = ring.handle();
  const Bytes large = numbered(1000);
  Writer writer(ring, large, Deadline::after(20s));
  pollfd wait{handle, POLLIN, 0};
  ASSERT_EQ(poll(&wait, 1, 20'000), 1);
  Bytes room(999);
  EXPECT_EQ(*ring.read(room, Deadline::now()), 999U);
  ASSERT_EQ(poll(&wait, 1, 0), 1);
  EXPECT_EQ(*ring.read(room, Deadline::now()), 1U);
  EXPECT_EQ(poll(&wait, 1, 0), 0);
  EXPECT_EQ(*writer.get(), 1000U);
}

TEST(Ring, SaysHowMuchOfWhatWasOfferedWasTakenInTime) {
  for (const bool some : {true, false}) {
    Ring ring(64);
    const Bytes large = numbered(1000);
    Writer writer(ring, large, Deadline::after(100ms), some);
    Bytes room(300);
    const auto count = ring.read(room, Deadline::after(20s));
    ASSERT_TRUE(count);
    const auto written = writer.get();
    if (some) {
      EXPECT_EQ(written.ok() ? *written : 0, *count);
    } else {
      EXPECT_EQ(written.ok() ? base::Code::none : written.error().code, base::Code::timed_out);
    }
    EXPECT_FALSE(ring.ready_to_read()) << "what the writer has taken back";
  }
}

TEST(Ring, AWriterWhoseOfferIsNotTakenHearsOfTheEnd) {
  Ring ring(64);
  const Bytes large = numbered(1000);
  Writer writer(ring, large, Deadline::none());
  Bytes room(10);
  ASSERT_TRUE(ring.read(room, Deadline::after(20s)));
  ring.close();
  const auto written = writer.get();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, base::Code::lost);
  EXPECT_EQ(ring.read(room, Deadline::now()).error().code, base::Code::closed);
}

TEST(Ring, ClosesWhileMuchIsTakenAgainAndAgain) {
  const Bytes large = numbered(3'000'000);
  for (int i = 0; i < 30; ++i) {
    Ring ring(64);
    Writer writer(ring, large, i % 2 == 0 ? Deadline::none() : Deadline::after(std::chrono::microseconds(100 * i)));
    std::thread closer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
      ring.close();
    });
    Bytes room(1'000'000);
    while (ring.read(room, Deadline::after(20s))) {
    }
    closer.join();
    (void)writer.get();
  }
}

}  // namespace
}  // namespace corbel::transport::inproc

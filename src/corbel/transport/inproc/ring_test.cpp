// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/inproc/ring.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace corbel::transport::inproc

// SPDX-License-Identifier: Apache-2.0
// Several datagrams by one system call: nothing is lost or mistaken for that.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "corbel/transport/udp/carrier.hpp"
#include "corbel/transport/udp/test_support.hpp"

namespace corbel::transport::udp {
namespace {

using base::Bytes;
using base::Code;
using base::Deadline;

/// A number in so many octets.
Bytes numbered(std::size_t number, std::size_t size = 64) {
  Bytes octets(size, static_cast<base::Octet>(number));
  octets.at(1) = static_cast<base::Octet>(number >> 8);
  return octets;
}

class UdpBatches : public Udp {
 protected:
  UdpBatches() { meet(); }
  /// Both ends, and nothing under way.
  void meet() {
    client_ = connect();
    send(*client_, {1, 2});
    server_ = accept();
    receive(*server_);
  }
  void expect(std::size_t from, std::size_t to, std::size_t size = 64) {
    for (std::size_t i = from; i < to; ++i) ASSERT_EQ(receive(*server_), numbered(i, size)) << i;
  }
  void expect_nothing() { EXPECT_EQ(server_->receive(room_, Deadline::now()).error().code, Code::would_block); }
  /// Sends messages of these sizes; the calls that it took.
  std::size_t send_all(std::span<const std::uint32_t> sizes) {
    Bytes octets;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Bytes one = numbered(i, sizes[i]);
      octets.insert(octets.end(), one.begin(), one.end());
    }
    std::size_t calls = 0;
    base::ConstByteSpan rest(octets);
    while (!sizes.empty()) {
      const auto sent = client_->send_messages(rest, sizes);
      if (!sent) {
        ADD_FAILURE() << base::to_string(sent.error());
        return calls;
      }
      rest = rest.subspan(std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(*sent), 0U));
      sizes = sizes.subspan(*sent);
      ++calls;
    }
    return calls;
  }

  std::unique_ptr<Transport> client_;
  std::unique_ptr<Transport> server_;
};

TEST_F(UdpBatches, LeaveTogetherWhereTheyAreOfOneSizeAndComeByThemselves) {
  std::vector<std::uint32_t> sizes(100, 64);
  sizes.push_back(10);
  EXPECT_LE(send_all(sizes), 2U);
  expect(0, 100);
  expect(100, 101, 10);
  expect_nothing();
}

TEST_F(UdpBatches, LeaveTogetherWhateverTheirSizes) {
  const std::vector<std::uint32_t> sizes{64, 65, 66, 5000, 2, 3000, 64, 64, 1400, 1400, 1401};
  EXPECT_LE(send_all(sizes), sizes.size() / 2);
  for (std::size_t i = 0; i < sizes.size(); ++i) expect(i, i + 1, sizes[i]);
  expect_nothing();
}

TEST_F(UdpBatches, OfLargeMessagesLeaveTogetherToo) {
  const std::array<std::uint32_t, 3> sizes{30'000, 30'000, 30'000};
  EXPECT_LE(send_all(sizes), 3U);
  for (std::size_t i = 0; i < sizes.size(); ++i) expect(i, i + 1, sizes[i]);
}

/// As often as it takes until they are received together, and beyond.
TEST_F(UdpBatches, ComeByThemselvesAlsoWhereTheyAreReceivedTogether) {
  for (std::size_t i = 0; i < 50; ++i) {
    std::vector<std::uint32_t> sizes(20, 64);
    sizes.push_back(10);
    sizes.push_back(3000);
    EXPECT_LE(send_all(sizes), 3U);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      expect(k, k + 1, sizes[k]);
      const bool pending = server_->pending();
      EXPECT_TRUE(pending || i <= 12 || k >= 20) << i << ", " << k;
    }
    EXPECT_FALSE(server_->pending());
    if (i % 2 == 0) expect_nothing();
  }
}

TEST_F(UdpBatches, ThatEndLeaveNothingBehind) {
  const std::vector<std::uint32_t> train(20, 64);
  for (std::size_t i = 0; i < 500; ++i) {
    const bool alone = i / 100 % 2 == 1;  // long enough for the next try, and for giving up
    if (alone) {
      send(*client_, numbered(i));
      expect(i, i + 1);
    } else if (i % 4 == 0) {
      EXPECT_EQ(send_all(train), 1U);
      expect(0, train.size());
    }
    if (i % 3 == 0) expect_nothing();
    EXPECT_FALSE(server_->pending());
  }
}

TEST_F(UdpBatches, OfWhichOneIsTooLargeForItsReader) {
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(send_all(std::vector<std::uint32_t>(20, 64)), 1U);
    expect(0, 19);
    std::array<base::Octet, 10> small{};
    EXPECT_EQ(server_->receive(small, Deadline::now()).error().code, Code::truncated);
    expect_nothing();
  }
}

TEST_F(UdpBatches, ToNobodyFailSoon) {
  for (const bool equal : {true, false}) {
    const std::array<std::uint32_t, 4> sizes{64, equal ? 64U : 65U, equal ? 64U : 66U, 64};
    const Bytes octets(300);
    base::Result<std::size_t> sent(std::size_t{0});
    std::size_t took = 0;
    for (int tries = 0; sent && tries < 5; ++tries) {  // another process may get the port meanwhile
      acceptor_ = *factory_->listen(**factory_->parse("127.0.0.1:0"), {});
      meet();
      server_.reset();
      acceptor_->close();
      took = 0;
      while (sent && took < 100) {
        sent = client_->send_messages(octets, sizes);
        took += sent ? *sent : 0;
      }
    }
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, Code::lost);
    EXPECT_LE(took, 4U);
  }
}

TEST_F(UdpBatches, BeyondWhatTheSystemTakesNowWouldBlockOrLeaveInPart) {
  const std::vector<std::uint32_t> sizes(4, 60'000);
  const Bytes octets(240'000);
  for (int i = 0; i < 20; ++i) {
    const auto sent = client_->send_messages(octets, sizes);
    if (!sent) {
      EXPECT_EQ(sent.error().code, Code::would_block);
    } else {
      EXPECT_GE(*sent, 1U);
      EXPECT_LE(*sent, 4U);
    }
  }
}

}  // namespace
}  // namespace corbel::transport::udp

// SPDX-License-Identifier: Apache-2.0
// What strangers may send to an ORB that compresses.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <corbel/ior/profile.hpp>

#include "support/fake_peer.hpp"
#include "support/files.hpp"
#include "support/raw_peer.hpp"
#include "test_support.hpp"

namespace corbel::ziop {
namespace {

/// Where the object is.
ior::IiopProfile profile_of(const OrbRef& orb, const PressRef& press) {
  const auto parsed = ior::from_string(orb->object_to_string(press));
  EXPECT_TRUE(parsed);
  for (const auto& profile : parsed->profiles) {
    if (auto iiop = ior::decode_iiop_profile(profile)) return *iiop;
  }
  ADD_FAILURE() << "no IIOP profile";
  return {};
}

class StrangersWhoCompress : public WithOrbs {
 protected:
  test::Octets request(const std::string& text) {
    const std::string_view key = base::as_text(profile_.object_key);
    return test::raw_request(2, key, "repeat", [&](test::Writer& writer) { writer.string(text); });
  }
  void begin(Words words = {}) {
    serve(Kind::ziop, std::move(words));
    press_ = press(Kind::ziop);
    profile_ = profile_of(client_, press_);
  }
  /// The server says that it cannot read this, and ends the connection; others are served as before.
  void expect_refused(const test::Octets& octets) {
    test::RawPeer peer(profile_.port);
    ASSERT_TRUE(peer.send(octets));
    const auto answer = peer.message();
    ASSERT_TRUE(answer);
    EXPECT_EQ((*answer)[7], 6) << "a MessageError";
    EXPECT_TRUE(peer.rest());
    EXPECT_EQ(press_->repeat(kBig), kBig);
  }

  PressRef press_;
  ior::IiopProfile profile_;
};

TEST_P(StrangersWhoCompress, AreServedWithoutHavingSaidSo) {
  begin();
  test::RawPeer peer(profile_.port);
  ASSERT_TRUE(peer.send(compressed(request(kBig))));
  const auto answer = peer.message();
  ASSERT_TRUE(answer);
  EXPECT_EQ((*answer)[0], 'G');  // they have not said that they read it
  EXPECT_GT(answer->size(), kBig.size());
}

TEST_P(StrangersWhoCompress, AreToldThatWhatTheySendMakesNoSense) {
  begin({"-ORBMaxMessageSize", "100000"});
  const test::Octets good = request(kBig);
  const auto data = deflated(base::ConstByteSpan(good).subspan(12));
  const auto length = static_cast<std::uint32_t>(good.size() - 12);
  expect_refused(with_data(good, 77, length, data));
  expect_refused(with_data(good, kZlib, length - 1, data));
  expect_refused(with_data(good, kZlib, length + 1, data));
  expect_refused(with_data(good, kZlib, 99'989, data));
  expect_refused(with_data(good, kZlib, length, base::ConstByteSpan(data).first(data.size() / 2)));
  expect_refused(with_data(good, kZlib, length, deflated(base::Bytes(8U << 20))));
  expect_refused(with_data(good, kZlib, 8U << 20, deflated(base::Bytes(8U << 20))));
  test::Octets huge = compressed(good);
  huge[11] = 0x7f;
  expect_refused(huge);
  EXPECT_EQ(traffic(server_).refused, 8U);
}

TEST_P(StrangersWhoCompress, MayStopInTheMiddle) {
  begin();
  const test::Octets whole = compressed(request(kBig));
  for (const std::size_t size : {1UL, 11UL, 12UL, 23UL, 24UL, whole.size() - 1}) {
    test::RawPeer peer(profile_.port);
    ASSERT_TRUE(peer.send(test::Octets(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))));
    peer.end_sending();
    (void)peer.rest();
  }
  EXPECT_EQ(press_->repeat(kBig), kBig);
}

TEST_P(StrangersWhoCompress, MaySendOctetByOctetAndInFragments) {
  begin();
  test::RawPeer peer(profile_.port);
  test::Octets first = request(kBig);
  const test::Octets rest(first.begin() + 10'000, first.end());
  first.resize(10'000);
  first[6] |= 2;
  const auto size = static_cast<std::uint32_t>(first.size() - 12);
  for (std::size_t i = 0; i < 4; ++i) first[8 + i] = static_cast<std::uint8_t>(size >> 8 * i);
  ASSERT_TRUE(peer.send(compressed(first)));
  for (const std::uint8_t octet : compressed(test::Writer().giop(7, 2, false).u32(2).raw(rest).finish())) {
    ASSERT_TRUE(peer.send({octet}));
  }
  const auto answer = peer.message();
  ASSERT_TRUE(answer);
  EXPECT_EQ((*answer)[7], 1);
  EXPECT_GT(answer->size(), kBig.size());
}

TEST_P(StrangersWhoCompress, TakeNoMemoryWithThem) {
  begin({"-ORBMaxMessageSize", "1000000", "-ORBMaxInputMemory", "2000000"});
  const test::Octets good = request(kBig);
  const auto bomb = with_data(good, kZlib, 999'988, deflated(base::Bytes(8U << 20)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        test::RawPeer peer(profile_.port);
        (void)peer.send(bomb);
        (void)peer.rest();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(press_->repeat(kBig), kBig);
}

TEST_P(StrangersWhoCompress, AndOthersAreInTheLog) {
  const test::Folder folder;
  const std::string path = folder / "log";
  const Words logged{"-ORBLogFile", path, "-ORBLogLevel", "debug"};
  client_ = make_orb(Kind::ziop, logged);
  begin(logged);
  EXPECT_EQ(press_->repeat(kBig), kBig);
  EXPECT_EQ(press_->repeat(kBig), kBig);
  const test::Octets good = request(kBig);
  expect_refused(with_data(good, 77, 1, good));
  TearDown();
  client_ = server_ = nullptr;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string log = text.str();
  const auto count = [&](std::string_view what) {
    std::size_t times = 0;
    for (std::size_t at = log.find(what); at != std::string::npos; at = log.find(what, at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(count("messaging: requests are compressed by=zlib:6"), 1U);
  EXPECT_EQ(count("messaging: the peer takes compressed replies by=zlib:6"), 1U);
  EXPECT_EQ(count("messaging: a compressed message makes no sense what=\"unknown compressor\""), 1U);
}

/// Servers may lie as well.
TEST_P(StrangersWhoCompress, MayBeServers) {
  const test::Octets reply = test::Writer().giop(1, 2).u32(0).u32(0).u32(0).string(kBig).finish();
  const auto data = deflated(base::ConstByteSpan(reply).subspan(12));
  const auto length = static_cast<std::uint32_t>(reply.size() - 12);
  const std::vector<test::Octets> lies{
      with_data(reply, 77, length, data),        with_data(reply, kZlib, length - 1, data),
      with_data(reply, kZlib, length + 1, data), with_data(reply, kZlib, length, base::ConstByteSpan(data).first(20)),
      with_data(reply, kZlib, 0xffffffff, data),
  };
  client_ = make_orb(Kind::ziop);
  for (const test::Octets& lie : lies) {
    test::FakePeer peer({[&](test::Conversation& with, const test::Received&) { with.send(lie); }});
    const auto press = IDL::traits<Squeezed::Press>::unchecked_narrow(
        client_->string_to_object("corbaloc:iiop:1.2@127.0.0.1:" + std::to_string(peer.port()) + "/key"));
    try {
      (void)press->repeat("x");
      ADD_FAILURE() << "believed";
    } catch (const CORBA::SystemException& exception) {
      EXPECT_NE(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO) << exception;
    }
  }
  EXPECT_EQ(traffic(client_).refused, lies.size());
}

INSTANTIATE_TEST_SUITE_P(Over, StrangersWhoCompress, ::testing::Values("tcp"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace corbel::ziop

// SPDX-License-Identifier: Apache-2.0
// What strangers may send to an ORB that compresses.
#include <gtest/gtest.h>

#include <corbel/ior/profile.hpp>

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
  expect_refused(with_data(good, kZlib, length, deflated(base::Bytes(50U << 20))));
  expect_refused(with_data(good, kZlib, 50U << 20, deflated(base::Bytes(50U << 20))));
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

INSTANTIATE_TEST_SUITE_P(Over, StrangersWhoCompress, ::testing::Values("tcp"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace corbel::ziop

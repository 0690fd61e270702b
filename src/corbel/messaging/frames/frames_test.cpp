// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/frames.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "corbel/messaging/frames/layout.hpp"
#include "corbel/messaging/frames/names.hpp"
#include "support/byte_order.hpp"

namespace corbel::messaging::frames {
namespace {

const base::Bytes kKey = {'k', 'e', 'y'};
std::int64_t the_time = 0;  // nanoseconds

std::map<std::string, std::uint64_t> figures(const Session& session) {
  std::map<std::string, std::uint64_t> all;
  session.report([&](const Figure& figure) { all[std::string(figure.name)] = figure.value; });
  return all;
}

class Frames : public testing::Test {
 protected:
  Frames() {
    the_time = 0;
    encoder_.set_host(&host_);
  }
  static std::unique_ptr<Session> open(bool lossy = false, Memory* memory = nullptr, std::uint32_t group = 0) {
    SessionSettings settings;
    settings.lossy = lossy;
    settings.group_profile = group;
    settings.memory = memory;
    settings.now = [] { return the_time; };
    return make_frames()->open(settings);
  }
  base::Bytes frame(Session& sender, std::string_view operation = "push", std::uint32_t value = 7) {
    sender.put_request(encoder_, sender.next_token(), {Response::none, kKey, operation, {}},
                       [&](cdr::Encoder& body) { body.put(value); });
    EXPECT_TRUE(encoder_.ok());
    return encoder_.to_bytes();
  }
  /// What the frame is for, "" if it is not served, "error" if it is refused. The octets are kept: incoming_ looks into
  /// them.
  std::string take(Session& receiver, base::Bytes octets) {
    incoming_ = {};
    incoming_.joined = &joined_;
    code_ = base::Code::none;
    octets_ = std::move(octets);
    if (const auto status = receiver.take(octets_, incoming_); !status) {
      code_ = status.error().code;
      return "error";
    }
    EXPECT_EQ(incoming_.size, octets_.size());
    if (incoming_.kind != Kind::request) return "";
    EXPECT_EQ(incoming_.request.response, Response::none);
    EXPECT_EQ(base::Bytes(incoming_.request.object_key.begin(), incoming_.request.object_key.end()), kKey);
    return std::string(incoming_.request.operation);
  }
  static base::Bytes octets(std::string_view hex) {
    base::Bytes all;
    EXPECT_TRUE(base::from_hex(hex, all));
    return all;
  }

  struct Host final : cdr::Encoder::Host {
    void on_foreign_code(cdr::Encoder& encoder) noexcept override { encoder.set_host(nullptr); }
  };
  Host host_;
  cdr::Encoder encoder_;
  base::Bytes octets_;
  Joined joined_;
  Incoming incoming_;
  base::Code code_ = base::Code::none;
};

TEST_F(Frames, NameTheirTargetOnceAndThenByIndex) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  const auto sender = open();
  the_time = std::int64_t{0x01020304} * 1000;
  EXPECT_EQ(base::to_hex(frame(*sender)),
            "46130000"
            "2c000000"
            "00000000"
            "04030201"
            "030000006b657900"
            "050000007075736800000000"
            "00000000"
            "07000000");
  EXPECT_EQ(base::to_hex(frame(*sender)),
            "46110000"
            "14000000"
            "01000000"
            "04030201"
            "07000000");
  EXPECT_EQ(base::to_hex(frame(*sender, "pull")).substr(0, 32),
            "46130100"
            "2c000000"
            "02000000"
            "04030201");
}

TEST_F(Frames, OfTheOtherByteOrderAreRead) {
  const auto receiver = open();
  EXPECT_EQ(take(*receiver, octets("46120000"
                                   "0000002c"
                                   "00000000"
                                   "00000000"
                                   "000000036b657900"
                                   "000000057075736800000000"
                                   "00000000"
                                   "00000007")),
            "push");
  EXPECT_EQ(incoming_.body.get<std::uint32_t>(), 7U);
  EXPECT_EQ(take(*receiver, octets("46100000"
                                   "00000014"
                                   "00000001"
                                   "00000000"
                                   "00000009")),
            "push");
  EXPECT_EQ(incoming_.body.get<std::uint32_t>(), 9U);
}

TEST_F(Frames, WithoutABodyEndWithTheirHeader) {
  const auto sender = open();
  for (const std::size_t size : {36U, 16U}) {
    sender->put_request(encoder_, 0, {Response::none, kKey, "go", {}}, [](cdr::Encoder&) {});
    const base::Bytes octets = encoder_.to_bytes();
    EXPECT_EQ(octets.size(), size == 36 ? 31U : size);
  }
}

TEST_F(Frames, CarryNoReplies) {
  const auto sender = open();
  sender->put_request(encoder_, 2, {Response::with_target, kKey, "ask", {}}, [](cdr::Encoder&) {});
  EXPECT_EQ(encoder_.error().code, base::Code::unsupported);
  EXPECT_EQ(to_string(make_frames()->offers()), "oneway, fragments");
}

TEST_F(Frames, WithAnIndexThatWasNeverToldAreDroppedAndCounted) {
  const auto sender = open();
  const auto receiver = open();
  (void)frame(*sender);
  EXPECT_EQ(take(*receiver, frame(*sender)), "");
  EXPECT_EQ(figures(*receiver)["unresolved"], 1U);
  EXPECT_EQ(take(*receiver, frame(*sender, "other")), "other");
}

TEST_F(Frames, ThatMakeNoSenseAreRefused) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  const base::Bytes named = frame(*open());
  const auto code = [&](base::Bytes octets) {
    const auto receiver = open();
    EXPECT_EQ(take(*receiver, octets), "error") << base::to_hex(octets);
    return code_;
  };
  const auto with = [&](std::size_t at, std::initializer_list<int> change) {
    base::Bytes octets = named;
    for (const int octet : change) octets[at++] = static_cast<base::Octet>(octet);
    return octets;
  };
  EXPECT_EQ(code(with(0, {'G'})), base::Code::malformed);
  EXPECT_EQ(code(with(1, {0x23})), base::Code::unsupported);      // the version
  EXPECT_EQ(code(with(1, {0x17})), base::Code::malformed);        // a piece with names
  EXPECT_EQ(code(with(1, {0x19})), base::Code::malformed);        // a word of control that is too long
  EXPECT_EQ(code(with(2, {0x00, 0x01})), base::Code::malformed);  // index 256
  EXPECT_EQ(code(with(2, {0xfe, 0xff})), base::Code::malformed);
  EXPECT_EQ(code(with(4, {15, 0, 0, 0})), base::Code::malformed);
  EXPECT_EQ(code(with(4, {0, 0, 0, 0xf0})), base::Code::too_large);
  EXPECT_EQ(code(with(16, {0xff, 0xff, 0, 0})), base::Code::malformed);  // a key beyond the end
  EXPECT_EQ(code(with(24, {0, 0, 0, 0})), base::Code::malformed);        // a name without NUL
  EXPECT_EQ(code(octets("46110001"
                        "10000000"
                        "00000000"
                        "00000000")),
            base::Code::malformed);  // index 256, without names
  EXPECT_EQ(code(octets("4611ffff"
                        "10000000"
                        "00000000"
                        "00000000")),
            base::Code::malformed);  // no index and no names
}

TEST_F(Frames, CutAnywhereAreRefusedOrWaitedFor) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  const base::Bytes named = frame(*open());
  for (std::size_t size = kHeaderSize; size < named.size() - 4; ++size) {
    base::Bytes cut(named.begin(), named.begin() + static_cast<std::ptrdiff_t>(size));
    cut[4] = static_cast<base::Octet>(size);  // as if it were whole
    const auto receiver = open();
    const std::string taken = take(*receiver, cut);
    EXPECT_EQ(taken, size < 33 ? "error" : "push") << size;
  }
}

TEST_F(Frames, AnIndexMeansOneThingForEver) {
  const auto receiver = open();
  const base::Bytes named = frame(*open());
  EXPECT_EQ(take(*receiver, named), "push");
  base::Bytes again = named;
  again[8] = 1;  // the next sequence number
  EXPECT_EQ(take(*receiver, again), "push");
  again[28] = 'P';
  again[8] = 2;
  EXPECT_EQ(take(*receiver, again), "error");
  EXPECT_EQ(code_, base::Code::malformed);
}

TEST_F(Frames, TheTableOfIndicesIsBoundedInBothDirections) {
  const auto sender = open();
  const auto receiver = open();
  for (int i = 0; i < 2 * kMaxIndices; ++i) {
    const std::string operation = "operation" + std::to_string(i);
    const base::Bytes first = frame(*sender, operation);
    const base::Bytes second = frame(*sender, operation);
    EXPECT_EQ(second.size() < first.size(), i < kMaxIndices) << i;
    EXPECT_EQ(take(*receiver, first), operation);
    EXPECT_EQ(take(*receiver, second), operation);
  }
  EXPECT_EQ(take(*receiver, frame(*sender, "operation0")), "operation0");
}

/// Counts, and gives out no more than it has.
struct Purse final : Memory {
  bool take(std::size_t octets) override {
    if (taken + octets > most) return false;
    taken += octets;
    return true;
  }
  void give(std::size_t octets) noexcept override { taken -= octets; }
  bool take_for_good(std::size_t octets) noexcept override { return take(octets); }
  void give_for_good(std::size_t octets) noexcept override { give(octets); }
  std::size_t most = SIZE_MAX;
  std::size_t taken = 0;
};

TEST_F(Frames, OctetsOfNamesAreBoundedAndPaidFor) {
  Purse purse;
  const auto sender = open();
  {
    const auto receiver = open(false, &purse);
    for (int i = 0; i < 100; ++i) {
      const std::string operation(1000, static_cast<char>('a' + i % 26));
      EXPECT_EQ(take(*receiver, frame(*sender, operation + std::to_string(i).substr(0, 2))),
                operation + std::to_string(i).substr(0, 2));
    }
    EXPECT_LE(purse.taken, kMaxNameOctets);
    EXPECT_GE(purse.taken, 60'000U);
  }
  EXPECT_EQ(purse.taken, 0U);
  purse.most = 3;
  EXPECT_EQ(take(*open(false, &purse), frame(*open())), "error");
  EXPECT_EQ(code_, base::Code::out_of_resources);
}

TEST_F(Frames, WhatNeverLeftIsToldAgain) {
  const auto sender = open();
  const std::size_t named = frame(*sender).size();
  EXPECT_LT(frame(*sender).size(), named);
  sender->unsent();
  EXPECT_EQ(frame(*sender).size(), named);
  EXPECT_LT(frame(*sender).size(), named);
}

// Custom marshalling may throw anything.
TEST_F(Frames, ThatAreNotMadeAreNotCountedAndTheirNamesAreToldWithTheNext) {
  const auto sender = open();
  const auto receiver = open();
  for (const bool first : {true, false}) {
    EXPECT_THROW(sender->put_request(encoder_, 0, {Response::none, kKey, "push", {}},
                                     [](cdr::Encoder& body) {
                                       body.put(std::uint32_t{1});
                                       throw std::runtime_error("not today");
                                     }),
                 std::runtime_error);
    EXPECT_EQ(take(*receiver, frame(*sender)), "push") << first;
  }
  EXPECT_EQ(figures(*receiver)["received"], 2U);
  EXPECT_EQ(figures(*receiver)["lost"], 0U);
  EXPECT_EQ(figures(*sender)["sent"], 2U);
}

TEST_F(Frames, WrittenBesideTheWriterCarryTheirNames) {
  const auto sender = open();
  const auto receiver = open();
  EXPECT_EQ(take(*receiver, frame(*sender)), "push");
  cdr::Encoder detached;
  for (int i = 0; i < 2; ++i) {
    sender->put_request(detached, 0, {Response::none, kKey, "push", {}}, [](cdr::Encoder&) {});
    const base::Bytes octets = detached.to_bytes();
    EXPECT_EQ(octets[1] & kNames, kNames);
    EXPECT_EQ(octets[2] & octets[3], 0xff);  // no index
    EXPECT_EQ(take(*receiver, octets), "push");
  }
  EXPECT_EQ(take(*receiver, frame(*sender)), "push");
  EXPECT_EQ(figures(*receiver)["lost"], 0U);
}

TEST_F(Frames, ABodyThatFailsTakesNoNumberAndTellsNothing) {
  const auto sender = open();
  const auto receiver = open();
  sender->put_request(encoder_, 0, {Response::none, kKey, "push", {}},
                      [](cdr::Encoder& body) { body.fail(base::Code::bad_argument); });
  EXPECT_EQ(take(*receiver, frame(*sender)), "push");
  EXPECT_EQ(incoming_.request.origin.id, 0U);
}

TEST_F(Frames, ATargetThatOthersMayOvertakeIsToldAgain) {
  const auto sender = open();
  sender->put_request(encoder_, 0, {Response::none, kKey, "push", {}},
                      [](cdr::Encoder& body) { body.before_foreign_code(); });
  encoder_.set_host(&host_);
  const base::Bytes late = encoder_.to_bytes();
  const auto receiver = open();
  EXPECT_EQ(take(*receiver, frame(*sender)), "push");
  EXPECT_EQ(take(*receiver, late), "push");
}

TEST_F(Frames, ToGroupsTellNamesAgainSeldomerAndSeldomer) {
  const auto sender = open(true, nullptr, 3);
  int named = 0;
  for (int i = 0; i < 1000; ++i) named += (frame(*sender)[1] & kNames) != 0;
  EXPECT_GE(named, 16);
  EXPECT_LE(named, 24);
}

TEST_F(Frames, LossAndReorderingAreCounted) {
  const auto sender = open(true);
  const auto receiver = open(true);
  std::vector<base::Bytes> all;
  for (int i = 0; i < 10; ++i) all.push_back(frame(*sender));
  for (const std::size_t i : {0U, 1U, 3U, 2U, 2U, 6U, 9U}) (void)take(*receiver, all[i]);
  auto counted = figures(*receiver);
  EXPECT_EQ(counted["received"], 6U);
  EXPECT_EQ(counted["reordered"], 1U);
  EXPECT_EQ(counted["duplicates"], 1U);
  EXPECT_EQ(counted["lost"], 4U);  // 4, 5, 7, 8
  EXPECT_EQ(figures(*sender)["sent"], 10U);
}

TEST_F(Frames, ThatComeTwiceAreServedOnceEvenTheLatest) {
  const auto sender = open(true);
  const auto receiver = open(true);
  const base::Bytes first = frame(*sender);
  const base::Bytes second = frame(*sender);
  EXPECT_EQ(take(*receiver, first), "push");
  EXPECT_EQ(take(*receiver, first), "");
  EXPECT_EQ(take(*receiver, second), "push");
  EXPECT_EQ(take(*receiver, second), "");
  EXPECT_EQ(take(*receiver, first), "");
  auto counted = figures(*receiver);
  EXPECT_EQ(counted["received"], 2U);
  EXPECT_EQ(counted["duplicates"], 3U);
  EXPECT_EQ(counted["lost"], 0U);
}

TEST(FramesNames, TakeNoMoreThanTheirLimitTogether) {
  NameStore store(nullptr);
  TakenNames names;
  const base::Bytes key(kMaxNameOctets - 10, 'k');
  EXPECT_TRUE(names.take(store, 0, key, "operation").ok());
  const base::Bytes one(1, 'k');
  EXPECT_TRUE(names.take(store, 1, one, "").ok()) << "the last octet";
  EXPECT_EQ(names.take(store, 2, {}, "x").error().code, base::Code::too_large);
  EXPECT_EQ(names.find(2), nullptr);
  EXPECT_TRUE(names.take(store, 0, key, "operation").ok()) << "known already";
}

}  // namespace
}  // namespace corbel::messaging::frames

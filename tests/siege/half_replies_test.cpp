// SPDX-License-Identifier: Apache-2.0
// Servers that begin large replies and do not go on with them.
#include <algorithm>
#include <array>
#include <vector>

#include "castle.hpp"
#include "corbel/mapping/with_policies.hpp"
#include "fake_peer.hpp"

namespace corbel::siege {
namespace {

constexpr std::uint32_t kWholeReply = 1U << 20;
constexpr std::size_t kAttacks = 8;

/// Calls that get all of a reply but its end.
class HalfReplies {
 public:
  explicit HalfReplies(Client& client) {
    for (std::size_t i = 0; i < kAttacks; ++i) {
      callers_[i] = std::thread(
          [this, castle = IDL::traits<Siege::Castle>::unchecked_narrow(client.orb->string_to_object(peer_.ior()))] {
            try {
              castle->big(kWholeReply);
            } catch (const CORBA::NO_RESOURCES& exception) {
              const bool as_documented =
                  exception.completed() == CORBA::CompletionStatus::COMPLETED_MAYBE &&
                  exception.minor() == corba::vendor_minor(base::Stage::receive, base::Code::out_of_resources);
              if (as_documented) ++cut_;
            } catch (const CORBA::COMM_FAILURE&) {
              ++lost_;
            }
          });
    }
  }
  ~HalfReplies() {
    peer_.close_all(false);
    for (auto& each : callers_) each.join();
    EXPECT_EQ(cut_ + lost_, kAttacks);
    EXPECT_EQ(peer_.requests(), kAttacks) << "none is repeated";
  }
  HalfReplies(const HalfReplies&) = delete;
  HalfReplies& operator=(const HalfReplies&) = delete;

  std::size_t cut() const { return cut_; }

 private:
  test::FakePeer peer_{{test::answer::unfinished(kWholeReply)}};
  std::atomic<std::size_t> cut_{0};
  std::atomic<std::size_t> lost_{0};
  std::array<std::thread, kAttacks> callers_;
};

TEST(HalfReplies, TheOldestMakesRoom) {
  const Server server;
  Client client(server.reference, {"-ORBMaxInputMemory", "4000000", "-ORBConnectionsPerEndpoint", "16"});
  HalfReplies attack(client);
  EXPECT_TRUE(eventually([&] { return attack.cut() >= kAttacks - 3; }));
  // What goes on goes through, as soon as no half of a reply grows any more; and the rest of them has to go for it.
  int looks = 0;
  EXPECT_TRUE(eventually([&] {
    try {
      looks = client.castle->big(kWholeReply).size() == kWholeReply ? looks + 1 : 0;
    } catch (const CORBA::NO_RESOURCES&) {
      looks = 0;
    }
    return looks == 20;
  }));
}

// What a connection keeps for its next reply is nobody's harm.
TEST(HalfReplies, WhatIdleConnectionsKeepMakesRoomFirst) {
  std::vector<std::unique_ptr<Server>> servers;
  std::vector<CastleRef> castles;
  servers.push_back(std::make_unique<Server>());
  Client client(servers.front()->reference, {"-ORBMaxInputMemory", "4000000"});
  for (int i = 0; i < 6; ++i) {
    servers.push_back(
        std::make_unique<Server>(std::vector<std::string>(), "tcp://127.0.0.1:0", "server " + std::to_string(i)));
    castles.push_back(
        IDL::traits<Siege::Castle>::unchecked_narrow(client.orb->string_to_object(servers.back()->reference)));
  }
  for (int round = 0; round < 3; ++round) {
    for (const auto& castle : castles) EXPECT_EQ(castle->big(2 * kWholeReply).size(), 2 * kWholeReply);
  }
  EXPECT_EQ(client.castle->big(8 * kWholeReply).size(), 8 * kWholeReply) << "alone beyond the limit";
  for (const auto& castle : castles) EXPECT_EQ(castle->fast(1), 1);
  castles.clear();
}

// Their callers have gone, and what has come of them is the first to go for others.
TEST(HalfReplies, ThatNobodyWaitsForAnyMoreMakeRoom) {
  const Server server;
  Client client(server.reference,
                {"-ORBMaxInputMemory", "4000000", "-ORBConnectionsPerEndpoint", "16", "-ORBCallTimeout", "1000"});
  test::FakePeer peer{{test::answer::unfinished(kWholeReply)}};
  const auto left = IDL::traits<Siege::Castle>::unchecked_narrow(client.orb->string_to_object(peer.ior()));
  std::vector<std::thread> callers;
  std::atomic<std::size_t> ended{0};
  for (std::size_t i = 0; i < kAttacks; ++i) {
    callers.emplace_back([&] {
      try {
        left->big(kWholeReply);
        ++ended;  // two shared a connection: the second answer brought the last octet of the first
      } catch (const CORBA::TIMEOUT&) {
        ++ended;
      } catch (const CORBA::NO_RESOURCES&) {
        ++ended;
      } catch (const CORBA::MARSHAL&) {  // two shared a connection: the second answer went into the midst of the first
        ++ended;
      }
    });
  }
  for (auto& each : callers) each.join();
  EXPECT_EQ(ended, kAttacks);
  const auto patient = corbel::with_timeout(client.castle, 60s);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(patient->big(3 * kWholeReply).size(), 3 * kWholeReply);
  EXPECT_EQ(patient->big(8 * kWholeReply).size(), 8 * kWholeReply) << "alone beyond the limit";
}

// Nobody does harm here: there is just more than there is memory for.
TEST(HugeReplies, OfManyThreadsAtOnceEndWellOrAsDocumented) {
  constexpr int kThreads = 24, kTimes = 6;
  const Server server;
  for (const char* connections : {"1", "4", "32"}) {
    Client client(server.reference, {"-ORBMaxInputMemory", "3000000", "-ORBConnectionsPerEndpoint", connections});
    std::atomic<int> well{0}, refused{0}, otherwise{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < kThreads; ++t) {
      callers.emplace_back([&] {
        for (int i = 0; i < kTimes; ++i) {
          try {
            const auto got = client.castle->big(kWholeReply);
            const bool whole = got.size() == kWholeReply && std::ranges::count(got, 0x42) == kWholeReply;
            ++(whole ? well : otherwise);
          } catch (const CORBA::NO_RESOURCES& exception) {
            ++(exception.completed() == CORBA::CompletionStatus::COMPLETED_MAYBE ? refused : otherwise);
          } catch (const CORBA::Exception& exception) {
            ++otherwise;
            ADD_FAILURE() << exception.what();
          }
        }
      });
    }
    for (auto& each : callers) each.join();
    EXPECT_EQ(well + refused, kThreads * kTimes) << connections;
    EXPECT_GT(well, 0) << connections;
    EXPECT_EQ(otherwise, 0) << connections;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(client.castle->big(2 * kWholeReply).size(), 2 * kWholeReply) << connections;
    RecordProperty(std::string("well over ") + connections, well);
  }
}

}  // namespace
}  // namespace corbel::siege

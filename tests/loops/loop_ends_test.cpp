// SPDX-License-Identifier: Apache-2.0
// How an ORB ends that is the guest of a loop.
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/timer.hpp"
#include "raw_peer.hpp"
#include "support.hpp"

namespace corbel::loops_test {
namespace {

using orb::WorkHandle;

class LoopEnds : public ::testing::Test {
 protected:
  ~LoopEnds() override {
    if (guest_.orb != nullptr) guest_.orb->destroy();
    peer_.orb->destroy();
  }
  void destroy_guest() {
    guest_.orb->destroy();
    guest_.reference = nullptr;
    guest_.orb = nullptr;
  }

  Party guest_{make_guest("guest")};
  Party peer_{make_orb("peer")};
  WorkHandle work_{*guest_.orb};
};

TEST_F(LoopEnds, ShutdownInARequestIsAnsweredAndThenTheLoopHears) {
  guest_.servant->on_echo = [&](std::int32_t number) {
    guest_.orb->shutdown(false);
    return number;
  };
  auto call = std::async(std::launch::async, [object = peer_.see(guest_)] { return object->echo(5); });
  EXPECT_FALSE(work_.ended());
  loop_until(work_, [&] { return work_.ended(); });
  EXPECT_EQ(call.get(), 5);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(readable(work_)) << "so that the loop notices";
    EXPECT_EQ(work_.dispatch(), 0U);
  }
  destroy_guest();
  EXPECT_TRUE(work_.ended());
  EXPECT_EQ(work_.dispatch(), 0U);
}

TEST_F(LoopEnds, ShutdownByAnotherThreadWakesTheLoop) {
  settle(work_);
  std::thread other([&] { guest_.orb->shutdown(false); });
  loop_until(work_, [&] { return work_.ended(); });
  other.join();
}

TEST_F(LoopEnds, AnotherThreadMayWaitForTheEnd) {
  std::thread other([&] { guest_.orb->shutdown(true); });
  loop_until(work_, [&] { return work_.ended(); });
  other.join();
}

// Connections that peers hold open are closed in order while the loop goes on.
TEST_F(LoopEnds, ClientsAreToldInOrder) {
  const auto object = peer_.see(guest_);
  EXPECT_EQ(loop_while(work_, [&] { return object->echo(1); }), 1);
  guest_.orb->shutdown(false);
  loop_until(work_, [&] { return work_.ended(); });
  EXPECT_THROW((void)object->echo(2), CORBA::TRANSIENT);
}

TEST_F(LoopEnds, DestroyInsideARequestIsRefused) {
  std::uint32_t minor = 0;
  guest_.servant->on_echo = [&](std::int32_t number) {
    minor = minor_of<CORBA::BAD_INV_ORDER>([&] { guest_.orb->destroy(); });
    return number;
  };
  EXPECT_EQ(loop_while(work_, [object = peer_.see(guest_)] { return object->echo(5); }), 5);
  EXPECT_EQ(minor, corba::minor::kWouldDeadlock);
}

// What is no request may end the ORB, and waits for nobody but the peers.
TEST_F(LoopEnds, DestroyInsideOfWhatTheLoopDispatches) {
  EXPECT_EQ(loop_while(work_, [object = peer_.see(guest_)] { return object->echo(5); }), 5);
  int calls = 0;
  orb::post(*guest_.orb, [&] {
    ++calls;
    guest_.orb->destroy();
  });
  orb::post(*guest_.orb, [&] { ++calls; });
  loop_until(work_, [&] { return work_.ended(); });
  EXPECT_EQ(calls, 1) << "nothing begins after the end";
  guest_.reference = nullptr;
  guest_.orb = nullptr;
  EXPECT_TRUE(work_.ended());
}

// A reply that its client takes late: the loop is not held up, and destroy sends the rest of it.
TEST_F(LoopEnds, DestroyInsideOfWhatTheLoopDispatchesSendsWhatIsLeft) {
  constexpr std::uint32_t kSize = 8U << 20;
  const auto profile = ior::decode_iiop_profile(ior::from_string(guest_.ior)->profiles.front());
  test::RawPeer slow(profile->port, 1 << 16);
  const std::string key(base::as_text(profile->object_key));
  ASSERT_TRUE(slow.send(test::raw_request(2, key, "fill", [](test::Writer& writer) { writer.u32(kSize); })));
  ASSERT_TRUE(readable(work_, Deadline::after(kPatience)));
  while (slow.silent()) (void)work_.dispatch();
  EXPECT_EQ(loop_while(work_, [object = peer_.see(guest_)] { return object->echo(5); }), 5);
  auto reply = std::async(std::launch::async, [&] { return slow.message(); });
  orb::post(*guest_.orb, [&] { guest_.orb->destroy(); });
  loop_until(work_, [&] { return work_.ended(); });
  const auto all = reply.get();
  ASSERT_TRUE(all);
  EXPECT_GT(all->size(), kSize);
  guest_.reference = nullptr;
  guest_.orb = nullptr;
}

TEST_F(LoopEnds, DestroyWhileTheDescriptorIsWaitedFor) {
  settle(work_);
  std::atomic<bool> woken{false};
  std::thread loop([&] { woken = readable(work_, Deadline::after(kPatience)); });
  destroy_guest();
  loop.join();
  EXPECT_TRUE(woken);
  EXPECT_TRUE(work_.ended());
}

TEST_F(LoopEnds, TheHandleMayGoFirst) {
  EXPECT_EQ(loop_while(work_, [object = peer_.see(guest_)] { return object->echo(5); }), 5);
  work_ = {};
  std::thread runner([&] { guest_.orb->run(); });
  EXPECT_EQ(peer_.see(guest_)->echo(6), 6);
  guest_.orb->shutdown(false);
  runner.join();
}

TEST_F(LoopEnds, ALoopThatNeverRanDoesNotKeepTheOrb) {
  destroy_guest();
  EXPECT_TRUE(work_.ended());
}

}  // namespace
}  // namespace corbel::loops_test

// SPDX-License-Identifier: Apache-2.0
// Calls made from within the loop: those that wait, those that do not, and calls within calls.
#include <algorithm>
#include <coroutine>

#include "fake_peer.hpp"
#include "recorder.hpp"
#include "support.hpp"

namespace corbel::loops_test {
namespace {

using orb::WorkHandle;
/// A client that serves nobody: its handlers are objects of its own, called in the process.
struct Client {
  explicit Client(std::vector<std::string> options = {}) : orb(make(std::move(options))), work(*orb) {
    auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    recorder = CORBA::make_reference<Recorder>();
    root->activate_object(recorder);
    handler = CORBA::amic_traits<Loops::Peer>::replyhandler_traits::narrow(root->servant_to_reference(recorder));
    root->the_POAManager()->activate();
  }
  static OrbRef make(std::vector<std::string> options) {
    options.insert(options.begin(), "client");
    options.insert(options.end(), {"-ORBConcurrency", "single", "-ORBListenEndpoints", "tcp://127.0.0.1:0"});
    return CORBA::ORB_init(options, "client");
  }
  PeerRef see(const std::string& ior) const {
    return IDL::traits<Loops::Peer>::unchecked_narrow(orb->string_to_object(ior));
  }

  OrbRef orb;
  WorkHandle work;
  CORBA::servant_reference<Recorder> recorder;
  Handler handler;
};

/// An eager coroutine that nobody waits for.
struct Eager {
  struct promise_type {
    Eager get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { ADD_FAILURE(); }
  };
};

TEST(LoopCalls, RepliesComeToTheLoopOfAClient) {
  constexpr int kCalls = 200;
  Party server(make_orb("server"));
  Client client;
  const auto object = client.see(server.ior);
  for (int i = 1; i <= kCalls; ++i) object->sendc_echo(client.handler, i);
  loop_until(client.work, [&] { return client.recorder->told == kCalls; });
  EXPECT_EQ(client.recorder->sum, kCalls * (kCalls + 1) / 2);
  EXPECT_EQ(client.recorder->elsewhere, 0U);
  EXPECT_TRUE(client.recorder->failures.empty());
  settle(client.work);
  EXPECT_FALSE(readable(client.work));
  client.orb->destroy();
  server.orb->destroy();
}

TEST(LoopCalls, AReplyMayLeadToTheNextCall) {
  constexpr int kCalls = 100;
  Party server(make_orb("server"));
  Client client;
  const auto object = client.see(server.ior);
  client.recorder->on_echo = [&](std::int32_t number) {
    if (number >= kCalls) return;
    EXPECT_EQ(object->echo(number), number);  // one that waits, and one that does not
    object->sendc_echo(client.handler, number + 1);
  };
  object->sendc_echo(client.handler, 1);
  loop_until(client.work, [&] { return client.recorder->told == kCalls; });
  EXPECT_EQ(server.servant->served(), 2 * kCalls - 1);
  client.orb->destroy();
  server.orb->destroy();
}

// No POA, no handler, nothing that listens: futures and coroutines alone.
TEST(LoopCalls, CoroutinesGoOnInTheLoopOfAPureClient) {
  Party server(make_orb("server"));
  std::vector<std::string> options{"pure", "-ORBConcurrency", "single"};
  auto orb = CORBA::ORB_init(options, "pure");
  {
    WorkHandle work(*orb);
    const auto object = IDL::traits<Loops::Peer>::unchecked_narrow(orb->string_to_object(server.ior));
    std::vector<std::int32_t> got;
    std::size_t elsewhere = 0;
    const auto ask = [&, here = std::this_thread::get_id()](std::int32_t first) -> Eager {
      for (std::int32_t i = first; i < first + 3; ++i) {
        got.push_back(co_await object->async_echo(i));
        elsewhere += std::this_thread::get_id() != here;
      }
    };
    ask(10);
    ask(20);
    loop_until(work, [&] { return got.size() == 6; });
    EXPECT_EQ(elsewhere, 0U);
    auto later = object->async_echo(30);
    EXPECT_EQ(later.get(), 30) << "a thread that waits for one needs no loop";
  }
  orb->destroy();
  server.orb->destroy();
}

TEST(LoopCalls, TheirTimesEndInTheLoop) {
  test::FakePeer silent(std::vector<test::Answer>{});
  Client client({"-ORBCallTimeout", "50"});
  const auto object = client.see(silent.ior());
  for (int i = 0; i < 3; ++i) object->sendc_echo(client.handler, i);
  loop_until(client.work, [&] { return client.recorder->told == 3; });
  EXPECT_EQ(client.recorder->failures["TIMEOUT"], 3);
  EXPECT_EQ(client.recorder->elsewhere, 0U);
  client.orb->destroy();
}

TEST(LoopCalls, AServerThatVanishesIsHeardOf) {
  Client client;
  {
    test::FakePeer gone(std::vector<test::Answer>{});
    const auto object = client.see(gone.ior());
    object->sendc_echo(client.handler, 1);
    settle(client.work);
    EXPECT_EQ(client.recorder->told, 0U);
    gone.close_all(false);
  }
  loop_until(client.work, [&] { return client.recorder->told == 1; });
  EXPECT_EQ(client.recorder->failures.size(), 1U);
  client.orb->destroy();
}

// Carriers without a descriptor have a thread of their own, which hands the replies to the loop.
TEST(LoopCalls, RepliesOverAllCarriersComeToTheLoop) {
  for (const std::string endpoint :
       {"tcp://127.0.0.1:0", "unix://", "packet://", "shm://", "inproc://", "udp://127.0.0.1:0"}) {
    SCOPED_TRACE(endpoint);
    std::vector<std::string> options{"server", "-ORBListenEndpoints", endpoint};
    Party server(CORBA::ORB_init(options, "server"));
    Client client;
    const auto object = client.see(server.ior);
    for (int i = 1; i <= 20; ++i) object->sendc_echo(client.handler, i);
    loop_until(client.work, [&] { return client.recorder->told == 20; });
    EXPECT_EQ(client.recorder->sum, 210);
    EXPECT_EQ(client.recorder->elsewhere, 0U);
    client.orb->destroy();
    server.orb->destroy();
  }
}

class LoopNesting : public ::testing::Test {
 protected:
  ~LoopNesting() override {
    work_ = {};
    peer_.orb->destroy();
    guest_.orb->destroy();
  }

  Party guest_{make_guest("guest")};
  Party peer_{make_orb("peer")};
  WorkHandle work_{*guest_.orb};
};

TEST_F(LoopNesting, AServantMayCallOthersAndWait) {
  EXPECT_EQ(loop_while(work_, [&, object = peer_.see(guest_)] { return object->ask(peer_.reference, 6); }), 6);
  EXPECT_EQ(peer_.servant->served(), 1);
}

// While it waits for an answer which needs this side, it lets the loop go on.
TEST_F(LoopNesting, AServantThatIsCalledBackDispatchesMeanwhile) {
  int depth = 0, deepest = 0;
  guest_.servant->on_bounce = [&](PeerRef other, std::int32_t left) -> std::int32_t {
    if (left == 0) return 0;
    deepest = std::max(deepest, ++depth);
    auto inner = other->async_bounce(guest_.reference, left - 1);
    while (!inner.ready() && readable(work_, Deadline::after(kPatience))) (void)work_.dispatch();
    --depth;
    return 1 + inner.get();
  };
  EXPECT_EQ(loop_while(work_, [&, object = peer_.see(guest_)] { return object->bounce(peer_.reference, 9); }), 9);
  EXPECT_EQ(deepest, 5);
}

TEST_F(LoopNesting, OthersAreServedWhileAServantLetsTheLoopGoOn) {
  std::atomic<bool> inside{false};
  guest_.servant->on_ask = [&](PeerRef, std::int32_t number) {
    inside = true;
    loop_until(work_, [&] { return guest_.servant->served() == 10; });
    return number;
  };
  auto outer = std::async(std::launch::async, [object = peer_.see(guest_)] { return object->ask(nullptr, 1); });
  auto others = std::async(std::launch::async, [&, object = peer_.see(guest_)] {
    while (!inside) std::this_thread::yield();
    int good = 0;
    for (int i = 0; i < 10; ++i) good += object->echo(i) == i;
    return good;
  });
  loop_until(work_, [&] { return inside.load(); });
  EXPECT_EQ(others.get(), 10);
  EXPECT_EQ(outer.get(), 1);
}

TEST_F(LoopNesting, OnewaysOfTheLoopLeave) {
  std::atomic<std::int32_t> noted{0};
  peer_.servant->on_note = [&](std::int32_t number) { noted += number; };
  const auto object = guest_.see(peer_);
  for (int i = 1; i <= 100; ++i) object->note(i);
  EXPECT_EQ(object->echo(1), 1);
  while (noted != 5050) std::this_thread::yield();
}

}  // namespace
}  // namespace corbel::loops_test

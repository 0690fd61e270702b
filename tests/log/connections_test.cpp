// SPDX-License-Identifier: Apache-2.0
// Applications hear of connections: which, when and why.
#include <algorithm>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/connection_watch.hpp"
#include "corbel/orb/parts.hpp"
#include "fake_peer.hpp"
#include "in_child.hpp"
#include "raw_peer.hpp"
#include "support.hpp"
#include "watching.hpp"

namespace corbel::log_test {
namespace {

namespace answer = test::answer;
using base::Code;
using test::FakePeer;
using test::RawPeer;

std::uint16_t port_of(const std::string& reference) {
  return ior::decode_iiop_profile(ior::from_string(reference)->profiles.front())->port;
}

TEST(ConnectionWatch, AClientHearsOfItsConnectionsAndWhoEndedThem) {
  FakePeer peer({three()});
  LoggingOrb client({}, "off");
  Heard heard;
  ConnectionWatch watch(*client.orb, heard.call_back());
  const auto thing = client.thing(peer.ior());
  EXPECT_EQ(thing->add(1, 2), 3);
  peer.close_all(true);
  ASSERT_TRUE(peer.wait_for_open(0));
  EXPECT_EQ(thing->add(1, 2), 3);
  auto events = heard.wait_for(3);
  EXPECT_EQ(events[0].what, What::opened);
  EXPECT_FALSE(events[0].accepted);
  EXPECT_NE(events[0].id, 0U);
  EXPECT_EQ(events[0].peer, peer.endpoint());
  EXPECT_EQ(events[0].protocol, "giop");
  EXPECT_EQ(events[0].why, "");
  EXPECT_EQ(events[0].error.code, Code::none);
  EXPECT_EQ(events[1].what, What::closed);
  EXPECT_EQ(events[1].id, events[0].id);
  EXPECT_EQ(events[1].peer, peer.endpoint());
  EXPECT_EQ(events[1].error.code, Code::closed);
  EXPECT_EQ(events[1].why, "closed by the peer");
  EXPECT_GE(events[1].time, events[0].time);
  EXPECT_EQ(events[2].what, What::opened);
  EXPECT_NE(events[2].id, events[0].id);
  client.end();
  events = heard.events();
  ASSERT_EQ(events.size(), 4U) << "destroy() waits until all has been heard";
  EXPECT_EQ(events[3].what, What::closed);
  EXPECT_EQ(events[3].id, events[2].id);
  EXPECT_EQ(events[3].error.code, Code::cancelled);
  EXPECT_EQ(events[3].why, "closed by this ORB");
}

TEST(ConnectionWatch, AWithdrawalIsNotThePeersDoing) {
  FakePeer peer({three()});
  LoggingOrb client({}, "off");
  Heard heard;
  const ConnectionWatch watch(*client.orb, heard.call_back());
  EXPECT_EQ(client.thing(peer.ior())->add(1, 2), 3);
  EXPECT_TRUE(orb::withdraw_transport(*client.orb, "tcp"));
  const auto event = heard.wait_for(2)[1];
  EXPECT_EQ(event.what, What::closed);
  EXPECT_EQ(event.why, "closed by this ORB");
}

TEST(ConnectionWatch, WhatBreaksAConnectionIsSaid) {
  const std::pair<test::Answer, Code> cases[] = {{answer::reset(), Code::lost},
                                                 {answer::garbage("HTTP/1.1 400 Bad Request\r\n"), Code::malformed},
                                                 {answer::message_error(), Code::protocol_error}};
  for (const auto& [ending, code] : cases) {
    FakePeer peer({ending});
    LoggingOrb client({}, "off");
    Heard heard;
    const ConnectionWatch watch(*client.orb, heard.call_back());
    (void)refusal_of([&] { client.thing(peer.ior())->add(1, 2); });
    const auto events = heard.wait_for(2);
    EXPECT_EQ(events[1].what, What::closed);
    EXPECT_EQ(events[1].id, events[0].id);
    EXPECT_EQ(events[1].error.code, code) << base::to_string(events[1].error);
    EXPECT_FALSE(events[1].why.empty());
  }
}

TEST(ConnectionWatch, APlaceThatCannotBeReachedIsHeardOf) {
  const test::RefusingPort nowhere;
  LoggingOrb client({}, "off");
  Heard heard;
  const ConnectionWatch watch(*client.orb, heard.call_back());
  (void)refusal_of([&] { client.thing(test::ior_string({nowhere.profile()}))->add(1, 2); });
  const auto event = heard.wait_for(1).front();
  EXPECT_EQ(event.what, What::refused);
  EXPECT_FALSE(event.accepted);
  EXPECT_EQ(event.id, 0U);
  EXPECT_EQ(event.peer, nowhere.endpoint());
  EXPECT_EQ(event.protocol, "giop");
  EXPECT_EQ(event.error.code, Code::refused);
  EXPECT_EQ(event.error.stage, base::Stage::connect);
}

/// Runs as long as it is not let go.
class HeldThing final : public ThingImpl {
 public:
  std::string say(const std::string& text) override {
    began.count_down();
    go.wait();
    return text;
  }
  std::latch began{1}, go{1};
};

TEST(ConnectionWatch, AServerHearsWhoCameWhoHadToGoAndWhoWasTurnedAway) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBMaxConnections", "1"}, "off");
  const auto held = CORBA::make_reference<HeldThing>();
  const std::string reference =
      server.orb->object_to_string(server.poa->id_to_reference(server.poa->activate_object(held)));
  Heard heard;
  ConnectionWatch watch(*server.orb, heard.call_back());
  const RawPeer idle(port_of(server.reference));
  auto events = heard.wait_for(1);
  EXPECT_EQ(events[0].what, What::opened);
  EXPECT_TRUE(events[0].accepted);
  EXPECT_TRUE(events[0].peer.starts_with("tcp://127.0.0.1:")) << events[0].peer;
  {
    LoggingOrb client({}, "off");
    std::thread caller([&] { EXPECT_EQ(client.thing(reference)->say("here"), "here"); });
    held->began.wait();
    events = heard.wait_for(3);  // the one that was idle made room
    const auto left = std::find_if(events.begin(), events.end(), [](const auto& e) { return e.what == What::closed; });
    ASSERT_NE(left, events.end());
    EXPECT_EQ(left->id, events[0].id);
    EXPECT_EQ(left->error.code, Code::cancelled);
    EXPECT_NE(left->why.find("connection limit"), std::string::npos) << left->why;
    RawPeer late(port_of(server.reference));  // and the one that has something to do does not
    const auto refused = heard.wait_for(4)[3];
    EXPECT_EQ(refused.what, What::refused);
    EXPECT_TRUE(refused.accepted);
    EXPECT_EQ(refused.id, 0U);
    EXPECT_EQ(refused.error.code, Code::out_of_resources);
    EXPECT_EQ(refused.why, "too many connections");
    EXPECT_TRUE(late.rest()) << "told, and closed";
    held->go.count_down();
    caller.join();
  }
  const auto last = heard.wait_for(5)[4];
  EXPECT_EQ(last.what, What::closed);
  EXPECT_EQ(last.error.code, Code::closed) << "the client ended it";
  EXPECT_EQ(heard.events().size(), 5U) << "who was turned away was never there, and is not closed";
}

TEST(ConnectionWatch, NothingWaitsForACallBackAndWhatIsTooMuchIsCounted) {
  constexpr int kCalls = 1100;
  constexpr std::size_t kKept = 1000;
  const test::RefusingPort nowhere;
  FakePeer peer({three()});
  LoggingOrb client({}, "warning");
  Heard slow;
  std::latch entered{1}, go{1};
  ConnectionWatch slow_watch(*client.orb, [&](const ConnectionEvent& event) {
    if (event.what == What::opened) {
      entered.count_down();
      go.wait();
    }
    slow.add(event);
  });
  Heard quick;
  const ConnectionWatch quick_watch(*client.orb, quick.call_back());
  EXPECT_EQ(client.thing(peer.ior())->add(1, 2), 3) << "while the call-back is at it";
  entered.wait();
  const auto refused = client.thing(test::ior_string({nowhere.profile()}));
  for (int i = 0; i < kCalls; ++i) {
    (void)refusal_of([&] { refused->add(1, 2); });
    if (i % 100 == 0) (void)quick.wait_for(static_cast<std::size_t>(i));  // this one is to hear all
  }
  EXPECT_EQ(client.log->wait_for("a call-back for connections is too slow, events left out").level,
            base::LogLevel::warning);
  go.count_down();
  (void)slow.wait_for(1 + kKept);
  (void)refusal_of([&] { refused->add(1, 2); });
  const std::size_t all = quick.wait_for(kCalls + 2).size();
  client.end();
  std::uint64_t heard = 0;
  std::uint64_t missed = 0;
  for (const auto& event : slow.events()) {
    ++heard;
    missed += event.missed;
  }
  EXPECT_GT(missed, 0U);
  EXPECT_EQ(heard + missed, quick.events().size()) << "of " << all;
}

TEST(ConnectionWatch, WhatACallBackThrowsIsLoggedAndThatIsAll) {
  FakePeer peer({three()});
  LoggingOrb client({});
  Heard heard;
  const ConnectionWatch watch(*client.orb, [&](const ConnectionEvent& event) {
    heard.add(event);
    if (event.what == What::opened) throw std::runtime_error("not today");
    throw 42;
  });
  EXPECT_EQ(client.thing(peer.ior())->add(1, 2), 3);
  const auto entry = client.log->wait_for("a call-back for connections threw");
  EXPECT_EQ(entry.level, base::LogLevel::warning);
  EXPECT_EQ(entry.module, base::LogModule::connection);
  EXPECT_EQ(entry.value("what"), "not today");
  EXPECT_EQ(entry.value("peer"), peer.endpoint());
  client.end();
  EXPECT_EQ(heard.events().size(), 2U);
}

TEST(ConnectionWatch, MayCallObjectsAndEndItselfFromWithin) {
  FakePeer first({three()});
  FakePeer second({three()});
  LoggingOrb client({}, "off");
  Heard heard;
  std::optional<ConnectionWatch> watch;
  std::mutex made;
  std::unique_lock making(made);
  const auto other = client.thing(second.ior());
  auto kept = std::make_shared<int>();
  watch.emplace(*client.orb, [&, kept](const ConnectionEvent& event) {
    const std::lock_guard wait(made);
    EXPECT_EQ(other->add(1, 2), 3) << "which opens a connection";
    watch.reset();
    heard.add(event);
  });
  making.unlock();
  EXPECT_EQ(client.thing(first.ior())->add(1, 2), 3);
  EXPECT_EQ(heard.wait_for(1).front().peer, first.endpoint());
  const std::weak_ptr<int> rest = std::exchange(kept, nullptr);
  for (const auto until = base::Deadline::after(kWatchPatience); !rest.expired() && !until.expired();) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(rest.expired()) << "what the call-back held goes with it";
  client.end();
  EXPECT_EQ(heard.events().size(), 1U);
}

TEST(ConnectionWatch, OfAnEndedOrbOrWithNothingToCallIsRefused) {
  LoggingOrb client({}, "off");
  EXPECT_THROW(ConnectionWatch(*client.orb, nullptr), CORBA::BAD_PARAM);
  const OrbRef orb = client.orb;
  client.end();
  EXPECT_THROW(ConnectionWatch(*orb, [](const ConnectionEvent&) {}), CORBA::OBJECT_NOT_EXIST);
}

TEST(ConnectionWatch, InAChildOfTheProcessMeansNothing) {
  FakePeer peer({three()});
  LoggingOrb client({}, "off");
  Heard heard;
  std::optional<ConnectionWatch> watch(std::in_place, *client.orb, heard.call_back());
  EXPECT_EQ(client.thing(peer.ior())->add(1, 2), 3);
  EXPECT_TRUE(test::in_child([&] {
    watch.reset();
    return true;
  }));
  client.end();
  EXPECT_EQ(heard.events().size(), 2U) << "the parent goes on";
}

/// Watches come and go while connections do: each hears of a connection at most once, and its beginning first.
TEST(ConnectionWatch, ComeAndGoWhileCallsAreUnderWay) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0"}, "off");
  Heard all;
  ConnectionWatch all_watch(*server.orb, all.call_back());
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  threads.reserve(2);
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        RawPeer peer(port_of(server.reference));
        if (!peer.send(test::raw_request(2, "nothing", "add"))) continue;
        (void)peer.message();
      }
    });
  }
  std::vector<std::unique_ptr<Heard>> heard;
  for (int i = 0; i < 100; ++i) {
    heard.push_back(std::make_unique<Heard>());
    const ConnectionWatch watch(*server.orb, heard.back()->call_back());
    (void)heard.back()->wait_for(3);
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  server.end();
  std::map<std::uint64_t, int> states;
  for (const auto& event : all.events()) {
    EXPECT_EQ(event.missed, 0U);
    int& state = states[event.id];
    EXPECT_EQ(state, event.what == What::opened ? 0 : 1) << event.id;
    ++state;
  }
  for (const auto& [id, state] : states) EXPECT_EQ(state, 2) << id;
  for (const auto& each : heard) {
    std::map<std::uint64_t, What> last;
    for (const auto& event : each->events()) {
      const auto known = last.find(event.id);
      if (known != last.end()) {
        EXPECT_TRUE(known->second == What::opened && event.what == What::closed) << event.id;
      }
      last[event.id] = event.what;
    }
  }
}

}  // namespace
}  // namespace corbel::log_test

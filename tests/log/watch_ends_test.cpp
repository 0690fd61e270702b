// SPDX-License-Identifier: Apache-2.0
// Call-backs for connections, and ORBs that end.
#include <latch>
#include <memory>
#include <thread>
#include <utility>

#include "fake_peer.hpp"
#include "support.hpp"
#include "watching.hpp"

namespace corbel::log_test {
namespace {

namespace answer = test::answer;
using test::FakePeer;

TEST(ConnectionWatch, EndsTheOrbFromWithin) {
  FakePeer peer({three()});
  LoggingOrb client({}, "off");
  Heard heard;
  const ConnectionWatch watch(*client.orb, [&](const ConnectionEvent& event) {
    if (event.what == What::opened) client.orb->shutdown(true);
    heard.add(event);
  });
  const auto thing = client.thing(peer.ior());
  try {
    thing->add(1, 2);
  } catch (const CORBA::SystemException&) {  // the ORB may end before the call does
  }
  EXPECT_EQ(heard.wait_for(2)[1].what, What::closed);
}

/// Takes its time over lost connections, and tells when it begins to.
class SlowOverLosses final : public base::LogSink {
 public:
  void write(const base::LogRecord& record) override {
    if (record.event != "connection lost") return;
    begun.count_down();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }

  std::latch begun{1};
};

TEST(ConnectionWatch, HearsOfAnEndThatAnotherThreadHasBegunToTellWhenTheOrbEnds) {
  FakePeer peer({answer::reset()});
  const auto sink = std::make_shared<SlowOverLosses>();
  LoggingOrb client({}, "info", [&](corbel::orb::Components& components) { components.log_sink = sink; });
  Heard heard;
  const ConnectionWatch watch(*client.orb, heard.call_back());
  std::thread caller([&] { (void)refusal_of([&] { client.thing(peer.ior())->add(1, 2); }); });
  sink->begun.wait();
  client.orb->shutdown(true);
  EXPECT_EQ(heard.wait_for(2)[1].what, What::closed);
  caller.join();
}

TEST(ConnectionWatch, OnceEndedHearsNothingAndMayOutliveTheOrb) {
  FakePeer peer({three()});
  LoggingOrb client({}, "off");
  Heard heard, all;
  auto kept = std::make_shared<int>();
  const std::weak_ptr<int> rest = kept;
  ConnectionWatch watch(*client.orb,
                        [&heard, kept = std::move(kept)](const ConnectionEvent& event) { heard.add(event); });
  ConnectionWatch long_watch(*client.orb, all.call_back());
  const auto thing = client.thing(peer.ior());
  EXPECT_EQ(thing->add(1, 2), 3);
  (void)heard.wait_for(1);
  watch.end();
  EXPECT_TRUE(rest.expired());
  watch = std::move(long_watch);
  client.end();
  EXPECT_EQ(heard.events().size(), 1U);
  EXPECT_EQ(all.events().size(), 2U);
  watch.end();
  watch.end();
}

}  // namespace
}  // namespace corbel::log_test

// SPDX-License-Identifier: Apache-2.0
// Every way in which an attempt can end, at each place of references with one to four, behind forwards, for calls of
// every kind: the exception, whether it says what became of the request, and that no place is asked more than once too
// often.
#include "endings.hpp"
#include "calls_server.hpp"
#include "eventually.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>

namespace corbel::calls_test {
namespace {

namespace answer = test::answer;
using Handler = CORBA::amic_traits<Calls::Thing>;

enum class Mode { waits, future, handler, poller };
constexpr const char* kModes[] = {"synchronous", "future", "handler", "poller"};
constexpr Mode kAllModes[] = {Mode::waits, Mode::future, Mode::handler, Mode::poller};

/// Waits for what a reply handler is told.
class Told : public virtual Handler::replyhandler_base_type {
 public:
  using Holder = IDL::traits<Messaging::ExceptionHolder>::ref_type;
  void ask(const std::string&) override { tell({"done", 0, {}}); }
  void ask_excep(Holder holder) override {
    tell(ending_of([&] { holder->raise_exception(); }));
  }
  void act() override {}
  void act_excep(Holder) override {}
  void wide() override {}
  void wide_excep(Holder) override {}

  Ending wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return told_.has_value(); });
    return *told_;
  }
  unsigned times() {
    const std::lock_guard lock(mutex_);
    return times_;
  }

 private:
  void tell(Ending ending) {
    const std::lock_guard lock(mutex_);
    told_ = std::move(ending);
    ++times_;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Ending> told_;
  unsigned times_ = 0;
};

/// What a poller has that a set says is ready.
Ending polled(const ThingRef& thing) {
  return ending_of([&] {
    const auto set = thing->sendp_ask("question")->create_pollable_set();
    const auto poller = IDL::traits<Calls::AMI_ThingPoller>::narrow(set->get_ready_pollable(0xffffffff));
    std::string answer;
    poller->ask(0, answer);
  });
}

Ending call(const Client& client, const ThingRef& thing, Mode mode) {
  if (mode == Mode::waits) return ending_of([&] { thing->ask("question"); });
  if (mode == Mode::future) return ending_of([&] { thing->async_ask("question").get(); });
  if (mode == Mode::poller) return polled(thing);
  auto poa = IDL::traits<PortableServer::POA>::narrow(client.orb()->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto told = CORBA::make_reference<Told>();
  const Ending before = ending_of([&] { thing->sendc_ask(told->_this(), "question"); });
  if (before.what != "done") return before;
  const Ending ending = told->wait();
  EXPECT_EQ(told->times(), 1U);
  return ending;
}

/// Which row of the product.
struct Case {
  const End& end;
  Mode mode = Mode::waits;
  unsigned places = 1;
  unsigned at = 0;        ///< those before it refuse connections, those after it are alive
  unsigned forwards = 0;  ///< that lead there from the profile of the reference
};

std::vector<std::string> options_for(const End& end) {
  if (!end.slow) return {"-ORBConnectHeadStart", "10000"};  // the places are tried one after the other
  if (end.where == "resolve")
    return {"-ORBConnectTimeout", "30000", "-ORBCallTimeout", "60000"};  // the resolver's time
  const bool waits = end.where == "wait";
  return {"-ORBConnectTimeout", waits ? "1000" : "300", "-ORBCallTimeout", waits ? "1500" : "30000"};
}

void check(const Case& row) {
  const End& end = row.end;
  SCOPED_TRACE(end.where + ": " + end.how + "; " + kModes[static_cast<int>(row.mode)] + ", place " +
               std::to_string(row.at + 1) + " of " + std::to_string(row.places) + " behind " +
               std::to_string(row.forwards) + " forwards");
  std::vector<std::unique_ptr<test::RefusingPort>> before;
  std::vector<std::unique_ptr<test::FakePeer>> forwarders;
  std::vector<std::unique_ptr<test::FakePeer>> after;
  std::vector<test::ProfileData> profiles;
  for (unsigned i = 0; i < row.at; ++i) {
    before.push_back(std::make_unique<test::RefusingPort>());
    profiles.push_back(before.back()->profile());
  }
  const Place place = end.make();
  test::ProfileData profile = place.profile();
  for (unsigned i = 0; i < row.forwards; ++i) {
    forwarders.push_back(std::make_unique<test::FakePeer>(std::vector{answer::forward({profile})}));
    profile = forwarders.back()->profile();
  }
  profiles.push_back(profile);
  for (unsigned i = row.at + 1; i < row.places; ++i) {
    after.push_back(std::make_unique<test::FakePeer>(std::vector{answer::text("alive")}));
    profiles.push_back(after.back()->profile());
  }

  const Client client(options_for(end));
  const Ending ending = call(client, client.thing(profiles), row.mode);

  const bool looked_at_home = end.then == Then::comes_home && row.forwards > 0;
  const bool goes_on = (end.then == Then::goes_on || looked_at_home) && !after.empty();
  const bool of_those_before = end.no_place && row.at > 0;
  EXPECT_EQ(ending.what, goes_on ? "done" : of_those_before ? "TRANSIENT NO" : end.outcome()) << ending.text;
  if (!goes_on && !of_those_before) {
    EXPECT_EQ(ending.minor, end.minor) << ending.text;
  }
  if (place.peer != nullptr) {
    // A circle of forwards is as long as the limit allows, whichever place forwarded there.
    const unsigned asked = end.asked - (end.asked == 11 ? row.forwards : 0);
    EXPECT_TRUE(test::eventually([&] { return place.requests() >= asked; }));  // a time-out does not wait for that
    EXPECT_EQ(place.requests(), asked);
  }
  for (const auto& each : forwarders) EXPECT_EQ(each->requests(), looked_at_home ? 2U : 1U);
  for (const auto& each : after) EXPECT_EQ(each->requests(), goes_on && each == after.front() ? 1U : 0U);
}

TEST(Endings, AtEachPlaceOfReferencesWithOneToFour) {
  for (const End& end : ends()) {
    if (!end.make) continue;
    for (const Mode mode : kAllModes) {
      const unsigned most = end.slow ? 1 : 4 - static_cast<unsigned>(mode);
      for (unsigned places = 1; places <= most; ++places) {
        for (unsigned at = 0; at < places; ++at) check({end, mode, places, at, 0});
      }
    }
  }
}

TEST(Endings, BehindForwards) {
  for (const End& end : ends()) {
    if (end.slow || !end.make) continue;
    for (const Mode mode : kAllModes) {
      const unsigned most = mode == Mode::poller ? 1 : 3 - static_cast<unsigned>(mode);
      for (unsigned forwards = 1; forwards <= most; ++forwards) {
        check({end, mode, 1, 0, forwards});
        check({end, mode, 2, 0, forwards});
        check({end, mode, 3, 1, forwards});
      }
    }
  }
}

TEST(Endings, ByTimeOutLeadToTheNextPlaceOnlyWhileConnecting) {
  for (const End& end : ends()) {
    if (!end.slow || !end.make) continue;
    check({end, Mode::waits, 2, 0, 0});
    check({end, Mode::future, 2, 0, 1});
  }
}

TEST(Endings, OfOnewaysThatAreAnswered) {
  for (const std::string scope : {"server", "target"}) {
    for (const End& end : ends()) {
      if (end.slow || end.of_answer || !end.make) continue;
      SCOPED_TRACE(end.where + ": " + end.how + "; scope " + scope);
      const Place place = end.make();
      test::FakePeer alive({answer::done()});
      const Client client({"-ORBSyncScope", scope});
      const Ending ending = ending_of([&] { client.thing({place.profile(), alive.profile()})->note(1); });
      EXPECT_EQ(ending.what, end.then == Then::goes_on ? "done" : end.outcome()) << ending.text;
      EXPECT_EQ(alive.requests(), end.then == Then::goes_on ? 1U : 0U);
      EXPECT_EQ(place.requests(), end.asked);
      if (place.requests() > 0) {
        EXPECT_EQ(place.peer->last().response_flags, scope == "server" ? 1 : 3);
      }
    }
  }
}

TEST(Endings, OfOnewaysThatAreNotAnsweredAreKnownToNobody) {
  for (const std::string scope : {"none", "transport"}) {
    for (const End& end : ends()) {
      if (end.slow || !end.make) continue;
      SCOPED_TRACE(end.where + ": " + end.how + "; scope " + scope);
      const Place place = end.make();
      test::FakePeer alive({answer::nothing()});
      const Client client({"-ORBSyncScope", scope});
      const ThingRef thing = client.thing({place.profile(), alive.profile()});
      CORBA::PolicyList unfit;
      EXPECT_TRUE(thing->_validate_connection(unfit));  // without a connection, the scope none may lose it
      const Ending ending = ending_of([&] { thing->note(1); });
      EXPECT_EQ(ending.what, "done") << ending.text;
      test::FakePeer& asked = place.peer != nullptr ? *place.peer : alive;
      ASSERT_TRUE(asked.wait_for_messages(1));
      EXPECT_EQ(asked.last().response_flags, 0);
      EXPECT_EQ(place.requests() + alive.requests(), 1U);
    }
  }
}

TEST(Endings, ThatAreRunOneByOne) {
  for (const End& end : ends()) {
    if (!end.run) continue;
    SCOPED_TRACE(end.where + ": " + end.how);
    const Ending ending = end.run();
    EXPECT_EQ(ending.what, end.outcome()) << ending.text;
    EXPECT_EQ(ending.minor, end.minor) << ending.text;
  }
}

}  // namespace
}  // namespace corbel::calls_test

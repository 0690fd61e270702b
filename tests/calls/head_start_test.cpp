// SPDX-License-Identifier: Apache-2.0
// References that lead to several places, of which some do not answer when one connects: -ORBConnectHeadStart.
#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>

#include "diverted.hpp"

namespace corbel::calls_test {
namespace {

using base::Code;
using base::Stage;
using test::FakePeer;
using namespace std::chrono_literals;
namespace answer = test::answer;

/// Time-outs without waiting: an attempt is timed out if it has less time than its place needs.
class Slow {
 public:
  struct Attempt {
    std::string place;
    base::Duration time;
  };

  explicit Slow(std::vector<std::string> options = {})
      : client_({std::make_shared<Diverted>([this](auto& inner, const auto& endpoint, const auto& set, auto deadline) {
                  return connect(inner, endpoint, set, deadline);
                })},
                std::move(options)) {}

  void needs(const std::string& endpoint, base::Duration time) {
    const std::lock_guard lock(mutex_);
    needed_[endpoint] = time;
  }
  ThingRef thing(const std::vector<test::ProfileData>& profiles) const { return client_.thing(profiles); }
  /// Where the ORB has connected since it was last asked, and how much time that had: "A:250 B:10000", in milliseconds.
  std::string attempts(const std::map<std::string, std::string>& names) {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const Attempt& one : std::exchange(attempts_, {})) {
      // What was meant: the clock has gone on since.
      const auto meant =
          std::find_if(std::begin(kTimes), std::end(kTimes), [&](auto time) { return one.time <= time; });
      text += (text.empty() ? "" : " ") + names.at(one.place) + ':' + std::to_string(meant->count());
    }
    return text;
  }

 private:
  static constexpr std::chrono::milliseconds kTimes[] = {250ms, 2000ms, 4000ms, 10000ms, 1h};

  base::Result<std::unique_ptr<transport::Transport>> connect(transport::Connector& inner,
                                                              const transport::Endpoint& endpoint,
                                                              const transport::ConnectionOptions& options,
                                                              base::Deadline deadline) {
    {
      const std::lock_guard lock(mutex_);
      attempts_.push_back({endpoint.text(), deadline.remaining()});
      const auto needed = needed_.find(endpoint.text());
      if (needed != needed_.end() && deadline.remaining() < needed->second) {
        return base::error(Stage::connect, Code::timed_out);
      }
    }
    return inner.connect(endpoint, options, deadline);
  }

  std::mutex mutex_;  // guards what follows
  std::vector<Attempt> attempts_;
  std::map<std::string, base::Duration> needed_;
  PlainClient client_;
};

class HeadStart : public testing::Test {
 protected:
  std::vector<test::ProfileData> all() { return {a_.profile(), b_.profile(), c_.profile()}; }
  std::string attempts(Slow& slow) {
    return slow.attempts({{a_.endpoint(), "A"}, {b_.endpoint(), "B"}, {c_.endpoint(), "C"}});
  }
  std::string ask(const ThingRef& thing) {
    return ending_of([&] { thing->ask(""); }).what;
  }

  FakePeer a_{{answer::text("a")}};
  FakePeer b_{{answer::text("b")}};
  FakePeer c_{{answer::text("c")}};
};

TEST_F(HeadStart, APlaceThatDoesNotAnswerIsLeftForTheNext) {
  Slow slow;
  slow.needs(a_.endpoint(), 20s);
  const ThingRef thing = slow.thing(all());
  EXPECT_EQ(thing->ask(""), "b");
  EXPECT_EQ(attempts(slow), "A:250 B:250");
  EXPECT_EQ(thing->ask(""), "b");
  EXPECT_EQ(attempts(slow), "") << "calls stay where they got through";
}

TEST_F(HeadStart, APlaceThatNeedsMoreIsTriedAgainWhenNoOtherAnswers) {
  Slow slow;
  slow.needs(a_.endpoint(), 20s);
  slow.needs(b_.endpoint(), 5s);
  slow.needs(c_.endpoint(), 20s);
  const ThingRef thing = slow.thing(all());
  EXPECT_EQ(thing->ask(""), "b");
  EXPECT_EQ(attempts(slow), "A:250 B:250 C:10000 A:10000 B:10000");
}

TEST_F(HeadStart, TheEndTellsOfBothRounds) {
  Slow slow;
  for (const FakePeer* peer : {&a_, &b_}) slow.needs(peer->endpoint(), 100s);
  const auto ending = ending_of([&] { slow.thing({a_.profile(), b_.profile()})->ask(""); });
  EXPECT_EQ(ending.what, "TIMEOUT NO");
  EXPECT_EQ(attempts(slow), "A:250 B:10000 A:10000");
  EXPECT_NE(
      ending.text.find("tried: " + a_.endpoint() + " (no connection within the head start), " + b_.endpoint() + " ("),
      std::string::npos)
      << ending.text;
}

TEST_F(HeadStart, WhoAnswersWithARefusalIsFollowedByWhoNeedsMoreTime) {
  Slow slow;
  slow.needs(a_.endpoint(), 5s);
  b_.set({answer::system_exception("TRANSIENT", 1)});
  const ThingRef thing = slow.thing({a_.profile(), b_.profile()});
  EXPECT_EQ(thing->ask(""), "a");
  EXPECT_EQ(attempts(slow), "A:250 B:10000 A:10000");
}

TEST_F(HeadStart, APlaceAloneHasAllTheTime) {
  Slow slow;
  slow.needs(a_.endpoint(), 5s);
  EXPECT_EQ(ask(slow.thing({a_.profile()})), "done");
  EXPECT_EQ(attempts(slow), "A:10000");
}

TEST_F(HeadStart, CanBeSetAndLeftOut) {
  Slow longer({"-ORBConnectHeadStart", "4000"});
  longer.needs(a_.endpoint(), 20s);
  EXPECT_EQ(ask(longer.thing(all())), "done");
  EXPECT_EQ(attempts(longer), "A:4000 B:4000");

  Slow none({"-ORBConnectHeadStart", "0"});
  none.needs(a_.endpoint(), 20s);
  EXPECT_EQ(ask(none.thing(all())), "done");
  EXPECT_EQ(attempts(none), "A:10000 B:10000");

  Slow useless({"-ORBConnectHeadStart", "4000", "-ORBConnectTimeout", "2000"});
  useless.needs(a_.endpoint(), 20s);
  EXPECT_EQ(ask(useless.thing({a_.profile(), b_.profile()})), "done");
  EXPECT_EQ(attempts(useless), "A:2000 B:2000") << "A has had all its time";
}

TEST_F(HeadStart, HoldsWhereAServerForwardsTo) {
  Slow slow;
  slow.needs(b_.endpoint(), 20s);
  a_.set({answer::forward({b_.profile(), c_.profile()})});
  const ThingRef thing = slow.thing({a_.profile()});
  EXPECT_EQ(thing->ask(""), "c");
  EXPECT_EQ(attempts(slow), "A:10000 B:250 C:10000");
}

TEST_F(HeadStart, OfForwardsPlacesIsNotTheirOnlyChance) {
  Slow slow;
  slow.needs(b_.endpoint(), 5s);
  c_.set({answer::system_exception("TRANSIENT", 1)});
  a_.set({answer::forward({b_.profile(), c_.profile()})});
  const ThingRef thing = slow.thing({a_.profile()});
  EXPECT_EQ(thing->ask(""), "b");
  EXPECT_EQ(attempts(slow), "A:10000 B:250 C:10000 B:10000");
  EXPECT_EQ(thing->ask(""), "b");
  EXPECT_EQ(a_.requests(), 1U);
  EXPECT_EQ(attempts(slow), "");
}

// What is left of the list when a call has got through is what leads there, and the reference's own places.
TEST_F(HeadStart, WhatOthersForwardedToIsLeftBehindInTheEnd) {
  Slow slow;
  slow.needs(b_.endpoint(), 20s);
  a_.set({answer::forward({b_.profile()})});
  const ThingRef thing = slow.thing({a_.profile(), c_.profile()});
  EXPECT_EQ(thing->ask(""), "c");
  EXPECT_EQ(attempts(slow), "A:250 B:250 C:10000");
  c_.set({answer::system_exception("TRANSIENT", 1)});
  a_.set({answer::text("a")});
  EXPECT_EQ(thing->ask(""), "a");
  EXPECT_EQ(attempts(slow), "") << "B is asked no more";
}

TEST_F(HeadStart, IsAShareOfACallsTimeWhereThatIsShort) {
  // A third of it, a half and all are each far from the next shorter time that attempts() tells.
  Slow slow({"-ORBConnectHeadStart", "10000", "-ORBCallTimeout", "11000"});
  for (const FakePeer* peer : {&a_, &b_}) slow.needs(peer->endpoint(), 20s);
  EXPECT_EQ(slow.thing(all())->ask(""), "c");
  EXPECT_EQ(attempts(slow), "A:4000 B:10000 C:10000");
  Slow shorter({"-ORBConnectHeadStart", "10000", "-ORBCallTimeout", "5700"});
  for (const FakePeer* peer : {&a_, &b_}) shorter.needs(peer->endpoint(), 20s);
  EXPECT_EQ(shorter.thing(all())->ask(""), "c");
  EXPECT_EQ(attempts(shorter), "A:2000 B:4000 C:10000");
}

// Nothing but the system takes part here: an address that a firewall leaves without an answer.
TEST_F(HeadStart, HoldsForPortsThatAreSilent) {
  const test::SilentPort silent;
  const Client client({"-ORBConnectTimeout", "600000", "-ORBCallTimeout", "0", "-ORBConnectHeadStart", "250"});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(client.thing({silent.profile(), b_.profile()})->ask(""), "b");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 100s);
}

}  // namespace
}  // namespace corbel::calls_test

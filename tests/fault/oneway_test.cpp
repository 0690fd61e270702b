// SPDX-License-Identifier: Apache-2.0
// What a oneway call waits for, and what becomes of it, when the peer does not read.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "corbel/corbel.hpp"
#include "corbel/orb/statistics.hpp"
#include "eventually.hpp"
#include "fake_peer.hpp"
#include "fault.hpp"

namespace {

using namespace std::chrono_literals;
using CORBA::CompletionStatus;
using corbel::test::FakePeer;
using corbel::test::Received;

/// A peer that reads nothing behind the first request until it is told to, and a client of it.
class OnewayTest : public testing::Test {
 protected:
  ~OnewayTest() override {
    read_on();
    victim_.reset();
    if (orb_ != nullptr) orb_->destroy();
  }
  /// For what shall not time out although the ORB's calls do soon.
  auto patient() { return corbel::with_timeout(victim_, 20s); }
  void use(std::vector<std::string> options) {
    options.insert(options.begin(), "oneway-test");
    orb_ = CORBA::ORB_init(options, "oneway-test");
    victim_ = IDL::traits<Fault::Victim>::unchecked_narrow(orb_->string_to_object(peer_.ior()));
    CORBA::PolicyList inconsistent;
    const auto patient = this->patient();
    // Where there is no connection, what nobody waits for is given up after a tenth of a second.
    ASSERT_TRUE(patient->_validate_connection(inconsistent));
    patient->fire();  // is read, and then nothing is
    ASSERT_TRUE(peer_.wait_for_messages(1));
    ASSERT_TRUE(corbel::test::eventually([&] {  // it is there, but the ORB's time may be short
      try {
        return victim_->_validate_connection(inconsistent);
      } catch (const CORBA::TIMEOUT&) {
        return false;
      }
    }));
  }
  void read_on() {
    if (!std::exchange(reading_, true)) gate_.set_value();
  }
  /// Tells number after number until `enough`.
  template <class Enough>
  void tell_until(Enough enough) {
    while (!enough()) {
      victim_->tell(std::to_string(told_++) + ':' + std::string(8000, 'x'));
      ASSERT_LT(told_, 100'000);
    }
  }
  corbel::orb::Statistics statistics() { return corbel::orb::statistics(*orb_); }
  /// The numbers that arrived, in their order, once so many have.
  std::vector<int> arrived(std::size_t count) {
    EXPECT_TRUE(peer_.wait_for_messages(count + 1));
    std::vector<int> numbers;
    for (const Received& message : peer_.messages()) {
      if (message.operation != "tell") continue;
      const std::string text(message.octets.begin(), message.octets.end());
      const std::size_t colon = text.find(":xxxx");
      const std::size_t begin = text.find_last_not_of("0123456789", colon - 1) + 1;
      numbers.push_back(std::stoi(text.substr(begin, colon - begin)));
    }
    return numbers;
  }

  std::promise<void> gate_;
  bool reading_ = false;
  FakePeer peer_{{[told = gate_.get_future().share()](corbel::test::Conversation&, const Received&) { told.wait(); },
                  [](corbel::test::Conversation& conversation, const Received& request) {
                    if ((request.response_flags & 3U) == 0) return;
                    corbel::test::answer::text("done")(conversation, request);
                  }}};
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<Fault::Victim>::ref_type victim_;
  int told_ = 0;
};

TEST_F(OnewayTest, ScopeNoneNeverWaitsAndEveryMessageIsCounted) {
  use({"-ORBSyncScope", "none", "-ORBOnewayQueue", "65536"});
  tell_until([&] { return statistics().oneways_dropped > 0; });
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t most = 0;  // the system may have found room for all at the end
  for (int n = 0; n < 1000; ++n) {
    victim_->tell(std::to_string(told_++) + ':' + std::string(8000, 'x'));
    most = std::max<std::uint64_t>(most, statistics().oneway_octets_waiting);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  const auto before = statistics();
  EXPECT_GE(before.oneways_dropped, 900U);  // the system may have found room for some meanwhile
  EXPECT_LE(most, 65536U + 9000U);
  EXPECT_GT(most, 0U);
  read_on();
  EXPECT_EQ(victim_->echo("after"), "done");  // behind everything that waited
  const auto after = statistics();
  EXPECT_EQ(after.oneway_octets_waiting, 0U);
  EXPECT_EQ(after.oneways_dropped, before.oneways_dropped);
  const auto numbers = arrived(static_cast<std::size_t>(told_) - after.oneways_dropped + 1);
  EXPECT_EQ(numbers.size() + after.oneways_dropped, static_cast<std::size_t>(told_));
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(peer_.last().operation, "echo");
  EXPECT_EQ(peer_.connections(), 1U);
}

TEST_F(OnewayTest, WhatWaitsIsSentWithoutAnotherCall) {
  use({"-ORBSyncScope", "none"});
  tell_until([&] { return statistics().oneways_queued > 3; });
  EXPECT_EQ(statistics().oneways_dropped, 0U);
  read_on();
  EXPECT_EQ(arrived(static_cast<std::size_t>(told_)).size(), static_cast<std::size_t>(told_));
}

TEST_F(OnewayTest, TheOldestGiveWayIfThatIsWanted) {
  use({"-ORBSyncScope", "none", "-ORBOnewayQueue", "65536", "-ORBOnewayOverflow", "oldest"});
  tell_until([&] { return statistics().oneways_dropped >= 20; });
  read_on();
  EXPECT_EQ(victim_->echo("after"), "done");
  const auto numbers = arrived(static_cast<std::size_t>(told_) - statistics().oneways_dropped + 1);
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(numbers.back(), told_ - 1);
  EXPECT_EQ(numbers.size() + statistics().oneways_dropped, static_cast<std::size_t>(told_));
}

TEST_F(OnewayTest, WhoWouldRatherWaitThanLoseAMessageWaitsUntilItsDeadline) {
  use({"-ORBSyncScope", "none", "-ORBOnewayQueue", "65536", "-ORBOnewayOverflow", "wait", "-ORBCallTimeout", "300"});
  try {
    tell_until([] { return false; });
    FAIL();
  } catch (const CORBA::TIMEOUT& timeout) {
    EXPECT_EQ(timeout.completed(), CompletionStatus::COMPLETED_NO);
  }
  EXPECT_EQ(statistics().oneways_dropped, 0U);
  read_on();
  EXPECT_EQ(patient()->echo("after"), "done");
  EXPECT_EQ(peer_.connections(), 1U);
}

TEST_F(OnewayTest, ATwoWayCallBehindWhatWaitsTimesOutUnsentAndTheConnectionStays) {
  use({"-ORBSyncScope", "none", "-ORBOnewayQueue", "65536", "-ORBCallTimeout", "300"});
  // The system goes on taking a little more now and then, and with it the first of these.
  std::size_t sent = 0;
  for (bool unsent = false; !unsent;) {
    tell_until([&, before = statistics().oneways_dropped] { return statistics().oneways_dropped > before; });
    try {
      victim_->echo("early");
      FAIL();
    } catch (const CORBA::TIMEOUT& timeout) {
      unsent = timeout.completed() == CompletionStatus::COMPLETED_NO;
      sent += unsent ? 0 : 1;
      ASSERT_LT(sent, 20U);
    }
  }
  read_on();
  EXPECT_EQ(patient()->echo("late"), "done");
  std::size_t echoes = 0;
  for (const Received& message : peer_.messages()) echoes += message.operation == "echo";
  EXPECT_EQ(echoes, sent + 1);
  EXPECT_EQ(peer_.connections(), 1U);
}

TEST_F(OnewayTest, WhatWaitsWhenTheOrbEndsIsLostAndNobodyIsWaitedFor) {
  use({"-ORBSyncScope", "none", "-ORBOnewayQueue", "65536"});
  tell_until([&] { return statistics().oneways_dropped > 0; });
  const auto begin = std::chrono::steady_clock::now();
  orb_->destroy();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  EXPECT_EQ(statistics().oneway_octets_waiting, 0U);
  orb_ = nullptr;
}

TEST_F(OnewayTest, ScopeTransportWaitsUntilTheTransportHasTakenIt) {
  use({"-ORBCallTimeout", "300"});
  EXPECT_THROW(tell_until([] { return false; }), CORBA::TIMEOUT);
}

TEST_F(OnewayTest, ScopesServerAndTargetWaitForAnAnswer) {
  for (const char* scope : {"server", "target"}) {
    std::vector<std::string> options = {"scopes", "-ORBSyncScope", scope, "-ORBCallTimeout", "1000"};
    FakePeer silent({corbel::test::answer::nothing()});
    const auto orb = CORBA::ORB_init(options, "scopes");
    auto victim = IDL::traits<Fault::Victim>::unchecked_narrow(orb->string_to_object(silent.ior()));
    auto completed = CompletionStatus::COMPLETED_NO;
    // On a loaded machine the time may be over before the request has left: once more, then.
    for (int tries = 0; tries < 10 && completed == CompletionStatus::COMPLETED_NO; ++tries) {
      try {
        victim->fire();
        ADD_FAILURE() << scope;
        break;
      } catch (const CORBA::TIMEOUT& timeout) {
        completed = timeout.completed();
      }
    }
    EXPECT_EQ(completed, CompletionStatus::COMPLETED_MAYBE) << scope;
    ASSERT_TRUE(silent.wait_for_messages(1));
    EXPECT_EQ(silent.last().response_flags, std::string(scope) == "server" ? 1U : 3U);
    silent.set({corbel::test::answer::done()});
    corbel::with_timeout(victim, 20s)->fire();
    victim.reset();
    orb->destroy();
  }
}

}  // namespace

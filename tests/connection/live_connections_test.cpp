// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/live_connections.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "corbel/connection/admission.hpp"
#include "corbel/connection/backlog.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/messaging/giop/giop.hpp"

namespace corbel::connection {
namespace {

class Nothing final : public transport::Transport {
  base::Result<std::size_t> send(std::span<const cdr::Segment>, base::Deadline) override {
    return base::error(base::Stage::send, base::Code::lost);
  }
  base::Result<std::size_t> receive(base::ByteSpan, base::Deadline) override {
    return base::error(base::Stage::receive, base::Code::lost);
  }
  void shutdown() noexcept override {}
  int handle() const noexcept override { return -1; }
  transport::Traits traits() const noexcept override { return {}; }
  std::string local() const override { return {}; }
  std::string peer() const override { return {}; }
};

ConnectionPtr make() {
  return ConnectionPtr(new Connection(std::make_unique<Nothing>(), messaging::make_giop(), Connection::Settings()));
}

TEST(LiveConnections, EachPlaceIsInTheOrderOfComing) {
  LiveConnections live;
  const ConnectionPtr a = make(), b = make(), c = make();
  live.put(*a, Place::idle, 1);
  live.put(*b, Place::idle, 2);
  live.put(*c, Place::idle, 3);
  EXPECT_EQ(live.oldest(Place::idle), a.get());
  EXPECT_EQ(live.count(), 3U);
  live.put(*a, Place::served, 4);
  live.put(*a, Place::idle, 5);
  EXPECT_EQ(live.oldest(Place::idle), b.get());
  EXPECT_EQ(LiveConnections::next(*b), c.get());
  EXPECT_EQ(LiveConnections::next(*c), a.get());
  EXPECT_EQ(LiveConnections::next(*a), nullptr);
  live.put(*c, Place::sending, 6);
  EXPECT_EQ(LiveConnections::next(*b), a.get());
  EXPECT_EQ(live.count(Place::idle), 2U);
  EXPECT_EQ(live.count(Place::sending), 1U);
  live.put(*b, Place::none, 7);
  live.put(*a, Place::none, 7);
  live.put(*c, Place::none, 7);
  EXPECT_EQ(live.oldest(Place::idle), nullptr);
  EXPECT_EQ(live.count(), 0U);
}

TEST(LiveConnections, AHalfMessageIsAsOldAsItIsWhereverItsConnectionGoes) {
  LiveConnections live;
  const ConnectionPtr a = make(), b = make();
  live.put(*a, Place::half, 1);
  live.set_part(*a, 10, 1);
  live.put(*b, Place::half, 2);
  live.set_part(*b, 10, 2);
  live.put(*a, Place::served, 3);
  live.put(*a, Place::half, 4);
  live.set_part(*a, 10, 4);
  EXPECT_EQ(live.oldest_part(), a.get());
  EXPECT_EQ(a->live.part_since, 1);
  live.set_part(*a, 20, 5);  // that one has come whole, and another began
  EXPECT_EQ(live.oldest_part(), b.get());
  EXPECT_EQ(LiveConnections::next_part(*b), a.get());
  live.put(*b, Place::none, 6);
  EXPECT_EQ(live.oldest_part(), a.get());
  live.set_part(*a, 0, 7);
  EXPECT_EQ(live.oldest_part(), nullptr);
  live.put(*a, Place::none, 8);
}

TEST(LiveConnections, AMessageIsOverdueUntilTheNextBegins) {
  LiveConnections live;
  const ConnectionPtr a = make();
  live.put(*a, Place::served, 1);
  live.set_part(*a, 10, 1);
  live.put_off(*a, 2);
  live.set_part(*a, 10, 3);
  EXPECT_TRUE(a->live.overdue);
  live.set_part(*a, 20, 4);
  EXPECT_FALSE(a->live.overdue);
  live.put(*a, Place::none, 5);
}

TEST(Admission, ByDefaultAHostHasHalfOfThePlaces) {
  using Verdict = Admission::Verdict;
  for (const std::uint32_t most : {1U, 2U, 9U}) {
    Admission admission(most, 0);
    const std::uint32_t half = most == 1 ? 1U : most / 2;
    for (std::uint32_t i = 0; i < half; ++i) {
      EXPECT_EQ(admission.judge("tcp://a", 0), Verdict::welcome) << most;
      admission.came("tcp://a");
    }
    EXPECT_EQ(admission.judge("tcp://a", 0), Verdict::host_full) << most;
    EXPECT_EQ(admission.judge("tcp://b", 0), Verdict::welcome) << most;
  }
}

TEST(Admission, CountsInAllAndByHost) {
  Admission admission(10, 3);
  using Verdict = Admission::Verdict;
  EXPECT_EQ(admission.judge("tcp://a", 9), Verdict::welcome);
  EXPECT_EQ(admission.judge("tcp://a", 10), Verdict::full);
  for (int i = 0; i < 3; ++i) admission.came("tcp://a");
  EXPECT_EQ(admission.judge("tcp://a", 3), Verdict::host_full);
  EXPECT_EQ(admission.judge("tcp://b", 3), Verdict::welcome);
  EXPECT_EQ(admission.judge("", 9), Verdict::welcome);
  const std::string another = "tcp://b";
  const std::string_view text = admission.came(another);
  EXPECT_EQ(text, another);
  EXPECT_NE(text.data(), another.data()) << "it stays as long as they are counted";
  EXPECT_EQ(admission.came("tcp://b").data(), text.data()) << "once for all of the host";
  admission.went("tcp://a");
  EXPECT_EQ(admission.judge("tcp://a", 2), Verdict::welcome);
  admission.went("tcp://unknown");
}

TEST(Admission, AHostIsAnAddressWithoutItsPort) {
  EXPECT_EQ(peer_host("tcp://192.0.2.1:4711"), "tcp://192.0.2.1");
  EXPECT_EQ(peer_host("tcp://[2001:db8::1]:1"), "tcp://[2001:db8::]");
  EXPECT_EQ(peer_host("unix:///tmp/x"), "");
  EXPECT_EQ(peer_host("unix://"), "");
  EXPECT_EQ(peer_host("inproc://name"), "");
  EXPECT_EQ(peer_host("tcp://host:"), "");
  EXPECT_EQ(peer_host(""), "");
}

TEST(Admission, AHostHas64BitsOfIpv6) {
  EXPECT_EQ(peer_host("tcp://[2001:db8:1:2:3:4:5:6]:1"), "tcp://[2001:db8:1:2::]");
  EXPECT_EQ(peer_host("tcp://[2001:db8:1:2:ffff::]:2"), "tcp://[2001:db8:1:2::]");
  EXPECT_EQ(peer_host("tcp://[2001:db8:1:3::]:2"), "tcp://[2001:db8:1:3::]");
  EXPECT_EQ(peer_host("tcp://[fe80::1%nowhere]:2"), "tcp://[fe80::%nowhere]");
  EXPECT_EQ(peer_host("tcp://[::ffff:192.0.2.1]:2"), "tcp://192.0.2.1");
  EXPECT_EQ(peer_host("tcp://[nonsense]:2"), "tcp://[nonsense]");
  EXPECT_EQ(peer_host("tcp://[2001:db8::1]:1"), peer_host("tcp://[2001:db8::2]:2"));
  EXPECT_EQ(peer_host("tcp://192.0.2.1:1"), peer_host("tcp://[::ffff:192.0.2.1]:2"));
  EXPECT_NE(peer_host("tcp://192.0.2.2:1"), peer_host("tcp://192.0.2.1:1"));
}

TEST(Backlog, KeepsOctetsInOrderAndPaysForThem) {
  Budget budget(100);
  Backlog backlog;
  const std::string a = "abcdef", b = "ghij";
  const cdr::Segment both[] = {{a.data(), a.size()}, {b.data(), b.size()}};
  EXPECT_TRUE(backlog.append(both, 4, budget));
  EXPECT_EQ(base::as_text(backlog.octets()), "efghij");
  EXPECT_EQ(budget.used(), 6U);
  backlog.taken(3);
  EXPECT_EQ(base::as_text(backlog.octets()), "hij");
  EXPECT_EQ(budget.used(), 3U);
  EXPECT_TRUE(backlog.append(both, 6, budget));
  EXPECT_EQ(base::as_text(backlog.octets()), "hijghij");
  EXPECT_EQ(backlog.size(), 7U);
  backlog.taken(7);
  EXPECT_TRUE(backlog.empty());
  EXPECT_EQ(budget.used(), 0U);
}

TEST(Backlog, RefusesWhatTheBudgetDoesNotPayForUnlessNobodyElseUsesIt) {
  Budget budget(100);
  const std::string large(150, 'x');
  const cdr::Segment segment{large.data(), large.size()};
  Backlog first, second;
  EXPECT_TRUE(first.append({&segment, 1}, 0, budget));
  EXPECT_FALSE(second.append({&segment, 1}, 100, budget));
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(budget.used(), 150U);
  first.clear();
  EXPECT_EQ(budget.used(), 0U);
  EXPECT_TRUE(second.append({&segment, 1}, 50, budget));
  EXPECT_EQ(budget.used(), 100U);
}

// What is taken for a moment only would make others believe that there is no room.
TEST(Budget, WhoIsRefusedIsNotSeenByOthers) {
  Budget budget(100);
  ASSERT_TRUE(budget.take(60));
  std::atomic<bool> over{false};
  std::thread greedy([&] {
    while (!over) EXPECT_FALSE(budget.take(1000));
  });
  for (int i = 0; i < 200'000; ++i) {
    if (!budget.take(40)) {
      ADD_FAILURE() << i;
      break;
    }
    budget.give(40);
  }
  over = true;
  greedy.join();
  EXPECT_EQ(budget.used(), 60U);
}

}  // namespace
}  // namespace corbel::connection

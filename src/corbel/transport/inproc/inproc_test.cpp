// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/inproc/inproc.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <thread>

#include "corbel/base/cancellation.hpp"
#include "support/allocations.hpp"

namespace corbel::transport {
namespace {

using base::Bytes;
using base::Code;
using base::Deadline;
using namespace std::chrono_literals;

std::unique_ptr<Acceptor> listen(const Factory& factory, std::string_view name) {
  auto acceptor = factory.listen(**factory.parse(name), {});
  EXPECT_TRUE(acceptor);
  return *std::move(acceptor);
}

TEST(Inproc, FactoriesMeetInASharedHubOnly) {
  const auto hub = make_inproc_hub();
  const auto server = make_inproc(hub);
  const auto client = make_inproc(hub);
  const auto stranger = make_inproc(make_inproc_hub());
  const auto acceptor = listen(*server, "name");
  EXPECT_TRUE(client->make_connector()->connect(**client->parse("name"), {}, Deadline::now()));
  const auto refused = stranger->make_connector()->connect(**stranger->parse("name"), {}, Deadline::now());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  const auto unreachable = stranger->make_connector()->connect(*acceptor->endpoints().front(), {}, Deadline::now());
  ASSERT_FALSE(unreachable);
  EXPECT_EQ(unreachable.error().code, Code::unreachable);
}

TEST(Inproc, AnyRingSizeCarriesAnyMessage) {
  const auto factory = make_inproc(make_inproc_hub());
  const auto acceptor = listen(*factory, "name");
  for (const int ring : {1, 2, 3, 7, 64, 1000}) {
    Options options;
    options.send_buffer = ring;
    const auto client = *factory->make_connector()->connect(*acceptor->endpoints().front(), options, Deadline::none());
    const auto server = *acceptor->accept();
    Bytes octets(3000);
    for (std::size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<base::Octet>(i * 7);
    std::thread sender([&] {
      const cdr::Segment pieces[2] = {{octets.data(), 1001}, {octets.data() + 1001, octets.size() - 1001}};
      EXPECT_TRUE(client->send(pieces, Deadline::none()));
    });
    Bytes received;
    Bytes room(50);
    while (received.size() < octets.size()) {
      const auto count = server->receive(room, Deadline::none());
      ASSERT_TRUE(count);
      received.insert(received.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
    }
    sender.join();
    EXPECT_TRUE(received == octets);
  }
}

TEST(Inproc, PeersInTheQueueOfAClosedAcceptorSeeTheEnd) {
  const auto factory = make_inproc(make_inproc_hub());
  const auto acceptor = listen(*factory, "");
  const auto client = *factory->make_connector()->connect(*acceptor->endpoints().front(), {}, Deadline::none());
  acceptor->close();
  Bytes room(1);
  const auto end = client->receive(room, Deadline::none());
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Code::closed);
}

TEST(Inproc, ClosingTheAcceptorWakesAConnectThatWaitsForRoom) {
  const auto factory = make_inproc(make_inproc_hub());
  Options options;
  options.backlog = 1;
  auto acceptor = *factory->listen(**factory->parse("name"), options);
  const auto connector = factory->make_connector();
  const auto first = connector->connect(*acceptor->endpoints().front(), {}, Deadline::none());
  std::thread second([&, there = acceptor->endpoints().front()] {
    const auto refused = connector->connect(*there, {}, Deadline::none());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::refused);
  });
  acceptor->close();
  second.join();
}

TEST(Inproc, AConnectThatWaitsForRoomIsEndedByAnotherThread) {
  const auto factory = make_inproc(make_inproc_hub());
  Options options;
  options.backlog = 1;
  const auto acceptor = *factory->listen(**factory->parse("name"), options);
  const auto connector = factory->make_connector();
  const auto endpoint = *factory->parse("name");
  const auto first = *connector->connect(*endpoint, {}, Deadline::after(20s));
  base::Cancellation cancellation;
  std::thread ending([&] {
    std::this_thread::sleep_for(20ms);
    cancellation.cancel();
  });
  const auto begin = std::chrono::steady_clock::now();
  {
    const base::Cancellation::Scope scope(cancellation);
    const auto second = connector->connect(*endpoint, {}, Deadline::after(20s));
    EXPECT_FALSE(second);
    EXPECT_TRUE(second || second.error().code == Code::cancelled);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  ending.join();
  EXPECT_TRUE(acceptor->accept());
}

TEST(Inproc, AConnectThatFindsNoMemoryLeavesNobodyWaiting) {
  const auto factory = make_inproc(make_inproc_hub());
  const auto acceptor = listen(*factory, "name");
  const auto connector = factory->make_connector();
  const auto endpoint = *factory->parse("name");
  bool refused = true;
  for (std::size_t allocation = 0; refused; ++allocation) {
    refused = false;
    test::refuse_allocations(allocation, 1);
    try {
      (void)connector->connect(*endpoint, {}, Deadline::now());
    } catch (const std::bad_alloc&) {
      refused = true;
    }
    test::refuse_allocations(0, 0);
    while (const auto accepted = acceptor->accept()) {
      Bytes room(1);
      EXPECT_EQ((*accepted)->receive(room, Deadline::now()).error().code, Code::closed) << allocation;
    }
    ASSERT_LT(allocation, 100U);
  }
}

TEST(Inproc, InAForkedChildTheListenersOfTheParentAreRefusedAndTheirNamesFree) {
  const auto factory = make_inproc(make_inproc_hub());
  const auto acceptor = listen(*factory, "name");
  const auto there = acceptor->endpoints().front();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    const auto connector = factory->make_connector();
    const auto named = connector->connect(**factory->parse("name"), {}, Deadline::none());
    const auto full = connector->connect(*there, {}, Deadline::none());
    const bool refused =
        !named && named.error().code == Code::refused && !full && full.error().code == Code::unreachable;
    const auto own = factory->listen(**factory->parse("name"), {});
    acceptor->close();  // as the end of an inherited ORB does
    const bool served = own && connector->connect(*(*own)->endpoints().front(), {}, Deadline::none());
    ::_exit(refused && served ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(factory->make_connector()->connect(*there, {}, Deadline::now()));
}

TEST(Inproc, HasNoProfileOfItsOwn) {
  const auto factory = make_inproc(make_inproc_hub());
  std::vector<ior::TaggedProfile> profiles;
  EXPECT_FALSE(factory->publish({}, {}, profiles));
  EXPECT_EQ((*factory->from_url({"inproc", {1, 2}, "name", 0}))->text(), "inproc://name");
  EXPECT_EQ(factory->from_url({"iiop", {1, 2}, "name", 1}).error().code, Code::unsupported);
}

}  // namespace
}  // namespace corbel::transport

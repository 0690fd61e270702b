// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>

#include <random>

#include "corbel/transport/shm/test_support.hpp"
#include "support/files.hpp"
#include "support/in_child.hpp"

// Memory that a client lends to a server that takes it.
namespace corbel::transport::shm_tests {
namespace {

TEST_F(ShmLent, WhatIsSentFromItIsTakenWhereItLies) {
  auto [client, server] = connect();
  for (int turn = 0; turn < 200; ++turn) {
    LentMemory memory = filled(*client, 100'000);
    const auto head = base::as_bytes("a head"), tail = base::as_bytes("tail");
    ASSERT_TRUE(send_all(*client, {head, memory.octets(), tail}));
    EXPECT_FALSE(take_lent(*server, 100'000)) << "the head comes first";
    EXPECT_EQ(receive_all(*server, 6), base::Bytes(head.begin(), head.end()));
    EXPECT_FALSE(take_lent(*server, 99'999));
    const LentMemory taken = take_lent(*server, 100'000);
    ASSERT_TRUE(taken);
    EXPECT_TRUE(std::ranges::equal(taken.octets(), memory.octets()));
    EXPECT_NE(taken.octets().data(), memory.octets().data()) << "each side has its own mapping";
    memory.octets()[5] ^= 255;
    EXPECT_EQ(taken.octets()[5], memory.octets()[5]) << "of the same memory";
    EXPECT_EQ(receive_all(*server, 4), base::Bytes(tail.begin(), tail.end()));
    EXPECT_FALSE(take_lent(*server, 100'000));
  }
}

TEST_F(ShmLent, IsReceivedAsOctetsByWhoeverWantsOctets) {
  auto [client, server] = connect();
  for (const std::size_t step : {std::size_t{1}, std::size_t{999}, std::size_t{100'000}}) {
    const LentMemory one = filled(*client, 20'000);
    const LentMemory two = filled(*client, 4096);
    const base::Bytes head = pattern(700);
    ASSERT_TRUE(send_all(*client, {head, one.octets(), two.octets(), head, one.octets().subspan(3, 5000), head}));
    base::Bytes all = head;
    for (const base::ConstByteSpan each :
         {base::ConstByteSpan(one.octets()), base::ConstByteSpan(two.octets()), base::ConstByteSpan(head),
          base::ConstByteSpan(one.octets().subspan(3, 5000)), base::ConstByteSpan(head)}) {
      all.insert(all.end(), each.begin(), each.end());
    }
    EXPECT_EQ(receive_all(*server, all.size(), step), all) << step;
  }
  EXPECT_EQ(client->lend(kLeastLent).octets().size(), kLeastLent) << "all has been given back";
}

TEST_F(ShmLent, AReactorIsToldOfAPieceAndOfWhatIsLeftOfIt) {
  auto [client, server] = connect();
  EXPECT_FALSE(server->pending());
  const LentMemory memory = filled(*client, 8192);
  ASSERT_TRUE(send_all(*client, {memory.octets()}));
  EXPECT_TRUE(ipc::wait_ready(server->handle(), ipc::Ready::readable, soon(), Stage::wait));
  EXPECT_TRUE(server->pending());
  EXPECT_EQ(receive_all(*server, 5000).size(), 5000U);
  EXPECT_TRUE(server->pending()) << "the rest of the piece";
  EXPECT_EQ(receive_all(*server, 3192).size(), 3192U);
  EXPECT_FALSE(server->pending());
}

TEST_F(ShmLent, IsThereOnlyIfBothEndsWantIt) {
  const auto none = make_shm();
  EXPECT_FALSE(connect(*none).client->lend(1));
  const auto ends = connect();
  EXPECT_FALSE(ends.server->lend(1)) << "clients lend";
  EXPECT_EQ(ends.client->next_lent(), 0U);
  EXPECT_FALSE(ends.client->take_lent());
  factory_ = none;
  EXPECT_FALSE(connect(*lending()).client->lend(1));
  factory_ = lending(kLeastLent);
  EXPECT_TRUE(connect(*lending(3 * kLeastLent)).client->lend(kLeastLent)) << "as much as the server takes";
  EXPECT_FALSE(connect(*lending(3 * kLeastLent)).client->lend(kLeastLent + 1));
  factory_ = lending(1);
  EXPECT_TRUE(connect(*lending(3 * kLeastLent)).client->lend(kLeastLent)) << "it is rounded up";
}

TEST_F(ShmLent, RunsOutAndComesBackInAnyOrder) {
  auto [client, server] = connect();
  EXPECT_FALSE(client->lend(0));
  EXPECT_FALSE(client->lend(kLeastLent + 1));
  std::vector<LentMemory> all;
  while (LentMemory memory = client->lend(3 * kStep - 1)) all.push_back(std::move(memory));
  EXPECT_EQ(all.size(), kSteps / 3);
  EXPECT_TRUE(client->lend(kStep)) << "one step is left";
  EXPECT_FALSE(client->lend(kStep + 1));
  std::minstd_rand random(3);
  std::shuffle(all.begin(), all.end(), random);
  for (int turn = 0; turn < 200; ++turn) {
    const std::size_t at = random() % all.size();
    const base::Octet* const place = all[at].octets().data();
    all[at] = LentMemory();
    LentMemory again = client->lend(2 * kStep + 1);
    ASSERT_TRUE(again);
    EXPECT_EQ(again.octets().data(), place);
    all[at] = std::move(again);
  }
  all.clear();
  EXPECT_EQ(client->lend(kLeastLent).octets().size(), kLeastLent) << "neighbours join";
}

TEST_F(ShmLent, IsNotFreeBeforeBothSidesLetGoOfIt) {
  auto [client, server] = connect();
  std::vector<LentMemory> taken;
  std::vector<const base::Octet*> places;
  for (std::size_t i = 0; i < kSteps; ++i) {
    const LentMemory memory = filled(*client, kStep);
    places.push_back(memory.octets().data());
    ASSERT_TRUE(send_all(*client, {memory.octets()}));
    taken.push_back(take_lent(*server, kStep));
    ASSERT_TRUE(taken.back());
  }
  EXPECT_FALSE(client->lend(1)) << "the server looks at all of it";
  for (const std::size_t at : {std::size_t{40}, std::size_t{2}, kSteps - 1, std::size_t{0}}) {
    taken[at] = LentMemory();
    const LentMemory memory = filled(*client, kStep);
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory.octets().data(), places[at]);
    ASSERT_TRUE(send_all(*client, {memory.octets()}));
    taken[at] = take_lent(*server, kStep);
    EXPECT_FALSE(client->lend(1));
  }
}

TEST_F(ShmLent, MayBeSentAgainByWhoeverHasIt) {
  auto [client, server] = connect();
  const LentMemory memory = filled(*client, kStep);
  std::vector<LentMemory> taken;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(send_all(*client, {memory.octets()}));
    taken.push_back(take_lent(*server, kStep));
    EXPECT_TRUE(taken.back());
  }
  // More than there are notes for are copied.
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(send_all(*client, {memory.octets()})) << i;
    if (i == 80) {
      EXPECT_EQ(receive_all(*server, 81 * kStep).size(), 81 * kStep);
    }
  }
  const base::Bytes rest = receive_all(*server, 19 * kStep);
  EXPECT_TRUE(std::equal(rest.end() - kStep, rest.end(), memory.octets().begin()));
}

TEST_F(ShmLent, NobodysMemoryIsCopied) {
  auto [client, server] = connect();
  base::ByteSpan gone;
  {
    const LentMemory memory = filled(*client, kStep);
    gone = memory.octets();
  }
  ASSERT_TRUE(send_all(*client, {gone}));
  EXPECT_FALSE(take_lent(*server, kStep));
  EXPECT_EQ(receive_all(*server, kStep).size(), kStep);
  const LentMemory memory = filled(*client, kStep);
  ASSERT_TRUE(send_all(*client, {memory.octets().first(100)}));
  EXPECT_FALSE(take_lent(*server, 100)) << "what is small is copied";
  EXPECT_EQ(receive_all(*server, 100).size(), 100U);
}

TEST_F(ShmLent, OutlivesBothCarriers) {
  auto [client, server] = connect();
  LentMemory memory = filled(*client, kStep);
  ASSERT_TRUE(send_all(*client, {memory.octets()}));
  LentMemory taken = take_lent(*server, kStep);
  ASSERT_TRUE(taken);
  server.reset();
  client.reset();
  memory.octets()[0] = 99;
  EXPECT_EQ(taken.octets()[0], 99);
  memory = LentMemory();
  EXPECT_EQ(taken.octets()[0], 99);
}

TEST_F(ShmLent, EndsWithTheConnectionWhicheverSideEndsIt) {
  auto ends = connect();
  const LentMemory memory = filled(*ends.client, kStep);
  ends.server->shutdown();
  std::fill(memory.octets().begin(), memory.octets().end(), base::Octet{1});
  EXPECT_FALSE(send_all(*ends.client, {memory.octets()}));
  ends.client->shutdown();
  EXPECT_FALSE(ends.client->lend(1));
}

TEST_F(ShmLent, CostsNoDescriptors) {
  auto [client, server] = connect();
  const std::size_t before = test::open_descriptors();
  const LentMemory memory = filled(*client, kStep);
  ASSERT_TRUE(send_all(*client, {memory.octets()}));
  EXPECT_TRUE(take_lent(*server, kStep));
  EXPECT_EQ(test::open_descriptors(), before);
}

TEST_F(ShmLent, OfAClientThatIsKilledStays) {
  if (kSeesRaces) GTEST_SKIP() << "children have no threads";
  int address[2];
  ASSERT_EQ(::pipe(address), 0);
  // Before there is another thread: in its child the allocator of a sanitizer may be locked for ever.
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    std::string there(200, '\0');
    const auto size = ::read(address[0], there.data(), there.size());
    there.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    const auto parsed = factory_->parse(there);
    const auto connected = factory_->make_connector()->connect(**parsed, {}, soon());
    if (!connected) ::_exit(1);
    const LentMemory memory = (*connected)->lend(10'000);
    std::fill(memory.octets().begin(), memory.octets().end(), base::Octet{42});
    const cdr::Segment all{memory.octets().data(), memory.octets().size()};
    if (!(*connected)->send({&all, 1}, soon())) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  acceptor_ = listen();
  const std::string text = acceptor_->endpoints().front()->text();
  const std::string name = text.substr(text.find('@'));
  ASSERT_EQ(::write(address[1], name.data(), name.size()), static_cast<ssize_t>(name.size()));
  const auto server = accept(*acceptor_);
  ::close(address[0]);
  ::close(address[1]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const LentMemory taken = take_lent(*server, 10'000);
  ASSERT_TRUE(taken);
  EXPECT_EQ(server->receive(room_, soon()).error().code, Code::lost);
  EXPECT_EQ(std::ranges::count(taken.octets(), 42), 10'000);
}

TEST_F(ShmLent, IsNotGivenBackByAChildOfTheServer) {
  if (kSeesRaces) GTEST_SKIP() << "children have no threads";
  auto [client, server] = connect();
  {
    const LentMemory memory = filled(*client, kLeastLent);
    ASSERT_TRUE(send_all(*client, {memory.octets()}));
  }
  LentMemory taken = take_lent(*server, kLeastLent);
  ASSERT_TRUE(taken);
  EXPECT_TRUE(test::in_child([&] {
    taken = LentMemory();
    return true;
  }));
  EXPECT_FALSE(client->lend(1));
  taken = LentMemory();
  EXPECT_TRUE(client->lend(1));
}

/// One that greets, and knows of nothing beside the rings.
TEST_F(ShmLent, IsNothingThatAServerOfTheFirstVersionTakes) {
  const std::string name = unused_name();
  auto old = *ipc::UnixAcceptor::open(*ipc::UnixAddress::abstract(name.substr(1)));
  const auto memory = *ipc::SharedMemory::create(2 * kArea);
  std::thread serving([&] {
    auto socket = *old.accept(soon());
    const int handles[] = {memory.handle()};
    EXPECT_TRUE(ipc::send_with(socket, Greeting().octets(), {.handles = handles}, soon()));
    auto in = *ipc::RingConsumer::attach(memory.bytes().first(kArea));
    std::array<base::Octet, 5> octets;
    EXPECT_TRUE(in.recv_n(octets, soon()));
  });
  const auto client = factory_->make_connector()->connect(**factory_->parse(name), {}, soon());
  ASSERT_TRUE(client);
  EXPECT_FALSE((*client)->lend(1));
  EXPECT_TRUE(send_all(**client, {base::as_bytes("plain")}));
  serving.join();
}

TEST_F(ShmLent, ClientsOfTheFirstVersionAreServed) {
  auto [server, old] = intruded();
  auto out = *ipc::RingProducer::attach(old.memory.bytes().first(kArea));
  ASSERT_TRUE(out.send_n(base::as_bytes("plain")));
  EXPECT_EQ(receive_all(*server, 5).size(), 5U);
}

}  // namespace
}  // namespace corbel::transport::shm_tests

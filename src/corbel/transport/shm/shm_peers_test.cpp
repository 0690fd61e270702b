// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "corbel/transport/shm/test_support.hpp"
#include "support/files.hpp"
#include "support/nursery.hpp"

// What peers may do to a connection that they have.
namespace corbel::transport::shm_tests {
namespace {

TEST_F(Shm, APeerThatHangsUpWakesWhoeverSleepsAndWhatItSentIsReceived) {
  auto [server, intruder] = intruded();
  auto out = *ipc::RingProducer::attach(intruder.memory.bytes().first(kArea));
  ASSERT_TRUE(out.send_n(base::as_bytes("last words")));
  EXPECT_EQ(*server->receive(room_, soon()), 10U);
  std::thread receiving([&, each = server.get()] {
    const auto end = each->receive(room_, Deadline::none());
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error(), base::error(Stage::receive, Code::lost));
  });
  std::thread sending([each = server.get()] {
    const auto octets = pattern(2 * kRing);
    const cdr::Segment all{octets.data(), octets.size()};
    const auto end = each->send({&all, 1}, Deadline::none());
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error(), base::error(Stage::send, Code::lost));
  });
  // Until both say that they sleep.
  while (intruder.word(64 + 8).load() == 0 || intruder.word(kArea + 8).load() == 0) std::this_thread::yield();
  intruder.socket.close();
  receiving.join();
  sending.join();
}

TEST_F(Shm, ShutdownEndsAReceiveWhateverThePeerWritesIntoTheMemory) {
  for (int round = 0; round < 20; ++round) {
    auto [server, intruder] = intruded();
    std::atomic<bool> done{false};
    // It undoes all that could tell the sleeper something.
    std::thread undoing([&, &hostile = intruder] {
      while (!done.load()) {
        hostile.word(64 + 4).store(0);
        hostile.word(64 + 12).store(0);
      }
    });
    std::thread receiving([&, each = server.get()] {
      const auto end = each->receive(room_, Deadline::none());
      EXPECT_TRUE(!end && end.error().code == Code::closed);
    });
    while (intruder.word(64 + 8).load() == 0) std::this_thread::yield();
    server->shutdown();
    receiving.join();
    done = true;
    undoing.join();
  }
}

TEST_F(Shm, AReactorThatWatchesIsToldAlsoAfterAThreadHasReceived) {
  auto [server, intruder] = intruded();
  auto out = *ipc::RingProducer::attach(intruder.memory.bytes().first(kArea));
  out.set_peer_bell(
      [](const void* peer) noexcept {
        const base::Octet octet[1] = {0};
        (void)const_cast<Intruder*>(static_cast<const Intruder*>(peer))->socket.send(octet);
      },
      &intruder);
  const auto readable = [&](Deadline deadline) {
    return ipc::wait_ready(server->handle(), ipc::Ready::readable, deadline, Stage::wait).ok();
  };
  EXPECT_FALSE(server->pending());
  std::thread receiving([&, each = server.get()] { EXPECT_EQ(*each->receive(room_, soon()), 1U); });
  while (intruder.word(64 + 8).load() != 1) std::this_thread::yield();  // it sleeps on its futex
  ASSERT_TRUE(out.send_n(base::as_bytes("a")));
  receiving.join();
  EXPECT_FALSE(readable(Deadline::now()));
  ASSERT_TRUE(out.send_n(base::as_bytes("b")));
  EXPECT_TRUE(readable(soon()));
}

/// A peer that keeps to the rules, and looks at the worst instant whether it is to ring: while it has been asked, and
/// before what it has sent is seen and the question is taken back.
TEST_F(Shm, APeerThatIsAskedInVainMayRing) {
  auto [server, intruder] = intruded();
  std::atomic<std::uint32_t> step{0}, done{0};
  std::atomic<bool> over{false};
  int vain_rings = 0;
  std::thread sending([&, &peer = intruder] {
    const base::Octet octet[1] = {0};
    for (std::uint32_t each = 1;; ++each) {
      while (step.load() < each && !over) std::this_thread::yield();
      if (over) return;
      peer.word(0).store(each);
      while (peer.word(64).load() < each && !over) {  // or it looked when no thread asked any more
        if (peer.word(64 + 8).exchange(0) == 0) continue;
        vain_rings += each % 2 == 1 ? 1 : 0;
        EXPECT_TRUE(peer.socket.send(octet));
        break;
      }
      done = each;
    }
  });
  const auto received = [&, each = server.get()] {
    const auto got = each->receive(room_, Deadline::now());
    EXPECT_TRUE(got) << base::to_string(got.error()) << " after " << vain_rings << " rings in vain";
    return got.ok();
  };
  const Deadline until = Deadline::after(5s);
  for (std::uint32_t each = 1; vain_rings < 20 && !until.expired(); each += 2) {
    step = each;
    while (intruder.word(0).load() < each) std::this_thread::yield();
    EXPECT_TRUE(server->pending());  // asks, and sees that it need not
    if (!received()) break;
    while (done < each) std::this_thread::yield();
    const auto nothing = server->receive(room_, Deadline::now());  // asks in earnest
    if (nothing || nothing.error().code != Code::would_block) break;
    step = each + 1;
    while (done <= each) std::this_thread::yield();
    if (!received()) break;
  }
  EXPECT_FALSE(server->pending());
  over = true;
  sending.join();
}

TEST_F(Shm, APeerThatRingsTwiceWheneverItIsAskedIsAsGoodAsDead) {
  auto [server, intruder] = intruded();
  const base::Octet twice[2] = {0, 0};
  Code end = Code::would_block;
  for (int round = 0; round < 20 && end == Code::would_block; ++round) {
    ASSERT_TRUE(intruder.socket.send(twice));
    const auto nothing = server->receive(room_, Deadline::now());
    ASSERT_FALSE(nothing);
    end = nothing.error().code;
  }
  EXPECT_NE(end, Code::would_block);
}

TEST_F(Shm, ABusyPeerThatIsAskedToRingWhileItSendsStaysConnected) {
  acceptor_ = listen();
  constexpr std::size_t kMessages = 100'000;
  std::thread sending([&] {
    const auto client = factory_->make_connector()->connect(*acceptor_->endpoints().front(), {}, soon());
    ASSERT_TRUE(client);
    const base::Octet octet[1] = {7};
    const cdr::Segment one{octet, 1};
    std::minstd_rand random(5);
    for (std::size_t i = 0; i < kMessages; ++i) {
      const auto sent = (*client)->send({&one, 1}, Deadline::after(60s));
      ASSERT_TRUE(sent) << i << ": " << base::to_string(sent.error());
      const auto gap = std::chrono::nanoseconds(random() % 8 == 0 ? 0 : random() % 2000);
      for (const auto until = std::chrono::steady_clock::now() + gap; std::chrono::steady_clock::now() < until;) {
      }
    }
  });
  const auto server = accept(*acceptor_);
  std::size_t received = 0;
  base::Error problem;
  while (received < kMessages && problem.code == Code::none) {
    const auto got = server->receive({room_.data(), 1}, Deadline::now());
    if (got) {
      received += *got;
    } else if (got.error().code != Code::would_block) {
      problem = got.error();
    } else if (!ipc::wait_ready(server->handle(), ipc::Ready::readable, Deadline::after(60s), Stage::wait)) {
      problem = base::error(Stage::wait, Code::timed_out);
    }
  }
  EXPECT_EQ(problem.code, Code::none) << base::to_string(problem) << " after " << received;
  if (problem.code != Code::none) server->shutdown();
  sending.join();
}

TEST_F(Shm, APeerThatRingsWithoutEndIsCutOff) {
  auto [server, intruder] = intruded();
  std::array<base::Octet, 200> rings{};
  ASSERT_EQ(*intruder.socket.send(rings), rings.size());
  base::Error end;
  for (int i = 0; i < 100 && end.code != Code::lost; ++i) {
    const auto nothing = server->receive(room_, Deadline::now());
    ASSERT_FALSE(nothing);
    end = nothing.error();
  }
  EXPECT_EQ(end, base::error(Stage::receive, Code::lost));
}

TEST_F(Shm, OctetsThatAreTakenBackEndTheConnection) {
  auto [server, intruder] = intruded();
  std::atomic<bool> done{false};
  std::thread flickering([&, &hostile = intruder] {
    while (!done.load()) {
      hostile.word(0).store(1);
      hostile.word(0).store(0);
    }
  });
  base::Error end;
  for (const Deadline until = soon(); end.code != Code::malformed && !until.expired();) {
    const auto got = server->receive(room_, Deadline::now());
    if (!got) end = got.error();
  }
  done = true;
  flickering.join();
  EXPECT_EQ(end.code, Code::malformed);
}

/// Everything that a hostile peer can do to the memory while messages flow: the process lives, every wait ends.
TEST_F(Shm, ScribblingOverTheMemoryEndsConnectionsAndNothingElse) {
  std::minstd_rand random(7);
  for (int round = 0; round < 60; ++round) {
    auto [server, intruder] = intruded();
    std::atomic<bool> done{false};
    std::thread scribbling([&, &hostile = intruder, seed = random()] {
      std::minstd_rand values(seed);
      const auto words = hostile.memory.bytes().size() / 4;
      while (!done.load()) {
        const bool header = kSeesRaces || values() % 4 != 0;
        const std::size_t area = values() % 2 == 0 ? 0 : kArea;
        const std::size_t offset = header ? area + 4 * (values() % 32) : 4 * (values() % words);
        const std::uint32_t old = hostile.word(offset).load();
        hostile.word(offset).store(values() % 2 == 0 ? static_cast<std::uint32_t>(old + values() % 512)
                                                     : static_cast<std::uint32_t>(values() * 2U));
      }
    });
    std::thread receiving([each = server.get()] {
      std::array<base::Octet, 5000> room;
      for (int i = 0; i < 2000; ++i) {
        const auto got = each->receive(room, i % 3 == 0 ? Deadline::after(1ms) : Deadline::now());
        if (got) {
          ASSERT_LE(*got, room.size());
        } else if (got.error().code != Code::would_block && got.error().code != Code::timed_out) {
          break;
        }
        (void)each->pending();
      }
    });
    const auto octets = pattern(3000);
    const cdr::Segment list[2] = {{octets.data(), 100}, {octets.data() + 100, 2900}};
    for (int i = 0; i < 2000; ++i) {
      const auto sent = server->send(list, i % 3 == 0 ? Deadline::after(1ms) : Deadline::now());
      if (!sent && sent.error().code == Code::lost) break;
    }
    server->shutdown();
    receiving.join();
    done = true;
    scribbling.join();
  }
}

/// A process that sends and receives until it is killed: asked for "sNAME" it spins.
void echo(std::string_view asked, const test::Nursery::Teller& tell) {
  ConnectionOptions options;
  options.spin = asked.front() == 's' ? base::Duration(20us) : base::Duration(0);
  tell("");
  auto connected = make_shm()->make_connector()->connect(**make_shm()->parse(asked.substr(1)), options, soon());
  std::array<base::Octet, 10000> room;
  while (connected) {
    const auto got = (*connected)->receive(room, soon());
    if (!got) return;
    const cdr::Segment all{room.data(), *got};
    if (!(*connected)->send({&all, 1}, soon())) return;
  }
}

test::Nursery& nursery = *static_cast<test::Nursery*>(
    ::testing::AddGlobalTestEnvironment(new test::Nursery(&echo)));  // GoogleTest deletes it

TEST_F(Shm, APeerThatIsKilledAtAnyInstantEndsEveryWait) {
  if (kSeesRaces) GTEST_SKIP() << "children have no threads";
  std::minstd_rand random(11);
  acceptor_ = listen();
  const auto octets = pattern(3000);
  for (int round = 0; round < 100; ++round) {
    const std::string text = acceptor_->endpoints().front()->text();
    const pid_t child = nursery.ask((round % 2 == 0 ? 's' : '-') + text.substr(text.find('@'))).pid;
    ASSERT_GT(child, 0);
    auto server = accept(*acceptor_);
    ASSERT_TRUE(server);
    std::thread killing([child, pause = std::chrono::microseconds(random() % 3000)] {
      std::this_thread::sleep_for(pause);
      ::kill(child, SIGKILL);
    });
    std::thread sending([each = server.get(), &octets] {
      std::minstd_rand sizes(3);
      for (;;) {
        const cdr::Segment all{octets.data(), sizes() % octets.size() + 1};
        const auto sent = each->send({&all, 1}, Deadline::none());
        if (sent) continue;
        EXPECT_EQ(sent.error().code, Code::lost);
        return;
      }
    });
    base::Result<std::size_t> got(0);
    while (got) got = server->receive(room_, Deadline::none());
    EXPECT_TRUE(got.error().code == Code::lost) << base::to_string(got.error());
    sending.join();
    killing.join();
    ASSERT_NE(nursery.reap(child), -1);
  }
}

TEST_F(Shm, NothingIsLeftOfConnectionsInTheFileSystem) {
  const auto files = [] {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator("/dev/shm")) {
      count += each.path().filename().string().starts_with("corbel") ? 1U : 0U;
    }
    return count;
  };
  const std::size_t before = files();
  auto [server, intruder] = intruded();
  EXPECT_EQ(files(), before);
}

TEST_F(Shm, AConnectionIsOneDescriptorOnEachSide) {
  acceptor_ = listen();
  const auto connector = factory_->make_connector();
  std::vector<std::unique_ptr<Transport>> ends;
  const auto connect = [&] {
    std::thread connecting([&] {
      auto client = connector->connect(*acceptor_->endpoints().front(), {}, soon());
      ASSERT_TRUE(client);
      ends.push_back(*std::move(client));
    });
    auto server = accept(*acceptor_);
    connecting.join();
    ends.push_back(std::move(server));
  };
  connect();
  const std::size_t before = test::open_descriptors();
  connect();
  EXPECT_EQ(test::open_descriptors(), before + 2);
}

}  // namespace
}  // namespace corbel::transport::shm_tests

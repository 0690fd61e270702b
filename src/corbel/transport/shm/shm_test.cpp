// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/shm.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/passing.hpp"
#include "corbel/ipc/ring.hpp"
#include "corbel/ipc/shared_memory.hpp"
#include "corbel/ipc/test_support.hpp"
#include "corbel/transport/shm/users.hpp"

namespace corbel::transport {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using ipc::testing::pattern;
using ipc::testing::soon;
using namespace std::chrono_literals;

constexpr std::size_t kRing = 256U << 10;
constexpr std::size_t kArea = ipc::RingEnd::area_size(kRing);

#if defined(__SANITIZE_THREAD__)
constexpr bool kSeesRaces = true;  // those of the octets are meant to be; and children have no threads
#else
constexpr bool kSeesRaces = false;
#endif

std::string unused_name() {
  static int count = 0;
  return "@corbel-shm-test-" + std::to_string(::getpid()) + '-' + std::to_string(++count);
}

/// What a server sends first, which a peer can forge.
struct Greeting {
  std::array<char, 8> magic{'c', 'o', 'r', 'b', 'e', 'l', 'M', '1'};
  std::uint32_t to_server = kRing;
  std::uint32_t to_client = kRing;

  base::ConstByteSpan octets() const { return {reinterpret_cast<const base::Octet*>(this), sizeof *this}; }
};

/// A peer that speaks to a real server and has its hands on the memory.
struct Intruder {
  ipc::UnixStream socket;
  ipc::SharedMemory memory;

  static Intruder at(const Endpoint& endpoint) {
    Intruder intruder;
    const std::string text = endpoint.text();
    const auto address = *ipc::UnixAddress::abstract(text.substr(text.find('@') + 1));
    intruder.socket = *ipc::UnixConnector().connect(address, soon());
    Greeting greeting;
    auto received =
        *ipc::recv_with(intruder.socket, {reinterpret_cast<base::Octet*>(&greeting), sizeof greeting}, 1, soon());
    intruder.memory = *ipc::SharedMemory::attach(std::move(received.handles.at(0)), 2 * kArea);
    return intruder;
  }
  std::atomic_ref<std::uint32_t> word(std::size_t offset) const {
    return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(memory.bytes().data() + offset));
  }
};

class Shm : public testing::Test {
 protected:
  std::unique_ptr<Acceptor> listen(const Options& options = {}) {
    return *factory_->listen(**factory_->parse(unused_name()), options);
  }
  static std::unique_ptr<Transport> accept(Acceptor& acceptor) {
    EXPECT_TRUE(ipc::wait_ready(acceptor.handle(), ipc::Ready::readable, soon(), Stage::wait));
    auto accepted = acceptor.accept();
    EXPECT_TRUE(accepted);
    return accepted ? *std::move(accepted) : nullptr;
  }
  /// A transport of ours, and who is at its other end.
  std::pair<std::unique_ptr<Transport>, Intruder> intruded() {
    acceptor_ = listen();
    std::unique_ptr<Transport> server;
    std::thread accepting([&] { server = accept(*acceptor_); });
    Intruder intruder = Intruder::at(*acceptor_->endpoints().front());
    accepting.join();
    return {std::move(server), std::move(intruder)};
  }
  /// What becomes of a client whose server offers `memory` behind `greeting`.
  base::Error connect_to_forger(const Greeting& greeting, int memory, std::size_t size = sizeof(Greeting)) {
    const std::string name = unused_name();
    auto forger = *ipc::UnixAcceptor::open(*ipc::UnixAddress::abstract(name.substr(1)));
    std::thread offering([&] {
      auto socket = *forger.accept(soon());
      const int handles[] = {memory};
      const std::span<const int> passed(handles, memory < 0 ? 0 : 1);
      EXPECT_TRUE(ipc::send_with(socket, greeting.octets().first(size), {.handles = passed}, soon()));
      std::array<base::Octet, 1> none;
      (void)socket.recv_n(none, soon());
    });
    base::Error error;
    {
      const auto connected = factory_->make_connector()->connect(**factory_->parse(name), {}, Deadline::after(20s));
      if (!connected) error = connected.error();
    }
    offering.join();
    return error;
  }

  std::shared_ptr<const Factory> factory_ = make_shm();
  std::unique_ptr<Acceptor> acceptor_;
  std::array<base::Octet, 1000> room_{};
};

TEST_F(Shm, LetsInOnlyTheUsersThatAreNamed) {
  const auto nobody = *shm::Users::parse("");
  EXPECT_TRUE(nobody.permit(::geteuid()));
  EXPECT_FALSE(nobody.permit(::geteuid() + 1));
  const auto some = *shm::Users::parse("root,4711");
  EXPECT_TRUE(some.permit(0));
  EXPECT_TRUE(some.permit(4711));
  EXPECT_FALSE(some.permit(471));
  EXPECT_TRUE(shm::Users::parse("*")->permit(12345));
  for (const char* bad : {",", "no such user", "1,,2", "-1", "99999999999"}) {
    EXPECT_EQ(shm::Users::parse(bad).error().code, Code::bad_argument) << bad;
  }
  Options wrong;
  wrong.local_users = "no such user";
  EXPECT_EQ(factory_->listen(**factory_->parse(unused_name()), wrong).error(),
            base::error(Stage::listen, Code::bad_argument));
}

TEST_F(Shm, UsersThatTheNameSpaceDoesNotMapAreNotTakenForThisOne) {
  if (kSeesRaces) GTEST_SKIP() << "children have no threads";
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER) != 0) ::_exit(77);
    const auto own = *shm::Users::parse("");
    const auto named = *shm::Users::parse(std::to_string(::geteuid()));
    const bool anybody = shm::Users::parse("*")->permit(::geteuid());
    ::_exit(own.permit(::geteuid()) ? 1 : named.permit(::geteuid()) ? 2 : anybody ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "user name spaces are forbidden here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Shm, WhyClientsAreHungUpOnIsLoggedOnce) {
  struct Sink final : base::LogSink {
    void write(const base::LogRecord&) override { ++records; }
    int records = 0;
  };
  const auto sink = std::make_shared<Sink>();
  const base::Log log({.levels = base::LogLevels::all(base::LogLevel::warning), .sink = sink});
  const auto factory = factory_->with({.log = &log});
  const std::string name = unused_name();
  const auto acceptor = *factory->listen(**factory->parse(name), {});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::vector<Code> codes;
  for (int i = 0; i < 3; ++i) {
    const auto client = ipc::UnixConnector().connect(*ipc::UnixAddress::abstract(name.substr(1)), soon());
    const auto accepted = acceptor->accept();
    codes.push_back(accepted ? Code::none : accepted.error().code);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(codes, std::vector<Code>(3, Code::would_block));
  EXPECT_EQ(sink->records, 1);
}

TEST_F(Shm, AServerOfAnotherUserIsRefusedAndSoIsAClient) {
  if (::geteuid() != 0 || kSeesRaces) GTEST_SKIP() << "only root can be several users";
  const std::string name = unused_name();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // a client of another user
    char octet = 0;
    if (::read(ready[0], &octet, 1) != 1 || ::setuid(4711) != 0) ::_exit(2);
    Options trusting;
    trusting.local_users = "root";
    const auto connected = make_shm()->make_connector()->connect(**make_shm()->parse(name), trusting, soon());
    ::_exit(connected ? 1 : connected.error().code == Code::refused ? 0 : 3);
  }
  const auto acceptor = *factory_->listen(**factory_->parse(name), {});
  ASSERT_EQ(::write(ready[1], "x", 1), 1);
  EXPECT_TRUE(ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, soon(), Stage::wait));
  EXPECT_EQ(acceptor->accept().error().code, Code::would_block);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(Shm, RefusesWhatAForgerOffers) {
  auto memory = *ipc::SharedMemory::create(2 * kArea);
  const base::Error refused = base::error(Stage::connect, Code::refused);
  Greeting greeting;
  EXPECT_EQ(connect_to_forger(greeting, memory.handle()).code, Code::none);
  EXPECT_EQ(connect_to_forger(greeting, memory.handle(), 15), refused);
  EXPECT_EQ(connect_to_forger(greeting, -1), refused);
  EXPECT_EQ(connect_to_forger(greeting, 0), refused);
  greeting.to_client = 2 * kRing;
  EXPECT_EQ(connect_to_forger(greeting, memory.handle()), refused);
  for (const std::uint32_t capacity : {0U, 1U, 1000U, 2048U, 1U << 25, 1U << 31, 0xffffffffU}) {
    greeting.to_server = greeting.to_client = capacity;
    EXPECT_EQ(connect_to_forger(greeting, memory.handle()), refused) << capacity;
  }
  greeting = {};
  greeting.magic[7] = '2';
  EXPECT_EQ(connect_to_forger(greeting, memory.handle()), refused);
  const ipc::Handle shrinkable(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(shrinkable.get(), static_cast<off_t>(2 * kArea)), 0);
  EXPECT_EQ(connect_to_forger({}, shrinkable.get()), refused);
  auto larger = *ipc::SharedMemory::create(2 * kArea + 4096);
  EXPECT_EQ(connect_to_forger({}, larger.handle()), refused);
}

TEST_F(Shm, AServerThatOffersNothingCostsAClientItsTimeOnly) {
  const std::string name = unused_name();
  const auto silent = *ipc::UnixAcceptor::open(*ipc::UnixAddress::abstract(name.substr(1)));
  const auto connected = factory_->make_connector()->connect(**factory_->parse(name), {}, Deadline::after(50ms));
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error(), base::error(Stage::connect, Code::timed_out));
}

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
      while (peer.word(64).load() < each && !over) {  // or it looked when nobody asked any more
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

/// A process that sends and receives until it is killed.
[[noreturn]] void echo(const std::string& name, bool spins) {
  ConnectionOptions options;
  options.spin = spins ? base::Duration(20us) : base::Duration(0);
  auto connected = make_shm()->make_connector()->connect(**make_shm()->parse(name), options, soon());
  std::array<base::Octet, 10000> room;
  for (;;) {
    if (!connected) ::_exit(1);
    const auto got = (*connected)->receive(room, soon());
    if (!got) ::_exit(1);
    const cdr::Segment all{room.data(), *got};
    if (!(*connected)->send({&all, 1}, soon())) ::_exit(1);
  }
}

TEST_F(Shm, APeerThatIsKilledAtAnyInstantEndsEveryWait) {
  if (kSeesRaces) GTEST_SKIP() << "children have no threads";
  std::minstd_rand random(11);
  acceptor_ = listen();
  const auto octets = pattern(3000);
  for (int round = 0; round < 100; ++round) {
    const std::string text = acceptor_->endpoints().front()->text();
    const pid_t child = ::fork();
    if (child == 0) echo(text.substr(text.find('@')), round % 2 == 0);
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
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
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
  const auto descriptors = [] {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  };
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
  const std::size_t before = descriptors();
  connect();
  EXPECT_EQ(descriptors(), before + 2);
}

}  // namespace
}  // namespace corbel::transport

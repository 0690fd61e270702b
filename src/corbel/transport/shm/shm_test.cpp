// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstring>

#include "corbel/base/cancellation.hpp"
#include "corbel/base/kept_log.hpp"
#include "corbel/transport/shm/test_support.hpp"
#include "corbel/transport/shm/users.hpp"

// Which users are let in.
namespace corbel::transport::shm_tests {
namespace {

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
  EXPECT_EQ(make_shm({"no such user"})->listen(**factory_->parse(unused_name()), {}).error(),
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
  const auto sink = std::make_shared<base::KeptLog>();
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
  ASSERT_EQ(sink->entries().size(), 1U);
  const auto told = sink->entries().front();
  EXPECT_EQ(told.event, "shared memory: a client is hung up on; not told again for this reason");
  EXPECT_EQ(told.level, base::LogLevel::warning);
  EXPECT_EQ(told.module, base::LogModule::transport);
  EXPECT_EQ(told.value("endpoint"), acceptor->endpoints().front()->text());
  EXPECT_NE(told.value("error"), "(none)");
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
    const auto connected = make_shm({"root"})->make_connector()->connect(**make_shm()->parse(name), {}, soon());
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

TEST_F(Shm, AClientDoesNotTalkToAServerOfAnotherUser) {
  if (::geteuid() != 0 || kSeesRaces) GTEST_SKIP() << "only root can be several users";
  const std::string name = unused_name();
  int ready[2];
  int over[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(over), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // a server of another user, which lets every user in
    ::close(over[1]);
    if (::setuid(4711) != 0) ::_exit(2);
    const auto acceptor = make_shm({"*"})->listen(**make_shm()->parse(name), {});
    if (!acceptor || ::write(ready[1], "x", 1) != 1) ::_exit(3);
    pollfd waits[2] = {{(*acceptor)->handle(), POLLIN, 0}, {over[0], POLLIN, 0}};
    std::unique_ptr<Transport> kept;
    while (::poll(waits, 2, -1) > 0 && waits[1].revents == 0) {
      if (auto accepted = (*acceptor)->accept()) kept = *std::move(accepted);
    }
    ::_exit(0);
  }
  ::close(over[0]);
  char octet = 0;
  ASSERT_EQ(::read(ready[0], &octet, 1), 1);
  const auto refused = factory_->make_connector()->connect(**factory_->parse(name), {}, soon());
  EXPECT_EQ(refused ? Code::none : refused.error().code, Code::refused);
  const auto trusting = make_shm({"4711"});
  for (int time = 0; time < 2; ++time) {
    EXPECT_TRUE(trusting->make_connector()->connect(**trusting->parse(name), {}, soon())) << time;
  }
  ::close(over[1]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(Shm, EachSidesBuffersAreAsLargeAsTheServerWasTold) {
  Options options;
  options.receive_buffer = 64 << 10;
  options.send_buffer = 8 << 10;
  const std::string name = unused_name();
  const auto acceptor = *factory_->listen(**factory_->parse(name), options);
  auto client = *ipc::UnixConnector().connect(*ipc::UnixAddress::abstract(name.substr(1)), soon());
  const auto server = accept(*acceptor);
  Greeting greeting;
  ASSERT_TRUE(ipc::recv_with(client, {reinterpret_cast<base::Octet*>(&greeting), sizeof greeting}, 1, soon()));
  EXPECT_EQ(greeting.to_server, 64U << 10);
  EXPECT_EQ(greeting.to_client, 8U << 10);
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
  // Also with memory of the very size that it says.
  for (const std::uint32_t capacity : {2048U, 5000U, (256U << 10) + 64, 32U << 20}) {
    greeting.to_server = greeting.to_client = capacity;
    auto fitting = *ipc::SharedMemory::create(2 * ipc::RingEnd::area_size(capacity));
    EXPECT_EQ(connect_to_forger(greeting, fitting.handle()), refused) << capacity;
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

TEST_F(Shm, ConnectingToAServerThatDoesNotAcceptIsEndedByAnotherThread) {
  const std::string name = unused_name();
  const auto acceptor = *factory_->listen(**factory_->parse(name), {});
  base::Cancellation cancellation;
  const auto begin = std::chrono::steady_clock::now();
  std::thread ending([&] {
    std::this_thread::sleep_for(20ms);
    cancellation.cancel();
  });
  const base::Cancellation::Scope scope(cancellation);
  EXPECT_FALSE(factory_->make_connector()->connect(**factory_->parse(name), {}, Deadline::after(60s)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  ending.join();
}

}  // namespace
}  // namespace corbel::transport::shm_tests

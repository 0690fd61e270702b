// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "corbel/base/cancellation.hpp"
#include "corbel/ipc/test_support.hpp"
#include "support/free_port.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using namespace std::chrono_literals;

bool is_blocking(int descriptor) {
  return (::fcntl(descriptor, F_GETFL) & O_NONBLOCK) == 0;
}

template <class Address>
class ConnectTest : public ::testing::Test {
 protected:
  testing::Place<Address> place_;
  Acceptor<Address> acceptor_ = *Acceptor<Address>::open(place_.address());
  Address address_ = *acceptor_.local_address();
  Connector<Address> connector_;
};
using Families = ::testing::Types<InetAddress, UnixAddress>;
TYPED_TEST_SUITE(ConnectTest, Families, );

TYPED_TEST(ConnectTest, ConnectsInEveryTimedFormAndBlocksAfterwards) {
  for (const auto deadline : {Deadline::none(), Deadline::after(60s)}) {
    const auto stream = this->connector_.connect(this->address_, deadline);
    ASSERT_TRUE(stream) << base::to_string(stream.error());
    EXPECT_TRUE(is_blocking(stream->handle()));
    EXPECT_EQ(*stream->get(option::send_timeout), 0s);
    EXPECT_TRUE(this->acceptor_.accept(deadline));
  }
}

TYPED_TEST(ConnectTest, ConnectsWithoutBlockingAndFinishes) {
  auto pending = this->connector_.start_connect(this->address_);
  ASSERT_TRUE(pending);
  EXPECT_FALSE(is_blocking(pending->handle()));
  auto stream = pending->finish(Deadline::after(60s));
  ASSERT_TRUE(stream) << base::to_string(stream.error());
  EXPECT_TRUE(is_blocking(stream->handle()));
}

TYPED_TEST(ConnectTest, SetsBuffersBeforeConnecting) {
  const auto stream =
      this->connector_.connect(this->address_, Deadline::none(), {.send_buffer = 100'000, .receive_buffer = 100'000});
  ASSERT_TRUE(stream);
  EXPECT_GE(*stream->get(option::receive_buffer), 100'000);
}

TYPED_TEST(ConnectTest, IsRefusedWhenNobodyListensAnyMore) {
  this->acceptor_.shutdown();
  for (const auto deadline : {Deadline::none(), Deadline::after(60s)}) {
    const auto stream = this->connector_.connect(this->address_, deadline);
    ASSERT_FALSE(stream);
    EXPECT_EQ(stream.error(), base::error(Stage::connect, Code::refused, ECONNREFUSED));
  }
}

TYPED_TEST(ConnectTest, AcceptsWithinADeadline) {
  EXPECT_EQ(this->acceptor_.accept(Deadline::now()).error().code, Code::would_block);
  EXPECT_EQ(this->acceptor_.accept(Deadline::after(5ms)).error().code, Code::timed_out);
  ASSERT_TRUE(this->connector_.connect(this->address_));
  const auto stream = this->acceptor_.accept();  // no longer blocking inside, but still waiting
  ASSERT_TRUE(stream);
  EXPECT_TRUE(is_blocking(stream->handle()));
}

TYPED_TEST(ConnectTest, ShutdownWakesABlockedAccept) {
  std::thread acceptor([&] { EXPECT_EQ(this->acceptor_.accept().error().code, Code::cancelled); });
  this->acceptor_.shutdown();
  acceptor.join();
}

TYPED_TEST(ConnectTest, LetsNobodyInWhenItRefusesMore) {
  auto client = this->connector_.connect(this->address_);
  ASSERT_TRUE(client);
  this->acceptor_.refuse_more();
  auto stream = this->acceptor_.accept(Deadline::after(60s));
  ASSERT_TRUE(stream);
  ASSERT_TRUE(client->send_n(base::as_bytes("hello")));
  base::Octet octets[5];
  EXPECT_TRUE(stream->recv_n(octets));
  EXPECT_FALSE(this->connector_.connect(this->address_, Deadline::after(50ms)));
  EXPECT_FALSE(this->acceptor_.accept(Deadline::now()));
  std::thread closing([&] {
    std::this_thread::sleep_for(50ms);
    this->acceptor_.close();
  });
  // Over TCP, the second SYN meets nobody.
  const auto more = this->connector_.connect(this->address_, Deadline::after(60s));
  closing.join();
  ASSERT_FALSE(more);
  EXPECT_TRUE(more.error().code == Code::refused || more.error().code == Code::unreachable);
}

TYPED_TEST(ConnectTest, ReportsThatDescriptorsRanOutAndKeepsTheConnection) {
  const auto client = this->connector_.connect(this->address_);
  ASSERT_TRUE(client);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto stream = this->acceptor_.accept();
  const auto second = this->connector_.connect(this->address_);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(stream.error(), base::error(Stage::accept, Code::out_of_resources, EMFILE));
  EXPECT_EQ(second.error(), base::error(Stage::connect, Code::out_of_resources, EMFILE));
  EXPECT_TRUE(this->acceptor_.accept(Deadline::after(60s)));
}

TYPED_TEST(ConnectTest, RefusesAnAddressThatIsInUse) {
  const auto second = Acceptor<TypeParam>::open(this->address_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), base::error(Stage::listen, Code::address_in_use, EADDRINUSE));
  EXPECT_TRUE(this->connector_.connect(this->address_));  // the first is not disturbed
}

TYPED_TEST(ConnectTest, HandsItsHandleOver) {
  auto second = Acceptor<TypeParam>::adopt(this->acceptor_.release());
  this->acceptor_.close();
  ASSERT_TRUE(this->connector_.connect(this->address_));
  EXPECT_TRUE(second.accept());
}

TYPED_TEST(ConnectTest, FullQueueTimesOut) {
  testing::Place<TypeParam> place;
  typename Acceptor<TypeParam>::Options options;
  options.backlog = 0;
  auto full = *Acceptor<TypeParam>::open(place.address(), options);
  const auto address = *full.local_address();
  std::vector<Stream<TypeParam>> queued;
  base::Error last;
  while (queued.size() < 10) {
    auto stream = this->connector_.connect(address, Deadline::after(50ms));
    if (!stream) {
      last = stream.error();
      break;
    }
    queued.push_back(*std::move(stream));
  }
  EXPECT_EQ(last.code, Code::timed_out);
  EXPECT_EQ(last.stage, Stage::connect);
}

TEST(TcpConnect, WorksOverIpv6) {
  auto acceptor = TcpAcceptor::open(InetAddress::loopback_v6(), {.v6_only = true});
  if (!acceptor) GTEST_SKIP() << "no IPv6 here: " << base::to_string(acceptor.error());
  auto stream = TcpConnector().connect(*acceptor->local_address());
  ASSERT_TRUE(stream) << base::to_string(stream.error());
  EXPECT_TRUE(acceptor->accept()->peer_address()->is_v6());
  EXPECT_TRUE(stream->set(option::traffic_class, 0x28));
  EXPECT_TRUE(stream->set(option::hop_limit, 7));
  EXPECT_EQ(*acceptor->get(option::v6_only), true);
}

TEST(TcpConnect, BindsToALocalAddressFirst) {
  auto acceptor = *TcpAcceptor::open(InetAddress::loopback_v4());
  const auto local = *InetAddress::parse("127.0.0.2", 0);
  const auto stream = TcpConnector().connect(*acceptor.local_address(), Deadline::none(), {.local = &local});
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->local_address()->host(), "127.0.0.2");
}

/// A port that takes no more connections and refuses none, as an address beyond a firewall.
struct Silent {
  Silent() {
    AcceptorOptions<InetAddress> options;
    options.backlog = 0;
    acceptor = *TcpAcceptor::open(InetAddress::loopback_v4(), options);
    while (auto stream = TcpConnector().connect(address(), Deadline::after(50ms))) queued.push_back(*std::move(stream));
  }
  InetAddress address() const { return *acceptor.local_address(); }

  TcpAcceptor acceptor;
  std::vector<TcpStream> queued;
};

TEST(ConnectToAny, TheNextBeginsWhenOneHasFailed) {
  auto live = *TcpAcceptor::open(InetAddress::loopback_v4());
  const testing::RefusingPort dead, dead_too;
  const std::vector<InetAddress> addresses{dead.address(), dead_too.address(), *live.local_address()};
  const auto begin = std::chrono::steady_clock::now();
  const auto stream = TcpConnector().connect(addresses, Deadline::after(600s), {}, 300s);
  ASSERT_TRUE(stream) << base::to_string(stream.error());
  EXPECT_EQ(*stream->peer_address(), addresses[2]);
  EXPECT_TRUE(is_blocking(stream->handle()));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 100s);
}

TEST(ConnectToAny, OneThatIsSilentIsNotWaitedFor) {
  const Silent silent;
  auto live = *TcpAcceptor::open(InetAddress::loopback_v4());
  const std::vector<InetAddress> addresses(12, silent.address());
  for (const std::ptrdiff_t silents : {1, 7, 12}) {
    std::vector<InetAddress> tried(addresses.begin(), addresses.begin() + silents);
    tried.push_back(*live.local_address());
    const auto stream = TcpConnector().connect(tried, Deadline::after(600s), {}, 5ms);
    ASSERT_TRUE(stream) << base::to_string(stream.error());
    EXPECT_EQ(*stream->peer_address(), *live.local_address());
  }
}

TEST(ConnectToAny, TheFirstGoesOnWhileTheNextAreTried) {
  // It answers late: when those that fill its queue are taken out of it, the system's next attempt gets through.
  Silent late;
  std::thread opens([&] {
    std::this_thread::sleep_for(200ms);
    while (late.acceptor.accept(Deadline::after(500ms))) {
    }
  });
  const Silent silent;
  const std::vector<InetAddress> addresses{late.address(), silent.address()};
  const auto stream = TcpConnector().connect(addresses, Deadline::after(600s), {}, 5ms);
  opens.join();
  ASSERT_TRUE(stream) << base::to_string(stream.error());
  EXPECT_EQ(*stream->peer_address(), late.address());
}

TEST(ConnectToAny, SaysWhyTheLastFailed) {
  const testing::RefusingPort first, second;
  const std::vector<InetAddress> dead{first.address(), second.address()};
  for (const auto deadline : {Deadline::none(), Deadline::after(60s)}) {
    EXPECT_EQ(TcpConnector().connect(dead, deadline).error(), base::error(Stage::connect, Code::refused, ECONNREFUSED));
  }
  EXPECT_EQ(TcpConnector().connect(std::span<const InetAddress>()).error().code, Code::bad_argument);
  const Silent silent;
  const std::vector<InetAddress> both{silent.address(), second.address()};
  EXPECT_EQ(TcpConnector().connect(both, Deadline::after(50ms)).error().code, Code::timed_out);
  EXPECT_EQ(TcpConnector().connect(both, Deadline::now()).error().code, Code::would_block);
}

TEST(ConnectToAny, WhoMeetsItselfWasRefused) {
  base::Error error;
  do {  // another process may have got the port meanwhile
    const std::vector<InetAddress> dead{InetAddress::loopback_v4(test::free_port())};
    const auto stream = TcpConnector().connect(dead, Deadline::after(60s), {.local = dead.data()});
    ASSERT_FALSE(stream);
    error = stream.error();
  } while (error.code == Code::address_in_use);
  EXPECT_EQ(error, base::error(Stage::connect, Code::refused));
}

/// Connects, which `cancellation` ends from another thread; the error.
base::Error cancelled_meanwhile(const std::vector<InetAddress>& addresses, Deadline deadline, base::Duration pause) {
  base::Cancellation cancellation;
  std::thread ending([&] {
    std::this_thread::sleep_for(pause);
    cancellation.cancel();
  });
  const base::Cancellation::Scope scope(cancellation);
  const auto stream = TcpConnector().connect(addresses, deadline, {}, 300s);
  ending.join();
  return stream ? base::Error{} : stream.error();
}

TEST(ConnectToAny, IsEndedByAnotherThread) {
  const Silent silent;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::size_t count : {1U, 3U}) {
    const std::vector<InetAddress> addresses(count, silent.address());
    for (const auto deadline : {Deadline::none(), Deadline::after(600s)}) {
      for (const auto pause : {0us, 20us, 40us, 60us, 80us, 100us, 20'000us}) {
        EXPECT_EQ(cancelled_meanwhile(addresses, deadline, pause), base::error(Stage::connect, Code::cancelled));
      }
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);  // the system itself gives up after two minutes
}

TEST(TcpConnect, ReportsARefusalWhenFinishing) {
  auto acceptor = *TcpAcceptor::open(InetAddress::loopback_v4());
  const auto address = *acceptor.local_address();
  acceptor.close();
  auto pending = TcpConnector().start_connect(address);
  const auto code = pending ? pending->finish(Deadline::after(60s)).error().code : pending.error().code;
  EXPECT_EQ(code, Code::refused);
}

TEST(TcpAcceptor, SharesItsPortWhenBothSaySo) {
  auto first = TcpAcceptor::open(InetAddress::loopback_v4(), {.reuse_port = true});
  ASSERT_TRUE(first);
  EXPECT_TRUE(TcpAcceptor::open(*first->local_address(), {.reuse_port = true}));
  EXPECT_TRUE(TcpAcceptor::open(InetAddress::loopback_v4(), {.defer_accept = 2s, .send_buffer = 1 << 18}));
}

TEST(TcpAcceptor, CannotListenOnAForeignAddress) {
  EXPECT_EQ(TcpAcceptor::open(*InetAddress::parse("192.0.2.1", 0)).error().code, Code::unreachable);
}

TEST(UnixAcceptor, RemovesItsFileWhenItCloses) {
  test::Folder directory;
  const auto path = directory / "s";
  auto acceptor = UnixAcceptor::open(*UnixAddress::path(path), {.mode = 0600});
  ASSERT_TRUE(acceptor);
  struct stat status {};
  ASSERT_EQ(::lstat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  UnixAcceptor moved = *std::move(acceptor);
  EXPECT_EQ(::lstat(path.c_str(), &status), 0);
  moved.close();
  EXPECT_NE(::lstat(path.c_str(), &status), 0);
}

TEST(UnixAcceptor, LeavesAFileThatIsNotItsOwnAnyMore) {
  test::Folder directory;
  const auto path = directory / "s";
  auto acceptor = *UnixAcceptor::open(*UnixAddress::path(path));
  std::filesystem::remove(path);
  std::ofstream(path) << "mine";
  acceptor.close();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(UnixAcceptor, ReplacesAStaleSocketFileUnlessToldNotTo) {
  test::Folder directory;
  const auto address = *UnixAddress::path(directory / "s");
  { ASSERT_TRUE(UnixAcceptor::open(address, {.remove_on_close = false})); }
  EXPECT_EQ(UnixAcceptor::open(address, {.replace_stale = false}).error().code, Code::address_in_use);
  auto second = UnixAcceptor::open(address);
  ASSERT_TRUE(second) << base::to_string(second.error());
  EXPECT_TRUE(UnixConnector().connect(address));
}

// Between bind(2) and listen(2) a socket looks as if its owner were gone.
TEST(UnixAcceptor, OfSeveralThatStartAtOnceOneGetsTheNameWhateverItFinds) {
  const test::Folder directory;
  const auto address = *UnixAddress::path(directory / "s");
  for (int round = 0; round < 200; ++round) {
    if (round % 2 == 0) {  // another process left a stale one
      AcceptorOptions<UnixAddress> keep;
      keep.remove_on_close = false;
      ASSERT_TRUE(UnixAcceptor::open(address, keep));
    }
    std::vector<std::optional<base::Result<UnixAcceptor>>> opened(3);
    std::atomic<int> ready{0};
    std::vector<std::thread> starters;
    for (auto& mine : opened) {
      starters.emplace_back([&] {
        ++ready;
        while (ready < 3) std::this_thread::yield();
        mine.emplace(UnixAcceptor::open(address));
      });
    }
    for (auto& starter : starters) starter.join();
    int listening = 0;
    for (const auto& each : opened) {
      listening += each->ok() ? 1 : 0;
      if (!each->ok()) {
        EXPECT_EQ(each->error().code, Code::address_in_use);
      }
    }
    ASSERT_EQ(listening, 1) << "in round " << round;
    ASSERT_TRUE(UnixConnector().connect(address, testing::soon()));
    EXPECT_FALSE(std::filesystem::exists(directory / "s.lock"));
  }
}

TEST(UnixAcceptor, NeverReplacesAFileOfAnotherKind) {
  test::Folder directory;
  const auto path = directory / "precious";
  std::ofstream(path) << "data";
  EXPECT_EQ(UnixAcceptor::open(*UnixAddress::path(path)).error().code, Code::address_in_use);
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
}

TEST(UnixAcceptor, ReportsAMissingDirectory) {
  test::Folder directory;
  EXPECT_EQ(UnixAcceptor::open(*UnixAddress::path(directory / "no/s")).error().code, Code::unreachable);
  EXPECT_EQ(UnixConnector().connect(*UnixAddress::path(directory / "no")).error().code, Code::unreachable);
}

TEST(UnixAcceptor, ListensOnAnAbstractName) {
  test::Folder directory;  // for a unique name
  const auto address = *UnixAddress::abstract(directory / "a");
  auto acceptor = UnixAcceptor::open(address);
  ASSERT_TRUE(acceptor);
  EXPECT_EQ(*acceptor->local_address(), address);
  EXPECT_TRUE(UnixConnector().connect(address));
  EXPECT_EQ(UnixAcceptor::open(address).error().code, Code::address_in_use);
}

}  // namespace
}  // namespace corbel::ipc

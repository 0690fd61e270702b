// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/multicast/multicast.hpp"

#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "corbel/base/kept_log.hpp"
#include "corbel/ipc/multicast.hpp"
#include "corbel/transport/multicast/endpoint.hpp"
#include "support/allocations.hpp"

namespace corbel::transport::multicast {
namespace {

using base::Bytes;
using base::Code;
using base::Deadline;
using base::Stage;
using ipc::InetAddress;
using namespace std::chrono_literals;

class Groups : public testing::Test {
 protected:
  std::unique_ptr<Transport> connect(const MulticastSettings& settings = {"lo"}) {
    const auto connector = make_multicast(settings)->make_connector();
    return *connector->connect(*acceptor_->endpoints().front(), {}, Deadline::after(20s));
  }
  InetAddress address() const { return dynamic_cast<const GroupEndpoint&>(*acceptor_->endpoints().front()).address(); }
  static void send(Transport& transport, const Bytes& octets, std::size_t piece) {
    std::vector<cdr::Segment> pieces;
    for (std::size_t at = 0; at < octets.size(); at += piece) {
      pieces.push_back({octets.data() + at, std::min(piece, octets.size() - at)});
    }
    const auto sent = transport.send(pieces, Deadline::after(20s));
    ASSERT_TRUE(sent) << base::to_string(sent.error());
    EXPECT_EQ(*sent, octets.size());
  }
  Bytes receive(Transport& transport) {
    const auto count = transport.receive(room_, Deadline::after(20s));
    if (!count) {
      ADD_FAILURE() << base::to_string(count.error());
      return {};
    }
    return {room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(*count)};
  }
  static int option(const Transport& transport, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(transport.handle(), IPPROTO_IP, name, &value, &size), 0);
    return value;
  }

  std::shared_ptr<const Factory> factory_ = make_multicast({"lo"});
  std::unique_ptr<Acceptor> acceptor_ = *factory_->listen(**factory_->parse("239.255.77.13:0"), {});
  Bytes room_ = Bytes(kLargest);
};

TEST_F(Groups, AreTheAddressesThatTheStandardSaysAndNoOthers) {
  for (const char* const good : {"224.0.0.1:1", "239.255.255.255:1", "[ff02::1]:1"}) {
    EXPECT_TRUE(factory_->parse(good)) << good;
  }
  for (const char* const bad : {"223.255.255.255:1", "240.0.0.1:1", "255.255.255.255:1", "[fe80::1]:1"}) {
    EXPECT_FALSE(factory_->parse(bad)) << bad;
  }
}

TEST_F(Groups, OfOneLinkAreOfTheInterfaceThatTheSettingsName) {
  if (!ipc::MulticastSocket::open(InetAddress::any_v6())) GTEST_SKIP() << "no IPv6";
  auto acceptor = factory_->listen(**factory_->parse("[ff02::4711]:0"), {});
  ASSERT_TRUE(acceptor) << base::to_string(acceptor.error());
  acceptor_ = *std::move(acceptor);
  EXPECT_EQ(address().scope(), ipc::NetworkInterface::find("lo")->index());
  EXPECT_TRUE(acceptor_->accept());
}

TEST_F(Groups, AreHeardByOneAtATimeAndByTheNextWhenThatHasEnded) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(ipc::wait_ready(acceptor_->handle(), ipc::Ready::readable, Deadline::after(20s), Stage::wait));
    const auto ear = *acceptor_->accept();
    EXPECT_EQ(acceptor_->accept().error().code, Code::would_block);
    EXPECT_FALSE(ipc::wait_ready(acceptor_->handle(), ipc::Ready::readable, Deadline::now(), Stage::wait));
    send(*connect(), {1, 2, 3}, 3);
    EXPECT_EQ(receive(*ear), (Bytes{1, 2, 3}));
  }
}

bool make_interface() {
  return std::system(
             "{ ip link add vb type veth peer name vc && ip link set vb up && ip link set vc up &&"
             " ip addr add 10.9.9.1/24 dev vb; } > /dev/null 2>&1") == 0;
}

/// The next look at the interface, if it is right that the place is taken.
bool looks(Acceptor& acceptor) {
  return ipc::wait_ready(acceptor.handle(), ipc::Ready::readable, Deadline::after(20s), Stage::wait) &&
         acceptor.accept().error().code == Code::would_block;
}

// In a child with a network of its own. 0: heard; 77: there can be no such interface.
int hear_by_another_interface() {
  constexpr int kCannot = 77;
  if (::unshare(CLONE_NEWNET) != 0 || !make_interface()) return kCannot;
  const auto kept = std::make_shared<base::KeptLog>();
  const base::Log log({.levels = base::KeptLog::everything(), .sink = kept});
  const auto factory = make_multicast({"vb"})->with({.log = &log});
  const auto acceptor = *factory->listen(**factory->parse("239.255.77.13:0"), {});
  auto ear = *acceptor->accept();
  Bytes room(kLargest);
  if (!looks(*acceptor) || !kept->entries().empty()) return 1;
  if (std::system("ip link del vb") != 0) return kCannot;
  if (!looks(*acceptor) || kept->entries().size() != 1) return 2;
  if (kept->entries()[0].event != "the interface of a group has gone") return 3;
  if (ear->receive(room, Deadline::now()).error().code != Code::would_block) return 4;
  if (!make_interface()) return kCannot;
  if (!looks(*acceptor) || kept->entries().size() != 2) return 5;
  if (kept->entries()[1].event != "the interface of a group is another one") return 6;
  if (ear->receive(room, Deadline::now()).error().code != Code::closed) return 7;
  ear.reset();
  ear = *acceptor->accept();
  const auto connector = factory->make_connector();
  const auto sender = *connector->connect(*acceptor->endpoints().front(), {}, Deadline::after(20s));
  const cdr::Segment piece{"abc", 3};
  if (!sender->send({&piece, 1}, Deadline::after(20s))) return 8;
  const auto count = ear->receive(room, Deadline::after(20s));
  return count && *count == 3 ? 0 : 9;
}

TEST_F(Groups, AreHeardByAnInterfaceThatWasMadeAnew) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(hear_by_another_interface());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs root and ip(8)";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Groups, AreSentToAsTheOptionsSay) {
  MulticastSettings settings{"lo"};
  const auto as_ever = connect(settings);
  EXPECT_EQ(option(*as_ever, IP_MULTICAST_TTL), settings.hops);
  EXPECT_EQ(option(*as_ever, IP_MULTICAST_LOOP), settings.loopback ? 1 : 0);
  settings.hops = 7;
  settings.loopback = false;
  const auto otherwise = connect(settings);
  EXPECT_EQ(option(*otherwise, IP_MULTICAST_TTL), 7);
  EXPECT_EQ(option(*otherwise, IP_MULTICAST_LOOP), 0);
}

TEST_F(Groups, HearAMessageInMorePiecesThanTheSystemTakesWholeAndOnce) {
  const auto ear = *acceptor_->accept();
  const auto sender = connect();
  Bytes octets(9000);
  std::iota(octets.begin(), octets.end(), base::Octet{1});
  for (int round = 0; round < 3; ++round) {
    send(*sender, octets, 3);
    EXPECT_EQ(receive(*ear), octets) << round;
    octets.resize(octets.size() - 1000);
    octets[0] = 99;
  }
}

// As many as the system takes of one packet, whose header is one more.
TEST_F(Groups, HearAPacketOfManyPieces) {
  const auto ear = *acceptor_->accept();
  const auto sender = connect();
  for (const std::size_t size : {1022U, 1023U, 1024U, 1025U}) {
    const Bytes octets(size, static_cast<base::Octet>(size));
    send(*sender, octets, 1);
    EXPECT_EQ(receive(*ear), octets);
  }
}

TEST_F(Groups, AreStillHeardAfterMemoryHasRunOut) {
  std::unique_ptr<Transport> ear;
  std::size_t failures = 0;
  for (; ear == nullptr && failures < 1000; ++failures) {
    test::refuse_allocations(failures, 1);
    try {
      if (auto accepted = acceptor_->accept()) ear = *std::move(accepted);
    } catch (const std::bad_alloc&) {
    }
    test::refuse_allocations(0, 0);
    ASSERT_TRUE(ipc::wait_ready(acceptor_->handle(), ipc::Ready::readable, Deadline::after(ear == nullptr ? 20s : 0s),
                                Stage::wait) ||
                ear != nullptr)
        << failures;
  }
  EXPECT_GT(failures, 1U);
  ASSERT_NE(ear, nullptr);
  send(*connect(), {1, 2, 3}, 3);
  EXPECT_EQ(receive(*ear), (Bytes{1, 2, 3}));
}

// Each look takes a part of it and no more, so that others get their turn.
TEST_F(Groups, AFloodOfNonsenseIsTakenInParts) {
  const auto ear = *acceptor_->accept();
  auto stranger = *ipc::MulticastSocket::open(InetAddress::any_v4());
  ASSERT_TRUE(stranger.set_interface(*ipc::NetworkInterface::find("lo")));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(stranger.send_to(base::as_bytes("nonsense"), address()));
  }
  send(*connect(), {7}, 1);
  unsigned looks = 1;
  auto count = ear->receive(room_, Deadline::now());
  for (const Deadline end = Deadline::after(20s); !count && !end.expired(); ++looks) {
    ASSERT_EQ(count.error().code, Code::would_block);
    count = ear->receive(room_, Deadline::now());
  }
  ASSERT_TRUE(count);
  EXPECT_EQ(room_[0], 7);
  EXPECT_GT(looks, 1U);
}

}  // namespace
}  // namespace corbel::transport::multicast

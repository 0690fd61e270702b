// SPDX-License-Identifier: Apache-2.0
// Oneways whose caller waits for nothing (SyncScope NONE), to a host that does not answer when it is connected to.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "corbel/corbel.hpp"
#include "corbel/orb/statistics.hpp"
#include "fake_peer.hpp"
#include "fault.hpp"

namespace {

using namespace std::chrono_literals;

/// A port at which the system has no room for one more connection: a client that connects waits.
class FullPort {
 public:
  FullPort() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
    EXPECT_EQ(::listen(listener_, 0), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address_), &size), 0);
    for (int n = 0; n < 4; ++n) {
      fillers_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      (void)::connect(fillers_.back(), reinterpret_cast<sockaddr*>(&address_), sizeof address_);
    }
  }
  ~FullPort() {
    empty();
    if (listener_ >= 0) ::close(listener_);
  }
  FullPort(const FullPort&) = delete;
  FullPort& operator=(const FullPort&) = delete;

  std::string reference() const { return "corbaloc::127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/key"; }
  /// Clients that waited get through.
  void empty() {
    for (const int filler : fillers_) ::close(filler);
    fillers_.clear();
  }
  /// Nothing listens any more.
  void close() {
    empty();
    ::close(std::exchange(listener_, -1));
  }
  /// Takes connections, and reads, until a message with the text has come.
  bool receives(const std::string& text) {
    for (const auto end = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < end;) {
      const int peer = ::accept(listener_, nullptr, nullptr);
      std::string got;
      char room[4096];
      for (ssize_t size = 0; (size = ::recv(peer, room, sizeof room, 0)) > 0;) {
        got.append(room, static_cast<std::size_t>(size));
        if (got.find(text) != std::string::npos) break;
      }
      ::close(peer);
      if (got.find(text) != std::string::npos) return true;
    }
    return false;
  }

 private:
  sockaddr_in address_{};
  int listener_ = -1;
  std::vector<int> fillers_;
};

class OnewayConnecting : public testing::Test {
 protected:
  ~OnewayConnecting() override {
    victim_.reset();
    if (orb_ != nullptr) orb_->destroy();
  }
  void use(const std::string& reference, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"connecting", "-ORBSyncScope", "none", "-ORBConnectTimeout", "60000"});
    orb_ = CORBA::ORB_init(options, "connecting");
    victim_ = IDL::traits<Fault::Victim>::unchecked_narrow(orb_->string_to_object(reference));
  }
  std::uint64_t dropped() { return corbel::orb::statistics(*orb_).oneways_dropped; }

  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<Fault::Victim>::ref_type victim_;
};

TEST_F(OnewayConnecting, ToAHostThatDoesNotAnswerKeepsNobodyWaiting) {
  FullPort port;
  use(port.reference());
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < 1000; ++n) victim_->tell("lost");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);  // a minute each, if one waited
  EXPECT_EQ(dropped(), 1000U);
  // They get through as soon as there is a connection.
  port.empty();
  std::jthread teller([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      victim_->tell("arrived");
      std::this_thread::sleep_for(1ms);
    }
  });
  EXPECT_TRUE(port.receives("arrived"));
}

TEST_F(OnewayConnecting, AnEndThatComesMeanwhileDoesNotWaitForIt) {
  FullPort port;
  use(port.reference());
  victim_->tell("lost");
  const auto begin = std::chrono::steady_clock::now();
  std::exchange(orb_, nullptr)->destroy();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  EXPECT_THROW(victim_->tell("late"), CORBA::SystemException);
}

TEST_F(OnewayConnecting, ThatIsRefusedIsTold) {
  FullPort port;
  port.close();
  use(port.reference());
  for (int n = 0; n < 3; ++n) {
    try {
      victim_->tell("lost");
      ADD_FAILURE();
    } catch (const CORBA::TRANSIENT& failure) {
      EXPECT_EQ(failure.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    }
  }
  EXPECT_EQ(dropped(), 0U);
}

TEST_F(OnewayConnecting, TheFirstMessageOfAReferenceIsNotLost) {
  int late = 0;
  for (int n = 0; n < 20;) {
    corbel::test::FakePeer peer({corbel::test::answer::nothing()});
    use(peer.ior());
    const auto begin = std::chrono::steady_clock::now();
    victim_->tell("first");
    // A machine that takes longer to connect than the caller waits may lose it: that round does not count.
    if (std::chrono::steady_clock::now() - begin >= 90ms && dropped() != 0) {
      ASSERT_LT(++late, 200);
    } else {
      EXPECT_EQ(dropped(), 0U);
      EXPECT_TRUE(peer.wait_for_messages(1));
      ++n;
    }
    victim_.reset();
    std::exchange(orb_, nullptr)->destroy();
  }
}

TEST_F(OnewayConnecting, WhoWouldRatherWaitWaits) {
  FullPort port;
  use(port.reference(), {"-ORBOnewayOverflow", "wait", "-ORBConnectTimeout", "300"});
  EXPECT_THROW(victim_->tell("lost"), CORBA::SystemException);
  EXPECT_EQ(dropped(), 0U);
}

}  // namespace

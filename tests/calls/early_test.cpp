// SPDX-License-Identifier: Apache-2.0
// Servers that answer before they have the whole request.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "calls_server.hpp"
#include "eventually.hpp"
#include "support.hpp"

namespace corbel::calls_test {
namespace {

/// Answers each request when its first octets have come, and then ends the connection or reads no more.
class HastyPeer {
 public:
  explicit HastyPeer(bool closes) : closes_(closes), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    profile_ = {.port = ::ntohs(address.sin_port)};
    thread_ = std::thread([this] { serve(); });
  }
  ~HastyPeer() {
    over_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  HastyPeer(const HastyPeer&) = delete;
  HastyPeer& operator=(const HastyPeer&) = delete;

  test::ProfileData profile() const { return profile_; }
  std::atomic<int> answered{0};

 private:
  void serve() {
    while (!over_) {
      const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (peer < 0) return;
      std::array<std::uint8_t, 16> head{};
      if (::recv(peer, head.data(), head.size(), MSG_WAITALL) == ssize_t{head.size()}) {
        std::uint32_t id = 0;
        std::memcpy(&id, head.data() + 12, sizeof id);
        const auto reply = test::Writer().giop(test::kReply, 2).u32(id).u32(0).u32(0).string("early").finish();
        (void)::send(peer, reply.data(), reply.size(), MSG_NOSIGNAL);
        ++answered;
        // With the rest unread the end is a reset; what was said before it has arrived by then.
        for (int i = 0; (!closes_ || i < 30) && !over_; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      ::close(peer);
    }
  }

  const bool closes_;
  const int listener_;
  test::ProfileData profile_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

TEST(EarlyAnswers, AreTheCallers) {
  for (const bool closes : {true, false}) {
    std::string answer;
    // Where the peer does not close, what has come counts when the call's time is over. On a loaded machine nothing may
    // have come by then: once more, then.
    for (int tries = 0; tries < 5 && answer.empty(); ++tries) {
      HastyPeer hasty(closes);
      test::FakePeer other({test::answer::text("other")});
      Client client({"-ORBCallTimeout", closes ? "60000" : "2000"});
      const ThingRef thing = client.thing({hasty.profile(), other.profile()});
      const Ending ending = ending_of([&] { answer = thing->ask(std::string(30'000'000, 'x')); });
      EXPECT_EQ(other.requests(), 0U) << closes;
      if (!closes && ending.what.starts_with("TIMEOUT")) continue;
      EXPECT_EQ(ending.what, "done") << closes << ' ' << ending.text;
      EXPECT_TRUE(test::eventually([&] { return hasty.answered >= 1; }));
      EXPECT_EQ(hasty.answered, 1) << closes;
      break;
    }
    EXPECT_EQ(answer, "early") << closes;
  }
}

}  // namespace
}  // namespace corbel::calls_test

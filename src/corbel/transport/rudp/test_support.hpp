// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/ipc/datagram.hpp"
#include "corbel/ipc/event.hpp"
#include "corbel/ipc/handle.hpp"
#include "corbel/transport/rudp/endpoint.hpp"
#include "corbel/transport/rudp/rudp.hpp"
#include "corbel/transport/rudp/simulation.hpp"
#include "support/free_port.hpp"

/// For tests: a socket between clients and a server that loses, repeats, delays and damages datagrams, always the same
/// ones of as many; and a client and a server.
namespace corbel::transport::rudp_tests {

/// In hundredths of all datagrams.
struct Badness {
  unsigned lost = 0;
  unsigned twice = 0;
  unsigned overtaken = 0;  ///< by some of those that follow
  unsigned damaged = 0;
};

class BadNetwork {
 public:
  BadNetwork(const ipc::InetAddress& server, const Badness& badness)
      : BadNetwork(*ipc::UdpSocket::open(ipc::InetAddress::loopback_v4()), server, badness) {}
  /// The same port at another address.
  BadNetwork(const char* host, const char* server, const Badness& badness)
      : BadNetwork(at_free_port(host, server), *ipc::InetAddress::parse(server, 0), badness) {}
  ~BadNetwork() {
    stop_.set();
    thread_.join();
  }
  /// What clients take for the server's.
  std::uint16_t port() const { return port_; }
  std::size_t passed() const { return passed_; }
  std::size_t lost() const { return lost_; }
  /// Nothing comes through any more.
  void cut() { cut_ = true; }
  /// The datagrams that went to the server last, as they were.
  std::vector<base::Bytes> recorded() {
    const std::lock_guard lock(mutex_);
    return {recorded_.begin(), recorded_.end()};
  }
  /// Sends something to the server in the name of the first client, or (`back`) to that in the server's.
  void inject(const base::Bytes& octets, bool back = false) {
    const std::lock_guard lock(mutex_);
    if (clients_.empty()) return;
    if (back) {
      (void)front_.send_to(octets, clients_.front().address, ipc::SendFlags::dont_wait);
    } else {
      (void)clients_.front().socket.send_to(octets, server_, ipc::SendFlags::dont_wait);
    }
  }

 private:
  /// Its port is free at the server's address, too, and stays so.
  static ipc::UdpSocket at_free_port(const char* host, const char* server) {
    for (;;) {
      const std::uint16_t port = test::free_port();
      const bool is_free = ipc::UdpSocket::open(*ipc::InetAddress::parse(server, port)).ok();
      auto front = ipc::UdpSocket::open(*ipc::InetAddress::parse(host, port));
      if (is_free && front) return *std::move(front);
    }
  }
  BadNetwork(ipc::UdpSocket front, const ipc::InetAddress& server, const Badness& badness)
      : front_(std::move(front)),
        port_(front_.local_address()->port()),
        server_(server.port() == 0 ? server.with_port(port_) : server),
        badness_(badness),
        thread_([this] { run(); }) {}

  struct Client {
    ipc::InetAddress address;
    ipc::UdpSocket socket;  // which the server takes for it
  };
  struct Held {
    std::size_t client;
    bool back;
    base::Bytes octets;
    std::size_t until;  // so many have come
  };

  void run() {
    while (!stopped_) {
      std::vector<pollfd> all{{stop_.handle(), POLLIN, 0}, {front_.handle(), POLLIN, 0}};
      for (const Client& each : clients_) all.push_back({each.socket.handle(), POLLIN, 0});
      // Who is held back goes on even if nobody follows.
      if (::poll(all.data(), all.size(), held_.empty() ? -1 : 5) == 0) release(SIZE_MAX);
      stopped_ = all[0].revents != 0;
      if (all[1].revents != 0) take_front();
      for (std::size_t i = 2; i < all.size(); ++i) {
        if (all[i].revents != 0) take_back(i - 2);
      }
    }
  }
  void take_front() {
    ipc::InetAddress from;
    const auto size = front_.recv_from(room_, from, ipc::RecvFlags::dont_wait);
    if (!size) return;
    std::size_t client = 0;
    while (client < clients_.size() && !(clients_[client].address == from)) ++client;
    {
      const std::lock_guard lock(mutex_);
      if (client == clients_.size()) {
        clients_.push_back({from, *ipc::UdpSocket::open(ipc::InetAddress::loopback_v4())});
      }
      recorded_.emplace_back(room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(*size));
      if (recorded_.size() > 100) recorded_.pop_front();
    }
    pass(client, false, *size);
  }
  void take_back(std::size_t client) {
    ipc::InetAddress from;
    const auto size = clients_[client].socket.recv_from(room_, from, ipc::RecvFlags::dont_wait);
    if (size) pass(client, true, *size);
  }
  bool happens(unsigned hundredths) { return random_() % 100 < hundredths; }
  void pass(std::size_t client, bool back, std::size_t size) {
    ++passed_;
    release(passed_);
    if (cut_ || happens(badness_.lost)) {
      ++lost_;
      return;
    }
    base::Bytes octets(room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(size));
    if (happens(badness_.damaged)) octets[random_() % size] ^= static_cast<base::Octet>(1U << random_() % 8);
    for (int copies = happens(badness_.twice) ? 2 : 1; copies > 0; --copies) {
      if (happens(badness_.overtaken)) {
        held_.push_back({client, back, octets, passed_ + 1 + random_() % 6});
      } else {
        forward(client, back, octets);
      }
    }
  }
  void release(std::size_t now) {
    for (std::size_t i = held_.size(); i-- > 0;) {
      if (held_[i].until > now) continue;
      forward(held_[i].client, held_[i].back, held_[i].octets);
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  void forward(std::size_t client, bool back, const base::Bytes& octets) {
    if (back) {
      (void)front_.send_to(octets, clients_[client].address, ipc::SendFlags::dont_wait);
    } else {
      (void)clients_[client].socket.send_to(octets, server_, ipc::SendFlags::dont_wait);
    }
  }

  ipc::UdpSocket front_;
  const std::uint16_t port_;
  const ipc::InetAddress server_;
  const Badness badness_;
  std::minstd_rand random_{1};
  ipc::Event stop_ = *ipc::Event::open();
  bool stopped_ = false;
  base::Bytes room_ = base::Bytes(1U << 16);
  std::vector<Held> held_;
  std::atomic<std::size_t> passed_{0}, lost_{0};
  std::atomic<bool> cut_{false};
  std::mutex mutex_;  // guards changes of what follows
  std::vector<Client> clients_;
  std::deque<base::Bytes> recorded_;
  std::thread thread_;
};

using base::Code;
using base::Deadline;
using base::Stage;
using ipc::InetAddress;

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kChildrenHaveThreads = false;  // the sanitizer has none
#else
inline constexpr bool kChildrenHaveThreads = true;
#endif

/// A process that connects to this one, forked before this one has threads: in the child of a process with threads the
/// allocator of a sanitizer may be locked for ever.
class ClientProcess {
 public:
  /// `live` runs there when it is told where to connect to, and then the process ends.
  template <class Live>
  explicit ClientProcess(const Live& live) {
    EXPECT_EQ(::pipe(pipe_.data()), 0);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::alarm(90);
    ::close(pipe_[1]);
    std::uint16_t port = 0;
    if (::read(pipe_[0], &port, sizeof port) != static_cast<ssize_t>(sizeof port)) ::_exit(1);
    live(ipc::InetAddress::loopback_v4(port));
    ::_exit(0);
  }
  ~ClientProcess() {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    (void)wait();
  }
  ClientProcess(const ClientProcess&) = delete;
  ClientProcess& operator=(const ClientProcess&) = delete;

  void connect_to(std::uint16_t port) {
    EXPECT_EQ(::write(pipe_[1], &port, sizeof port), static_cast<ssize_t>(sizeof port));
  }
  pid_t pid() const { return pid_; }
  /// Until it has ended: its status.
  int wait() {
    int status = -1;
    EXPECT_GT(::waitpid(std::exchange(pid_, -1), &status, 0), 0);
    return status;
  }

 private:
  std::array<int, 2> pipe_{};
  pid_t pid_ = -1;
};

class Rudp : public testing::Test {
 protected:
  void listen(const RudpSettings& settings = {}, const std::string& address = "127.0.0.1:0", Options options = {}) {
    factory_ = make_rudp(settings);
    connector_ = factory_->make_connector();
    acceptor_ = *factory_->listen(**factory_->parse(address), options);
  }
  InetAddress address() const {
    const auto& own = dynamic_cast<const RudpEndpoint&>(*acceptor_->endpoints().front());
    return *InetAddress::parse(own.host(), own.port());
  }
  base::Result<std::unique_ptr<Transport>> connect_to(const InetAddress& address, base::Duration patience = 20s,
                                                      const ConnectionOptions& options = {}) {
    return connector_->connect(**factory_->parse(address.to_string()), options, Deadline::after(patience));
  }
  std::unique_ptr<Transport> accept() {
    for (;;) {
      auto accepted = acceptor_->accept();
      if (accepted) return *std::move(accepted);
      if (!ipc::wait_ready(acceptor_->handle(), ipc::Ready::readable, Deadline::after(20s), Stage::wait)) {
        ADD_FAILURE() << "nobody came";
        return nullptr;
      }
    }
  }
  void make_pair(const InetAddress& where) {
    client_ = *connect_to(where);
    server_ = accept();
  }
  static base::Status send(Transport& transport, const Bytes& octets, base::Duration patience = 60s) {
    const cdr::Segment whole{octets.data(), octets.size()};
    CORBEL_TRY(const auto count, transport.send({&whole, 1}, Deadline::after(patience)));
    EXPECT_EQ(count, octets.size());
    return {};
  }
  static Bytes receive(Transport& transport, std::size_t size) {
    Bytes octets(size);
    for (std::size_t got = 0; got < size;) {
      const auto count = transport.receive(base::ByteSpan(octets).subspan(got), Deadline::after(60s));
      if (!count) {
        ADD_FAILURE() << base::to_string(count.error()) << " after " << got;
        octets.resize(got);
        break;
      }
      got += *count;
    }
    return octets;
  }
  static Code end_of(Transport& transport, base::Duration patience = 20s) {
    Bytes room(1000);
    for (;;) {
      const auto count = transport.receive(room, Deadline::after(patience));
      if (!count) return count.error().code;
    }
  }
  void exchange(std::size_t size) {
    const Bytes forth = pattern(size, 1), back = pattern(size, 2);
    std::thread client_sends([&] { EXPECT_TRUE(send(*client_, forth)); });
    std::thread server_sends([&] { EXPECT_TRUE(send(*server_, back)); });
    std::thread server_receives([&] { EXPECT_TRUE(receive(*server_, size) == forth); });
    EXPECT_TRUE(receive(*client_, size) == back);
    client_sends.join();
    server_sends.join();
    server_receives.join();
  }

  std::shared_ptr<const Factory> factory_;
  std::unique_ptr<Connector> connector_;
  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<Transport> client_;
  std::unique_ptr<Transport> server_;
};

}  // namespace corbel::transport::rudp_tests

// SPDX-License-Identifier: Apache-2.0
// The laboratory's control: plain C sockets, blocking ("none") or asking again and again ("spin").
#include <unistd.h>

#include <cerrno>

#include "common/plain_datagrams.h"
#include "common/plain_multiplexer.h"
#include "common/plain_sockets.h"
#include "common/plain_uring.h"
#include "peers/cubes.hpp"
#include "peers/peer.hpp"

namespace {

void check(int status) {
  if (status < 0) throw std::runtime_error(std::strerror(errno));
}

class Client {
 public:
  explicit Client(std::string address) : address_(std::move(address)), handle_(plain_connect(address_.c_str())) {
    check(handle_);
  }
  ~Client() { close(handle_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void ping() { check(plain_ping(handle_)); }
  std::unique_ptr<Client> for_thread() { return std::make_unique<Client>(address_); }
  /// What is left to a program without an ORB when a call has failed.
  void reconnect() {
    close(handle_);
    handle_ = plain_connect(address_.c_str());
  }
  std::unique_ptr<Client> of_number(unsigned long number) const {
    return std::make_unique<Client>(peer::numbered(address_, number));
  }
  std::function<void()> put(std::size_t payload) {
    return [this, data = std::vector<char>(payload, 'x')] { exchange(data, nullptr); };
  }

  peer::Flow ring(const std::string& type, std::size_t count) {
    std::vector<char> data(count * peer::size_of(type), 'x');
    const std::uint64_t size = 2 * data.size();
    return {size, [this, data = std::move(data), back = std::vector<char>(size / 2)](unsigned long calls) mutable {
              for (unsigned long i = 0; i < calls; ++i) exchange(data, back.data());
            }};
  }

  /// Every type travels as it lies in memory.
  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    std::vector<char> data(count * peer::size_of(type), 'x');
    const std::uint64_t size = data.size();
    if (oneway) {
      return {size, [this, data = std::move(data)](unsigned long calls) {
                check(plain_flood(handle_, data.data(), static_cast<std::uint32_t>(data.size()), calls));
              }};
    }
    return {size, [this, data = std::move(data)](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) exchange(data, nullptr);
            }};
  }

  /// Up to 40 octets fit into the message of a ping; more come back after it.
  std::function<void()> cube(const std::string& what) {
    if (!what.ends_with("-large")) return [this] { ping(); };
    const std::vector<char> data(peer::kLargeOctets, 3);
    return [this, data, back = std::vector<char>(data)]() mutable { exchange(data, back.data()); };
  }

 private:
  void exchange(const std::vector<char>& data, char* back) {
    check(plain_exchange(handle_, data.data(), static_cast<std::uint32_t>(data.size()), back));
  }

  std::string address_;
  int handle_;
};

/// Over UDP.
class DatagramClient {
 public:
  explicit DatagramClient(const char* address) : handle_(plain_datagrams_connect(address)) { check(handle_); }
  ~DatagramClient() { close(handle_); }
  DatagramClient(const DatagramClient&) = delete;
  DatagramClient& operator=(const DatagramClient&) = delete;

  void ping() { check(plain_datagrams_trip(handle_)); }
  std::function<void()> put(std::size_t payload) {
    return [this, data = std::vector<char>(std::max(payload, sizeof(plain_note)), 'x')]() mutable {
      check(plain_datagrams_put(handle_, data.data(), data.size()));
    };
  }
  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    std::vector<char> data(count * peer::size_of(type), 'x');
    const std::uint64_t size = data.size();
    if (!oneway || size > plain_datagram_most) throw std::runtime_error("datagrams go one way, up to 65,507 octets");
    return {size,
            [this, data = std::move(data)](unsigned long calls) {
              check(plain_datagrams_flood(handle_, data.data(), data.size(), calls, &tally_));
            },
            [this] { return tally_.octets; }};
  }

 private:
  int handle_;
  plain_tally tally_{};
};

void serve_connection(int handle) {
  if (plain_serve(handle) != 0) std::perror("plain server");
  close(handle);
}

struct Plain {
  static peer::About about() {
    return {"plain C sockets", "none spin", "tcp unix shm udp",
            "latency threads fan oneway twoway ring cube queues delays", peer::kPlainTypes};
  }
  static void serve_datagrams(const char* where) {
    char address[256];
    const int handle = plain_datagrams_listen(where, address, sizeof address);
    check(handle);
    peer::announce(address);
    check(plain_datagrams_serve(handle));
  }
  static void prepare(const char* protocol) {
    const int spinning = std::strcmp(protocol, "spin") == 0 ? 1 : 0;
    plain_set_queues(peer::queue_size());
    plain_set_no_delay(peer::no_delay() ? 1 : 0);
    plain_set_spinning(spinning);
    plain_datagrams_set_queues(peer::queue_size());
    plain_datagrams_set_spinning(spinning);
  }
  static void serve(const char* protocol, const char* transport, const char* where) {
    char address[256];
    prepare(protocol);
    if (std::strcmp(transport, "udp") == 0) return serve_datagrams(where);
    const int listener = plain_listen(transport, where, address, sizeof address);
    check(listener);
    peer::announce(address);
    if (const char* const how = std::getenv("CORBEL_BENCH_MULTIPLEXER"); how != nullptr) {
      if (std::strcmp(how, "io_uring") == 0) return check(plain_serve_all_by_uring(listener));
      return check(plain_serve_all(listener, std::strcmp(how, "epoll") == 0 ? 1 : 0));
    }
    for (;;) {
      const int handle = plain_accept(listener);
      check(handle);
      if (peer::serves_in_threads()) {
        std::thread(serve_connection, handle).detach();
      } else {
        serve_connection(handle);
      }
    }
  }
  static int run_client(const char* protocol, const char* transport, const char* address) {
    prepare(protocol);
    if (std::strcmp(transport, "udp") == 0) {
      DatagramClient client(address);
      return peer::command_loop(client);
    }
    Client client(peer::numbered(address, 0));
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Plain>(argc, argv);
}

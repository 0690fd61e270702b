// SPDX-License-Identifier: Apache-2.0
// ZeroMQ in the laboratory: request sockets for calls and rings, a push socket for streams; octets only.
#include <zmq.h>

#include <atomic>

#include "peers/peer.hpp"

namespace {

void check(bool good) {
  if (!good) throw std::runtime_error(zmq_strerror(zmq_errno()));
}

class Socket {
 public:
  Socket(void* context, int type) : socket_(zmq_socket(context, type)) {
    check(socket_ != nullptr);
    if (const int queue = peer::queue_size(); queue > 0) {
      zmq_setsockopt(socket_, ZMQ_SNDBUF, &queue, sizeof queue);
      zmq_setsockopt(socket_, ZMQ_RCVBUF, &queue, sizeof queue);
    }
  }
  ~Socket() { zmq_close(socket_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void bind(const std::string& address) { check(zmq_bind(socket_, address.c_str()) == 0); }
  void connect(const std::string& address) { check(zmq_connect(socket_, address.c_str()) == 0); }
  std::string address() const {
    char text[256];
    std::size_t size = sizeof text;
    check(zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, text, &size) == 0);
    return text;
  }
  void send(const void* data, std::size_t size) { check(zmq_send(socket_, data, size, 0) >= 0); }
  /// The octets stay in the message, which is the cheapest way to look at them.
  std::size_t receive(std::uint64_t* number = nullptr) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    check(zmq_msg_recv(&message, socket_, 0) >= 0);
    const std::size_t size = zmq_msg_size(&message);
    if (number != nullptr && size == sizeof *number) std::memcpy(number, zmq_msg_data(&message), size);
    zmq_msg_close(&message);
    return size;
  }

  /// The next message goes out again as it came, without a copy.
  void send_back() {
    zmq_msg_t message;
    zmq_msg_init(&message);
    check(zmq_msg_recv(&message, socket_, 0) >= 0);
    check(zmq_msg_send(&message, socket_, 0) >= 0);
  }

 private:
  void* socket_;
};

std::atomic<std::uint64_t> taken{0};

/// A call without octets asks how many octets of streams have arrived; one with octets is only confirmed.
void serve_calls(Socket& calls) {
  for (;;) {
    const std::size_t size = calls.receive();
    const std::uint64_t arrived = taken;
    calls.send(&arrived, size == 0 ? sizeof arrived : 1);
  }
}

/// What comes goes back.
void serve_rings(Socket& rings) {
  for (;;) rings.send_back();
}

class Client {
 public:
  Client(void* context, const std::string& reference)
      : calls_(context, ZMQ_REQ), streams_(context, ZMQ_PUSH), rings_(context, ZMQ_REQ) {
    const std::size_t blank = reference.find(' ');
    const std::size_t second = reference.find(' ', blank + 1);
    calls_.connect(reference.substr(0, blank));
    streams_.connect(reference.substr(blank + 1, second - blank - 1));
    rings_.connect(reference.substr(second + 1));
  }
  void ping() {
    calls_.send("p", 1);
    calls_.receive();
  }
  std::function<void()> put(std::size_t payload) {
    return [this, data = std::vector<char>(payload, 'x')] { call(data); };
  }
  peer::Flow ring(const std::string&, std::size_t count) {
    return {2 * count, [this, data = std::vector<char>(count, 'x')](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) {
                rings_.send(data.data(), data.size());
                peer::check_ring(data.size(), rings_.receive());
              }
            }};
  }
  peer::Flow flow(bool oneway, const std::string&, std::size_t count) {
    const std::uint64_t before = arrived();
    return {count, [this, oneway, before, data = std::vector<char>(count, 'x')](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) {
                if (oneway) {
                  streams_.send(data.data(), data.size());
                } else {
                  call(data);
                }
              }
              while (oneway && arrived() - before < data.size() * calls) {
              }
            }};
  }

 private:
  void call(const std::vector<char>& data) {
    calls_.send(data.data(), data.size());
    calls_.receive();
  }
  std::uint64_t arrived() {
    std::uint64_t number = 0;
    calls_.send("", 0);
    calls_.receive(&number);
    return number;
  }

  Socket calls_;
  Socket streams_;
  Socket rings_;
};

struct ZeroMq {
  static peer::About about() {
    int version[3];
    zmq_version(&version[0], &version[1], &version[2]);
    return {.name = "ZeroMQ " + std::to_string(version[0]) + "." + std::to_string(version[1]) + "." +
                    std::to_string(version[2]),
            .transports = "tcp unix",
            .commands = "latency oneway twoway ring queues"};
  }
  static void serve(const char*, const std::string& transport, const std::string& where) {
    void* const context = zmq_ctx_new();
    const bool local = transport == "unix";
    Socket calls(context, ZMQ_REP);
    Socket streams(context, ZMQ_PULL);
    calls.bind(local ? "ipc://" + where : "tcp://" + where + ":*");
    Socket rings(context, ZMQ_REP);
    streams.bind(local ? "ipc://" + where + ".stream" : "tcp://" + where + ":*");
    rings.bind(local ? "ipc://" + where + ".ring" : "tcp://" + where + ":*");
    peer::announce(calls.address() + " " + streams.address() + " " + rings.address());
    std::thread(serve_calls, std::ref(calls)).detach();
    std::thread(serve_rings, std::ref(rings)).detach();
    for (;;) taken += streams.receive();
  }
  static int run_client(const char*, const char*, const std::string& reference) {
    Client client(zmq_ctx_new(), reference);
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<ZeroMq>(argc, argv);
}

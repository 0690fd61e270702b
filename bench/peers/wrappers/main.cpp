// SPDX-License-Identifier: Apache-2.0
// The wrapper facades (corbel/ipc) in the laboratory: the same conversation as the plain C sockets', written with
// types.
#include <corbel/ipc/acceptor.hpp>
#include <corbel/ipc/connector.hpp>
#include <corbel/ipc/socket_options.hpp>

#include "peers/cubes.hpp"
#include "peers/peer.hpp"
#include "peers/wrappers/datagrams.hpp"

namespace {

using namespace corbel;

enum class Operation : std::uint32_t { ping, flood, exchange, echo };

/// 64 octets, as the control's.
struct Message {
  Operation operation = Operation::ping;
  std::uint32_t buffer = 0;
  std::uint64_t size = 0;
  char filler[48] = {};
};

using wrapped::check;
using wrapped::checked;
using wrapped::fail;

/// The control's loops, with the wrappers' calls: each is one inline system call. The compiler inlines the control's
/// loops by itself, but not templates as often.
template <class Stream>
[[gnu::always_inline]] inline void send_all(Stream& stream, base::ConstByteSpan data) {
  while (!data.empty()) {
    const auto sent = stream.send(data);
    if (!sent) fail(sent.error());
    data = data.subspan(*sent);
  }
}
/// False if the peer closed before the first octet.
template <class Stream>
[[gnu::always_inline]] inline bool receive_all(Stream& stream, base::ByteSpan room) {
  for (const std::size_t size = room.size(); !room.empty();) {
    const auto got = stream.recv(room);
    if (!got) fail(got.error());
    if (*got == 0) [[unlikely]] {
      if (room.size() == size) return false;
      throw std::runtime_error("the peer went away");
    }
    room = room.subspan(*got);
  }
  return true;
}

base::ConstByteSpan octets_of(const Message& message) {
  return {reinterpret_cast<const base::Octet*>(&message), sizeof message};
}
base::ByteSpan room_of(Message& message) {
  return {reinterpret_cast<base::Octet*>(&message), sizeof message};
}

template <class Address>
void send_both(ipc::Stream<Address>& stream, const Message& message, const base::Bytes& data) {
  std::array list{ipc::ConstIoVector(octets_of(message)), ipc::ConstIoVector(data)};
  check(stream.sendv_n(list));
}

template <class Address>
void send_at_once(ipc::Stream<Address>& stream) {
  if constexpr (Address::kInternet) check(stream.set(ipc::option::no_delay, peer::no_delay()));
}

template <class Address>
class Client {
 public:
  explicit Client(Address server) : server_(server) {
    typename ipc::Connector<Address>::Options options;
    if (const int size = peer::queue_size(); size > 0) options.send_buffer = options.receive_buffer = size;
    stream_ = checked(ipc::Connector<Address>().connect(server, base::Deadline::none(), options));
    send_at_once(stream_);
  }

  void ping() {
    send_all(stream_, octets_of(Message()));
    await_reply();
  }
  std::unique_ptr<Client> for_thread() { return std::make_unique<Client>(server_); }
  std::function<void()> put(std::size_t payload) {
    return [this, data = base::Bytes(payload, 'x')] { exchange(data, nullptr); };
  }
  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    base::Bytes data(count * peer::size_of(type), 'x');
    const std::uint64_t size = data.size();
    return {size, [this, oneway, data = std::move(data)](unsigned long calls) {
              if (oneway) return flood(data, calls);
              for (unsigned long i = 0; i < calls; ++i) exchange(data, nullptr);
            }};
  }
  peer::Flow ring(const std::string& type, std::size_t count) {
    base::Bytes data(count * peer::size_of(type), 'x');
    const std::uint64_t size = 2 * data.size();
    return {size, [this, back = data, data = std::move(data)](unsigned long calls) mutable {
              for (unsigned long i = 0; i < calls; ++i) exchange(data, &back);
            }};
  }
  std::function<void()> cube(const std::string& what) {
    if (!what.ends_with("-large")) return [this] { ping(); };
    const base::Bytes data(peer::kLargeOctets, 3);
    return [this, data, back = data]() mutable { exchange(data, &back); };
  }

 private:
  [[gnu::always_inline]] void await_reply() {
    base::Octet reply[sizeof(Message)];  // says nothing
    if (!receive_all(stream_, reply)) throw std::runtime_error("the server went away");
  }
  void exchange(const base::Bytes& data, base::Bytes* back) {
    send_both(stream_, {.operation = back != nullptr ? Operation::echo : Operation::exchange, .size = data.size()},
              data);
    await_reply();
    if (back != nullptr) receive_all(stream_, *back);
  }
  void flood(const base::Bytes& data, unsigned long calls) {
    send_all(stream_, octets_of({.operation = Operation::flood,
                                 .buffer = static_cast<std::uint32_t>(data.size()),
                                 .size = data.size() * calls}));
    for (unsigned long i = 0; i < calls; ++i) send_all(stream_, data);
    await_reply();
  }

  Address server_;
  ipc::Stream<Address> stream_;
};

template <class Address>
void drop_flood(ipc::Stream<Address>& stream, const Message& request) {
  base::Bytes buffer(request.buffer);
  for (std::uint64_t left = request.size; left > 0;) {
    const auto room = base::ByteSpan(buffer).first(std::min<std::uint64_t>(left, buffer.size()));
    const std::size_t got = checked(stream.recv(room));
    if (got == 0) throw std::runtime_error("the client went away");
    left -= got;
  }
}

template <class Address>
void serve_connection(ipc::Stream<Address> stream) try {
  send_at_once(stream);
  base::Bytes data;
  Message request;
  while (receive_all(stream, room_of(request))) {
    if (request.operation == Operation::flood) drop_flood(stream, request);
    const bool exchange = request.operation == Operation::exchange || request.operation == Operation::echo;
    if (exchange) {
      data.resize(std::min<std::uint64_t>(request.size, 1U << 20));
      receive_all(stream, data);
    }
    if (request.operation == Operation::echo) {
      send_both(stream, request, data);
    } else {
      send_all(stream, octets_of(request));
    }
  }
} catch (const std::exception& failure) {
  std::fprintf(stderr, "wrappers server: %s\n", failure.what());
}

template <class Address>
[[noreturn]] void serve(ipc::Acceptor<Address>& acceptor, const std::string& reference) {
  peer::announce(reference);
  for (;;) {
    auto stream = checked(acceptor.accept());
    if (peer::serves_in_threads()) {
      std::thread(serve_connection<Address>, std::move(stream)).detach();
    } else {
      serve_connection(std::move(stream));
    }
  }
}

template <class Address>
typename ipc::Acceptor<Address>::Options acceptor_options() {
  typename ipc::Acceptor<Address>::Options options;
  if (const int size = peer::queue_size(); size > 0) options.send_buffer = options.receive_buffer = size;
  return options;
}

struct Wrappers {
  static peer::About about() {
    return {"wrappers", "none", "tcp unix udp", "latency threads oneway twoway ring cube queues delays",
            peer::kPlainTypes};
  }
  static void serve(const char*, const std::string& transport, const std::string& where) {
    if (transport == "unix") {
      const auto address = checked(ipc::UnixAddress::path(where));
      auto acceptor = checked(ipc::UnixAcceptor::open(address, acceptor_options<ipc::UnixAddress>()));
      ::serve(acceptor, where);
    }
    const auto address = checked(ipc::InetAddress::parse(where, 0));
    if (transport == "udp") {
      auto socket = checked(ipc::UdpSocket::open(address, wrapped::datagram_options()));
      peer::announce(where + " " + std::to_string(checked(socket.local_address()).port()));
      wrapped::serve_datagrams(socket);
    }
    auto acceptor = checked(ipc::TcpAcceptor::open(address, acceptor_options<ipc::InetAddress>()));
    ::serve(acceptor, where + " " + std::to_string(checked(acceptor.local_address()).port()));
  }
  static int run_client(const char*, const std::string& transport, const std::string& reference) {
    if (transport == "unix") {
      Client client(checked(ipc::UnixAddress::path(reference)));
      return peer::command_loop(client);
    }
    const std::size_t blank = reference.find(' ');
    const auto port = static_cast<std::uint16_t>(std::stoi(reference.substr(blank + 1)));
    const auto server = checked(ipc::InetAddress::parse(reference.substr(0, blank), port));
    if (transport == "udp") {
      wrapped::DatagramClient client(server);
      return peer::command_loop(client);
    }
    Client client(server);
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Wrappers>(argc, argv);
}

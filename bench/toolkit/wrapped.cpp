// SPDX-License-Identifier: Apache-2.0
// The same program as plain.c, with the toolkit. One template serves both address families.
// usage: toolkit-wrapped ping-tcp|ping-unix|ping-udp|stream-tcp|stream-unix COUNT SIZE
#include <corbel/ipc/acceptor.hpp>
#include <corbel/ipc/connector.hpp>
#include <corbel/ipc/datagram.hpp>

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

namespace {

namespace base = corbel::base;
using namespace corbel::ipc;  // NOLINT

std::array<base::Octet, 1 << 20> buffer;

void fail(const char* what, base::Error error = {}) {
  std::fprintf(stderr, "toolkit-wrapped: %s: %s\n", what, base::to_string(error).c_str());
  std::exit(1);
}

template <class T>
T need(base::Result<T> result, const char* what) {
  if (!result) fail(what, result.error());
  return *std::move(result);
}

double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void join(pid_t server) {
  int status = 1;
  if (waitpid(server, &status, 0) != server || status != 0) fail("server");
}

template <class Address>
void serve(Stream<Address> stream, std::size_t size, bool answers) {
  const base::ByteSpan room(buffer.data(), size);
  for (;;) {
    const auto count = stream.recv(room, RecvFlags::wait_all);
    if (!count) fail("receive", count.error());
    if (*count == 0) break;
    if (*count != size) fail("receive");
    if (answers) {
      const auto sent = stream.send(room);
      if (!sent || *sent != size) fail("send");
    }
  }
}

template <class Address>
void use(Stream<Address> stream, long count, std::size_t size, bool answers) {
  const base::ByteSpan room(buffer.data(), size);
  for (long i = 0; i < count; ++i) {
    const auto sent = stream.send(room);
    if (!sent || *sent != size) fail("send");
    if (answers) {
      const auto received = stream.recv(room, RecvFlags::wait_all);
      if (!received || *received != size) fail("receive");
    }
  }
}

template <class Address>
void stream(const Address& place, long count, std::size_t size, bool answers) {
  auto acceptor = need(Acceptor<Address>::open(place), "open");
  const Address at = need(acceptor.local_address(), "address");
  const pid_t server = fork();
  if (server < 0) fail("fork");
  if (server == 0) {
    auto accepted = need(acceptor.accept(), "accept");
    acceptor.close();
    serve(std::move(accepted), size, answers);
    _exit(0);
  }
  acceptor.close();
  use(need(Connector<Address>().connect(at), "connect"), count, size, answers);
  join(server);
}

void serve_datagrams(UdpSocket socket, std::size_t size) {
  const base::ByteSpan room(buffer.data(), size);
  InetAddress from;
  for (;;) {
    const auto count = socket.recv_from(room, from);
    if (!count) fail("receive", count.error());
    if (*count == 0) break;
    const auto sent = socket.send_to(room.first(*count), from);
    if (!sent || *sent != *count) fail("send");
  }
}

void use_datagrams(UdpSocket socket, const InetAddress& to, long count, std::size_t size) {
  const base::ByteSpan room(buffer.data(), size);
  InetAddress from;
  for (long i = 0; i < count; ++i) {
    const auto sent = socket.send_to(room, to);
    if (!sent || *sent != size) fail("send");
    const auto received = socket.recv_from(room, from);
    if (!received || *received != size) fail("receive");
  }
  if (!socket.send_to({}, to)) fail("send");
}

void datagrams(long count, std::size_t size) {
  auto socket = need(UdpSocket::open(InetAddress::loopback_v4()), "open");
  const InetAddress at = need(socket.local_address(), "address");
  const pid_t server = fork();
  if (server < 0) fail("fork");
  if (server == 0) {
    serve_datagrams(std::move(socket), size);
    _exit(0);
  }
  socket.close();
  use_datagrams(need(UdpSocket::open(InetAddress::loopback_v4()), "open"), at, count, size);
  join(server);
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::string_view mode = argc == 4 ? argv[1] : "";
  const long count = argc == 4 ? std::atol(argv[2]) : 0;
  const long size = argc == 4 ? std::atol(argv[3]) : 0;
  if (count < 1 || size < 1 || static_cast<std::size_t>(size) > buffer.size()) {
    std::fprintf(stderr, "usage: toolkit-wrapped ping-tcp|ping-unix|ping-udp|stream-tcp|stream-unix COUNT SIZE\n");
    return 2;
  }
  const auto octets = static_cast<std::size_t>(size);
  const double start = now();
  if (mode == "ping-tcp") {
    stream(InetAddress::loopback_v4(), count, octets, true);
  } else if (mode == "ping-unix") {
    stream(UnixAddress(), count, octets, true);
  } else if (mode == "ping-udp") {
    datagrams(count, octets);
  } else if (mode == "stream-tcp") {
    stream(InetAddress::loopback_v4(), count, octets, false);
  } else if (mode == "stream-unix") {
    stream(UnixAddress(), count, octets, false);
  } else {
    std::fprintf(stderr, "toolkit-wrapped: no mode '%s'\n", argv[1]);
    return 2;
  }
  std::printf("{\"mode\": \"%s\", \"count\": %ld, \"size\": %ld, \"seconds\": %.6f}\n", argv[1], count, size,
              now() - start);
  return 0;
}

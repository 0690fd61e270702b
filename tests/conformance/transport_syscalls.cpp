// SPDX-License-Identifier: Apache-2.0
// usage: transport_syscalls tcp|unix|packet|shm|udp|inproc ROUNDS
//        transport_syscalls burst DATAGRAMS
// ROUNDS warm round trips of a gather list between two transports of this process, between two marks that a system call
// trace can see: getppid(2) begins, getpgid(2) ends. Each round trip is two sends and two receives, all with a
// deadline. A burst is datagrams that leave together before the first is received.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "corbel/ipc/handle.hpp"
#include "corbel/transport/inproc/inproc.hpp"
#include "corbel/transport/packet/packet.hpp"
#include "corbel/transport/shm/shm.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "corbel/transport/udp/udp.hpp"
#include "corbel/transport/unix/unix.hpp"

using namespace corbel;
using base::Deadline;

namespace {

std::shared_ptr<const transport::Factory> factory_of(const char* scheme) {
  if (std::strcmp(scheme, "tcp") == 0) return transport::make_tcp();
  if (std::strcmp(scheme, "unix") == 0) return transport::make_unix();
  if (std::strcmp(scheme, "packet") == 0) return transport::make_packet();
  if (std::strcmp(scheme, "shm") == 0) return transport::make_shm();
  if (std::strcmp(scheme, "udp") == 0) return transport::make_udp();
  return transport::make_inproc();
}

/// In two pieces there, in one piece back.
bool pass(transport::Transport& from, transport::Transport& to, std::size_t pieces) {
  const base::Octet octets[100] = {};
  const std::size_t first = pieces == 1 ? 100 : 24;
  const cdr::Segment list[2] = {{octets, first}, {octets + first, 100 - first}};
  static base::Octet room[64U << 10];
  const Deadline deadline = Deadline::after(std::chrono::seconds(30));
  const auto sent = from.send({list, pieces}, deadline);
  if (!sent || *sent != 100) return false;
  const auto received = to.receive(room, deadline);
  return received && *received == 100;
}

/// Messages that leave before the first of them is received.
bool pass_together(transport::Transport& from, transport::Transport& to, std::size_t count) {
  const base::Bytes octets(64 * count);
  const std::vector<std::uint32_t> sizes(count, 64);
  static base::Octet room[64U << 10];
  for (std::size_t sent = 0; sent < count;) {
    const auto more =
        from.send_messages(base::ConstByteSpan(octets).subspan(64 * sent), std::span(sizes).subspan(sent));
    if (!more) return false;
    sent += *more;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto received = to.receive(room, Deadline::after(std::chrono::seconds(30)));
    if (!received || *received != 64) return false;
  }
  return true;
}

}  // namespace

int main(int, char** argv) {
  const bool burst = std::strcmp(argv[1], "burst") == 0;
  const char* const scheme = burst ? "udp" : argv[1];
  const auto factory = factory_of(scheme);
  const int rounds = std::atoi(argv[2]);
  const bool internet = std::strcmp(scheme, "tcp") == 0 || std::strcmp(scheme, "udp") == 0;
  const auto acceptor = factory->listen(**factory->parse(internet ? "127.0.0.1:0" : ""), {});
  if (!acceptor) return 1;
  base::Result<std::unique_ptr<transport::Transport>> client(nullptr);
  const bool connects = factory->traits().connected;
  const base::Octet first = 1;
  const cdr::Segment greeting{&first, 1};
  std::thread connecting([&] {
    client = factory->make_connector()->connect(*(*acceptor)->endpoints().front(), {}, Deadline::none());
    if (client && !connects) (void)(*client)->send({&greeting, 1}, Deadline::none());
  });
  (void)ipc::wait_ready((*acceptor)->handle(), ipc::Ready::readable, Deadline::none(), base::Stage::wait);
  const auto server = (*acceptor)->accept();
  connecting.join();
  if (!client || !server) return 1;
  base::Bytes room(64U << 10);
  if (!connects && !(*server)->receive(room, Deadline::none())) return 1;
  const auto round_trip = [&] { return pass(**client, **server, 2) && pass(**server, **client, 1); };
  for (int i = 0; i < 10; ++i) {
    if (!round_trip()) return 1;
  }
  // The receiver has to see that receiving together is worth it.
  for (int i = 0; burst && i < 9; ++i) {
    if (!pass_together(**client, **server, 32)) return 1;
  }
  (void)::getppid();
  if (burst && !pass_together(**client, **server, static_cast<std::size_t>(rounds))) return 1;
  for (int i = 0; !burst && i < rounds; ++i) {
    if (!round_trip()) return 1;
  }
  (void)::getpgid(0);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// usage: transport_syscalls tcp|unix|packet|shm|udp|inproc ROUNDS
// ROUNDS warm round trips of a gather list between two transports of this process, between two marks that a system call
// trace can see: getppid(2) begins, getpgid(2) ends. Each round trip is two sends and two receives, all with a
// deadline.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

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

}  // namespace

int main(int, char** argv) {
  const auto factory = factory_of(argv[1]);
  const int rounds = std::atoi(argv[2]);
  const bool internet = std::strcmp(argv[1], "tcp") == 0 || std::strcmp(argv[1], "udp") == 0;
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
  (void)::getppid();
  for (int i = 0; i < rounds; ++i) {
    if (!round_trip()) return 1;
  }
  (void)::getpgid(0);
  return 0;
}

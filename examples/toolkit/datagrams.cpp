// SPDX-License-Identifier: Apache-2.0
// Datagrams over the Internet and between local processes: unconnected, connected, in batches.
#include <corbel/ipc/datagram.hpp>

#include <array>

#include "common.hpp"

namespace {

using namespace example;  // NOLINT

template <class Address>
void show(const Address& place) {
  auto server = need(ipc::DatagramSocket<Address>::open(place), "open");
  const Address at = need(server.local_address(), "address");
  auto client = need(ipc::ConnectedDatagram<Address>::open(at), "connect");

  // The unconnected side learns the sender's address and answers to that address; the connected one needs none.
  need(client.send(base::as_bytes("what time is it?"), soon()), "send");
  std::array<base::Octet, 64> room;
  Address from;
  const std::size_t size = need(server.recv_from(room, from, soon()), "receive");
  std::cout << at.to_string() << " received '" << base::as_text({room.data(), size}) << "' from " << from.to_string()
            << '\n';
  need(server.send_to(base::as_bytes("high time"), from, soon()), "answer");
  need(client.recv(room, soon()), "receive");

  // A datagram that does not fit is an error, never a silent loss of its end.
  need(server.send_to(base::as_bytes("too long for four octets"), from), "send");
  const auto cut = client.recv(std::span(room).first(4), soon());
  std::cout << "  into four octets: " << base::to_string(cut.error()) << '\n';

  // Several datagrams with one system call.
  ipc::OutputBatch<Address> out(3);
  for (const char* word : {"one", "two", "three"}) {
    if (!out.add(base::as_bytes(word))) std::exit(1);
  }
  need(client.send_batch(out), "send a batch");
  ipc::InputBatch<Address> in(8, 64);
  for (std::size_t received = 0; received < 3; received += in.size()) {
    need(server.recv_batch(in, soon()), "receive a batch");
    for (std::size_t i = 0; i < in.size(); ++i)
      std::cout << "  " << base::as_text(need(in.data(i), "datagram")) << '\n';
  }
}

}  // namespace

int main() {
  show(ipc::InetAddress::loopback_v4());
  show(ipc::UnixAddress());
}

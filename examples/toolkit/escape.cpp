// SPDX-License-Identifier: Apache-2.0
// Addresses by name, options by type, and the controlled escape: handles can be taken out and put in.
#include <corbel/ipc/acceptor.hpp>
#include <corbel/ipc/connector.hpp>

#include <array>

#include "common.hpp"

int main() {
  using namespace example;  // NOLINT
  auto acceptor = need(ipc::TcpAcceptor::open(ipc::InetAddress::loopback_v4()), "open");
  const std::uint16_t port = need(acceptor.local_address(), "address").port();

  // Every address that the name has, tried in turn.
  const auto addresses = need(ipc::InetAddress::resolve("localhost", port), "resolve");
  auto client = need(ipc::TcpConnector().connect(addresses, soon()), "connect");
  auto server = need(acceptor.accept(soon()), "accept");
  std::cout << "connected to " << need(client.peer_address(), "address").to_string() << '\n';

  need(client.set(ipc::option::no_delay, true), "set");
  std::cout << "no_delay: " << need(client.get(ipc::option::no_delay), "get") << '\n';

  // The descriptor, for a call that the toolkit does not wrap; the stream still owns it.
  std::cout << "descriptor: " << (client.handle() >= 0 ? "open" : "closed") << '\n';
  // Taken out, it belongs to its new owner and the stream is closed; put in again, the stream owns it again.
  ipc::Handle taken = client.release();
  std::cout << "after release(): " << (client.is_open() ? "open" : "closed") << '\n';
  ipc::TcpStream again(std::move(taken));
  need(again.send_n(base::as_bytes("still works")), "send");
  std::array<base::Octet, 11> room;
  need(server.recv_n(room, soon()), "receive");
  std::cout << base::as_text(room) << '\n';
}

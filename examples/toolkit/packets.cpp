// SPDX-License-Identifier: Apache-2.0
// Local connections that keep message boundaries, and what can travel with a message: open handles and the identity of
// the sender.
#include <corbel/ipc/fifo.hpp>
#include <corbel/ipc/packet.hpp>
#include <corbel/ipc/passing.hpp>

#include <array>
#include <thread>

#include "common.hpp"

namespace {

using namespace example;  // NOLINT

void serve(ipc::PacketAcceptor& acceptor) {
  auto connection = need(acceptor.accept(soon()), "accept");
  need(connection.set(ipc::option::pass_credentials, true), "ask for credentials");
  std::array<base::Octet, 64> room;
  auto received = need(ipc::recv_with(connection, room, 1, soon()), "receive");
  std::cout << "a message of " << received.size << " octets with " << received.handles.size() << " handle(s)";
  if (received.credentials) std::cout << " from user " << received.credentials->user;
  std::cout << '\n';
  // The handle works here although another process, in general, opened it.
  ipc::FifoSender pipe(std::move(received.handles.at(0)));
  need(pipe.send_n(base::as_bytes("written by the server"), soon()), "write");
  while (connection.recv(room, soon())) {
  }
}

}  // namespace

int main() {
  auto acceptor = need(ipc::PacketAcceptor::open(ipc::UnixAddress()), "open");
  std::thread serving([&] { serve(acceptor); });
  {
    auto connection =
        need(ipc::PacketConnector().connect(need(acceptor.local_address(), "address"), soon()), "connect");
    auto [in, out] = need(ipc::make_pipe(), "pipe");
    const int handles[] = {out.handle()};
    need(ipc::send_with(connection, base::as_bytes("use this"), {.handles = handles, .credentials = true}), "send");
    out.close();
    std::array<base::Octet, 64> room;
    const std::size_t size = need(in.recv(room, soon()), "read");
    std::cout << "through the passed handle: '" << base::as_text({room.data(), size}) << "'\n";
  }
  serving.join();
}

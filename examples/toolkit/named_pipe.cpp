// SPDX-License-Identifier: Apache-2.0
// A named pipe: octets, then whole messages, from a sender to a receiver. toolkit_named_pipe PATH
#include <corbel/ipc/fifo.hpp>

#include <array>
#include <thread>

#include "common.hpp"

int main(int argc, char* argv[]) {
  using namespace example;  // NOLINT
  if (argc != 2) {
    std::cerr << "usage: toolkit_named_pipe PATH\n";
    return 2;
  }
  const auto fifo = need(ipc::Fifo::create(argv[1]), "create");  // the file goes at the end
  std::thread sending([&] {
    auto sender = need(ipc::FifoSender::open(fifo.path(), soon()), "open to send");
    need(sender.send_n(base::as_bytes("octets"), soon()), "send");
    for (const char* text : {"a message", "another"}) need(sender.send_message(base::as_bytes(text), soon()), "send");
  });
  auto receiver = need(ipc::FifoReceiver::open(fifo.path(), soon()), "open to receive");
  std::array<base::Octet, 64> room;
  need(receiver.recv_n(std::span(room).first(6), soon()), "receive");
  std::cout << base::as_text({room.data(), 6}) << '\n';
  for (;;) {
    const auto size = receiver.recv_message(room, soon());
    if (!size && size.error().code == base::Code::closed) break;
    std::cout << base::as_text({room.data(), need(size ? base::Result<std::size_t>(*size) : size.error(), "receive")})
              << '\n';
  }
  sending.join();
}

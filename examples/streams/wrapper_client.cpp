// SPDX-License-Identifier: Apache-2.0
// Sends its standard input to a server, with the wrapper facades (figure 14): streams_wrapper_client PORT. What is said
// of networks stands in one template: UNIX-domain sockets would be another argument.
#include <corbel/ipc/connector.hpp>
#include <corbel/ipc/stream.hpp>

#include <array>

#include "need.hpp"

namespace {

namespace base = corbel::base;
namespace ipc = corbel::ipc;
using example::need;

template <class Connector, class Address>
void send_data(const Address& server) {
  auto stream = need(Connector().connect(server, base::Deadline::after(std::chrono::seconds(10))), "connect");
  std::array<char, 8192> buffer{};
  while (std::cin.read(buffer.data(), buffer.size()), std::cin.gcount() > 0) {
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(std::cin.gcount()));
    need(stream.send_n(base::as_bytes(piece)), "send");
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 2) {
    std::cerr << "usage: streams_wrapper_client PORT\n";
    return 2;
  }
  send_data<ipc::TcpConnector>(ipc::InetAddress::loopback_v4(static_cast<std::uint16_t>(std::atoi(argv[1]))));
  return 0;
}

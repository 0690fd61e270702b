// SPDX-License-Identifier: Apache-2.0
// Writes what clients send, one after the other, to its standard output, with the wrapper facades (figures 15, 18 and
// 19): streams_wrapper_server CLIENTS. The first line of its standard error is the port.
#include <corbel/ipc/acceptor.hpp>
#include <corbel/ipc/stream.hpp>

#include <array>

#include "need.hpp"

namespace {

namespace base = corbel::base;
namespace ipc = corbel::ipc;
using example::need;

template <class Acceptor>
void recv_data(Acceptor acceptor, int clients) {
  for (; clients > 0; --clients) {
    auto stream = need(acceptor.accept(), "accept");
    std::cout << "client " << need(stream.peer_address(), "peer").host() << '\n' << std::flush;
    std::array<base::Octet, 8192> buffer{};
    while (const std::size_t count = need(stream.recv(buffer), "receive")) {
      std::cout.write(reinterpret_cast<const char*>(buffer.data()), static_cast<std::streamsize>(count)) << std::flush;
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 2) {
    std::cerr << "usage: streams_wrapper_server CLIENTS\n";
    return 2;
  }
  auto acceptor = need(ipc::TcpAcceptor::open(ipc::InetAddress::loopback_v4()), "open");
  std::cerr << need(acceptor.local_address(), "address").port() << '\n';
  recv_data(std::move(acceptor), std::atoi(argv[1]));
  return 0;
}

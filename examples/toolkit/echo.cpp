// SPDX-License-Identifier: Apache-2.0
// One echo server and its client for every stream service: toolkit_echo tcp|unix|pipe|uring-tcp|uring-unix [LINE...]
#include <array>
#include <thread>

#include "services.hpp"

namespace {

using namespace example;  // NOLINT

/// Sends back whatever one client sends, until it ends.
template <class Acceptor, class Stream>
void serve(Acceptor& acceptor) {
  Stream stream = need(acceptor.accept(soon()), "accept");
  std::array<base::Octet, 4096> room;
  while (const std::size_t count = need(stream.recv(room), "receive")) {
    need(stream.send_n({room.data(), count}, soon()), "send");
  }
}

template <class Connector, class Stream, class Address>
void ask(const Address& server, const std::vector<std::string>& lines) {
  Stream stream = need(Connector().connect(server, soon()), "connect");
  for (const std::string& line : lines) {
    std::string answer(line.size(), '?');
    need(stream.send_n(base::as_bytes(line), soon()), "send");
    need(stream.recv_n({reinterpret_cast<base::Octet*>(answer.data()), answer.size()}, soon()), "receive");
    std::cout << "  " << answer << '\n';
    if (answer != line) std::exit(1);
  }
}

struct Echo {
  const std::vector<std::string>& lines;

  template <class Acceptor, class Connector, class Stream, class Address>
  void operator()(const Address& where) const {
    Acceptor acceptor = need(Acceptor::open(where), "open");
    const Address server = need(acceptor.local_address(), "address");
    std::cout << "echo server at " << server.to_string() << '\n';
    std::thread serving([&] { serve<Acceptor, Stream>(acceptor); });
    ask<Connector, Stream>(server, lines);
    serving.join();
  }
};

}  // namespace

int main(int argc, char* argv[]) {
  if (argc < 2) {
    std::cerr << "usage: toolkit_echo SERVICE [LINE...]\n";
    return 2;
  }
  std::vector<std::string> lines(argv + 2, argv + argc);
  if (lines.empty()) lines = {"hello", "this server was written once", "good-bye"};
  return with_service(argv[1], Echo{lines});
}

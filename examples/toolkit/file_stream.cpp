// SPDX-License-Identifier: Apache-2.0
// Streams a file through every stream service: toolkit_file_stream tcp|unix|pipe|uring-tcp|uring-unix FILE
#include <array>
#include <cstdint>
#include <fstream>
#include <thread>

#include "services.hpp"

namespace {

using namespace example;  // NOLINT

/// What the receiver tells the sender at the end.
struct Receipt {
  std::uint64_t octets = 0;
  std::uint64_t checksum = 14695981039346656037U;  // FNV-1a

  void add(base::ConstByteSpan data) noexcept {
    octets += data.size();
    for (const base::Octet octet : data) checksum = (checksum ^ octet) * 1099511628211U;
  }
  friend bool operator==(const Receipt&, const Receipt&) = default;
};

constexpr std::size_t kBuffer = 64 * 1024;

template <class Acceptor, class Stream>
void receive_file(Acceptor& acceptor) {
  Stream stream = need(acceptor.accept(soon()), "accept");
  std::vector<base::Octet> room(kBuffer);
  Receipt receipt;
  while (const std::size_t count = need(stream.recv(room), "receive")) receipt.add({room.data(), count});
  need(stream.send_n({reinterpret_cast<const base::Octet*>(&receipt), sizeof receipt}, soon()), "send");
}

template <class Connector, class Stream, class Address>
Receipt send_file(const Address& server, std::ifstream& file, Receipt& sent) {
  Stream stream = need(Connector().connect(server, soon()), "connect");
  std::vector<char> buffer(kBuffer);
  while (file.read(buffer.data(), kBuffer), file.gcount() > 0) {
    const auto data = base::as_bytes({buffer.data(), static_cast<std::size_t>(file.gcount())});
    sent.add(data);
    need(stream.send_n(data, soon()), "send");  // all of it: no short write can be forgotten
  }
  need(stream.shutdown(ipc::Direction::send), "shut down");
  Receipt receipt;
  need(stream.recv_n({reinterpret_cast<base::Octet*>(&receipt), sizeof receipt}, soon()), "receive");
  return receipt;
}

struct StreamFile {
  const char* path;

  template <class Acceptor, class Connector, class Stream, class Address>
  void operator()(const Address& where) const {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::cerr << "cannot read " << path << '\n';
      std::exit(1);
    }
    Acceptor acceptor = need(Acceptor::open(where), "open");
    const Address server = need(acceptor.local_address(), "address");
    std::thread receiving([&] { receive_file<Acceptor, Stream>(acceptor); });
    Receipt sent;
    const Receipt received = send_file<Connector, Stream>(server, file, sent);
    receiving.join();
    std::cout << path << ": " << sent.octets << " octets through " << server.to_string() << '\n';
    if (received == sent) return;
    std::cerr << "the receiver got something else\n";
    std::exit(1);
  }
};

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 3) {
    std::cerr << "usage: toolkit_file_stream SERVICE FILE\n";
    return 2;
  }
  return with_service(argv[1], StreamFile{argv[2]});
}

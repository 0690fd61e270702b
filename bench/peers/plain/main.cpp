// SPDX-License-Identifier: Apache-2.0
// The laboratory's control: plain C sockets.
#include <unistd.h>

#include <cerrno>

#include "common/plain_sockets.h"
#include "peers/peer.hpp"

namespace {

void check(int status) {
  if (status < 0) throw std::runtime_error(std::strerror(errno));
}

/// The papers' BinStruct as a C programmer lays it out.
struct BinStruct {
  short s;
  char c;
  int l;
  unsigned char o;
  double d;
};

class Client {
 public:
  explicit Client(const char* address) : handle_(plain_connect(address)) { check(handle_); }
  void ping() { check(plain_ping(handle_)); }
  /// As many structs as fit, or all octets; they travel as they lie.
  std::vector<char> prepare(const std::string& type, unsigned long buffer) {
    return std::vector<char>(type == "octet" ? buffer : buffer / sizeof(BinStruct) * sizeof(BinStruct), 'x');
  }
  std::uint64_t stream(const std::vector<char>& data, unsigned long count) {
    check(plain_flood(handle_, data.data(), static_cast<std::uint32_t>(data.size()), count));
    return data.size() * count;
  }

 private:
  int handle_;
};

struct Plain {
  static std::string about() { return "plain C sockets"; }
  static void serve(const char*, const char* transport, const char* path) {
    char address[256];
    const int listener = plain_listen(transport, path, address, sizeof address);
    check(listener);
    peer::announce(address);
    for (;;) {
      const int handle = plain_accept(listener);
      check(handle);
      if (plain_serve(handle) != 0) std::perror("plain server");
      close(handle);
    }
  }
  static int run_client(const char*, const char*, const char* address) {
    Client client(address);
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Plain>(argc, argv);
}

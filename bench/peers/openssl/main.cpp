// SPDX-License-Identifier: Apache-2.0
// The control of what goes over TLS: OpenSSL and blocking sockets, in C. The certificate with which it serves is in the
// file that CORBEL_TLS_CERTIFICATE names, as Corbel's is; nobody's is looked at.
#include <csignal>

#include "common/plain_sockets.h"
#include "common/plain_tls.h"
#include "peers/peer.hpp"

namespace {

void check(bool good) {
  if (!good) throw std::runtime_error(plain_tls_why());
}

class Client {
 public:
  explicit Client(const char* address) {
    const int handle = plain_connect(address);
    check(handle >= 0);
    end_ = plain_tls_client(handle);
    check(end_ != nullptr);
  }
  ~Client() { plain_tls_close(end_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void ping() { check(plain_tls_ping(end_) == 0); }
  std::function<void()> put(std::size_t payload) {
    return [this, data = std::vector<char>(payload, 'x')] { exchange(data, nullptr); };
  }
  peer::Flow ring(const std::string& type, std::size_t count) {
    std::vector<char> data(count * peer::size_of(type), 'x');
    const std::uint64_t size = 2 * data.size();
    return {size, [this, back = data, data = std::move(data)](unsigned long calls) mutable {
              for (unsigned long i = 0; i < calls; ++i) exchange(data, back.data());
            }};
  }
  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    std::vector<char> data(count * peer::size_of(type), 'x');
    const std::uint64_t size = data.size();
    return {size, [this, oneway, data = std::move(data)](unsigned long calls) {
              if (oneway) return check(plain_tls_flood(end_, data.data(), length(data), calls) == 0);
              for (unsigned long i = 0; i < calls; ++i) exchange(data, nullptr);
            }};
  }

 private:
  static std::uint32_t length(const std::vector<char>& data) { return static_cast<std::uint32_t>(data.size()); }
  void exchange(const std::vector<char>& data, char* back) {
    check(plain_tls_exchange(end_, data.data(), length(data), back) == 0);
  }

  plain_tls* end_ = nullptr;
};

struct OpenSsl {
  static peer::About about() {
    return {"OpenSSL", "none", "tls", "latency oneway twoway ring queues delays", peer::kPlainTypes};
  }
  static void prepare() {
    std::signal(SIGPIPE, SIG_IGN);  // a peer that has gone is noticed by what OpenSSL returns
    plain_set_queues(peer::queue_size());
    plain_set_no_delay(peer::no_delay() ? 1 : 0);
  }
  static void serve(const char*, const char*, const char* where) {
    prepare();
    const char* const file = std::getenv("CORBEL_TLS_CERTIFICATE");
    if (file == nullptr) throw std::runtime_error("CORBEL_TLS_CERTIFICATE names no certificate");
    check(plain_tls_set_certificate(file) == 0);
    char address[256];
    const int listener = plain_listen("tcp", where, address, sizeof address);
    check(listener >= 0);
    peer::announce(address);
    for (;;) {
      const int handle = plain_accept(listener);
      check(handle >= 0);
      plain_tls* const end = plain_tls_server(handle);
      if (end == nullptr || plain_tls_serve(end) != 0) std::fprintf(stderr, "openssl server: %s\n", plain_tls_why());
      plain_tls_close(end);
    }
  }
  static int run_client(const char*, const char*, const char* address) {
    prepare();
    Client client(address);
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<OpenSsl>(argc, argv);
}

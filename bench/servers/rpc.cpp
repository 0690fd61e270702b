// SPDX-License-Identifier: Apache-2.0
// ONC RPC with a hundred procedures, found by the switch that rpcgen writes; oneway calls are batched ones.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rpc/rpc.h>
#include <sys/socket.h>

#include <cerrno>

#include "peers/peer.hpp"
#include "servers/hundred.hpp"

namespace {

constexpr rpcprog_t kProgram = 0x20002002;
constexpr rpcvers_t kVersion = 1;
constexpr rpcproc_t kOneway = 1000;  ///< is added to the number of a batched call

enum Procedure : rpcproc_t {
#define CORBEL_OPERATION(name) k_##name,
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
};

/// A procedure of its own for each, as rpcgen has it.
template <rpcproc_t>
[[gnu::noinline]] void* procedure() {
  static char nothing;
  asm volatile("" : : : "memory");
  return &nothing;
}

xdrproc_t nothing() {
  return reinterpret_cast<xdrproc_t>(reinterpret_cast<void (*)()>(xdr_void));
}

void dispatch(svc_req* request, SVCXPRT* transport) {
  const bool oneway = request->rq_proc >= kOneway;
  void* result = nullptr;
  switch (request->rq_proc - (oneway ? kOneway : 0)) {
#define CORBEL_OPERATION(name)      \
  case k_##name:                    \
    result = procedure<k_##name>(); \
    break;
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
    default:
      return svcerr_noproc(transport);
  }
  if (!oneway) svc_sendreply(transport, nothing(), result);
}

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

class Client {
 public:
  explicit Client(const std::string& reference) {
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server.sin_port = htons(static_cast<std::uint16_t>(std::stoi(reference)));
    const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(handle >= 0 && connect(handle, reinterpret_cast<sockaddr*>(&server), sizeof server) == 0, "connect");
    const int on = 1;
    setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    netbuf address{static_cast<unsigned>(sizeof server), sizeof server, &server};
    client_ = clnt_vc_create(handle, &address, kProgram, kVersion, 0, 0);
    if (client_ == nullptr) throw std::runtime_error(clnt_spcreateerror("client"));
  }
  void ping() { call(k_operation_0, false); }
  std::function<void()> operation(const std::string& order, bool oneway) {
    return hundred::in_order(order, [this, oneway](std::size_t i) { call(static_cast<rpcproc_t>(i), oneway); });
  }

 private:
  void call(rpcproc_t number, bool oneway) {
    const clnt_stat status = clnt_call(client_, number + (oneway ? kOneway : 0), nothing(), nullptr,
                                       oneway ? nullptr : nothing(), nullptr, (timeval{oneway ? 0 : 60, 0}));
    if (status != RPC_SUCCESS && !(oneway && status == RPC_TIMEDOUT)) throw std::runtime_error(clnt_sperrno(status));
  }

  CLIENT* client_;
};

struct Rpc {
  static peer::About about() { return {"RPC", "none", "tcp", "operation", "octet"}; }
  static void serve(const char*, const char*, const char*) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(handle >= 0 && bind(handle, reinterpret_cast<sockaddr*>(&name), size) == 0 && listen(handle, 8) == 0,
          "listen");
    SVCXPRT* const listener = svc_vc_create(handle, 0, 0);
    check(listener != nullptr && svc_reg(listener, kProgram, kVersion, dispatch, nullptr) != 0, "svc_reg");
    check(getsockname(handle, reinterpret_cast<sockaddr*>(&name), &size) == 0, "getsockname");
    peer::announce(std::to_string(ntohs(name.sin_port)));
    svc_run();
  }
  static int run_client(const char*, const char*, const char* reference) {
    Client client(reference);
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Rpc>(argc, argv);
}

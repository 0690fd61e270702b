// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/stream_pipe.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

base::Error at(Stage stage, const base::Error& error) noexcept {
  return base::error(stage, error.code, error.os_error);
}

bool is_local_stream(int descriptor) noexcept {
  int domain = 0, type = 0;
  socklen_t size = sizeof domain;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX &&
         ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

}  // namespace

base::Result<StreamPipeAcceptor> StreamPipeAcceptor::open(const UnixAddress& address, const Options& options) noexcept {
  StreamPipeAcceptor acceptor;
  CORBEL_TRY(acceptor.rendezvous_, UnixDatagramSocket::open(address, options));
  return acceptor;
}

base::Result<StreamPipe> StreamPipeAcceptor::accept(Deadline deadline) {
  for (;;) {
    base::Octet octet;
    auto received = detail::recv_enclosed(handle(), {&octet, 1}, 1, deadline.is_none() ? 0 : MSG_DONTWAIT);
    if (stopped_) return base::error(Stage::accept, Code::cancelled);  // what shutdown(2) does to recvmsg(2) varies
    if (received) {
      if (received->handles.size() == 1 && is_local_stream(received->handles[0].get())) {
        return StreamPipe(std::move(received->handles[0]));
      }
      continue;
    }
    const base::Error& error = received.error();
    if (error.code == Code::too_large || error.code == Code::truncated) continue;
    if (error.code != Code::would_block) return at(Stage::accept, error);
    if (deadline.is_now()) return at(Stage::accept, error);
    CORBEL_CHECK(wait_ready(handle(), Ready::readable, deadline, Stage::accept));
  }
}

base::Result<StreamPipe> StreamPipeConnector::connect(const UnixAddress& remote, Deadline deadline) const noexcept {
  CORBEL_TRY(auto rendezvous, ConnectedUnixDatagram::open(remote));
  auto pair = make_stream_pair();
  if (!pair) return at(Stage::connect, pair.error());
  const int handles[] = {pair->second.handle()};
  const base::Octet octet = 0;
  const auto sent = send_with(rendezvous, {&octet, 1}, {.handles = handles}, deadline);
  if (!sent)
    return sent.error().code == Code::lost ? base::error(Stage::connect, Code::refused, sent.error().os_error)
                                           : at(Stage::connect, sent.error());
  return std::move(pair->first);
}

}  // namespace corbel::ipc

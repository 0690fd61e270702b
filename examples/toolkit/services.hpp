// SPDX-License-Identifier: Apache-2.0
// The stream services that a program written against (Acceptor, Connector, Stream, Address) can be made for.
#pragma once

#include <corbel/ipc/acceptor.hpp>
#include <corbel/ipc/connector.hpp>
#include <corbel/ipc/stream_pipe.hpp>
#include <corbel/ipc/uring.hpp>

#include <string>

#include "common.hpp"

namespace example {

/// Calls `program.template operator()<Acceptor, Connector, Stream, Address>(where)` for the service of that name.
/// 0, or 2 if there is no such service.
template <class Program>
int with_service(std::string_view name, Program program) {
  using namespace ipc;  // NOLINT
  const InetAddress loopback = InetAddress::loopback_v4();
  // The empty local address lets the system choose an abstract name: no file to be left behind.
  const UnixAddress anywhere;
  if (name == "tcp") {
    program.template operator()<TcpAcceptor, TcpConnector, TcpStream>(loopback);
  } else if (name == "unix") {
    program.template operator()<UnixAcceptor, UnixConnector, UnixStream>(anywhere);
  } else if (name == "pipe") {
    program.template operator()<StreamPipeAcceptor, StreamPipeConnector, StreamPipe>(anywhere);
  } else if (name == "uring-tcp" || name == "uring-unix") {
    if (const auto available = uring_available(); !available) {
      // A sandbox may forbid it; the toolkit says so and the program can take another service.
      std::cout << name << ": " << base::to_string(available.error()) << "; nothing to show\n";
    } else if (name == "uring-tcp") {
      program.template operator()<UringTcpAcceptor, UringTcpConnector, UringTcpStream>(loopback);
    } else {
      program.template operator()<UringUnixAcceptor, UringUnixConnector, UringUnixStream>(anywhere);
    }
  } else {
    std::cerr << "no service '" << name << "': tcp, unix, pipe, uring-tcp or uring-unix\n";
    return 2;
  }
  return 0;
}

}  // namespace example

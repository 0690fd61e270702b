// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <string>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/handle.hpp"
#include "support/files.hpp"

namespace corbel::ipc::testing {

/// A deadline that no working test comes near.
inline base::Deadline soon() {
  return base::Deadline::after(std::chrono::seconds(60));
}

/// Octets of which each tells its place.
inline base::Bytes pattern(std::size_t size) {
  base::Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<base::Octet>(i * 31 + (i >> 8));
  return bytes;
}

/// An address to listen on, for each family.
template <class Address>
struct Place;
template <>
struct Place<InetAddress> {
  InetAddress address() const { return InetAddress::loopback_v4(); }
};
template <>
struct Place<UnixAddress> {
  UnixAddress address() const { return *UnixAddress::path(folder / "s"); }
  test::Folder folder;
};

/// A port at which nobody listens, and which nobody else gets as long as this lives.
class RefusingPort {
 public:
  RefusingPort() {
    EXPECT_EQ(::bind(socket_.get(), address_.native(), address_.size()), 0);
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
    address_ = address_.with_port(ntohs(bound.sin_port));
  }
  const InetAddress& address() const { return address_; }

 private:
  const Handle socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  InetAddress address_ = InetAddress::loopback_v4();
};

/// A listening acceptor and one connection to it.
template <class Address>
struct Connection {
  Connection()
      : acceptor(*Acceptor<Address>::open(place.address())),
        client(*Connector<Address>().connect(*acceptor.local_address())),
        server(*acceptor.accept()) {}
  Place<Address> place;
  Acceptor<Address> acceptor;
  Stream<Address> client;
  Stream<Address> server;
};

}  // namespace corbel::ipc::testing

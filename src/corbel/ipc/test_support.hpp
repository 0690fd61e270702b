// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
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

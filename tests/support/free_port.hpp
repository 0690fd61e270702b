// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <random>
#include <stdexcept>

namespace corbel::test {

/// Of 127.0.0.1, for a server that has to be told its port. It stays free: connections going out get theirs from above.
inline std::uint16_t free_port() {
  std::random_device chance;
  std::uniform_int_distribution<unsigned> ports(20'000, 29'999);
  for (int tries = 0; tries < 1000; ++tries) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(static_cast<std::uint16_t>(ports(chance)));
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int reuse = 1;
    (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    const bool is_free = ::bind(socket, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
    ::close(socket);
    if (is_free) return ntohs(where.sin_port);
  }
  throw std::runtime_error("no port");
}

}  // namespace corbel::test

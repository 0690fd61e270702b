// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace corbel::test {

/// Of 127.0.0.1, for a server that has to be told its port. It stays free: connections going out get theirs from above.
/// No process is given one twice, and each begins elsewhere: programs that run at the same time do not get the same.
inline std::uint16_t free_port() {
  constexpr unsigned kFirst = 20'000;
  constexpr unsigned kPorts = 10'000;
  constexpr unsigned kOfOneProcess = 40;  // more than that are of the next ones
  static std::atomic<unsigned> given{0};
  const unsigned mine = static_cast<unsigned>(::getpid()) % (kPorts / kOfOneProcess) * kOfOneProcess;
  for (unsigned tries = 0; tries < kPorts; ++tries) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(static_cast<std::uint16_t>(kFirst + (mine + given++) % kPorts));
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

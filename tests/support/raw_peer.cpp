// SPDX-License-Identifier: Apache-2.0
#include "raw_peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

namespace corbel::test {
namespace {

constexpr int kLong = 60'000;  // milliseconds

bool wait_for(int socket, short events) {
  pollfd entry{socket, events, 0};
  return ::poll(&entry, 1, kLong) == 1;
}

}  // namespace

RawPeer::RawPeer(int receive_buffer) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (socket_ < 0) throw std::runtime_error("no socket");
  if (receive_buffer > 0) {
    (void)::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
}

RawPeer::RawPeer(RawPeer&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

RawPeer::~RawPeer() {
  if (socket_ >= 0) ::close(socket_);
}

bool RawPeer::connect(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool RawPeer::come_from(const char* address) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  return ::inet_pton(AF_INET, address, &own.sin_addr) == 1 &&
         ::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0;
}

bool RawPeer::send(const Octets& octets) {
  for (std::size_t sent = 0; sent < octets.size();) {
    const auto count = ::send(socket_, octets.data() + sent, octets.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno != EAGAIN || !wait_for(socket_, POLLOUT)) {
      return false;
    }
  }
  return true;
}

std::size_t RawPeer::send_some(const Octets& octets) {
  const auto count = ::send(socket_, octets.data(), octets.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool RawPeer::read(Octets& into, std::size_t size) {
  while (size > 0) {
    if (!wait_for(socket_, POLLIN)) return false;
    const std::size_t before = into.size();
    into.resize(before + size);
    const auto count = ::recv(socket_, into.data() + before, size, 0);
    into.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count <= 0) return false;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Octets> RawPeer::message() {
  Octets octets;
  if (!read(octets, 12)) return std::nullopt;
  const bool little_endian = (octets[6] & 1) != 0;
  const std::uint32_t size = Reader(octets, little_endian, 8).u32();
  if (!read(octets, size)) return std::nullopt;
  return octets;
}

std::size_t RawPeer::take(std::size_t most) {
  Octets octets(most);
  const auto count = ::recv(socket_, octets.data(), most, MSG_DONTWAIT);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

std::optional<Octets> RawPeer::rest() {
  Octets octets;
  for (;;) {
    if (!wait_for(socket_, POLLIN)) return std::nullopt;
    std::uint8_t some[4096];
    const auto count = ::recv(socket_, some, sizeof some, 0);
    if (count <= 0) return octets;
    octets.insert(octets.end(), some, some + count);
  }
}

bool RawPeer::silent() const {
  pollfd entry{socket_, POLLIN, 0};
  return ::poll(&entry, 1, 0) == 0;
}

void RawPeer::end_sending() {
  (void)::shutdown(socket_, SHUT_WR);
}

Octets raw_request(std::uint32_t id, std::string_view key, std::string_view operation,
                   const std::function<void(Writer&)>& body, std::uint8_t response_flags) {
  Writer writer;
  writer.giop(0, 2).u32(id).octet(response_flags).octet(0).octet(0).octet(0);
  writer.u16(0).octets(octets_of(key)).string(operation).u32(0);
  if (body) {
    writer.align(8);
    body(writer);
  }
  return writer.finish();
}

Octets raw_control(std::uint8_t type, std::uint8_t minor) {
  return Writer().giop(type, minor).finish();
}

}  // namespace corbel::test

// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/names.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Stage;

base::Error failed(int what, int os_error) noexcept {
  if (what == EAI_MEMORY) return base::error(Stage::resolve, Code::out_of_resources);
  if (what == EAI_SYSTEM) return failure(Stage::resolve, os_error);
  return base::error(Stage::resolve, Code::unreachable, what);  // negative: see resolver_text
}

bool is_number(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Letters and digits, a letter among them, and what joins words in the system's list: the system itself takes " 80"
/// and "+80" for numbers.
bool may_be_service(std::string_view text) noexcept {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const bool begins =
      !text.empty() && (kLetters.find(text[0]) != std::string_view::npos || is_number(text.substr(0, 1)));
  return begins && text.size() < NI_MAXSERV && text.find_first_of(kLetters) != std::string_view::npos &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+*/") ==
             std::string_view::npos;
}

}  // namespace

base::Result<std::string> host_name(const InetAddress& address) {
  std::array<char, NI_MAXHOST> name{};
  const int status = ::getnameinfo(address.native(), address.size(), name.data(), name.size(), nullptr, 0, NI_NAMEREQD);
  if (status != 0) return failed(status, errno);
  return std::string(name.data());
}

base::Result<std::uint16_t> service_port(std::string_view name, ServiceProtocol protocol) {
  if (is_number(name)) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), port);
    if (error != std::errc()) return base::error(Stage::resolve, Code::unreachable);
    return port;
  }
  if (!may_be_service(name)) return base::error(Stage::resolve, Code::unreachable);
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = protocol == ServiceProtocol::tcp ? SOCK_STREAM : SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(nullptr, std::string(name).c_str(), &hints, &found);
  if (status != 0) return failed(status, errno);
  const std::uint16_t port = InetAddress::from_native(found->ai_addr, found->ai_addrlen).port();
  ::freeaddrinfo(found);
  return port;
}

base::Result<std::string> service_name(std::uint16_t port, ServiceProtocol protocol) {
  std::array<char, NI_MAXSERV> name{};
  const InetAddress address = InetAddress::loopback_v4(port);
  const int flags = protocol == ServiceProtocol::udp ? NI_DGRAM : 0;
  const int status = ::getnameinfo(address.native(), address.size(), nullptr, 0, name.data(), name.size(), flags);
  if (status != 0) return failed(status, errno);
  // A port without a name comes back as digits, NI_NAMEREQD or not.
  if (is_number(name.data())) return base::error(Stage::resolve, Code::unreachable);
  return std::string(name.data());
}

}  // namespace corbel::ipc

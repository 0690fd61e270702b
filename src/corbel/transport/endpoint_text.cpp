// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/endpoint_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "corbel/ipc/inet_address.hpp"

namespace corbel::transport {
namespace {

constexpr std::size_t kMaxHost = 255;

base::Error bad_address() noexcept {
  return base::error(base::Stage::resolve, base::Code::bad_argument);
}

bool is_host_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

base::Result<std::uint16_t> parse_port(std::string_view text) noexcept {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failed != std::errc() || end != text.data() + text.size()) return bad_address();
  return port;
}

}  // namespace

bool is_printable(std::string_view text) noexcept {
  return std::ranges::none_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
}

base::Result<std::string> canonical_host(std::string_view host) {
  if (auto numeric = ipc::InetAddress::parse(host, 0)) return numeric->host();
  if (host.empty() || host.size() > kMaxHost || !std::ranges::all_of(host, is_host_character)) return bad_address();
  std::string name(host);
  std::ranges::transform(name, name.begin(), to_lower);
  return name;
}

base::Result<ior::HostPort> parse_host_port(std::string_view text) {
  ior::HostPort result;
  std::string_view host;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return bad_address();
    host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    auto address = ipc::InetAddress::parse(host, 0);
    if (!address || !address->is_v6()) return bad_address();
  } else {
    host = text.substr(0, text.find(':'));
    text.remove_prefix(host.size());
  }
  if (!host.empty()) {
    CORBEL_TRY(result.host, canonical_host(host));
  }
  if (!text.empty()) {
    if (text.front() != ':') return bad_address();
    CORBEL_TRY(result.port, parse_port(text.substr(1)));
  }
  return result;
}

std::string to_string(const ior::HostPort& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  std::string text = v6 ? '[' + address.host + ']' : address.host;
  return text.append(":").append(std::to_string(address.port));
}

std::string machine_name() {
  std::array<char, kMaxHost + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0') return "localhost";
  return name.data();
}

}  // namespace corbel::transport

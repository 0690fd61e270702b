// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/connection_options.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

namespace corbel::transport {
namespace {

constexpr int kMostOctets = 1 << 30;  // as -ORBSendBuffer

template <int ConnectionOptions::*kMember>
bool set_octets(ConnectionOptions& options, std::string_view value) {
  int octets = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), octets);
  if (error != std::errc() || end != value.data() + value.size() || octets < 0 || octets > kMostOctets) return false;
  options.*kMember = octets;
  return true;
}

template <bool ConnectionOptions::*kMember>
bool set_switch(ConnectionOptions& options, std::string_view value) {
  if (value != "on" && value != "off") return false;
  options.*kMember = value == "on";
  return true;
}

constexpr ConnectionOption kOfTcp[] = {
    {"send_buffer_size", "octets, or 0 for the system's default", set_octets<&ConnectionOptions::send_buffer>},
    {"recv_buffer_size", "octets, or 0 for the system's default", set_octets<&ConnectionOptions::receive_buffer>},
    {"no_delay", "on or off", set_switch<&ConnectionOptions::no_delay>},
    {"keep_alive", "on or off", set_switch<&ConnectionOptions::keep_alive>},
};
constexpr ConnectionOption kOfAll[] = {
    {"gather_threshold", "octets from 0 to 1073741824", set_octets<&ConnectionOptions::gather_threshold>},
};
constexpr std::size_t kBuffers = 2;  // those that come first

}  // namespace

std::span<const ConnectionOption> buffer_options() noexcept {
  return tcp_options().first(kBuffers);
}

std::span<const ConnectionOption> common_options() noexcept {
  return kOfAll;
}

std::span<const ConnectionOption> tcp_options() noexcept {
  return kOfTcp;
}

}  // namespace corbel::transport

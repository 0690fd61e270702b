// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/connection_options.hpp"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace corbel::transport {
namespace {

constexpr int kMostOctets = 1 << 30;  // as -ORBSendBuffer
constexpr int kLeastRing = 4 << 10;
constexpr int kMostRing = 16 << 20;
constexpr std::string_view kKbit = "kbit/s from 0 to 4294967295, 0 for as fast as it goes";

template <class Number>
bool read(std::string_view value, Number least, Number most, Number& into) {
  Number number{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < least || number > most) return false;
  into = number;
  return true;
}

template <int ConnectionOptions::*kMember>
bool set_octets(ConnectionOptions& options, std::string_view value) {
  return read(value, 0, kMostOctets, options.*kMember);
}

template <bool ConnectionOptions::*kMember>
bool set_switch(ConnectionOptions& options, std::string_view value) {
  if (value != "on" && value != "off") return false;
  options.*kMember = value == "on";
  return true;
}

template <int ipc::TrafficOptions::*kMember, int kLeast, int kMost>
bool set_traffic(ConnectionOptions& options, std::string_view value) {
  return read(value, kLeast, kMost, options.traffic.*kMember);
}

bool set_pacing_rate(ConnectionOptions& options, std::string_view value) {
  constexpr std::uint64_t kOctets = 1000 / 8;  // a second, of a kbit/s
  std::uint64_t rate = 0;
  if (!read<std::uint64_t>(value, 0, UINT32_MAX, rate)) return false;
  options.traffic.pacing_rate = rate * kOctets;
  return true;
}

bool set_ring(ConnectionOptions& options, std::string_view value) {
  return read(value, kLeastRing, kMostRing, options.ring);
}

using Traffic = ipc::TrafficOptions;
constexpr ConnectionOption kOfTcp[] = {
    {"send_buffer_size", "octets, or 0 for the system's default", set_octets<&ConnectionOptions::send_buffer>},
    {"recv_buffer_size", "octets, or 0 for the system's default", set_octets<&ConnectionOptions::receive_buffer>},
    {"dscp", "a number from 0 to 63", set_traffic<&Traffic::dscp, 0, 63>},
    {"socket_priority", "a number from 0 to 6", set_traffic<&Traffic::priority, 0, 6>},
    {"pacing_rate", kKbit, set_pacing_rate},
    {"time_to_live", "a number from 1 to 255", set_traffic<&Traffic::time_to_live, 1, 255>},
    {"no_delay", "on or off", set_switch<&ConnectionOptions::no_delay>},
    {"keep_alive", "on or off", set_switch<&ConnectionOptions::keep_alive>},
    {"unsent_limit", "octets, or 0 for the system's default", set_octets<&ConnectionOptions::unsent>},
};
constexpr std::size_t kBuffers = 2;  // those that come first
constexpr std::size_t kOfInet = 6;
constexpr ConnectionOption kOfGroups[] = {
    kOfTcp[0], kOfTcp[1], kOfTcp[2],
    kOfTcp[3], kOfTcp[4], {"time_to_live", "a number from 0 to 255", set_traffic<&Traffic::time_to_live, 0, 255>},
};
constexpr ConnectionOption kOfRings[] = {{"ring_size", "octets from 4096 to 16777216", set_ring}};
constexpr ConnectionOption kOfAll[] = {
    {"gather_threshold", "octets from 0 to 1073741824", set_octets<&ConnectionOptions::gather_threshold>},
    {"oneway_queue", "octets from 0 to 1073741824", set_octets<&ConnectionOptions::oneway_queue>},
};

}  // namespace

std::span<const ConnectionOption> buffer_options() noexcept {
  return tcp_options().first(kBuffers);
}

std::span<const ConnectionOption> common_options() noexcept {
  return kOfAll;
}

std::span<const ConnectionOption> inet_options() noexcept {
  return tcp_options().first(kOfInet);
}

std::span<const ConnectionOption> group_options() noexcept {
  return kOfGroups;
}

std::span<const ConnectionOption> tcp_options() noexcept {
  return kOfTcp;
}

std::span<const ConnectionOption> ring_options() noexcept {
  return kOfRings;
}

}  // namespace corbel::transport

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "corbel/base/deadline.hpp"

namespace corbel::ipc {

/// What a socket is: an address family and a role, one bit each. An option names the roles that have it; setting it on
/// another does not compile.
enum class Role : std::uint32_t {
  inet_stream = 1,
  unix_stream = 2,
  inet_acceptor = 4,
  unix_acceptor = 8,
  inet_datagram = 16,   ///< unconnected or connected
  unix_datagram = 32,   ///< unconnected or connected
  inet_broadcast = 64,  ///< a datagram socket that may send to all hosts on a network
  inet_multicast = 128,
  unix_packet = 256,  ///< a local connection that keeps message boundaries
  unix_packet_acceptor = 512,
  tcp = inet_stream | inet_acceptor,
  datagram = inet_datagram | unix_datagram | inet_broadcast | inet_multicast,
  stream = inet_stream | unix_stream,
  acceptor = inet_acceptor | unix_acceptor | unix_packet_acceptor,
  data = stream | datagram | unix_packet,  ///< whatever sends and receives
  inet = tcp | inet_datagram | inet_broadcast | inet_multicast,
  local = unix_stream | unix_acceptor | unix_datagram | unix_packet | unix_packet_acceptor,
  any = inet | local,
};

constexpr Role operator|(Role a, Role b) noexcept {
  return static_cast<Role>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool includes(Role set, Role one) noexcept {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(one)) != 0;
}

/// The process at the other end of a local socket, as the system recorded it when the connection was made.
struct PeerCredentials {
  std::int32_t process = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
};

/// One socket option: its C++ type, the roles that have it, and whether it can be set.
template <class T, Role kRolesOf, bool kSettable = true>
struct SocketOption {
  using Value = T;
  static constexpr Role kRoles = kRolesOf;
  static constexpr bool kWritable = kSettable;
  int level;
  int name;
};

// NOLINTBEGIN(readability-identifier-naming): options read as words, stream.set(option::no_delay, true).
namespace option {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Every socket. The system may grant other buffer sizes than asked for (Linux doubles them); get() tells.
inline constexpr SocketOption<int, Role::any> send_buffer{SOL_SOCKET, SO_SNDBUF};
inline constexpr SocketOption<int, Role::any> receive_buffer{SOL_SOCKET, SO_RCVBUF};
inline constexpr SocketOption<int, Role::any> priority{SOL_SOCKET, SO_PRIORITY};

// Whatever sends and receives.
/// Time-outs of blocking operations, after which they report would_block; zero means none.
inline constexpr SocketOption<base::Duration, Role::data> send_timeout{SOL_SOCKET, SO_SNDTIMEO};
inline constexpr SocketOption<base::Duration, Role::data> receive_timeout{SOL_SOCKET, SO_RCVTIMEO};

// Every stream.
inline constexpr SocketOption<int, Role::stream> receive_low_watermark{SOL_SOCKET, SO_RCVLOWAT};
/// nullopt: close() returns at once and the system goes on sending. 0 s: close() resets the connection. Otherwise
/// close() blocks until everything is acknowledged, but no longer than that.
inline constexpr SocketOption<std::optional<seconds>, Role::stream> linger{SOL_SOCKET, SO_LINGER};

// TCP; set on an acceptor they pass on to the streams it accepts.
inline constexpr SocketOption<bool, Role::tcp> no_delay{IPPROTO_TCP, TCP_NODELAY};
inline constexpr SocketOption<bool, Role::tcp> keep_alive{SOL_SOCKET, SO_KEEPALIVE};
inline constexpr SocketOption<seconds, Role::tcp> keep_alive_idle{IPPROTO_TCP, TCP_KEEPIDLE};
inline constexpr SocketOption<seconds, Role::tcp> keep_alive_interval{IPPROTO_TCP, TCP_KEEPINTVL};
inline constexpr SocketOption<int, Role::tcp> keep_alive_count{IPPROTO_TCP, TCP_KEEPCNT};
/// How long sent data may stay unacknowledged before the connection is given up; zero: the system's default.
inline constexpr SocketOption<milliseconds, Role::tcp> user_timeout{IPPROTO_TCP, TCP_USER_TIMEOUT};
inline constexpr SocketOption<int, Role::tcp> max_segment{IPPROTO_TCP, TCP_MAXSEG};
inline constexpr SocketOption<int, Role::tcp> window_clamp{IPPROTO_TCP, TCP_WINDOW_CLAMP};
inline constexpr SocketOption<int, Role::tcp> unsent_low_watermark{IPPROTO_TCP, TCP_NOTSENT_LOWAT};
inline constexpr SocketOption<bool, Role::tcp> out_of_band_inline{SOL_SOCKET, SO_OOBINLINE};

// Every Internet socket.
inline constexpr SocketOption<int, Role::inet> busy_poll_microseconds{SOL_SOCKET, SO_BUSY_POLL};
inline constexpr SocketOption<bool, Role::inet> dont_route{SOL_SOCKET, SO_DONTROUTE};
inline constexpr SocketOption<int, Role::inet> mark{SOL_SOCKET, SO_MARK};
/// Type of service octet (six bits of DSCP, two of ECN) of IPv4 packets, traffic class of IPv6 packets.
inline constexpr SocketOption<int, Role::inet> type_of_service{IPPROTO_IP, IP_TOS};
inline constexpr SocketOption<int, Role::inet> traffic_class{IPPROTO_IPV6, IPV6_TCLASS};
/// Routers that a packet may pass, plus one, over IPv4 and over IPv6; what goes to groups has its own.
inline constexpr SocketOption<int, Role::inet> time_to_live{IPPROTO_IP, IP_TTL};
inline constexpr SocketOption<int, Role::inet> hop_limit{IPPROTO_IPV6, IPV6_UNICAST_HOPS};
/// Octets a second that leave at most. The system paces streams by itself, datagrams where the interface's queue is fq.
inline constexpr SocketOption<std::uint64_t, Role::inet> pacing_rate{SOL_SOCKET, SO_MAX_PACING_RATE};

// Internet streams.
inline constexpr SocketOption<bool, Role::inet_stream> cork{IPPROTO_TCP, TCP_CORK};
/// Not lasting: the system falls back to its own judgement.
inline constexpr SocketOption<bool, Role::inet_stream> quick_ack{IPPROTO_TCP, TCP_QUICKACK};
inline constexpr SocketOption<int, Role::inet_stream, false> incoming_cpu{SOL_SOCKET, SO_INCOMING_CPU};

// Whatever is bound to a port. Looked at when another socket binds: both must have it, and one owner.
inline constexpr SocketOption<bool, (Role::inet_acceptor | Role::inet_datagram)> reuse_port{SOL_SOCKET, SO_REUSEPORT};

// Internet acceptors.
inline constexpr SocketOption<bool, Role::inet_acceptor> reuse_address{SOL_SOCKET, SO_REUSEADDR};
inline constexpr SocketOption<bool, Role::inet_acceptor> v6_only{IPPROTO_IPV6, IPV6_V6ONLY};
/// Wake the acceptor only when data has arrived, or after this long.
inline constexpr SocketOption<seconds, Role::inet_acceptor> defer_accept{IPPROTO_TCP, TCP_DEFER_ACCEPT};
inline constexpr SocketOption<int, Role::inet_acceptor> fast_open_queue{IPPROTO_TCP, TCP_FASTOPEN};

// Local sockets.
inline constexpr SocketOption<PeerCredentials, (Role::unix_stream | Role::unix_packet), false> peer_credentials{
    SOL_SOCKET, SO_PEERCRED};
inline constexpr SocketOption<bool, Role::local> pass_credentials{SOL_SOCKET, SO_PASSCRED};

}  // namespace option
// NOLINTEND(readability-identifier-naming)

namespace detail {

/// How a C++ value travels through setsockopt and getsockopt: Native is what the system wants.
template <class T>
struct OptionCodec;

template <>
struct OptionCodec<int> {
  using Native = int;
  static Native encode(int value) noexcept { return value; }
  static int decode(Native native) noexcept { return native; }
};
template <>
struct OptionCodec<std::uint64_t> {
  using Native = std::uint64_t;
  static Native encode(std::uint64_t value) noexcept { return value; }
  static std::uint64_t decode(Native native) noexcept { return native; }
};
template <>
struct OptionCodec<bool> {
  using Native = int;
  static Native encode(bool value) noexcept { return value ? 1 : 0; }
  static bool decode(Native native) noexcept { return native != 0; }
};
template <class Period>
struct OptionCodec<std::chrono::duration<std::int64_t, Period>> {
  using Value = std::chrono::duration<std::int64_t, Period>;
  using Native = int;
  static Native encode(Value value) noexcept { return static_cast<int>(value.count()); }
  static Value decode(Native native) noexcept { return Value(native); }
};
template <>
struct OptionCodec<base::Duration> {
  using Native = timeval;
  /// Rounds up to a microsecond: zero would mean "no time-out".
  static Native encode(base::Duration value) noexcept {
    const std::int64_t micros = value.count() <= 0 ? 0 : (value.count() + 999) / 1000;
    return {.tv_sec = micros / 1'000'000, .tv_usec = micros % 1'000'000};
  }
  static base::Duration decode(const Native& native) noexcept {
    return std::chrono::seconds(native.tv_sec) + std::chrono::microseconds(native.tv_usec);
  }
};
template <>
struct OptionCodec<std::optional<std::chrono::seconds>> {
  using Value = std::optional<std::chrono::seconds>;
  using Native = ::linger;
  static Native encode(Value value) noexcept {
    return {.l_onoff = value.has_value(), .l_linger = value ? static_cast<int>(value->count()) : 0};
  }
  static Value decode(const Native& native) noexcept {
    return native.l_onoff != 0 ? Value(std::chrono::seconds(native.l_linger)) : std::nullopt;
  }
};
template <>
struct OptionCodec<PeerCredentials> {
  using Native = PeerCredentials;
  static PeerCredentials decode(const Native& native) noexcept { return native; }
};

}  // namespace detail
}  // namespace corbel::ipc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"

/// Quality of service as plain values, resolved once from options and policies. Every type here is a value: copy
/// freely, share unchanged between threads.
namespace corbel::policy {

/// How long things may take; zero means without bound.
struct Timeouts {
  base::Duration connect = std::chrono::seconds(10);  ///< one connection attempt, name lookup included
  base::Duration head_start =
      std::chrono::milliseconds(250);              ///< connecting to one of several places before the next; 0: all
  base::Duration call = std::chrono::seconds(60);  ///< a whole call: connecting, sending, waiting, retrying
  base::Duration server_send = std::chrono::seconds(30);  ///< a client taking nothing of the replies that wait for it
  base::Duration shutdown = std::chrono::seconds(30);     ///< from the end's beginning to what still runs being left
};

/// When a oneway call returns (Messaging::SyncScope; CORBA 3.3 part 1, 22.2.2.1).
enum class SyncScope : std::uint8_t { none = 0, with_transport = 1, with_server = 2, with_target = 3 };

/// What gives way when a connection's queue of oneway messages is full.
enum class OnewayOverflow : std::uint8_t {
  newest,  ///< the message that finds no room
  oldest,  ///< those that have waited longest
  wait,    ///< the sender: it waits as with SyncScope::with_transport
};

/// Where oneway messages of SyncScope::none wait for a peer that does not read.
struct OnewayBuffering {
  std::uint32_t limit = 1U << 20;  ///< octets in the queue of a connection
  OnewayOverflow overflow = OnewayOverflow::newest;
};

/// Which threads serve requests.
enum class Concurrency : std::uint8_t {
  adaptive,  ///< few busy connections get a thread that blocks on each, the many are multiplexed by the pool
  pool,      ///< all connections are multiplexed by the pool
  single,    ///< one thread: the one in ORB::run
};

/// How a server spends threads.
struct Serving {
  Concurrency concurrency = Concurrency::adaptive;
  std::uint32_t threads = 256;            ///< most requests at the same time
  std::uint32_t sticky_connections = 16;  ///< most connections with a thread of their own (adaptive)
  base::Duration sticky_idle = std::chrono::milliseconds(50);  ///< idle time after which such a thread gives back
  base::Duration slow_upcall = std::chrono::milliseconds(10);  ///< upcall time after which another thread reads on
};

/// What the peers of a server may make it spend. SECURITY.md says why each is what it is.
struct ServerLimits {
  std::uint32_t connections = 0;              ///< in all; 0: seven eighths of the descriptors that the process may open
  std::uint32_t connections_of_host = 0;      ///< from one host; 0: half of those in all
  std::uint32_t hand_shakes = 0;              ///< worked on at the same time; 0: half of the processors
  std::uint32_t requests_of_connection = 64;  ///< under way at the same time, and threads
  std::uint32_t deferred_of_connection = 16384;      ///< that have left their thread and are yet to be answered
  base::Duration idle = std::chrono::minutes(10);    ///< without a message; 0: unbounded
  base::Duration message = std::chrono::minutes(2);  ///< from a message's first octet to its last; 0: unbounded
  std::uint32_t reply_backlog = 32U << 20;           ///< octets of replies that one peer has not taken
  std::uint32_t reply_memory = 512U << 20;           ///< octets of replies that all peers have not taken
  std::uint32_t input_memory = 512U << 20;           ///< octets of memory for all incoming messages, replies too
};

/// A message protocol over a transport: "giop+tcp". An empty half stands for any.
struct Combination {
  std::string protocol;
  std::string transport;
  friend bool operator==(const Combination&, const Combination&) = default;
};

/// Combinations to try first when a reference offers several, best first.
class CORBEL_API ProtocolPreference {
 public:
  ProtocolPreference() = default;
  /// Reads a comma list such as "giop_lite+unix,giop+tcp,tcp" (a word without plus is a transport). Fails with
  /// bad_argument (stage configure) on empty words or characters other than letters, digits, '_' and '-'.
  static base::Result<ProtocolPreference> parse(std::string_view text);

  /// The place in the list, 0 being best; size() if it is not listed.
  std::size_t rank(std::string_view protocol, std::string_view transport) const noexcept;
  std::size_t size() const noexcept { return combinations_.size(); }
  bool empty() const noexcept { return combinations_.empty(); }
  const std::vector<Combination>& combinations() const noexcept { return combinations_; }
  friend bool operator==(const ProtocolPreference&, const ProtocolPreference&) = default;

 private:
  std::vector<Combination> combinations_;
};

}  // namespace corbel::policy

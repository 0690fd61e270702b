// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <corbel/corbel.hpp>
#include <corbel/mapping/rtcorba_natives.hpp>

/// Priorities of Real-time CORBA. An application that wants them has one more line:
///
///   corbel::real_time::RealTime real_time;       // before ORB_init
///   auto orb = CORBA::ORB_init(argc, argv);
///   auto rt = IDL::traits<RTCORBA::RTORB>::narrow(orb->resolve_initial_references("RTORB"));
///
/// Its ORBs have the initial references "RTORB" and "RTCurrent", whose C++ is that of RTCORBA.idl ("RTCORBA.hpp", which
/// cannot be in one source with "corbel/interceptors/portable_interceptor.hpp"). ORBs of programs that do not use this
/// pay nothing. docs/real-time.md is the guide, and says what is not there.
namespace corbel::real_time {

/// Which class of the operating system the priorities are of. With `other` threads keep theirs, and priorities are
/// numbers that travel; the others need CAP_SYS_NICE or RLIMIT_RTPRIO.
enum class Scheduling : std::uint8_t { other, fifo, round_robin };

/// What of the process's memory stays out of swap, so that no page has to be read while something is urgent. Needs
/// CAP_IPC_LOCK or RLIMIT_MEMLOCK.
enum class MemoryLock : std::uint8_t {
  none,
  touched,  ///< pages, from when they are first used
  all       ///< all that is mapped now and later, stacks of threads included: give the pools' a size
};

/// IOP::ProfileIds by which an RTCORBA::Protocol names what references name in Corbel's own profile and no other ORB
/// has a name for: all of it, other protocols than GIOP and transports of plug-ins included, or one of the transports.
/// docs/real-time.md lists the rest.
inline constexpr std::uint32_t kOwnProtocols = 0x43424c00;
inline constexpr std::uint32_t kRudpProtocol = 0x43424c01;
inline constexpr std::uint32_t kPacketProtocol = 0x43424c02;
inline constexpr std::uint32_t kInprocProtocol = 0x43424c03;

struct Settings {
  Scheduling scheduling = Scheduling::other;
  /// Between priorities of CORBA and the class's; null: linear over all of the class (`other`: the same numbers).
  std::shared_ptr<RTCORBA::PriorityMapping> mapping{};
  /// Where each lane of a thread pool listens, as for -ORBListenEndpoints, with ports that the system chooses
  /// ("tcp://192.0.2.1:0"); none: beside each of the ORB's own, by the same transport at the same hosts.
  std::vector<std::string> lane_endpoints{};
  /// Locked when the RealTime is made, for the rest of the process's life.
  MemoryLock memory = MemoryLock::none;
};

class Priorities;

/// The ORBs that are made while this lives have priorities, and keep them when it is gone. A process has one at a time:
/// while there are two, ORB_init ends in INITIALIZE. Thread-safe.
class RealTime {
 public:
  explicit RealTime(Settings settings = {});
  RealTime(const RealTime&) = delete;
  RealTime& operator=(const RealTime&) = delete;

  /// What the operating system did not do, and why, the first time it did not: the memory was not locked, or a thread
  /// has not its priority; empty if it did all. Requests are served all the same.
  std::string refused() const;

 private:
  const std::shared_ptr<Priorities> priorities_;
};

}  // namespace corbel::real_time

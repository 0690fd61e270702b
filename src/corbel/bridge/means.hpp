// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "corbel/bridge/pending.hpp"
#include "corbel/bridge/proxies.hpp"
#include "corbel/bridge/settings.hpp"
#include "corbel/bridge/succession.hpp"
#include "corbel/dynamic/type_code.hpp"

namespace corbel::bridge {

/// What was counted, by all threads.
struct Counters {
  std::atomic<std::uint64_t> forwarded{0};
  std::atomic<std::uint64_t> by_types{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> cancelled{0};
};

/// What all exchanges of a bridge work with; not owned.
struct Means {
  orb::Core& core;
  Proxies& proxies;
  const Settings& settings;
  Counters& counters;
  Succession& succession;
  Pending& pending;
  std::uint32_t most_senders;  ///< threads that may be busy reaching one target
  /// What a system exception consists of.
  std::array<CORBA::typecode_reference, 3> system_exception{CORBA::_tc_string, CORBA::_tc_ulong, CORBA::_tc_ulong};
};

}  // namespace corbel::bridge

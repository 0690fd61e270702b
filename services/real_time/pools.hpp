// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <corbel/poa/lane_policy.hpp>

#include "RTCORBA.hpp"
#include "parts.hpp"

namespace corbel::real_time {

/// The thread pools of one ORB (Real-time CORBA 1.2, 5.14): each lane of a pool is one of the ORB's. Thread-safe.
class Pools : public std::enable_shared_from_this<Pools> {
 public:
  /// `endpoints`: of each lane.
  Pools(std::shared_ptr<const OrbOf> orb, std::vector<std::string> endpoints)
      : orb_(std::move(orb)), endpoints_(std::move(endpoints)) {}

  /// What a pool is given besides its threads.
  struct Extras {
    std::size_t stack_size = 0;  ///< of each thread, as orb::add_lane()
    bool borrows = false;
    std::optional<Admission::Buffers> buffers;  ///< 0: without limit
  };

  /// A pool without lanes. Throws BAD_PARAM for one without static threads, IMP_LIMIT for too many, what waits
  /// included, and as orb::add_lane(). Priorities have been checked.
  RTCORBA::ThreadpoolId create(std::uint32_t threads, std::uint32_t dynamic_threads, Priority default_priority,
                               const Extras& extras);
  /// BAD_PARAM also for none, and for two of one priority.
  RTCORBA::ThreadpoolId create(const RTCORBA::ThreadpoolLanes& lanes, const Extras& extras);
  /// No adapter can choose it any more; its threads end with the ORB. Throws InvalidThreadpool.
  void destroy(RTCORBA::ThreadpoolId id);
  /// Throws BAD_PARAM if there is none.
  IDL::traits<RTCORBA::ThreadpoolPolicy>::ref_type make_policy(RTCORBA::ThreadpoolId id);

  /// The lane of an adapter with this model, if it has several that of its own priority; nothing if there is none.
  std::optional<std::string> find_lane(RTCORBA::ThreadpoolId id, const std::optional<Model>& model) const;
  /// All lanes of the pool, that one first, if an adapter with this model has several; else null.
  std::shared_ptr<const poa::LaneGroup> find_lanes(RTCORBA::ThreadpoolId id, const std::optional<Model>& model) const;

 private:
  struct Lane {
    Priority priority;
    std::string name;  ///< of the ORB's
  };
  struct Pool {
    bool has_lanes = false;
    std::vector<Lane> lanes;               ///< at least one, sorted by priority
    std::shared_ptr<Admission> admission;  ///< null: the threads of the lanes are as many as requests may run
  };

  static std::vector<Priority> priorities_of(const Pool& pool);
  static const Lane* choose(const Pool& pool, const std::optional<Model>& model);
  Lane make_lane(RTCORBA::ThreadpoolId id, Priority priority, std::uint32_t threads, std::size_t stack_size) const;
  RTCORBA::ThreadpoolId make(bool has_lanes, std::vector<Admission::Lane> lanes, const Extras& extras);
  RTCORBA::ThreadpoolId keep(RTCORBA::ThreadpoolId id, Pool pool);

  const std::shared_ptr<const OrbOf> orb_;
  const std::vector<std::string> endpoints_;
  mutable std::mutex mutex_;  // guards pools_
  std::map<RTCORBA::ThreadpoolId, Pool> pools_;
};

}  // namespace corbel::real_time

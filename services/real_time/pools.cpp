// SPDX-License-Identifier: Apache-2.0
#include "pools.hpp"

#include <algorithm>

#include <corbel/orb/parts.hpp>

#include "endpoints.hpp"

namespace corbel::real_time {
namespace {

constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
constexpr std::uint32_t kMostThreads = 10'000;  // of one lane, as -ORBThreads
constexpr std::uint32_t kMostWaiting = 1000;    // where only octets are limited

/// No two ORBs of a process have one of the same number, so that none takes another's policy for its own.
RTCORBA::ThreadpoolId next_id() noexcept {
  static std::atomic<RTCORBA::ThreadpoolId> last{0};
  return ++last;
}

[[noreturn]] void too_many() {
  throw CORBA::IMP_LIMIT(0, kNo,
                         "a lane has " + std::to_string(kMostThreads) +
                             " threads at most, those of requests that wait and those it may borrow included");
}

std::uint32_t count_threads(std::uint32_t threads, std::uint32_t dynamic_threads) {
  if (threads == 0) throw CORBA::BAD_PARAM(0, kNo, "a lane of a thread pool needs static threads");
  if (threads <= kMostThreads && dynamic_threads <= kMostThreads - threads) return threads + dynamic_threads;
  too_many();
}

/// A request that waits keeps a thread. What has no limit waits in its connection, as ever.
std::optional<Admission::Buffers> limits_of(const std::optional<Admission::Buffers>& asked) {
  if (!asked || (asked->requests == 0 && asked->octets == 0)) return std::nullopt;
  Admission::Buffers limits = *asked;
  if (limits.octets == 0) limits.octets = UINT64_MAX;
  if (limits.requests == 0) limits.requests = kMostWaiting;
  if (limits.requests > kMostThreads) too_many();
  return limits;
}

std::optional<Model> model_in(const CORBA::PolicyList& policies) {
  std::optional<Model> model;
  for (const auto& policy : policies) {
    if (const auto found = model_of(policy)) model = found;
  }
  return model;
}

/// References that lead to all lanes of a pool.
class AllLanes final : public poa::LaneGroup {
 public:
  void add(std::string name, Priority priority) {
    names_.push_back(std::move(name));
    priorities_.push_back(priority);
  }
  const std::vector<std::string>& lanes() const noexcept override { return names_; }
  std::vector<ior::TaggedProfile> join(std::vector<std::vector<ior::TaggedProfile>> profiles) const override {
    std::vector<LaneProfiles> lanes;
    for (std::size_t i = 0; i < profiles.size(); ++i) lanes.push_back({priorities_[i], std::move(profiles[i])});
    return join_lanes(lanes);
  }

 private:
  std::vector<std::string> names_;
  std::vector<Priority> priorities_;
};

class PoolPolicy final : public RTCORBA::ThreadpoolPolicy, public poa::ChoosesLane, public HasPool {
 public:
  PoolPolicy(std::shared_ptr<const Pools> pools, RTCORBA::ThreadpoolId id, std::optional<Priority> priority,
             std::vector<Priority> lanes, std::shared_ptr<Admission> admission)
      : pools_(std::move(pools)),
        id_(id),
        default_(priority),
        lanes_(std::move(lanes)),
        admission_(std::move(admission)) {}
  RTCORBA::ThreadpoolId threadpool() override { return id_; }
  CORBA::PolicyType policy_type() override { return RTCORBA::THREADPOOL_POLICY_TYPE; }
  IDL::traits<CORBA::Policy>::ref_type copy() override {
    return CORBA::make_reference<PoolPolicy>(pools_, id_, default_, lanes_, admission_);
  }
  bool _overrides() const noexcept override { return false; }  // the server's alone
  std::optional<std::string> choose_lane(const CORBA::PolicyList& policies) const override {
    return pools_->find_lane(id_, model_in(policies));
  }
  std::shared_ptr<const poa::LaneGroup> lane_group(const CORBA::PolicyList& policies) const override {
    return pools_->find_lanes(id_, model_in(policies));
  }
  std::uint32_t id() const noexcept override { return id_; }
  std::optional<Priority> default_priority() const noexcept override { return default_; }
  const std::vector<Priority>& lanes() const noexcept override { return lanes_; }
  const std::shared_ptr<Admission>& admission() const noexcept override { return admission_; }

 private:
  const std::shared_ptr<const Pools> pools_;
  const RTCORBA::ThreadpoolId id_;
  const std::optional<Priority> default_;  // of a pool without lanes
  const std::vector<Priority> lanes_;
  const std::shared_ptr<Admission> admission_;
};

}  // namespace

Pools::Lane Pools::make_lane(RTCORBA::ThreadpoolId id, Priority priority, std::uint32_t threads,
                             std::size_t stack_size) const {
  if (orb_->ended.load(std::memory_order_acquire)) {
    throw CORBA::OBJECT_NOT_EXIST(0, kNo, "the ORB has been destroyed");
  }
  Lane lane{priority, name_of_lane(id, priority)};
  std::vector<std::string> none;
  const auto orb = CORBA::ORB_init(none, orb_->id);  // there is one: that
  orb::add_lane(*orb._shared(), lane.name, threads, endpoints_, stack_size);
  return lane;
}

RTCORBA::ThreadpoolId Pools::keep(RTCORBA::ThreadpoolId id, Pool pool) {
  const std::lock_guard lock(mutex_);
  pools_.emplace(id, std::move(pool));
  return id;
}

RTCORBA::ThreadpoolId Pools::make(bool has_lanes, std::vector<Admission::Lane> lanes, const Extras& extras) {
  std::ranges::sort(lanes, {}, &Admission::Lane::priority);
  const auto buffers = limits_of(extras.buffers);
  const std::uint32_t waiting = buffers ? buffers->requests + 1 : 0;  // and the one that is told to go
  std::vector<std::uint32_t> threads;
  std::uint64_t lower = 0;
  for (const Admission::Lane& lane : lanes) {
    const std::uint64_t most = lane.places + std::uint64_t{waiting} + (extras.borrows ? lower : 0);
    if (most > kMostThreads) too_many();
    threads.push_back(static_cast<std::uint32_t>(most));
    lower += lane.places;
  }
  const RTCORBA::ThreadpoolId id = next_id();
  Pool pool{has_lanes, {}, nullptr};
  if (buffers || (extras.borrows && lanes.size() > 1)) {
    pool.admission = std::make_shared<Admission>(lanes, extras.borrows, buffers);
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    pool.lanes.push_back(make_lane(id, lanes[i].priority, threads[i], extras.stack_size));
  }
  return keep(id, std::move(pool));
}

RTCORBA::ThreadpoolId Pools::create(std::uint32_t threads, std::uint32_t dynamic_threads, Priority default_priority,
                                    const Extras& extras) {
  return make(false, {{default_priority, count_threads(threads, dynamic_threads)}}, extras);
}

RTCORBA::ThreadpoolId Pools::create(const RTCORBA::ThreadpoolLanes& lanes, const Extras& extras) {
  if (lanes.empty()) throw CORBA::BAD_PARAM(0, kNo, "a thread pool with lanes needs some");
  std::vector<Admission::Lane> all;
  for (const RTCORBA::ThreadpoolLane& lane : lanes) {
    if (std::ranges::find(all, lane.lane_priority(), &Admission::Lane::priority) != all.end()) {
      throw CORBA::BAD_PARAM(0, kNo, "two lanes of a thread pool have the same priority");
    }
    all.push_back({lane.lane_priority(), count_threads(lane.static_threads(), lane.dynamic_threads())});
  }
  return make(true, std::move(all), extras);
}

void Pools::destroy(RTCORBA::ThreadpoolId id) {
  const std::lock_guard lock(mutex_);
  if (pools_.erase(id) == 0) throw RTCORBA::RTORB::InvalidThreadpool();
}

IDL::traits<RTCORBA::ThreadpoolPolicy>::ref_type Pools::make_policy(RTCORBA::ThreadpoolId id) {
  std::optional<Priority> priority;
  std::vector<Priority> lanes;
  std::shared_ptr<Admission> admission;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pools_.find(id);
    if (found == pools_.end()) throw CORBA::BAD_PARAM(0, kNo, "no such thread pool");
    if (!found->second.has_lanes) priority = found->second.lanes.front().priority;
    lanes = priorities_of(found->second);
    admission = found->second.admission;
  }
  return CORBA::make_reference<PoolPolicy>(shared_from_this(), id, priority, std::move(lanes), std::move(admission));
}

std::vector<Priority> Pools::priorities_of(const Pool& pool) {
  std::vector<Priority> priorities;
  for (const Lane& lane : pool.lanes) priorities.push_back(lane.priority);  // sorted
  return priorities;
}

/// With CLIENT_PROPAGATED, that of clients which say no priority.
const Pools::Lane* Pools::choose(const Pool& pool, const std::optional<Model>& model) {
  if (!pool.has_lanes) return &pool.lanes.front();
  if (!model) return nullptr;
  Priority priority = model->priority;
  if (!model->declared) priority = lane_for(priorities_of(pool), priority);
  const auto lane = std::ranges::find(pool.lanes, priority, &Lane::priority);
  return lane == pool.lanes.end() ? nullptr : &*lane;
}

std::optional<std::string> Pools::find_lane(RTCORBA::ThreadpoolId id, const std::optional<Model>& model) const {
  const std::lock_guard lock(mutex_);
  const auto found = pools_.find(id);
  const Lane* const lane = found == pools_.end() ? nullptr : choose(found->second, model);
  return lane == nullptr ? std::nullopt : std::optional(lane->name);
}

std::shared_ptr<const poa::LaneGroup> Pools::find_lanes(RTCORBA::ThreadpoolId id,
                                                        const std::optional<Model>& model) const {
  const std::lock_guard lock(mutex_);
  const auto found = pools_.find(id);
  if (found == pools_.end() || !found->second.has_lanes || !model || model->declared) return nullptr;
  const Pool& pool = found->second;
  const Lane* const first = choose(pool, model);
  auto group = std::make_shared<AllLanes>();
  group->add(first->name, first->priority);
  for (const Lane& lane : pool.lanes) {
    if (&lane != first) group->add(lane.name, lane.priority);
  }
  return group;
}

}  // namespace corbel::real_time

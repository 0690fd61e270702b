// SPDX-License-Identifier: Apache-2.0
#include "ways.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string>
#include <utility>

#include "endpoints.hpp"

namespace corbel::real_time {
namespace {

constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;

/// What BranchKey says. A priority has 15 bits.
struct Way {
  std::optional<Priority> lane;
  std::optional<Band> band;
  bool is_private = false;
  std::uint64_t protocols = 0;  ///< HasProtocols::number()

  static constexpr unsigned kLane = 0, kLow = 16, kHigh = 32;
  static constexpr std::uint64_t kBits = 0x7fff, kHasLane = 0x8000, kHasBand = kHasLane << kLow,
                                 kIsPrivate = kHasLane << kHigh;

  static std::uint64_t bits(Priority priority) { return static_cast<std::uint64_t>(priority) & kBits; }
  static Priority priority(std::uint64_t word, unsigned at) { return static_cast<Priority>((word >> at) & kBits); }

  orb::BranchKey key() const {
    std::uint64_t word = is_private ? kIsPrivate : 0;
    if (lane) word |= kHasLane | bits(*lane);
    if (band) word |= kHasBand | (bits(band->low) << kLow) | (bits(band->high) << kHigh);
    return {word, protocols};
  }
  static Way of(const orb::BranchKey& key) {
    Way way;
    const std::uint64_t word = key[0];
    if ((word & kHasLane) != 0) way.lane = priority(word, kLane);
    if ((word & kHasBand) != 0) way.band = Band{priority(word, kLow), priority(word, kHigh)};
    way.is_private = (word & kIsPrivate) != 0;
    way.protocols = key[1];
    return way;
  }
};

std::uint64_t next_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

template <class P>
const P* as(const corba::PolicyCorePtr& policy) {
  return policy == nullptr ? nullptr : dynamic_cast<const P*>(policy.get());
}

/// What the profiles of a reference say: the first that says anything.
Exposed exposed_in(const ior::Ior& ior) {
  for (const ior::TaggedProfile& profile : ior.profiles) {
    for (const ior::TaggedComponent& component : components_of(profile)) {
      if (component.tag != kTagPolicies) continue;
      Exposed exposed = decode_policies({component.data.begin(), component.data.end()});
      if (exposed.model || !exposed.bands.empty()) return exposed;
    }
  }
  return {};
}

}  // namespace

Ways::Ways(std::shared_ptr<const Priorities> priorities, const ior::Ior& ior)
    : priorities_(std::move(priorities)), exposed_(exposed_in(ior)), lanes_(lanes_of(ior)), number_(next_number()) {}

/// Of a request that the calling thread makes.
Priority Ways::priority() const {
  return exposed_.model && exposed_.model->declared ? exposed_.model->priority : priorities_->get_or_native();
}

std::optional<Band> Ways::band_of(Priority priority, FindPolicy find) const {
  const corba::PolicyCorePtr policy = find(kBandsPolicy);
  const auto* const wanted = as<HasBands>(policy);
  if (wanted == nullptr && exposed_.bands.empty()) return std::nullopt;
  if (wanted != nullptr && !exposed_.bands.empty()) {
    throw CORBA::INV_POLICY(0, kNo, "both the client and the server have a PriorityBandedConnectionPolicy");
  }
  const Bands& bands = wanted != nullptr ? wanted->bands() : exposed_.bands;
  const auto found =
      std::ranges::find_if(bands, [&](const Band& band) { return band.low <= priority && priority <= band.high; });
  if (found != bands.end()) return *found;
  throw CORBA::INV_POLICY(
      0, kNo, "no band of the PriorityBandedConnectionPolicy has the request's priority, " + std::to_string(priority));
}

/// The lane of the priority; with a band it is one in the band, if there is any.
Priority Ways::lane_of(Priority priority, const std::optional<Band>& band) const {
  std::vector<Priority> fitting;
  if (band) {
    std::ranges::copy_if(lanes_, std::back_inserter(fitting),
                         [&](Priority lane) { return band->low <= lane && lane <= band->high; });
  }
  return lane_for(fitting.empty() ? lanes_ : fitting, priority);
}

orb::BranchKey Ways::choose(FindPolicy find) const {
  Way way;
  const Priority priority = this->priority();
  way.band = band_of(priority, find);
  if (!lanes_.empty() && exposed_.model && !exposed_.model->declared) way.lane = lane_of(priority, way.band);
  const corba::PolicyCorePtr alone = find(kPrivatePolicy);
  way.is_private = as<IsPrivate>(alone) != nullptr;
  const corba::PolicyCorePtr policy = find(kClientProtocolPolicy);
  if (const auto* const protocols = as<HasProtocols>(policy)) way.protocols = protocols->number();
  return way.key();
}

orb::BranchPtr Ways::make(const orb::BranchKey& key, FindPolicy find) const {
  const Way way = Way::of(key);
  auto branch = std::make_shared<orb::Branch>();
  if (way.lane) {
    // Calls may be sent on to references that have other lanes.
    branch->narrow = [lane = *way.lane](const ior::Ior& ior) {
      const std::vector<Priority> lanes = lanes_of(ior);
      return lanes.empty() ? ior : only_lane(ior, lane_for(lanes, lane));
    };
  }
  if (way.band) branch->connections = "#band " + std::to_string(way.band->low) + '-' + std::to_string(way.band->high);
  if (way.is_private) branch->connections += "#private " + std::to_string(number_);
  const corba::PolicyCorePtr policy = find(kClientProtocolPolicy);
  if (const auto* const protocols = as<HasProtocols>(policy)) branch->carriers = protocols->carriers();
  branch->carriers_policy = kClientProtocolPolicy;
  return branch;
}

/// The client's bands, or else those that the reference says.
corba::PolicyCores Ways::unfit(FindPolicy find) const try {
  (void)band_of(priority(), find);
  return {};
} catch (const CORBA::INV_POLICY&) {
  corba::PolicyCorePtr wanted = find(kBandsPolicy);
  if (as<HasBands>(wanted) != nullptr) return {std::move(wanted)};
  return {policy_of_bands(exposed_.bands)._shared()};
}

}  // namespace corbel::real_time

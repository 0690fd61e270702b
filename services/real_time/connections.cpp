// SPDX-License-Identifier: Apache-2.0
#include "connections.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "parts.hpp"

namespace corbel::real_time {
namespace {

constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;

class BandsPolicy final : public RTCORBA::PriorityBandedConnectionPolicy, public HasBands {
 public:
  explicit BandsPolicy(Bands bands) : bands_(std::move(bands)) {}
  RTCORBA::PriorityBands priority_bands() override {
    RTCORBA::PriorityBands bands;
    for (const Band& band : bands_) bands.emplace_back(band.low, band.high);
    return bands;
  }
  CORBA::PolicyType policy_type() override { return RTCORBA::PRIORITY_BANDED_CONNECTION_POLICY_TYPE; }
  IDL::traits<CORBA::Policy>::ref_type copy() override { return CORBA::make_reference<BandsPolicy>(bands_); }
  const Bands& bands() const noexcept override { return bands_; }

 private:
  const Bands bands_;
};

class PrivatePolicy final : public RTCORBA::PrivateConnectionPolicy, public IsPrivate {
 public:
  CORBA::PolicyType policy_type() override { return RTCORBA::PRIVATE_CONNECTION_POLICY_TYPE; }
  IDL::traits<CORBA::Policy>::ref_type copy() override { return CORBA::make_reference<PrivatePolicy>(); }
};

}  // namespace

IDL::traits<RTCORBA::PriorityBandedConnectionPolicy>::ref_type make_bands(const RTCORBA::PriorityBands& bands) {
  if (bands.empty()) throw CORBA::BAD_PARAM(0, kNo, "a PriorityBandedConnectionPolicy has bands");
  if (bands.size() > kMostBands) {
    throw CORBA::IMP_LIMIT(0, kNo, "a policy has " + std::to_string(kMostBands) + " bands at most");
  }
  Bands all;
  for (const RTCORBA::PriorityBand& one : bands) {
    const Band band{one.low(), one.high()};
    if (band.low < RTCORBA::minPriority || band.high < band.low) {
      throw CORBA::BAD_PARAM(0, kNo, "a band begins with a priority and ends with one that is not lower");
    }
    const auto overlaps = [&](const Band& other) { return band.low <= other.high && other.low <= band.high; };
    if (std::ranges::any_of(all, overlaps)) throw CORBA::BAD_PARAM(0, kNo, "two bands overlap");
    all.push_back(band);
  }
  return CORBA::make_reference<BandsPolicy>(std::move(all));
}

IDL::traits<CORBA::Policy>::ref_type policy_of_bands(Bands bands) {
  return CORBA::make_reference<BandsPolicy>(std::move(bands));
}

IDL::traits<RTCORBA::PrivateConnectionPolicy>::ref_type make_private() {
  return CORBA::make_reference<PrivatePolicy>();
}

}  // namespace corbel::real_time

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <utility>

#include "corbel/base/export.hpp"

/// Module TimeBase (idl/TimeBase.idl), in which policies tell times: units of 100 ns, since 15 October 1582 where it is
/// a point in time. What its types need to be members and parameters is in corbel/dynamic/messaging_types.hpp.
namespace TimeBase {

using TimeT = std::uint64_t;
using InaccuracyT = TimeT;
using TdfT = std::int16_t;

/// A point in time. `time` is UTC; `tdf` tells the time zone, in minutes east of Greenwich.
class UtcT {
 public:
  UtcT() = default;
  explicit UtcT(TimeT time, std::uint32_t inacclo, std::uint16_t inacchi, TdfT tdf)
      : time_(time), inacclo_(inacclo), inacchi_(inacchi), tdf_(tdf) {}

  void time(TimeT value) { time_ = value; }
  TimeT time() const { return time_; }
  TimeT& time() { return time_; }
  void inacclo(std::uint32_t value) { inacclo_ = value; }
  std::uint32_t inacclo() const { return inacclo_; }
  std::uint32_t& inacclo() { return inacclo_; }
  void inacchi(std::uint16_t value) { inacchi_ = value; }
  std::uint16_t inacchi() const { return inacchi_; }
  std::uint16_t& inacchi() { return inacchi_; }
  void tdf(TdfT value) { tdf_ = value; }
  TdfT tdf() const { return tdf_; }
  TdfT& tdf() { return tdf_; }

  void swap(UtcT& other) { std::swap(*this, other); }
  friend void swap(UtcT& a, UtcT& b) { a.swap(b); }
  friend bool operator==(const UtcT&, const UtcT&) = default;

 private:
  TimeT time_{};
  std::uint32_t inacclo_{};
  std::uint16_t inacchi_{};
  TdfT tdf_{};
};

/// From one point in time to another.
class IntervalT {
 public:
  IntervalT() = default;
  explicit IntervalT(TimeT lower_bound, TimeT upper_bound) : lower_bound_(lower_bound), upper_bound_(upper_bound) {}

  void lower_bound(TimeT value) { lower_bound_ = value; }
  TimeT lower_bound() const { return lower_bound_; }
  TimeT& lower_bound() { return lower_bound_; }
  void upper_bound(TimeT value) { upper_bound_ = value; }
  TimeT upper_bound() const { return upper_bound_; }
  TimeT& upper_bound() { return upper_bound_; }

  void swap(IntervalT& other) { std::swap(*this, other); }
  friend void swap(IntervalT& a, IntervalT& b) { a.swap(b); }
  friend bool operator==(const IntervalT&, const IntervalT&) = default;

 private:
  TimeT lower_bound_{};
  TimeT upper_bound_{};
};

}  // namespace TimeBase

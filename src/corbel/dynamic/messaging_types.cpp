// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/messaging_types.hpp"

#include <ostream>

#include "corbel/mapping/print.hpp"

namespace TimeBase {

std::ostream& operator<<(std::ostream& stream, const UtcT& time) {
  return corbel::mapping::print_members(stream, "TimeBase::UtcT", "time", time.time(), "inacclo", time.inacclo(),
                                        "inacchi", time.inacchi(), "tdf", time.tdf());
}
std::ostream& operator<<(std::ostream& stream, const IntervalT& interval) {
  return corbel::mapping::print_members(stream, "TimeBase::IntervalT", "lower_bound", interval.lower_bound(),
                                        "upper_bound", interval.upper_bound());
}

}  // namespace TimeBase

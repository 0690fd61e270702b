// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/logging.hpp"

#include <string>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {

void set_log_levels(CORBA::ORB& orb, std::string_view levels) {
  base::Log& log = orb._core().log();
  base::LogLevels wanted = log.levels();
  if (!wanted.read(levels)) {
    throw CORBA::BAD_PARAM(corba::minor::kBadOptionValue, CORBA::CompletionStatus::COMPLETED_NO,
                           "log levels '" + std::string(levels) + "': write LEVEL or MODULE=LEVEL, in a comma list");
  }
  log.set_levels(wanted);
  orb._core().note_log_levels();
}

}  // namespace corbel::orb

// SPDX-License-Identifier: Apache-2.0
// What an ORB is made with, told to its log.
#include <chrono>
#include <string>

#include "corbel/orb/core.hpp"

namespace corbel::orb {

void Core::tell_settings() const {
  for (const auto& file : options_.config_files) {
    CORBEL_LOG(log_, orb, info, "configuration file read", {"file", file});
  }
  for (const auto& variable : options_.unknown_variables) {
    CORBEL_LOG(log_, orb, warning, "environment variable names no option", {"variable", variable});
  }
  for (const auto& each : options_.preference.combinations()) {
    const std::string name = (each.protocol.empty() ? std::string() : each.protocol + '+') + each.transport;
    if (const std::string why = registry_.why_unfit(name + "://"); !why.empty()) {
      CORBEL_LOG(log_, orb, warning, "a preferred protocol is not there", {"preferred", name}, {"why", why});
    }
  }
  CORBEL_LOG(log_, orb, info, "ORB created", {"threads", options_.serving.threads},
             {"call_timeout_ms", std::chrono::duration_cast<std::chrono::milliseconds>(options_.timeouts.call).count()},
             {"max_message_size", options_.limits.max_message_size});
}

}  // namespace corbel::orb

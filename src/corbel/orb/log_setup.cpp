// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/log_setup.hpp"

#include <utility>

namespace corbel::orb {

base::Log::Settings log_settings(const Options& options, std::shared_ptr<base::LogSink> sink) {
  if (sink == nullptr) sink = logging::to_standard_error(options.log_format);
  return {options.id, options.log_levels, std::move(sink), options.log_rate};
}

}  // namespace corbel::orb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/log.hpp"
#include "corbel/orb/options.hpp"

namespace corbel::orb {

/// How the log of an ORB with these options is. `sink`: where it goes; null: to the standard error output.
base::Log::Settings log_settings(const Options& options, std::shared_ptr<base::LogSink> sink);

}  // namespace corbel::orb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/log.hpp"
#include "corbel/orb/options.hpp"

namespace corbel::orb {

/// How the log of an ORB with these options is: where it goes, unless the application brings `own`, its own sink.
/// Throws INITIALIZE if -ORBLogFile names nothing that can be written.
base::Log::Settings log_settings(const Options& options, std::shared_ptr<base::LogSink> own);

}  // namespace corbel::orb

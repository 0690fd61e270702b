// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "corbel/orb/components.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/options.hpp"

namespace corbel::orb {

std::shared_ptr<base::LogSink> open_log(const Options& options, std::shared_ptr<base::LogSink> own) {
  if (own != nullptr) return logging::behind_queue(std::move(own));
  if (options.log_file == "stderr") return logging::to_standard_error(options.log_format);
  auto sink = options.log_file == "syslog"     ? logging::to_syslog(logging::kSyslogSocket, options.log_format)
              : options.log_file == "journald" ? logging::to_journal(logging::kJournalSocket)
                                               : logging::to_file(options.log_file, options.log_format);
  if (!sink) raise(sink.error(), "-ORBLogFile '" + options.log_file + "': " + base::to_string(sink.error()));
  return *std::move(sink);
}

}  // namespace corbel::orb

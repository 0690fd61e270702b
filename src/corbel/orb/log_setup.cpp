// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/log_setup.hpp"

#include <utility>

#include "corbel/orb/error_map.hpp"

namespace corbel::orb {
namespace {

logging::SinkPtr make_sink(const Options& options) {
  if (options.log_file == "stderr") return logging::to_standard_error(options.log_format);
  auto sink = options.log_file == "syslog"     ? logging::to_syslog(logging::kSyslogSocket, options.log_format)
              : options.log_file == "journald" ? logging::to_journal(logging::kJournalSocket)
                                               : logging::to_file(options.log_file, options.log_format);
  if (!sink) raise(sink.error(), "-ORBLogFile '" + options.log_file + "': " + base::to_string(sink.error()));
  return *std::move(sink);
}

}  // namespace

base::Log::Settings log_settings(const Options& options, std::shared_ptr<base::LogSink> own) {
  return {options.id, options.log_levels, own != nullptr ? logging::behind_queue(std::move(own)) : make_sink(options),
          options.log_rate};
}

}  // namespace corbel::orb

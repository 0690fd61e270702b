// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/base/export.hpp"
#include "corbel/base/log.hpp"

namespace CORBA {
class ORB;
}

/// An application's own part in the log of its ORBs (docs/logging.md). Where lines go and what they tell is said by the
/// options -ORBLogLevel, -ORBLogFile, -ORBLogFormat and -ORBLogRate; this is for applications that want the records
/// themselves:
///
///   class MySink final : public corbel::base::LogSink {
///     void write(const corbel::base::LogRecord& record) override {
///       char line[corbel::base::kLongestLogLine];
///       my_logger.add(std::string_view(line, corbel::base::format_log_text(record, false, line)));
///     }
///   };
///   auto components = corbel::builtins::components();
///   components.log_sink = std::make_shared<MySink>();
///   auto orb = CORBA::ORB_init(argc, argv, "", components);
///
/// It is called on a thread of its own, one record at a time: it may block, throw, and call any ORB. What it does is
/// not logged again. While it is 1,000 records behind, others are left out, and counted. Text in fields may come from
/// anywhere: format_log_text() and format_log_json() escape it.
namespace corbel::orb {

/// Changes what the ORB logs from now on: as -ORBLogLevel, but a list that names modules only leaves the others as they
/// are. Throws BAD_PARAM for words that are none.
CORBEL_API void set_log_levels(CORBA::ORB& orb, std::string_view levels);

}  // namespace corbel::orb

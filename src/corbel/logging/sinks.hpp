// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "corbel/base/deadline.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/handle.hpp"

namespace corbel::logging {

/// How a record becomes a line.
enum class Format : std::uint8_t { text, json };

using SinkPtr = std::shared_ptr<base::LogSink>;

/// Longest time that a thread which logs is kept waiting.
inline constexpr base::Duration kPatience = std::chrono::milliseconds(100);
/// Longest time that the end of a log waits for the application's sink.
inline constexpr base::Duration kLastPatience = std::chrono::seconds(1);

/// Lines to the standard error output. A reader that does not read loses lines; it never stops the process.
SinkPtr to_standard_error(Format format);
/// Lines to an open descriptor.
SinkPtr to_descriptor(ipc::Handle descriptor, Format format);
/// Lines appended to a file, which is made if need be, readable for owner and group. When the file at `path` becomes
/// another one (rotation, removal) the next line but for those of the same second goes there. Errors: stage configure.
base::Result<SinkPtr> to_file(const std::string& path, Format format);

inline constexpr const char* kSyslogSocket = "/dev/log";
inline constexpr const char* kJournalSocket = "/run/systemd/journal/socket";
/// Datagrams to the syslog daemon behind `socket`, facility "user". Errors: stage configure if none listens there.
base::Result<SinkPtr> to_syslog(const std::string& socket, Format format);
/// Records in journald's own form, every field a field of the journal: CORBEL_EVENT, CORBEL_PEER, ... Fails as
/// to_syslog().
base::Result<SinkPtr> to_journal(const std::string& socket);

/// What calls `sink` on a thread of its own, one record at a time, so that it may block, throw, log and call any ORB.
/// While it is behind by kMostWaiting records, others are left out; it is told how many. Its end waits for what is
/// waiting, but no longer than kLastPatience; `sink` is released when its last call has returned.
inline constexpr std::size_t kMostWaiting = 1000;
SinkPtr behind_queue(SinkPtr sink);

}  // namespace corbel::logging

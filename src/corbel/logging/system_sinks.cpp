// SPDX-License-Identifier: Apache-2.0
// The system's log daemons, spoken to directly: syslog(3) keeps its state in the process, where it belongs to the
// application.
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "corbel/ipc/datagram.hpp"
#include "corbel/logging/sinks.hpp"

namespace corbel::logging {
namespace {

/// The severities of RFC 5424.
int severity(base::LogLevel level) noexcept {
  switch (level) {
    case base::LogLevel::error:
      return 3;
    case base::LogLevel::warning:
      return 4;
    case base::LogLevel::info:
      return 6;
    default:
      return 7;
  }
}

/// Datagrams to a named socket. The daemon may end and come back; one that does not read loses records.
class DatagramSink : public base::LogSink {
 protected:
  DatagramSink(ipc::UnixDatagramSocket socket, const ipc::UnixAddress& daemon) noexcept
      : socket_(std::move(socket)), daemon_(daemon) {}

  bool send(std::string_view datagram) noexcept {
    return socket_.send_to(base::as_bytes(datagram), daemon_, base::Deadline::now()).ok();
  }
  /// Sends what `encode` makes of the record, after one that says how many before it could not be sent.
  template <class Encode>
  void send(const base::LogRecord& record, const Encode& encode) {
    if (const std::uint64_t lost = lost_.exchange(0, std::memory_order_relaxed); lost != 0) {
      const base::LogField fields[] = {{"records", lost}};
      base::LogRecord confession = record;
      confession.level = base::LogLevel::warning;
      confession.module = base::LogModule::orb;
      confession.event = "records could not be written";
      confession.fields = fields;
      if (!send(encode(confession))) lost_.fetch_add(lost, std::memory_order_relaxed);
    }
    if (!send(encode(record))) lost_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  ipc::UnixDatagramSocket socket_;
  const ipc::UnixAddress daemon_;
  std::atomic<std::uint64_t> lost_{0};
};

std::string as_text(const base::LogRecord& record) {
  char line[base::kLongestLogLine];
  return std::string(line, base::format_log_text(record, false, line));
}

class SyslogSink final : public DatagramSink {
 public:
  SyslogSink(ipc::UnixDatagramSocket socket, const ipc::UnixAddress& daemon, Format format) noexcept
      : DatagramSink(std::move(socket), daemon), format_(format) {}

  void write(const base::LogRecord& record) override {
    send(record, [this](const base::LogRecord& one) { return encode(one); });
  }

 private:
  /// "<12>Nov 22 17:45:01 program[pid]: text", as RFC 3164 and the daemons have it.
  std::string encode(const base::LogRecord& record) const {
    constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    constexpr int kUserFacility = 1;
    const auto seconds = static_cast<time_t>(record.time / 1'000'000'000);
    tm local{};
    localtime_r(&seconds, &local);
    char head[128];
    const int size = std::snprintf(head, sizeof head,
                                   "<%d>%s %2d %02d:%02d:%02d %.60s[%d]: ", kUserFacility * 8 + severity(record.level),
                                   kMonths[local.tm_mon % 12], local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                                   program_invocation_short_name, static_cast<int>(::getpid()));
    std::string text(head, static_cast<std::size_t>(size));
    if (format_ == Format::text) return text += as_text(record);
    char line[base::kLongestLogLine];
    return text.append(line, base::format_log_json(record, line));
  }

  const Format format_;
};

/// journald's native protocol: NAME=value for short values, and NAME, a length of 64 bits and the value for others,
/// each ended by a line feed.
class JournalSink final : public DatagramSink {
 public:
  using DatagramSink::DatagramSink;
  JournalSink(ipc::UnixDatagramSocket socket, const ipc::UnixAddress& daemon) noexcept
      : DatagramSink(std::move(socket), daemon) {}

  void write(const base::LogRecord& record) override {
    send(record, [](const base::LogRecord& one) { return encode(one); });
  }

 private:
  static void put(std::string& out, std::string_view name, std::string_view value) {
    out += name;
    out += '\n';
    for (unsigned shift = 0; shift < 64; shift += 8) {
      out += static_cast<char>(static_cast<std::uint64_t>(value.size()) >> shift & 0xFF);
    }
    out += value;
    out += '\n';
  }
  static std::string encode(const base::LogRecord& record) {
    constexpr std::size_t kMost = 1000;
    std::string out;
    put(out, "MESSAGE", as_text(record));
    put(out, "PRIORITY", std::to_string(severity(record.level)));
    put(out, "SYSLOG_IDENTIFIER", program_invocation_short_name);
    put(out, "TID", std::to_string(record.thread));
    put(out, "CORBEL_LEVEL", to_string(record.level));
    put(out, "CORBEL_MODULE", to_string(record.module));
    put(out, "CORBEL_EVENT", record.event);
    put(out, "CORBEL_ORB", record.orb);
    for (const base::LogField& field : record.fields) {
      std::string name = "CORBEL_";
      for (const char c : field.name.substr(0, 40)) {
        name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      }
      put(out, name, to_string(field).substr(0, kMost));
    }
    return out;
  }
};

template <class Sink, class... Arguments>
base::Result<SinkPtr> to_daemon(const std::string& path, Arguments... arguments) {
  CORBEL_TRY(auto daemon, ipc::UnixAddress::path(path));
  // Whether the daemon is there is asked once, so that a wrong configuration is noticed.
  if (auto probe = ipc::ConnectedUnixDatagram::open(daemon); !probe) {
    return base::error(base::Stage::configure, base::Code::refused, probe.error().os_error);
  }
  CORBEL_TRY(auto socket, ipc::UnixDatagramSocket::open());
  return SinkPtr(std::make_shared<Sink>(std::move(socket), daemon, arguments...));
}

}  // namespace

base::Result<SinkPtr> to_syslog(const std::string& socket, Format format) {
  return to_daemon<SyslogSink>(socket, format);
}

base::Result<SinkPtr> to_journal(const std::string& socket) {
  return to_daemon<JournalSink>(socket);
}

}  // namespace corbel::logging

// SPDX-License-Identifier: Apache-2.0
#include "corbel/logging/sinks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "corbel/base/kept_log.hpp"
#include "corbel/ipc/datagram.hpp"
#include "support/files.hpp"
#include "support/in_child.hpp"

namespace corbel::logging {
namespace {

using base::Deadline;
using base::KeptLog;
using base::Log;
using base::LogLevel;
using base::LogRecord;
using namespace std::chrono_literals;

/// A log daemon's socket.
class Daemon {
 public:
  Daemon() { open(); }

  std::string path() const { return folder_ / "socket"; }
  void open() { socket_ = *ipc::UnixDatagramSocket::open(*ipc::UnixAddress::path(path())); }
  void close() { socket_.close(); }
  std::string next() {
    std::string text(16384, '\0');
    ipc::UnixAddress from;
    const auto size = socket_.recv_from(base::ByteSpan(reinterpret_cast<base::Octet*>(text.data()), text.size()), from,
                                        Deadline::after(10s));
    text.resize(size ? *size : 0);
    return text;
  }

 private:
  const test::Folder folder_;
  ipc::UnixDatagramSocket socket_;
};

/// The fields of a datagram of journald's protocol.
std::map<std::string, std::string> read_journal(std::string_view data) {
  std::map<std::string, std::string> fields;
  while (!data.empty()) {
    const std::string name(data.substr(0, data.find('\n')));
    data.remove_prefix(name.size() + 1);
    std::uint64_t size = 0;
    for (unsigned i = 0; i < 8; ++i) size |= std::uint64_t{static_cast<unsigned char>(data[i])} << (8 * i);
    fields[name] = data.substr(8, size);
    EXPECT_EQ(data[8 + size], '\n');
    data.remove_prefix(8 + size + 1);
  }
  return fields;
}

TEST(Syslog, ALineHasPriorityTimeProgramAndText) {
  Daemon daemon;
  auto sink = to_syslog(daemon.path(), Format::text);
  ASSERT_TRUE(sink);
  const Log log({.orb = "o", .levels = KeptLog::everything(), .sink = *sink});
  const std::string program = std::string(program_invocation_short_name) + '[' + std::to_string(::getpid()) + "]: ";
  const std::pair<LogLevel, int> priorities[] = {{LogLevel::error, 11},
                                                 {LogLevel::warning, 12},
                                                 {LogLevel::info, 14},
                                                 {LogLevel::debug, 15},
                                                 {LogLevel::trace, 15}};
  for (const auto& [level, priority] : priorities) {
    const base::LogField field("peer", "a\nb");
    log.write(base::LogModule::poa, level, "it happened", {field});
    const std::string line = daemon.next();
    EXPECT_TRUE(line.starts_with('<' + std::to_string(priority) + '>')) << line;
    EXPECT_EQ(line.substr(line.find('>') + 1 + 16),
              program + std::string(to_string(level)) + " poa: it happened peer=\"a\\nb\" orb=o");
  }
}

TEST(Syslog, JsonIsTheText) {
  Daemon daemon;
  auto sink = to_syslog(daemon.path(), Format::json);
  ASSERT_TRUE(sink);
  const Log log({.levels = KeptLog::everything(), .sink = *sink});
  CORBEL_LOG(log, orb, info, "it happened");
  const std::string line = daemon.next();
  EXPECT_EQ(nlohmann::json::parse(line.substr(line.find('{')))["event"], "it happened") << line;
}

TEST(Syslog, ADaemonThatComesBackIsToldWhatWasLost) {
  Daemon daemon;
  auto sink = to_syslog(daemon.path(), Format::text);
  ASSERT_TRUE(sink);
  const Log log({.levels = KeptLog::everything(), .sink = *sink});
  daemon.close();
  CORBEL_LOG(log, orb, info, "to nobody");
  CORBEL_LOG(log, orb, info, "to nobody");
  daemon.open();
  CORBEL_LOG(log, orb, info, "to somebody");
  EXPECT_TRUE(daemon.next().ends_with("records could not be written records=2"));
  EXPECT_TRUE(daemon.next().ends_with("to somebody"));
}

TEST(Syslog, ADaemonThatDoesNotReadStopsNobody) {
  Daemon daemon;
  auto sink = to_syslog(daemon.path(), Format::text);
  ASSERT_TRUE(sink);
  const Log log({.levels = KeptLog::everything(), .sink = *sink, .rate = 0});
  for (int i = 0; i < 5000; ++i) CORBEL_LOG(log, orb, info, "on and on");
  EXPECT_TRUE(daemon.next().ends_with("on and on"));
}

TEST(Syslog, WithoutADaemonThereIsNoSink) {
  const auto sink = to_syslog("/nonexistent/log", Format::text);
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().stage, base::Stage::configure);
}

TEST(Journal, EveryFieldIsAFieldOfTheJournal) {
  Daemon daemon;
  auto sink = to_journal(daemon.path());
  ASSERT_TRUE(sink);
  const Log log({.orb = "o", .levels = KeptLog::everything(), .sink = *sink});
  CORBEL_LOG(log, connection, warning, "message refused", {"peer", "a\nCORBEL_PEER=forged"}, {"octets", 5});
  auto fields = read_journal(daemon.next());
  EXPECT_EQ(fields["MESSAGE"], "warning connection: message refused peer=\"a\\nCORBEL_PEER=forged\" octets=5 orb=o");
  EXPECT_EQ(fields["PRIORITY"], "4");
  EXPECT_EQ(fields["SYSLOG_IDENTIFIER"], program_invocation_short_name);
  EXPECT_EQ(fields["TID"], std::to_string(::gettid()));
  EXPECT_EQ(fields["CORBEL_LEVEL"], "warning");
  EXPECT_EQ(fields["CORBEL_MODULE"], "connection");
  EXPECT_EQ(fields["CORBEL_EVENT"], "message refused");
  EXPECT_EQ(fields["CORBEL_ORB"], "o");
  EXPECT_EQ(fields["CORBEL_PEER"], "a\nCORBEL_PEER=forged");
  EXPECT_EQ(fields["CORBEL_OCTETS"], "5");
  const std::string long_text(5000, 'x');
  CORBEL_LOG(log, connection, warning, "message refused", {"peer", long_text});
  EXPECT_EQ(read_journal(daemon.next())["CORBEL_PEER"].size(), 1000U);
}

/// An application's sink that a test steers.
class Sink final : public base::LogSink {
 public:
  ~Sink() override {
    if (gone != nullptr) gone->store(true);
  }
  void write(const LogRecord& record) override {
    std::unique_lock lock(mutex);
    events.emplace_back(record.event);
    if (!record.fields.empty()) values.push_back(to_string(record.fields[0]));
    changed.notify_all();
    if (on_write) {
      lock.unlock();
      on_write();
      lock.lock();
    }
    EXPECT_TRUE(changed.wait_for(lock, 30s, [this] { return !blocked; }));
  }
  bool wait_until(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 10s, condition);
  }
  void unblock() {
    const std::lock_guard lock(mutex);
    blocked = false;
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> events;
  std::vector<std::string> values;
  bool blocked = false;
  std::function<void()> on_write;
  std::atomic<bool>* gone = nullptr;
};

Log::Settings settings(const std::shared_ptr<Sink>& sink) {
  return {.orb = "o", .levels = KeptLog::everything(), .sink = behind_queue(sink), .rate = 0};
}

TEST(QueuedSink, GetsEverythingInOrderBeforeTheLogEnds) {
  auto sink = std::make_shared<Sink>();
  {
    const Log log(settings(sink));
    for (int i = 0; i < 100; ++i)
      CORBEL_LOG(log, orb, info, "counted", {"i", std::string(i % 2 == 0 ? 1U : 100U, 'x')});
  }
  ASSERT_EQ(sink->events.size(), 100U);
  EXPECT_EQ(sink->values[98], "x");
  EXPECT_EQ(sink->values[99], std::string(100, 'x'));
}

TEST(QueuedSink, OneThatBlocksStopsNobodyAndIsToldWhatItMissed) {
  auto sink = std::make_shared<Sink>();
  sink->blocked = true;
  const Log log(settings(sink));
  CORBEL_LOG(log, orb, info, "first");
  ASSERT_TRUE(sink->wait_until([&] { return sink->events.size() == 1; }));
  for (std::size_t i = 0; i < kMostWaiting + 7; ++i) CORBEL_LOG(log, orb, info, "more");
  sink->unblock();
  log.flush();
  const std::lock_guard lock(sink->mutex);
  ASSERT_EQ(sink->events.size(), 1 + kMostWaiting + 1);
  EXPECT_EQ(sink->events.back(), "the log's sink is too slow, records left out");
  EXPECT_EQ(sink->values.back(), "7");
}

TEST(QueuedSink, OneThatIsStuckIsLeftToItself) {
  std::atomic<bool> gone = false;
  auto sink = std::make_shared<Sink>();
  sink->blocked = true;
  sink->gone = &gone;
  const auto begin = std::chrono::steady_clock::now();
  {
    const Log log(settings(sink));
    CORBEL_LOG(log, orb, info, "first");
    ASSERT_TRUE(sink->wait_until([&] { return sink->events.size() == 1; }));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3 * kLastPatience);
  sink->unblock();
  sink.reset();
  for (int i = 0; i < 1000 && !gone; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(gone);
}

TEST(QueuedSink, OneThatThrowsIsCalledAgain) {
  auto sink = std::make_shared<Sink>();
  sink->on_write = [] { throw std::runtime_error("no"); };
  {
    const Log log(settings(sink));
    for (int i = 0; i < 3; ++i) CORBEL_LOG(log, orb, info, "counted");
  }
  EXPECT_EQ(sink->events.size(), 3U);
}

TEST(QueuedSink, OneThatLogsDoesNotWriteForEver) {
  auto sink = std::make_shared<Sink>();
  {
    const Log log(settings(sink));
    sink->on_write = [&] { CORBEL_LOG(log, orb, info, "from the sink"); };
    CORBEL_LOG(log, orb, info, "counted");
    log.flush();
  }
  EXPECT_EQ(sink->events, std::vector<std::string>{"counted"});
}

TEST(QueuedSink, OneThatEndsTheLogEndsInOrder) {
  std::atomic<bool> gone = false;
  auto sink = std::make_shared<Sink>();
  sink->gone = &gone;
  auto log = std::make_shared<std::unique_ptr<const Log>>(std::make_unique<const Log>(settings(sink)));
  std::atomic<bool> logged = false;
  sink->on_write = [log, &logged] {
    while (!logged) std::this_thread::yield();
    (*log)->flush();
    log->reset();
  };
  const Log& one = **log;
  CORBEL_LOG(one, orb, info, "the last one");
  logged = true;
  ASSERT_TRUE(sink->wait_until([&] { return sink->events.size() == 1; }));
  sink.reset();
  for (int i = 0; i < 1000 && !gone; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(gone);
}

TEST(QueuedSink, AForkedOffProcessNeitherWritesNorWaits) {
  auto sink = std::make_shared<Sink>();
  auto log = std::make_unique<Log>(settings(sink));
  CORBEL_LOG(*log, orb, info, "the parent's");
  log->flush();
  EXPECT_TRUE(test::in_child([&] {
    CORBEL_LOG(*log, orb, info, "the child's");
    log.reset();
    return sink->events.size() == 1;
  }));
}

}  // namespace
}  // namespace corbel::logging

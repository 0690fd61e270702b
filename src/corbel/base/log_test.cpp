// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/log.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "corbel/base/kept_log.hpp"
#include "corbel/base/log_rate.hpp"

namespace corbel::base {
namespace {

LogLevels levels(std::string_view text) {
  LogLevels levels;
  EXPECT_TRUE(levels.read(text)) << text;
  return levels;
}

TEST(LogLevels, OneLevelIsForAllModules) {
  EXPECT_EQ(levels("info").of[0], LogLevel::info);
  EXPECT_EQ(levels("info").of[kLogModules - 1], LogLevel::info);
  EXPECT_EQ(levels("off"), LogLevels());
}

TEST(LogLevels, AModuleHasItsOwnWhereverItStands) {
  for (const char* text : {"info,poa=trace,connection=debug", "poa=trace,info,connection=debug"}) {
    const LogLevels all = levels(text);
    EXPECT_EQ(all.of[static_cast<std::size_t>(LogModule::poa)], LogLevel::trace);
    EXPECT_EQ(all.of[static_cast<std::size_t>(LogModule::connection)], LogLevel::debug);
    EXPECT_EQ(all.of[static_cast<std::size_t>(LogModule::orb)], LogLevel::info);
  }
  LogLevels some = levels("warning");
  ASSERT_TRUE(some.read("poa=trace"));
  EXPECT_EQ(some.of[static_cast<std::size_t>(LogModule::poa)], LogLevel::trace);
  EXPECT_EQ(some.of[static_cast<std::size_t>(LogModule::orb)], LogLevel::warning);
}

TEST(LogLevels, UnknownWordsAreRefusedAndChangeNothing) {
  for (const char* text :
       {"", "loud", "info,", "info,poa", "poa=", "=info", "tree=info", "info;debug", "INFO", "poa=trace=debug"}) {
    LogLevels before = levels("warning");
    EXPECT_FALSE(before.read(text)) << text;
    EXPECT_EQ(before, levels("warning")) << text;
  }
}

TEST(LogLevels, EveryModuleHasItsOwnName) {
  for (std::size_t i = 0; i < kLogModules; ++i) {
    const std::string name(to_string(static_cast<LogModule>(i)));
    const LogLevels one = levels(name + "=debug");
    for (std::size_t j = 0; j < kLogModules; ++j) EXPECT_EQ(one.of[j], i == j ? LogLevel::debug : LogLevel::off);
  }
}

TEST(Log, TellsWhatIsAtItsLevelOrAbove) {
  auto kept = std::make_shared<KeptLog>();
  Log log({.orb = "o", .levels = levels("warning,poa=trace"), .sink = kept});
  CORBEL_LOG(log, orb, error, "an error");
  CORBEL_LOG(log, orb, warning, "a warning", {"peer", "tcp://a:1"}, {"octets", 5U}, {"by", -1}, {"fatal", false},
             {"error", error(Stage::receive, Code::malformed)}, {"key", as_bytes("abc")});
  CORBEL_LOG(log, orb, info, "no info");
  CORBEL_LOG(log, poa, trace, "a trace");
  const auto entries = kept->entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].event, "an error");
  EXPECT_EQ(entries[0].level, LogLevel::error);
  EXPECT_EQ(entries[0].orb, "o");
  EXPECT_EQ(entries[1].value("peer"), "tcp://a:1");
  EXPECT_EQ(entries[1].value("octets"), "5");
  EXPECT_EQ(entries[1].value("by"), "-1");
  EXPECT_EQ(entries[1].value("fatal"), "false");
  EXPECT_EQ(entries[1].value("error"), "receive: malformed data");
  EXPECT_EQ(entries[1].value("key"), "abc");
  EXPECT_EQ(entries[1].value("other"), "(none)");
  EXPECT_EQ(entries[2].module, LogModule::poa);

  log.set_levels(levels("off"));
  CORBEL_LOG(log, orb, error, "an error");
  EXPECT_EQ(kept->entries().size(), 3U);
  EXPECT_EQ(log.levels(), LogLevels());
}

TEST(Log, FieldsAreLookedAtOnlyIfTheEventIsWanted) {
  auto kept = std::make_shared<KeptLog>();
  const Log log({.levels = levels("warning"), .sink = kept});
  int looked = 0;
  const auto look = [&] { return ++looked; };
  CORBEL_LOG(log, orb, info, "unwanted", {"looked", look()});
  EXPECT_EQ(looked, 0);
  CORBEL_LOG(log, orb, warning, "wanted", {"looked", look()});
  EXPECT_EQ(looked, 1);
}

TEST(Log, TheLogThatIsOffIsOff) {
  EXPECT_FALSE(Log::none().on(LogModule::orb, LogLevel::error));
  Log::none().write(LogModule::orb, LogLevel::error, "nothing happens", {});
  Log without_sink(Log::Settings{.levels = levels("trace")});
  without_sink.set_levels(levels("trace"));
  EXPECT_FALSE(without_sink.on(LogModule::orb, LogLevel::error));
}

TEST(Log, WhatAFieldOrASinkThrowsIsSwallowed) {
  struct Thrower final : LogSink {
    void write(const LogRecord&) override {
      ++calls;
      throw std::runtime_error("no");
    }
    int calls = 0;
  };
  auto thrower = std::make_shared<Thrower>();
  const Log log({.levels = levels("trace"), .sink = thrower});
  const auto fail = []() -> int { throw std::runtime_error("field"); };
  EXPECT_NO_THROW(CORBEL_LOG(log, orb, error, "its field throws", {"x", fail()}));
  EXPECT_EQ(thrower->calls, 0);
  EXPECT_NO_THROW(CORBEL_LOG(log, orb, error, "the sink throws"));
  EXPECT_NO_THROW(CORBEL_LOG(log, orb, error, "the sink throws"));
  EXPECT_EQ(thrower->calls, 2);
}

TEST(Log, ASinkThatLogsIsNotCalledAgain) {
  struct Talker final : LogSink {
    void write(const LogRecord&) override {
      ++calls;
      CORBEL_LOG(*log, orb, error, "from the sink");
    }
    const Log* log = nullptr;
    int calls = 0;
  };
  auto talker = std::make_shared<Talker>();
  const Log log({.levels = levels("trace"), .sink = talker});
  talker->log = &log;
  CORBEL_LOG(log, orb, error, "one");
  CORBEL_LOG(log, orb, error, "two");
  EXPECT_EQ(talker->calls, 2);
}

TEST(LogRate, LetsSoManyOfAnEventPassInASecond) {
  LogRate rate(3);
  const std::string_view a = "a";
  const std::string_view b = "b";
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(rate.admit(LogModule::orb, a, 7));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(rate.admit(LogModule::orb, a, 7));
  EXPECT_TRUE(rate.admit(LogModule::orb, b, 7));
  EXPECT_TRUE(rate.admit(LogModule::poa, a, 7));
  EXPECT_TRUE(rate.admit(LogModule::orb, a, 8));

  LogRate::Summary summary;
  EXPECT_EQ(rate.take_left_out(8, summary), 0U);  // of a event that goes on: later
  ASSERT_EQ(rate.take_left_out(9, summary), 1U);
  EXPECT_EQ(summary[0].event, "a");
  EXPECT_EQ(summary[0].module, LogModule::orb);
  EXPECT_EQ(summary[0].records, 5U);
  EXPECT_EQ(rate.take_left_out(10, summary), 0U);
}

TEST(LogRate, MoreEventsThanItKnowsShareTheirLimits) {
  static const char many[4 * LogRate::kEvents * 8] = {};
  LogRate rate(1);
  std::size_t passed = 0;
  for (std::size_t i = 0; i < 4 * LogRate::kEvents; ++i) {
    passed += rate.admit(LogModule::orb, std::string_view(many + 8 * i, 1), 1) ? 1 : 0;
  }
  EXPECT_EQ(passed, LogRate::kEvents);
}

TEST(Log, WhatIsRepeatedTooOftenIsLeftOutAndCounted) {
  auto kept = std::make_shared<KeptLog>();
  constexpr int kRecords = 100'000;
  {
    const Log log({.levels = levels("trace"), .sink = kept, .rate = 2});
    for (int i = 0; i < kRecords; ++i) CORBEL_LOG(log, orb, warning, "again and again");
    for (int i = 0; i < 50; ++i) CORBEL_LOG(log, orb, debug, "who asks for this wants all of it");
  }
  EXPECT_EQ(kept->count("who asks for this wants all of it"), 50U);
  std::uint64_t told = kept->count("again and again");
  EXPECT_LT(told, kRecords / 2U);
  for (const auto& entry : kept->entries()) {
    if (entry.event != "repeated too often, left out") continue;
    EXPECT_EQ(entry.value("event"), "again and again");
    told += std::stoull(entry.value("records"));
  }
  EXPECT_EQ(told, std::uint64_t{kRecords});
}

TEST(Log, ManyThreadsMayLogAndChangeLevels) {
  auto kept = std::make_shared<KeptLog>();
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::uint64_t told = 0;
  {
    Log log({.levels = levels("info"), .sink = kept, .rate = 7});
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) {
          CORBEL_LOG(log, orb, info, "by many", {"i", i});
          if (i % 100 == 0) log.set_levels(levels(i % 200 == 0 ? "info" : "debug"));
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  for (const auto& entry : kept->entries()) told += entry.event == "by many" ? 1 : std::stoull(entry.value("records"));
  EXPECT_EQ(told, std::uint64_t{kThreads * kEach});
}

}  // namespace
}  // namespace corbel::base

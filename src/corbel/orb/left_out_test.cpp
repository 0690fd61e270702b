// SPDX-License-Identifier: Apache-2.0
// What a program that is to be small is linked without.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "corbel/base/log.hpp"
#include "corbel/corba/exception.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {
namespace {

/// Why there is no such ORB; empty if there is one.
std::string why_not(std::vector<std::string> options, std::shared_ptr<base::LogSink> sink = nullptr) {
  const Components small{
      .protocols = {}, .transports = {}, .log_sink = std::move(sink), .load_plugins = nullptr, .open_log = nullptr};
  try {
    init(options, "small", small)->destroy();
    return "";
  } catch (const CORBA::INITIALIZE& exception) {
    return exception.detail();
  }
}

TEST(LeftOut, AnOrbNeedsNeitherPlugInsNorLogFiles) {
  EXPECT_EQ(why_not({}), "");
  EXPECT_EQ(why_not({"-ORBLogFile", "stderr", "-ORBLogLevel", "error"}), "");
}

TEST(LeftOut, OptionsSayWhatIsMissing) {
  EXPECT_EQ(why_not({"-ORBLoad", "some.so"}), "-ORBLoad: this program loads no plug-ins (Components::load_plugins)");
  const std::string alone = "-ORBLogFile: this program logs to stderr alone (Components::open_log)";
  for (const char* place : {"syslog", "journald", "/tmp/log"}) EXPECT_EQ(why_not({"-ORBLogFile", place}), alone);
}

TEST(LeftOut, ASinkOfTheApplicationIsNotIgnored) {
  struct Sink final : base::LogSink {
    void write(const base::LogRecord&) override {}
  };
  EXPECT_NE(why_not({}, std::make_shared<Sink>()), "");
}

}  // namespace
}  // namespace corbel::orb

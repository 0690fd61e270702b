// SPDX-License-Identifier: Apache-2.0
// What servants throw to callers of the same process.
#include <stdexcept>

#include "support.hpp"

namespace corbel::log_test {
namespace {

TEST(Events, OfServantsOfTheSameProcess) {
  for (const bool asynchronous : {false, true}) {
    Server server;
    const ThingRef here = server.thing(server.reference);
    const auto fail = [&](std::int32_t kind) {
      server.log->clear();
      return refusal_of(
          [&] { asynchronous ? here->async_fail(kind, "disk full").get() : here->fail(kind, "disk full"); });
    };
    EXPECT_NE(fail(0).find("the servant threw std::runtime_error: disk full"), std::string::npos);
    expect_event(server, LogLevel::warning, LogModule::server, "servant threw a foreign exception",
                 {{"operation", "fail"},
                  {"type", "std::runtime_error"},
                  {"what", "disk full"},
                  {"key", ""},
                  {"peer", "this process"}});
    EXPECT_NE(fail(1).find("the servant threw int"), std::string::npos);
    expect_event(server, LogLevel::warning, LogModule::server, "servant threw a foreign exception", {{"type", "int"}});
    EXPECT_NE(fail(2).find("IDL:Logged/Undeclared:1.0"), std::string::npos);
    expect_event(server, LogLevel::warning, LogModule::server, "servant threw an undeclared user exception",
                 {{"operation", "fail"}, {"type", "IDL:Logged/Undeclared:1.0"}, {"peer", "this process"}});
  }
}

}  // namespace
}  // namespace corbel::log_test

// SPDX-License-Identifier: Apache-2.0
// The log as an application meets it: options, files, its own sink, and what clients are told about exceptions.

#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>

#include "files.hpp"
#include "support.hpp"

namespace corbel::log_test {
namespace {

OrbRef make_orb(std::vector<std::string> options) {
  static int number = 0;
  return CORBA::ORB_init(options, "options " + std::to_string(++number));
}

TEST(LogOptions, AFileGetsTheLinesOfItsLevels) {
  const test::Folder folder;
  auto orb = make_orb({"-ORBLogFile", folder / "log", "-ORBLogLevel", "warning,orb=info"});
  orb->destroy();
  const std::string text = test::text_of_file(folder / "log");
  EXPECT_NE(text.find("] info orb: ORB created threads="), std::string::npos) << text;
  EXPECT_NE(text.find("] info orb: shut down orb=\"options "), std::string::npos) << text;
}

TEST(LogOptions, LinesMayBeJson) {
  const test::Folder folder;
  auto orb = make_orb({"-ORBLogFile", folder / "log", "-ORBLogLevel", "info", "-ORBLogFormat", "json"});
  orb->destroy();
  std::istringstream text(test::text_of_file(folder / "log"));
  int lines = 0;
  for (std::string line; std::getline(text, line); ++lines) EXPECT_EQ(nlohmann::json::parse(line)["module"], "orb");
  EXPECT_GE(lines, 3);
}

TEST(LogOptions, AHealthyServerAndClientWarnOfNothing) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0"}, "warning");
  {
    LoggingOrb client({}, "warning");
    const ThingRef thing = client.thing(server.reference);
    EXPECT_EQ(thing->add(1, 2), 3);
    refusal_of([&] { thing->fail(3, "declared"); });
    refusal_of([&] { thing->fail(4, "told by an exception"); });
    EXPECT_EQ(thing->async_say("x").get(), "x");
    client.end();
    EXPECT_EQ(client.log->entries().size(), 0U) << client.log->entries().front().event;
  }
  server.end();
  EXPECT_EQ(server.log->entries().size(), 0U) << server.log->entries().front().event;
}

TEST(LogOptions, TheLifeOfAnOrbIsToldOnce) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0"}, "info");
  server.orb->shutdown(false);
  server.orb->shutdown(true);
  server.end();
  for (const char* event : {"ORB created", "listening", "shutting down", "shut down"}) {
    EXPECT_EQ(server.log->count(event), 1U) << event;
  }
}

TEST(LogOptions, WhatCannotBeWrittenIsRefused) {
  const std::string told = refusal_of([] { make_orb({"-ORBLogFile", "/nonexistent/log"}); });
  EXPECT_NE(told.find("INITIALIZE"), std::string::npos) << told;
  EXPECT_NE(told.find("-ORBLogFile '/nonexistent/log'"), std::string::npos) << told;
  for (const char* level : {"", "loud", "poa=loud", "tree=info"}) {
    EXPECT_NE(refusal_of([&] { make_orb({"-ORBLogLevel", level}); }).find("BAD_PARAM"), std::string::npos) << level;
  }
  EXPECT_NE(refusal_of([&] { make_orb({"-ORBLogFormat", "xml"}); }).find("text, or json"), std::string::npos);
}

TEST(LogOptions, LevelsChangeWhileTheOrbRuns) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0"}, "off");
  LoggingOrb client({}, "off");
  const ThingRef thing = client.thing(server.reference);
  thing->add(1, 2);
  orb::set_log_levels(*server.orb, "server=trace");
  thing->add(1, 2);
  EXPECT_EQ(server.log->wait_for("call served").value("operation"), "add");
  orb::set_log_levels(*server.orb, "off");
  thing->add(1, 2);
  EXPECT_NE(refusal_of([&] { orb::set_log_levels(*server.orb, "loud"); }).find("'loud'"), std::string::npos);
  server.end();
  client.end();
  EXPECT_EQ(server.log->count("call served"), 1U);
  EXPECT_EQ(client.log->entries().size(), 0U);
}

TEST(LogSinkOfTheApplication, MayCallTheOrbThatLogs) {
  struct Caller final : base::LogSink {
    void write(const base::LogRecord& record) override {
      ++records;
      if (record.event != "call served" || thing == nullptr) return;
      sum = std::exchange(thing, nullptr)->add(20, 22);
      sum.notify_all();
    }
    ThingRef thing;
    std::atomic<int> sum{0};
    std::atomic<int> records{0};
  };
  auto caller = std::make_shared<Caller>();
  std::vector<std::string> options{"program", "-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBLogLevel", "off"};
  std::vector<char*> argv;
  for (auto& option : options) argv.push_back(option.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  auto components = builtins::components();
  components.log_sink = caller;
  auto server = CORBA::ORB_init(argc, argv.data(), "calls itself", components);
  auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  auto servant = CORBA::make_reference<ThingImpl>();
  poa->activate_object(servant);
  poa->the_POAManager()->activate();
  const std::string reference = server->object_to_string(poa->servant_to_reference(servant));
  LoggingOrb client({}, "off");
  caller->thing = IDL::traits<Logged::Thing>::unchecked_narrow(server->string_to_object(reference));
  orb::set_log_levels(*server, "server=trace");
  EXPECT_EQ(client.thing(reference)->add(1, 2), 3);
  caller->sum.wait(0);
  server->destroy();
  EXPECT_EQ(caller->sum, 42);
  EXPECT_LE(caller->records, 3);
}

TEST(ExceptionDetailOption, TellsClientsWhatServantsThrew) {
  for (const bool on : {false, true}) {
    Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBExceptionDetail", on ? "on" : "off"});
    LoggingOrb client({});
    const ThingRef thing = client.thing(server.reference);
    const auto tells = [&](std::int32_t kind, const char* why, const char* part) {
      const std::string told = refusal_of([&] { thing->fail(kind, why); });
      EXPECT_EQ(told.find(part) != std::string::npos, on) << part << " in: " << told;
    };
    tells(0, "disk full", "the servant threw std::runtime_error: disk full");
    tells(0, "a\nb", "a\\nb");
    tells(1, "", "the servant threw int");
    tells(2, "", "the servant threw IDL:Logged/Undeclared:1.0");
    tells(4, "not you", "not you");
    tells(6, "", "IDL:Logged/Oops:1.0 cannot be marshalled");
    const std::string longest = refusal_of([&] { thing->fail(0, std::string(100'000, 'x')); });
    EXPECT_LT(longest.size(), 2000U);
    EXPECT_EQ(thing->add(1, 2), 3);
  }
}

TEST(ExceptionDetailOption, ANulInAnExceptionIsMarshalWithAMinorThatSaysSo) {
  Server server;
  LoggingOrb client({});
  try {
    client.thing(server.reference)->fail(6, "");
    FAIL();
  } catch (const CORBA::MARSHAL& exception) {
    EXPECT_EQ(exception.minor(), corba::vendor_minor(base::Stage::encode, base::Code::bad_string));
    EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_YES);
  }
}

TEST(ExceptionDetailOption, AHoldingManagerIsNamed) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBHoldTimeout", "20", "-ORBExceptionDetail", "on"});
  LoggingOrb client({});
  server.poa->the_POAManager()->hold_requests(false);
  const std::string told = refusal_of([&] { client.thing(server.reference)->add(1, 2); });
  EXPECT_NE(told.find("TRANSIENT"), std::string::npos) << told;
  EXPECT_NE(told.find("the manager of POA 'RootPOA' is in state HOLDING and was not activated in time"),
            std::string::npos)
      << told;
}

}  // namespace
}  // namespace corbel::log_test

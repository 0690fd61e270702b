// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/read_options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/option_table.hpp"

namespace corbel::orb {
namespace {

using std::chrono::milliseconds;
using Arguments = std::vector<std::string>;

constexpr auto no_transports = [](const std::vector<PluginFile>&) { return std::vector<routing::FactoryPtr>(); };

Options read(Arguments arguments) {
  return read_options(arguments, no_transports);
}

std::string refusal(Arguments arguments) {
  try {
    read_options(arguments, no_transports);
  } catch (const CORBA::BAD_PARAM& exception) {
    return exception.detail();
  }
  return "accepted";
}

/// An environment variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Options, AreTakenOutOfTheArguments) {
  Arguments arguments{"server", "-v", "-ORBConnectTimeout", "250", "file", "-ORBCallTimeout=0", "-x"};
  const Options options = read_options(arguments, no_transports);
  EXPECT_EQ(arguments, (Arguments{"server", "-v", "file", "-x"}));
  EXPECT_EQ(options.timeouts.connect, milliseconds(250));
  EXPECT_EQ(options.timeouts.call, milliseconds(0));
}

TEST(Options, AreTakenOutOfMainsArguments) {
  char program[] = "p", option[] = "-ORBThreads", value[] = "7", rest[] = "7";
  char* argv[] = {program, option, value, rest, nullptr};
  int argc = 4;
  EXPECT_EQ(read_options(argc, argv, no_transports).serving.threads, 7U);
  ASSERT_EQ(argc, 2);
  EXPECT_EQ(argv[0], program);
  EXPECT_STREQ(argv[1], "7");
  EXPECT_EQ(argv[2], nullptr);
}

/// The member of a row as text, and where it is.
struct Place {
  const void* where = nullptr;
  std::string value;
};
struct ReadPlace {
  Options& options;
  Place operator()(const NumberMember& m) const { return {&m.of(options), std::to_string(m.of(options))}; }
  Place operator()(const IntMember& m) const { return {&m.of(options), std::to_string(m.of(options))}; }
  Place operator()(const DurationMember& m) const { return {&m.of(options), std::to_string(m.of(options).count())}; }
  Place operator()(const SwitchMember& m) const { return {&m.of(options), m.of(options) ? "1" : "0"}; }
  Place operator()(const TextMember& m) const { return {&m.of(options), m.of(options)}; }
  Place operator()(const ParsedMember&) const { return {}; }
};

TEST(Options, EachOfTheTableMovesAPlaceOfItsOwnWithinItsRange) {
  Options places;
  std::set<const void*> seen;
  for (const OptionRow& row : option_table()) {
    const Place place = std::visit(ReadPlace{places}, row.member);
    const bool parsed = place.where == nullptr;
    EXPECT_TRUE(parsed || seen.insert(place.where).second) << row.name << " moves what another option moves";
    const bool number = !parsed && row.most != 0;
    std::vector<std::string> values{"text", "other text"};
    if (number) values = {std::to_string(row.least), std::to_string(row.most)};
    if (std::holds_alternative<SwitchMember>(row.member)) values = {"on", "off"};
    std::set<std::string> got;
    for (const std::string& value : values) {
      if (parsed) break;  // each has tests of its own
      Options options;
      ASSERT_TRUE(set_option(options, row, value)) << row.name << ' ' << value;
      got.insert(std::visit(ReadPlace{options}, row.member).value);
    }
    EXPECT_EQ(got.size(), parsed ? 0U : 2U) << row.name << " stays as it is";
    if (!number) continue;
    Options options;
    EXPECT_FALSE(set_option(options, row, std::to_string(row.most + 1))) << row.name;
    EXPECT_FALSE(row.least > 0 && set_option(options, row, std::to_string(row.least - 1))) << row.name;
    EXPECT_EQ(std::visit(ReadPlace{options}, row.member).value, place.value) << row.name << " refused and moved";
  }
}

TEST(Options, PublishedHostsAreNamesOrAddressesWithPortsOrWithout) {
  const OptionRow* row = nullptr;
  for (const OptionRow& each : option_table()) {
    if (each.name == std::string_view("PublishHost")) row = &each;
  }
  ASSERT_NE(row, nullptr);
  Options options;
  for (const char* const bad : {"", "a b", "tcp://host", "[::1", "[::1]9", "h/", "h:", "h:0", "h:65536",
                                "h:80=", "h=80", "h:80=0", "a,", ",a", "a,,b", "[]:5", ":5", "[a b]:5", "h:80=1=2"}) {
    EXPECT_FALSE(set_option(options, *row, bad)) << bad;
  }
  for (const char* const good : {"host-1.example.org", "192.0.2.1", "::1", "fe80::1%eth0", "[2001:db8::1]", "host:99",
                                 "[::1]:99", "a,b:1,[::1]:2=3", "10.0.0.1,10.1.0.1"}) {
    EXPECT_TRUE(set_option(options, *row, good)) << good;
    EXPECT_EQ(options.transport.publish_host, good);
  }
}

TEST(Options, NameOfTheOrbAlsoAsTheOmgSpellsIt) {
  const std::vector<Arguments> spellings = {{"-ORBid", "mine", "x"},
                                            {"-ORBidmine", "x"},
                                            {"-ORBid mine", "x"},
                                            {"-ORBid=mine", "x"},
                                            {"-ORBId", "mine", "x"}};
  for (Arguments arguments : spellings) {
    EXPECT_EQ(read_options(arguments, no_transports).id, "mine");
    EXPECT_EQ(arguments, Arguments{"x"});
  }
  EXPECT_EQ(read({"-ORBida=b"}).id, "a=b");
  EXPECT_NE(refusal({"-ORBid"}).find("needs a value"), std::string::npos);
}

TEST(Options, ServersThatAreStartedByNoActivationFrameworkSayNothingNew) {
  Arguments arguments{"-ORBNoProprietaryActivation", "x", "-ORBServerId", "S"};
  EXPECT_EQ(read_options(arguments, no_transports).server_id, "S");
  EXPECT_EQ(arguments, Arguments{"x"});
}

TEST(Options, SearchEndsAtDoubleDash) {
  Arguments arguments{"--", "-ORBBogus"};
  read_options(arguments, no_transports);
  EXPECT_EQ(arguments.size(), 2U);
}

TEST(Options, UnknownOptionNamesTheNearestKnown) {
  const std::string text = refusal({"-ORBConectTimeout", "1"});
  EXPECT_NE(text.find("unknown option -ORBConectTimeout; did you mean -ORBConnectTimeout?"), std::string::npos) << text;
  EXPECT_EQ(refusal({"-ORBXyzzyPlugh", "1"}).find("did you mean"), std::string::npos);
  EXPECT_NE(refusal({"-ORB" + std::string(100'000, 'x'), "1"}), "accepted");
}

TEST(Options, BadValueSaysWhatIsLegal) {
  EXPECT_EQ(refusal({"-ORBMaxDepth", "0"}),
            "-ORBMaxDepth: '0' is not legal; legal is a number from 1 to 10000 (levels)");
  EXPECT_NE(refusal({"-ORBConcurrency", "lots"}).find("adaptive, thread_per_connection, pool or single"),
            std::string::npos);
  EXPECT_NE(refusal({"-ORBCollocation", "maybe"}).find("on or off"), std::string::npos);
  EXPECT_NE(refusal({"-ORBThreads"}).find("needs a value"), std::string::npos);
  for (const char* bad : {"-1", "1e3", "", "99999999999999999999", "0x10", " 1"}) {
    EXPECT_NE(refusal({"-ORBThreads", bad}), "accepted") << bad;
  }
}

TEST(Options, ListenEndpointsRepeatAndListAndNameProtocols) {
  const Options options =
      read({"-ORBListenEndpoints", "tcp://h:1;giop_lite+unix:///tmp/s", "-ORBListenEndpoints=iiop://h:2"});
  EXPECT_EQ(options.listen_endpoints,
            (std::vector<ListenEndpoint>{{"", "tcp://h:1"}, {"giop_lite", "unix:///tmp/s"}, {"", "iiop://h:2"}}));
  for (const char* bad : {"", "h:1", "://h", "tcp://a;", "+tcp://h:1", "a+b+tcp://h:1"}) {
    EXPECT_NE(refusal({"-ORBListenEndpoints", bad}), "accepted") << bad;
  }
}

TEST(Options, InitialReferencesRepeat) {
  const Options options = read({"-ORBInitRef", "A=corbaloc::h/A", "-ORBInitRef", "B=IOR:00=1"});
  EXPECT_EQ(options.initial_references, (std::vector<InitialReferenceUrl>{{"A", "corbaloc::h/A"}, {"B", "IOR:00=1"}}));
  for (const char* bad : {"A", "A=", "=corbaloc::h/A", "A=host:2809", "A=http://h/a"}) {
    EXPECT_NE(refusal({"-ORBInitRef", bad}), "accepted") << bad;
  }
  EXPECT_EQ(read({"-ORBDefaultInitRef", "corbaloc::h"}).default_initial_reference, "corbaloc::h");
  EXPECT_NE(refusal({"-ORBDefaultInitRef", "h:2809"}).find("begins with IOR:"), std::string::npos);
}

TEST(Options, CommandLineWinsOverEnvironment) {
  const Variable timeout("CORBEL_CONNECT_TIMEOUT", "111");
  const Variable listen("CORBEL_LISTEN_ENDPOINTS", "tcp://env:1");
  EXPECT_EQ(read({}).timeouts.connect, milliseconds(111));
  EXPECT_EQ(read({}).listen_endpoints.size(), 1U);
  const Options options = read({"-ORBConnectTimeout", "222", "-ORBListenEndpoints", "tcp://line:1"});
  EXPECT_EQ(options.timeouts.connect, milliseconds(222));
  EXPECT_EQ(options.listen_endpoints, (std::vector<ListenEndpoint>{{"", "tcp://line:1"}}));
}

TEST(Options, BadEnvironmentNamesTheVariable) {
  const Variable variable("CORBEL_THREADS", "many");
  EXPECT_NE(refusal({}).find("CORBEL_THREADS: 'many'"), std::string::npos);
}

TEST(Options, HelpIsTheDetailOfAnException) {
  Arguments arguments{"-ORBHelp"};
  try {
    read_options(arguments, no_transports);
    FAIL();
  } catch (const CORBA::INITIALIZE& exception) {
    EXPECT_EQ(exception.minor(), corba::minor::kHelpRequested);
    EXPECT_NE(exception.detail().find("-ORBListenEndpoints"), std::string::npos);
  }
}

TEST(OptionTable, EveryDefaultIsLegalAndNamesAreDistinct) {
  std::set<std::string_view> names;
  for (const OptionRow& row : option_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (std::holds_alternative<ParsedMember>(row.member) || std::holds_alternative<TextMember>(row.member)) continue;
    Options options;
    EXPECT_TRUE(set_option(options, row, default_value(row))) << row.name;
  }
}

TEST(OptionTable, EnvironmentNamesFollowTheOption) {
  EXPECT_EQ(base::environment_name(option_table()[0].name), "CORBEL_ID");
  EXPECT_EQ(base::environment_name(option_table()[1].name), "CORBEL_SERVER_ID");
}

}  // namespace
}  // namespace corbel::orb

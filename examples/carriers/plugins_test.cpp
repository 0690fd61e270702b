// SPDX-License-Identifier: Apache-2.0
// The transports as plug-ins: the ORBs know no more of them than the names of two files.
#include <cstdlib>

#include "calls.hpp"

namespace carriers {
namespace {

TEST(CarrierPlugins, CarryCallsOfOrbsThatLoadThem) {
  call_over(nullptr, "mailbox://loaded", {"-ORBLoad", CARRIERS_PLUGINS "/mailbox.so"});
  call_over(nullptr, "masked://127.0.0.1:0", {"-ORBLoad", CARRIERS_PLUGINS "/masked.so"});
}

/// What ORB_init says to these options.
std::string answer(const std::vector<std::string>& options) {
  try {
    make_orb("asked", nullptr, options)->destroy();
  } catch (const CORBA::BAD_PARAM& exception) {
    return exception.detail();
  } catch (const CORBA::INITIALIZE& exception) {
    return exception.detail();
  }
  return "taken";
}

TEST(CarrierPlugins, BringOptionsOfTheirOwn) {
  const std::string file = CARRIERS_PLUGINS "/mailbox.so";
  call_over(nullptr, "mailbox://narrow", {"-ORBMailboxLetters=1", "-ORBLoad", file});
  EXPECT_EQ(answer({"-ORBLoad=" + file, "-ORBMailboxLetters", "4096"}), "taken");
  const std::string bad = "-ORBMailboxLetters: '0' is not legal; legal is a number from 1 to 4096 (letters)";
  EXPECT_EQ(answer({"-ORBLoad", file, "-ORBMailboxLetters", "0"}), bad);
  EXPECT_EQ(answer({"-ORBMailboxLetters", "0", "-ORBLoad", file}), bad);
  const std::string help = answer({"-ORBHelp", "-ORBLoad", file});
  EXPECT_NE(help.find("-ORBMailboxLetters <value>"), std::string::npos);
  EXPECT_NE(help.find("default 64; CORBEL_MAILBOX_LETTERS"), std::string::npos);
  EXPECT_NE(help.find("mailbox://name"), std::string::npos);
  ::setenv("CORBEL_LOAD", file.c_str(), 1);
  ::setenv("CORBEL_MAILBOX_LETTERS", "many", 1);
  const std::string of_environment = answer({});
  const std::string of_line = answer({"-ORBMailboxLetters", "5"});
  ::unsetenv("CORBEL_LOAD");
  ::unsetenv("CORBEL_MAILBOX_LETTERS");
  EXPECT_EQ(of_environment, "CORBEL_MAILBOX_LETTERS: 'many'" + bad.substr(bad.find(" is not legal")));
  EXPECT_EQ(of_line, of_environment);
  EXPECT_EQ(answer({"-ORBMailboxLetters", "5"}), "unknown option -ORBMailboxLetters (-ORBHelp lists the options)");
}

TEST(CarrierPlugins, AreNeededForTheirEndpoints) {
  EXPECT_THROW(call_over(nullptr, "mailbox://unloaded"), CORBA::SystemException);
}

}  // namespace
}  // namespace carriers

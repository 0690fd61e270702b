// SPDX-License-Identifier: Apache-2.0
// -ORBConfigFile: what files say of options, what is stronger, and what is refused.
#include "corbel/orb/config_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/read_options.hpp"

namespace corbel::orb {
namespace {

using Arguments = std::vector<std::string>;

class ConfigFile : public testing::Test {
 protected:
  ConfigFile() {
    std::string pattern = std::filesystem::temp_directory_path() / "corbel-XXXXXX";
    if (::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  ~ConfigFile() override {
    std::error_code ignored;
    for (const char* const name : {"CORBEL_CONFIG_FILE", "CORBEL_THREADS", "CORBEL_LISTEN_ENDPOINTS", "CORBEL_LOAD"})
      ::unsetenv(name);
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string write(const std::string& text, const std::string& name = "plant.conf") const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  Options read(Arguments arguments) {
    return read_options(arguments, [&](const std::vector<PluginFile>& plugins) {
      plugins_ = plugins;
      return std::vector<routing::FactoryPtr>();
    });
  }
  Options read_text(const std::string& text) { return read({"-ORBConfigFile", write(text)}); }
  std::string refusal(const Arguments& arguments) {
    try {
      read(arguments);
    } catch (const CORBA::BAD_PARAM& exception) {
      return exception.detail();
    }
    return "accepted";
  }
  /// What is said after the file's name.
  std::string refusal_of(const std::string& text) {
    const std::string file = write(text);
    const std::string said = refusal({"-ORBConfigFile", file});
    return said.starts_with(file) ? said.substr(file.size()) : said;
  }

  std::filesystem::path folder_;
  std::vector<PluginFile> plugins_;
};

TEST_F(ConfigFile, HasAnOptionInEachLine) {
  const Options options = read_text(
      "# What the plant's server is told.\n"
      "\n"
      "ListenEndpoints tcp://:4711\r\n"
      "  -ORBListenEndpoints=unix:///run/plant.sock   # for this host\n"
      "Threads = 7\n"
      "\tServerId\tthe plant's own   \n"
      "InitRef NameService=corbaname:iiop:h:1#a=b\n"
      "Id 250#no comment");
  EXPECT_EQ(options.listen_endpoints,
            (std::vector<ListenEndpoint>{{"", "tcp://:4711"}, {"", "unix:///run/plant.sock"}}));
  EXPECT_EQ(options.serving.threads, 7U);
  EXPECT_EQ(options.server_id, "the plant's own");
  EXPECT_EQ(options.id, "250#no comment");
  EXPECT_EQ(options.initial_references, (std::vector<InitialReferenceUrl>{{"NameService", "corbaname:iiop:h:1#a=b"}}));
}

TEST_F(ConfigFile, IsLeftOutOfTheArgumentsAndRemembered) {
  Arguments arguments{"server", "-ORBConfigFile", write("Threads 7"), "x"};
  const std::string file = arguments[2];
  const Options options = read_options(arguments, [](const auto&) { return std::vector<routing::FactoryPtr>(); });
  EXPECT_EQ(arguments, (Arguments{"server", "x"}));
  EXPECT_EQ(options.config_files, Arguments{file});
}

TEST_F(ConfigFile, EmptyOnesSayNothing) {
  for (const char* const text : {"", "\n", "#", " # x\n\t\r\n"}) EXPECT_EQ(read_text(text).serving.threads, 256U);
}

TEST_F(ConfigFile, TheCommandLineWinsOverTheEnvironmentAndThatOverFiles) {
  const std::string file = write("Threads 2\nListenEndpoints tcp://file:1\nListenEndpoints tcp://file:2\n");
  EXPECT_EQ(read({"-ORBConfigFile", file}).serving.threads, 2U);
  EXPECT_EQ(read({"-ORBConfigFile", file}).listen_endpoints.size(), 2U);
  ::setenv("CORBEL_THREADS", "3", 1);
  ::setenv("CORBEL_LISTEN_ENDPOINTS", "tcp://env:1", 1);
  Options options = read({"-ORBConfigFile", file});
  EXPECT_EQ(options.serving.threads, 3U);
  EXPECT_EQ(options.listen_endpoints, (std::vector<ListenEndpoint>{{"", "tcp://env:1"}}));
  options = read({"-ORBThreads", "4", "-ORBListenEndpoints", "tcp://line:1", "-ORBConfigFile", file});
  EXPECT_EQ(options.serving.threads, 4U);
  EXPECT_EQ(options.listen_endpoints, (std::vector<ListenEndpoint>{{"", "tcp://line:1"}}));
}

TEST_F(ConfigFile, OfSeveralTheLaterWins) {
  const std::string first = write("Threads 2\nStickyConnections 5\nListenEndpoints tcp://first:1\n", "first");
  const std::string second = write("Threads 3\nListenEndpoints tcp://second:1\n", "second");
  for (const Arguments& both : {Arguments{"-ORBConfigFile", first, "-ORBConfigFile", second},
                                Arguments{"-ORBConfigFile=" + first + "," + second}}) {
    const Options options = read(both);
    EXPECT_EQ(options.serving.threads, 3U);
    EXPECT_EQ(options.serving.sticky_connections, 5U);
    EXPECT_EQ(options.listen_endpoints, (std::vector<ListenEndpoint>{{"", "tcp://second:1"}}));
  }
  EXPECT_EQ(read({"-ORBConfigFile", second, "-ORBConfigFile", first}).serving.threads, 2U);
}

TEST_F(ConfigFile, IsNamedByTheEnvironmentUnlessTheCommandLineNamesOthers) {
  ::setenv("CORBEL_CONFIG_FILE", (write("Threads 2", "first") + "," + write("StickyConnections 5", "second")).c_str(),
           1);
  EXPECT_EQ(read({}).serving.threads, 2U);
  EXPECT_EQ(read({}).serving.sticky_connections, 5U);
  EXPECT_TRUE(read({}).unknown_variables.empty());
  const Options options = read({"-ORBConfigFile", write("StickyConnections 6")});
  EXPECT_EQ(options.serving.threads, 256U);
  EXPECT_EQ(options.serving.sticky_connections, 6U);
}

TEST_F(ConfigFile, WhatIsWrongWithALineIsSaidWithFileAndLine) {
  EXPECT_EQ(refusal_of("Threads 7\n\nThread 8\n"),
            ":3: unknown option -ORBThread; did you mean -ORBThreads? (-ORBHelp lists the options)");
  EXPECT_EQ(refusal_of("Threads many"),
            ":1: -ORBThreads: 'many' is not legal; legal is a number from 1 to 4096 (threads)");
  EXPECT_EQ(refusal_of("#\nThreads\n"), ":2: -ORBThreads needs a value: a number from 1 to 4096 (threads)");
  EXPECT_EQ(refusal_of("Threads ="), ":1: -ORBThreads needs a value: a number from 1 to 4096 (threads)");
  EXPECT_EQ(refusal_of("= 7"), ":1: a line begins with the name of an option, such as ListenEndpoints");
  EXPECT_EQ(refusal_of("ConfigFile other.conf"),
            ":1: a configuration file names no other one; -ORBConfigFile may be repeated on the command line");
  EXPECT_EQ(refusal_of("-ORBConfigFile plant.conf"), refusal_of("ConfigFile other.conf"));
  EXPECT_EQ(refusal_of("ServerId \"a b\""), ":1: values are written without quotes; blanks inside belong to them");
  EXPECT_EQ(refusal_of(std::string("Threads 7\nServerId a\0b\n", 24)),
            ":2: the line has a NUL octet; a configuration file is text, such as in UTF-8");
  EXPECT_EQ(refusal_of("Threads 7\n#" + std::string(8192, 'x')),
            ":2: the line is longer than 8192 octets; options that may be repeated take several lines");
  EXPECT_EQ(read_text("#" + std::string(8191, 'x')).serving.threads, 256U);
  EXPECT_NE(refusal_of("Help 1").find(":1: unknown option -ORBHelp"), std::string::npos);
  EXPECT_EQ(refusal_of("Thr\x1b[31meads 7").find('\x1b'), std::string::npos) << "terminals are told no control words";
  EXPECT_LT(refusal_of("Threads " + std::string(8000, '9')).size(), 400U);
}

TEST_F(ConfigFile, TheFirstMistakeOfAnyFileEndsIt) {
  const std::string good = write("Threads 7", "good");
  const std::string bad = write("Threads 0", "bad");
  EXPECT_TRUE(refusal({"-ORBConfigFile", good, "-ORBConfigFile", bad}).starts_with(bad + ":1: -ORBThreads: '0'"));
  EXPECT_TRUE(refusal({"-ORBConfigFile", bad, "-ORBConfigFile", good, "-ORBThreads", "3"}).starts_with(bad + ":1: "));
}

TEST_F(ConfigFile, WhatCannotBeReadIsRefused) {
  const std::string missing = folder_ / "missing";
  EXPECT_EQ(refusal({"-ORBConfigFile", missing}),
            missing +
                ": the file cannot be opened (No such file or directory); -ORBConfigFile names text files that this "
                "process may read");
  EXPECT_NE(refusal({"-ORBConfigFile", folder_}).find(": the file is no regular file; "), std::string::npos);
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(refusal({"-ORBConfigFile", fifo}).find(": the file is no regular file; "), std::string::npos);
  EXPECT_NE(refusal({"-ORBConfigFile", "/dev/zero"}).find("no regular file"), std::string::npos);
  EXPECT_EQ(refusal({"-ORBConfigFile", ""}),
            "-ORBConfigFile: '' is not legal; legal is the path of a text file; several separated by ','");
  EXPECT_NE(refusal({"-ORBConfigFile"}).find("needs a value"), std::string::npos);
  ::setenv("CORBEL_CONFIG_FILE", missing.c_str(), 1);
  EXPECT_TRUE(refusal({}).starts_with(missing + ": the file cannot be opened"));
}

TEST_F(ConfigFile, AMebioctetIsTheMost) {
  std::string text = "Threads 7\n";
  while (text.size() < 1U << 20) text.append(std::min<std::size_t>(1000, (1U << 20) - text.size()) - 1, '#') += '\n';
  EXPECT_EQ(read_text(text).serving.threads, 7U);
  EXPECT_EQ(refusal_of(text + "#"),
            ": the file is larger than 1048576 octets; a configuration file has one option in each line");
}

/// "FILE of PLACE" of each.
std::vector<std::string> told(const std::vector<PluginFile>& plugins) {
  std::vector<std::string> all;
  for (const PluginFile& each : plugins) all.push_back(each.where + each.file);
  return all;
}

TEST_F(ConfigFile, PathsOfPlugInsAreRelativeToItsFolder) {
  const std::string file = write("Load plugins/a.so,/opt/b.so\nThreads 3\nLoad c.so\nLoad ./d.so\n");
  const std::string folder = folder_.string() + "/";
  EXPECT_EQ(read({"-ORBConfigFile", file}).plugins,
            (Arguments{folder + "plugins/a.so", "/opt/b.so", "c.so", folder + "./d.so"}));
  EXPECT_EQ(told(plugins_), (Arguments{file + ":1: " + folder + "plugins/a.so", file + ":1: /opt/b.so",
                                       file + ":3: c.so", file + ":4: " + folder + "./d.so"}));
  EXPECT_NE(refusal_of("Load a.so,,b.so").find(":1: -ORBLoad: 'a.so,,b.so' is not legal"), std::string::npos);
}

TEST_F(ConfigFile, PlugInsAreThoseOfTheStrongestSource) {
  const std::string file = write("Load /a.so");
  const std::string later = write("Load /b.so\nLoad /c.so", "later");
  read({"-ORBConfigFile", file, "-ORBConfigFile", later});
  EXPECT_EQ(told(plugins_), (Arguments{later + ":1: /b.so", later + ":2: /c.so"}));
  ::setenv("CORBEL_LOAD", "/d.so", 1);
  EXPECT_EQ(read({"-ORBConfigFile", file}).plugins, Arguments{"/d.so"});
  EXPECT_EQ(told(plugins_), Arguments{"/d.so"});
  EXPECT_EQ(read({"-ORBConfigFile", file, "-ORBLoad", "/e.so", "-ORBLoad", "/f.so"}).plugins,
            (Arguments{"/e.so", "/f.so"}));
  EXPECT_EQ(told(plugins_), (Arguments{"/e.so", "/f.so"}));
}

}  // namespace
}  // namespace corbel::orb

// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace corbel::bridge {
namespace {

constexpr const char* kFooter =
    "Prints the references that lead through the bridge, one a line in the order of --to, and runs until SIGINT or\n"
    "SIGTERM. Objects are also at corbaloc:...:PORT/KEY. All -ORB options of Corbel are understood: a request\n"
    "that waits for its reply takes no thread.\n"
    "Example: corbel-bridge --listen tcp://:4000 --listen shm:///run/plant --to Plant=plant.ior --idl plant.idl";

/// Sets what is for the ORB aside.
std::optional<Stop> split(const std::vector<std::string>& line, std::vector<std::string>& own,
                          std::vector<std::string>& orb) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!line[i].starts_with("-ORB")) {
      own.push_back(line[i]);
      continue;
    }
    orb.push_back(line[i]);
    if (line[i].find('=') != std::string::npos || line[i] == "-ORBHelp") continue;
    if (i + 1 == line.size()) return Stop{line[i] + " needs a value\n", 2};
    orb.push_back(line[++i]);
  }
  return std::nullopt;
}

/// A reference, or what the first word of a file is.
std::string reference_of(const std::string& given) {
  std::error_code error;
  if (given.find(':') != std::string::npos && !std::filesystem::exists(given, error)) return given;
  std::ifstream file(given);
  std::string text;
  if (!std::filesystem::is_regular_file(given, error) || !(file >> text)) {
    throw std::runtime_error("'" + given +
                             "' is neither a reference (IOR:, corbaloc:, corbaname:) nor a file with one");
  }
  return text;
}

/// "KEY=REF" or "REF".
To read_to(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || text.find_first_of(":/") < sign) return {{}, reference_of(text)};
  return {text.substr(0, sign), reference_of(text.substr(sign + 1))};
}

/// As the command line has them.
struct Given {
  std::vector<std::string> to;
  long call_timeout = 60'000;
  long connect_timeout = 10'000;
  long in_place = 2;
};

void describe(CLI::App& app, Arguments& arguments, Given& given) {
  app.set_version_flag("-V,--version", "corbel-bridge " CORBEL_VERSION);
  app.add_option(
         "--listen", arguments.listen,
         "Where clients connect, as tcp://HOST:PORT, giop_lite+tcp://..., unix:///PATH, shm:///PATH, tls://...; "
         "any number [what -ORBListenEndpoints says]")
      ->type_name("ENDPOINT")
      ->allow_extra_args(false);
  app.add_option("--to", given.to,
                 "An object that clients may call, as a reference or a file with one; any number. With KEY= it has "
                 "that object key here [the object's own]")
      ->type_name("[KEY=]REF")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--publish", arguments.publish,
                 "Write the references that lead through the bridge into this file, too")
      ->type_name("FILE");
  auto* const idl =
      app.add_option(
             "--idl", arguments.files.idl,
             "IDL files that say where messages have references: these are made to lead through the bridge, so that "
             "call-backs do")
          ->check(CLI::ExistingFile)
          ->type_name("FILE")
          ->allow_extra_args(false);
  app.add_option("-I", arguments.files.include_dirs, "Search this folder for #include")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_flag("--by-types", arguments.settings.by_types,
               "Read and write all bodies by the types of --idl, so that only what makes sense is passed on")
      ->needs(idl);
  const auto limit = [&](const char* name, auto& value, const char* what) {
    app.add_option(name, value, what)->check(CLI::Range(0L, 1'000'000'000L))->capture_default_str()->group("Limits");
  };
  limit("--call-timeout", given.call_timeout,
        "Milliseconds until a request without a reply ends with TIMEOUT, if its client does not say less; 0: never");
  limit("--connect-timeout", given.connect_timeout, "Milliseconds for a connection to a server; 0: no limit");
  limit(
      "--in-place", given.in_place,
      "Milliseconds that a thread waits for the reply to what it has sent on, before it leaves and another is woken by "
      "the reply; 0: it does not wait");
  limit("--max-bridges", arguments.settings.bridges,
        "Bridges that a request may pass, this one included; one that has passed more goes in a circle and ends with "
        "IMP_LIMIT");
  limit("--max-references", arguments.settings.references,
        "References made for what messages carried; then one that was not used for long is forgotten");
  limit("--max-reference-octets", arguments.settings.reference_octets, "Octets of one of these, before");
  app.footer(kFooter);
}

}  // namespace

std::optional<Stop> read_arguments(const std::vector<std::string>& line, Arguments& arguments) {
  std::vector<std::string> own;
  if (auto stop = split(line, own, arguments.orb)) return stop;
  CLI::App app("An in-line bridge: requests from one protocol and transport to another, as they are.", "corbel-bridge");
  Given given;
  describe(app, arguments, given);
  try {
    std::reverse(own.begin(), own.end());  // as CLI11 takes them
    app.parse(own);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    const int status = app.exit(error, out, out);
    return Stop{out.str(), status == 0 ? 0 : 2};
  }
  for (const std::string& text : given.to) arguments.to.push_back(read_to(text));
  arguments.settings.call_timeout = std::chrono::milliseconds(given.call_timeout);
  arguments.settings.connect_timeout = std::chrono::milliseconds(given.connect_timeout);
  arguments.settings.in_place = std::chrono::milliseconds(given.in_place);
  return std::nullopt;
}

}  // namespace corbel::bridge

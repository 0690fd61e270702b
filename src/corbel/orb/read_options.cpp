// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/read_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/config_file.hpp"
#include "corbel/orb/option_list.hpp"

namespace corbel::orb {
namespace {

constexpr std::string_view kPrefix = "-ORB";
constexpr std::string_view kLoad = "Load";
constexpr std::string_view kConfigFile = "ConfigFile";
constexpr std::size_t kLongestQuoted = 200;
/// The OMG's spelling of -ORBId; the name may follow in the same word (CORBA 3.3 part 1, 8.5.1).
constexpr std::string_view kStandardId = "-ORBid";
/// What no server of ours would do, and takes no value (8.5.1.4).
constexpr std::string_view kNoActivation = "NoProprietaryActivation";

[[noreturn]] void refuse(std::uint32_t minor, std::string detail) {
  corba::raise("BAD_PARAM", minor, corba::Completed::no, std::move(detail));
}

/// Levenshtein distance, for names of options.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

[[noreturn]] void refuse_unknown(const std::string& where, std::string_view name, const OptionList& known) {
  std::string detail = where + "unknown option " + std::string(kPrefix) + base::printable(name, kLongestQuoted);
  constexpr std::size_t kLongestName = 64;
  const base::Option* nearest = nullptr;
  std::size_t best = 5;
  for (const base::Option& each : known.all()) {
    if (name.size() > kLongestName) break;
    const std::size_t d = distance(name, each.name);
    if (d < best) {
      best = d;
      nearest = &each;
    }
  }
  if (nearest != nullptr) detail.append("; did you mean ").append(kPrefix).append(nearest->name).append("?");
  refuse(corba::minor::kUnknownOption, detail + " (-ORBHelp lists the options)");
}

void set(const base::Option& option, std::string_view value, const std::string& source) {
  if (option.set(value)) return;
  refuse(corba::minor::kBadOptionValue,
         source + ": '" + base::printable(value, kLongestQuoted) + "' is not legal; legal is " + option.legal());
}

/// Variables of options, and those of Corbel's own tools and tests.
bool is_known(std::string_view variable, const OptionList& known) {
  for (const std::string_view other : {"CORBEL_PROBE_FILE", "CORBEL_UPDATE_DOCS"}) {
    if (variable == other) return true;
  }
  for (const std::string_view family : {"CORBEL_BENCH", "CORBEL_MUTANT", "CORBEL_TEST", "CORBEL_INTEROP"}) {
    if (variable.starts_with(family)) return true;
  }
  const auto& all = known.all();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& one) { return variable == base::environment_name(one.name); });
}

/// Whether any option may be there: to ask for each takes long beside the rest of ORB_init.
bool has_variables() {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with("CORBEL_")) return true;
  }
  return false;
}

void read_variable(const base::Option& option) {
  const std::string variable = base::environment_name(option.name);
  if (const char* value = std::getenv(variable.c_str()); value != nullptr && *value != '\0') {
    if (option.clear != nullptr) option.clear();
    set(option, value, variable);
  }
}

void read_environment(std::span<const base::Option> options) {
  if (!has_variables()) return;
  for (const base::Option& option : options) read_variable(option);
}

std::vector<std::string> unknown_variables(const OptionList& known) {
  std::vector<std::string> all;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("CORBEL_") && !is_known(name, known)) all.emplace_back(name);
  }
  return all;
}

/// An option as a source of options gives it.
struct Given {
  std::string_view name;
  std::optional<std::string_view> value;  // none: it is missing
  std::string_view where = {};            // of a file: "plant.conf:3: "
};

/// What the arguments hold, each option with the value that follows it: all of them have one.
struct Line {
  std::vector<Given> given;
  std::vector<std::string> rest;
  bool help = false;
};

Line split(const std::vector<std::string>& arguments) {
  Line line;
  std::size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with(kPrefix)) {
      line.rest.push_back(arguments[i]);
      continue;
    }
    const bool standard_id = argument.starts_with(kStandardId);
    const std::size_t end = standard_id ? kStandardId.size() : std::min(argument.find('='), argument.size());
    const std::string_view name = standard_id ? "Id" : argument.substr(kPrefix.size(), end - kPrefix.size());
    std::string_view rest = argument.substr(end);
    if (standard_id) rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (name == "Help") {
      line.help = true;
    } else if (name == kNoActivation) {
      continue;
    } else if (!rest.empty()) {
      line.given.push_back({name, rest.substr(rest.front() == '=' ? 1 : 0)});
    } else if (++i < arguments.size()) {
      line.given.push_back({name, arguments[i]});
    } else {
      line.given.push_back({name, std::nullopt});
    }
  }
  const std::size_t end = std::min(i, arguments.size());
  line.rest.insert(line.rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(end), arguments.end());
  return line;
}

/// Sets what one source gives. Its lists take the place of those of weaker sources.
void read_given(std::span<const Given> all, const OptionList& known) {
  std::vector<std::string_view> cleared;
  for (const auto& [name, value, where_view] : all) {
    const std::string where(where_view);
    const base::Option* option = known.find(name);
    if (option == nullptr) refuse_unknown(where, name, known);
    const std::string source = where + std::string(kPrefix) + std::string(name);
    if (!value) refuse(corba::minor::kBadOptionValue, source + " needs a value: " + option->legal());
    if (option->clear != nullptr && std::find(cleared.begin(), cleared.end(), option->name) == cleared.end()) {
      option->clear();
      cleared.push_back(option->name);
    }
    set(*option, *value, source);
  }
}

std::vector<Given> all_named(std::span<const Given> all, std::string_view name) {
  std::vector<Given> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const auto& one) { return one.name == name; });
  return some;
}

/// The options of a file, which are parts of its lines.
std::vector<Given> given_by(const std::vector<ConfigLine>& lines) {
  std::vector<Given> all;
  all.reserve(lines.size());
  for (const ConfigLine& each : lines) {
    all.push_back(
        {each.name, each.value.empty() ? std::nullopt : std::optional<std::string_view>(each.value), each.where});
  }
  return all;
}

/// What says which other options there are, and where.
struct Early {
  Options options;
  OptionList known{options, {}};

  std::vector<std::string> config_files(const Line& line) {
    read_variable(*known.find(kConfigFile));
    read_given(all_named(line.given, kConfigFile), known);
    return options.config_files;
  }
  /// Those of the strongest source that names any.
  std::vector<PluginFile> plugins(const std::vector<std::vector<Given>>& files, const Line& line) {
    std::vector<PluginFile> all;
    const auto take = [&](const std::vector<Given>& source) {
      const std::vector<Given> some = all_named(source, kLoad);
      if (!some.empty()) all.clear();
      for (const Given& each : some) {
        read_given({&each, 1}, known);
        for (const std::string& file : options.plugins) all.push_back({file, std::string(each.where)});
      }
    };
    for (const auto& file : files) take(file);
    options.plugins.clear();
    read_variable(*known.find(kLoad));
    if (!options.plugins.empty()) all.clear();
    for (const std::string& file : options.plugins) all.push_back({file, {}});
    take(line.given);
    return all;
  }
};

}  // namespace

void set_given(std::span<const base::Option> options, const Options& told) {
  const bool in_environment = has_variables();
  for (const base::Option& option : options) {
    bool any = false;
    for (const TransportOption& each : told.of_transports) {
      if (each.name != option.name) continue;
      if (!any && option.clear != nullptr) option.clear();
      set(option, each.text, std::string(kPrefix) + each.name);
      any = true;
    }
    if (!any && in_environment) read_variable(option);
  }
}

Options read_options(std::vector<std::string>& arguments, PartsWith parts) {
  Line line = split(arguments);
  Early early;
  std::vector<std::vector<ConfigLine>> texts;
  for (const std::string& path : early.config_files(line)) texts.push_back(read_config_file(path));
  std::vector<std::vector<Given>> files;
  files.reserve(texts.size());
  for (const auto& lines : texts) files.push_back(given_by(lines));
  const WithOptions all = parts(early.plugins(files, line));
  Options options;
  const OptionList known(options, all.transports, all.layers);
  if (line.help) {
    corba::raise("INITIALIZE", corba::minor::kHelpRequested, corba::Completed::no, "options:\n" + known.help());
  }
  for (const auto& file : files) read_given(file, known);
  read_environment(known.all());
  options.unknown_variables = unknown_variables(known);
  read_given(line.given, known);
  arguments = std::move(line.rest);
  return options;
}

Options read_options(int& argc, char** argv, PartsWith parts) {
  if (argc <= 0 || argv == nullptr) {
    std::vector<std::string> none;
    return read_options(none, parts);
  }
  std::vector<std::string> arguments(argv, argv + argc);
  Options options = read_options(arguments, parts);
  // What is left is a subsequence of argv: keep the caller's own pointers.
  int kept = 0;
  std::size_t next = 0;
  for (int i = 0; i < argc && next < arguments.size(); ++i) {
    if (arguments[next] != argv[i]) continue;
    argv[kept++] = argv[i];
    ++next;
  }
  if (kept < argc) argv[kept] = nullptr;
  argc = kept;
  return options;
}

}  // namespace corbel::orb

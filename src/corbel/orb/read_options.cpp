// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/read_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/option_table.hpp"

namespace corbel::orb {
namespace {

constexpr std::string_view kPrefix = "-ORB";

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

[[noreturn]] void refuse_unknown(std::string_view name) {
  std::string detail = "unknown option " + std::string(kPrefix) + std::string(name);
  constexpr std::size_t kLongestName = 64;
  const OptionRow* nearest = nullptr;
  std::size_t best = 5;
  for (const OptionRow& row : option_table()) {
    if (name.size() > kLongestName) break;
    const std::size_t d = distance(name, row.name);
    if (d < best) {
      best = d;
      nearest = &row;
    }
  }
  if (nearest != nullptr) detail.append("; did you mean ").append(kPrefix).append(nearest->name).append("?");
  refuse(corba::minor::kUnknownOption, detail + " (-ORBHelp lists the options)");
}

void set(Options& options, const OptionRow& row, std::string_view value, const std::string& source) {
  if (set_option(options, row, value)) return;
  refuse(corba::minor::kBadOptionValue,
         source + ": '" + std::string(value) + "' is not legal; legal is " + legal_values(row));
}

/// Variables of options, and those of Corbel's own tools and tests.
bool is_known(std::string_view variable) {
  for (const std::string_view other : {"CORBEL_PROBE_FILE", "CORBEL_UPDATE_DOCS"}) {
    if (variable == other) return true;
  }
  for (const std::string_view family : {"CORBEL_BENCH", "CORBEL_MUTANT", "CORBEL_TEST", "CORBEL_INTEROP"}) {
    if (variable.starts_with(family)) return true;
  }
  for (const OptionRow& row : option_table()) {
    if (variable == environment_name(row)) return true;
  }
  return false;
}

void read_environment(Options& options) {
  for (const OptionRow& row : option_table()) {
    const std::string variable = environment_name(row);
    if (const char* value = std::getenv(variable.c_str()); value != nullptr && *value != '\0') {
      set(options, row, value, variable);
    }
  }
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("CORBEL_") && !is_known(name)) options.unknown_variables.emplace_back(name);
  }
}

const OptionRow* find(std::string_view name) {
  for (const OptionRow& row : option_table()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

Options read_options(std::vector<std::string>& arguments) {
  Options options;
  read_environment(options);
  std::vector<std::string> rest;
  std::vector<std::string_view> cleared;
  std::size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with(kPrefix)) {
      rest.push_back(argument);
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string name =
        argument.substr(kPrefix.size(), equals == std::string::npos ? equals : equals - kPrefix.size());
    if (name == "Help") {
      corba::raise("INITIALIZE", corba::minor::kHelpRequested, corba::Completed::no, "options:\n" + options_help());
    }
    const OptionRow* row = find(name);
    if (row == nullptr) refuse_unknown(name);
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (++i < arguments.size()) {
      value = arguments[i];
    } else {
      refuse(corba::minor::kBadOptionValue, argument + " needs a value: " + legal_values(*row));
    }
    // The command line replaces the environment's list and then adds to its own.
    if (row->clear != nullptr && std::find(cleared.begin(), cleared.end(), row->name) == cleared.end()) {
      row->clear(options);
      cleared.push_back(row->name);
    }
    set(options, *row, value, std::string(kPrefix) + name);
  }
  rest.insert(rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(std::min(i, arguments.size())),
              arguments.end());
  arguments = std::move(rest);
  return options;
}

Options read_options(int& argc, char** argv) {
  if (argc <= 0 || argv == nullptr) {
    std::vector<std::string> none;
    return read_options(none);
  }
  std::vector<std::string> arguments(argv, argv + argc);
  Options options = read_options(arguments);
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

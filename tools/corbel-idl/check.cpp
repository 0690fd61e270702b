// SPDX-License-Identifier: Apache-2.0
// corbel-idl check --against, and --explain.
#include <algorithm>
#include <charconv>
#include <iostream>

#include "arguments.hpp"
#include "corbel/idl/compat/compare.hpp"
#include "corbel/idl/front/explanations.hpp"

namespace corbel::idl::tool {
namespace {

bool is_wanted(const compat::RuleInfo& rule, const CompatArguments& arguments) {
  if (std::find(arguments.ignored.begin(), arguments.ignored.end(), rule.name) != arguments.ignored.end()) return false;
  const auto bits = static_cast<unsigned>(rule.breaks);
  const unsigned wanted = arguments.breaks == "wire" ? 1U : arguments.breaks == "source" ? 2U : 3U;
  return (bits & wanted) != 0;
}

void print(const compat::Change& change, const model::Model& model) {
  const compat::RuleInfo& rule = compat::info(change.rule);
  std::cout << model.files.at(change.where.file).path << ':' << change.where.line << ':' << change.where.column << ": "
            << spelling(rule.breaks) << ": " << change.text << " [" << rule.name << "]\n";
}

}  // namespace

int check_against(const CompatArguments& arguments, const front::Options& options) {
  for (const auto& name : arguments.ignored) {
    const auto known = compat::rules();
    if (std::any_of(known.begin(), known.end(), [&](const auto& rule) { return rule.name == name; })) continue;
    std::cerr << "corbel-idl check: there is no rule " << name << "; docs/idl-compatibility.md lists them\n";
    return kUsageError;
  }
  const front::Result before = compile(arguments.against, options);
  const front::Result after = compile(arguments.file, options);
  if (before.model == nullptr || after.model == nullptr) return kUsageError;
  std::size_t found = 0;
  for (const auto& change : compat::compare(*before.model, *after.model)) {
    if (!is_wanted(compat::info(change.rule), arguments)) continue;
    print(change, change.in_old ? *before.model : *after.model);
    ++found;
  }
  return found == 0 ? 0 : kInputError;
}

int explain(const std::string& id) {
  std::string_view digits = id;
  if (digits.starts_with("IDL-") || digits.starts_with("idl-")) digits.remove_prefix(4);
  unsigned number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const auto* explanation =
      error == std::errc() && stop == digits.data() + digits.size() ? front::explain(number) : nullptr;
  if (explanation == nullptr) {
    std::cerr << "corbel-idl: there is no diagnostic " << id << "; they look like IDL-3004\n";
    return kUsageError;
  }
  std::cout << render(*explanation);
  return 0;
}

}  // namespace corbel::idl::tool

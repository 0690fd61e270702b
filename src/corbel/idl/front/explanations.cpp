// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/explanations.hpp"

#include <algorithm>

#include "corbel/idl/front/explanation_table.hpp"

namespace corbel::idl::front {
namespace {

std::string label(const Explanation& explanation) {
  return "IDL-" + std::to_string(static_cast<unsigned>(explanation.id));
}

std::string_view severity(const Explanation& explanation) {
  return is_warning(explanation.id) ? "warning" : "error";
}

}  // namespace

std::span<const Explanation> explanations() noexcept {
  return kExplanations;
}

const Explanation* explain(unsigned number) noexcept {
  const auto found = std::find_if(kExplanations.begin(), kExplanations.end(),
                                  [number](const auto& e) { return static_cast<unsigned>(e.id) == number; });
  return found == kExplanations.end() ? nullptr : &*found;
}

std::string render(const Explanation& explanation) {
  std::string text = label(explanation) + " (" + std::string(severity(explanation)) +
                     "): " + std::string(explanation.title) + "\n\n" + std::string(explanation.text) + "\n";
  if (!explanation.example.empty()) text += "\nExample:\n\n" + std::string(explanation.example) + "\n";
  return text;
}

std::string diagnostics_document() {
  std::string text =
      "# Diagnostics of corbel-idl\n\n"
      "Generated from the table in `src/corbel/idl/front/explanation_table.hpp`; a test compares the two. `corbel-idl "
      "--explain ID`\n"
      "prints one entry. Numbers are never changed and never used again. `--werror` makes errors of all warnings.\n";
  for (const auto& explanation : kExplanations) {
    text += "\n## " + label(explanation) + ": " + std::string(explanation.title) + " (" +
            std::string(severity(explanation)) + ")\n\n" + std::string(explanation.text) + "\n";
    if (!explanation.example.empty()) text += "\n```idl\n" + std::string(explanation.example) + "\n```\n";
  }
  return text;
}

}  // namespace corbel::idl::front

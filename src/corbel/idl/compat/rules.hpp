// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace corbel::idl::compat {

/// What a change breaks: programs that talk to each other, programs that are compiled, or both.
enum class Breaks : std::uint8_t { wire = 1, source = 2, both = 3 };

/// Every kind of change that is looked for, in the order of the table in rules.cpp.
enum class Rule : std::uint8_t {
  declaration_removed,
  kind_changed,
  repository_id_changed,
  modifiers_changed,
  base_removed,
  base_added,
  operation_added,
  attribute_added,
  oneway_changed,
  result_changed,
  parameter_added,
  parameter_removed,
  parameter_direction_changed,
  parameter_type_changed,
  raises_added,
  raises_removed,
  context_changed,
  attribute_type_changed,
  attribute_mode_changed,
  member_added,
  member_removed,
  member_moved,
  member_renamed,
  member_type_changed,
  member_visibility_changed,
  extensibility_changed,
  enumerator_added,
  enumerator_removed,
  enumerator_moved,
  enumerator_value_changed,
  discriminator_changed,
  case_added,
  case_removed,
  case_renamed,
  case_type_changed,
  typedef_changed,
  constant_changed,
  factory_changed,
  bits_changed,
};

struct RuleInfo {
  Rule rule;
  std::string_view name;  ///< "MEMBER_TYPE_CHANGED"; never changed
  Breaks breaks;
  std::string_view meaning;
};

std::span<const RuleInfo> rules() noexcept;
const RuleInfo& info(Rule rule) noexcept;
/// "WIRE", "SOURCE" or "WIRE+SOURCE".
std::string_view spelling(Breaks breaks) noexcept;
/// docs/idl-compatibility.md
std::string rules_document();

}  // namespace corbel::idl::compat

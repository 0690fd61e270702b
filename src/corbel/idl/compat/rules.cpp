// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/compat/rules.hpp"

#include <array>

namespace corbel::idl::compat {
namespace {

constexpr auto kRules = std::to_array<RuleInfo>({
    {Rule::declaration_removed, "DECLARATION_REMOVED", Breaks::both,
     "a type, constant, exception, interface, operation or attribute is gone"},
    {Rule::kind_changed, "KIND_CHANGED", Breaks::both, "a name now stands for another kind of declaration"},
    {Rule::repository_id_changed, "REPOSITORY_ID_CHANGED", Breaks::wire,
     "a repository id is another: narrowing, exceptions, values and Any of old peers do not know it"},
    {Rule::modifiers_changed, "MODIFIERS_CHANGED", Breaks::both,
     "abstract, local, custom or truncatable was added or taken away"},
    {Rule::base_removed, "BASE_REMOVED", Breaks::both,
     "a base or supported interface is gone, or the base of a struct is another"},
    {Rule::base_added, "BASE_ADDED", Breaks::source, "a base was added: servants must implement what it brings"},
    {Rule::operation_added, "OPERATION_ADDED", Breaks::source, "servants must implement the new operation"},
    {Rule::attribute_added, "ATTRIBUTE_ADDED", Breaks::source, "servants must implement the new attribute"},
    {Rule::oneway_changed, "ONEWAY_CHANGED", Breaks::wire, "one side waits for a reply that the other does not send"},
    {Rule::result_changed, "RESULT_CHANGED", Breaks::both, "the result is of another type"},
    {Rule::parameter_added, "PARAMETER_ADDED", Breaks::both, "an operation has more parameters"},
    {Rule::parameter_removed, "PARAMETER_REMOVED", Breaks::both, "an operation has fewer parameters"},
    {Rule::parameter_direction_changed, "PARAMETER_DIRECTION_CHANGED", Breaks::both, "in, out or inout is another"},
    {Rule::parameter_type_changed, "PARAMETER_TYPE_CHANGED", Breaks::both, "a parameter is of another type"},
    {Rule::raises_added, "RAISES_ADDED", Breaks::wire, "old clients see the new exception as UNKNOWN"},
    {Rule::raises_removed, "RAISES_REMOVED", Breaks::source, "servants can no longer raise the exception"},
    {Rule::context_changed, "CONTEXT_CHANGED", Breaks::wire, "a request carries another context"},
    {Rule::attribute_type_changed, "ATTRIBUTE_TYPE_CHANGED", Breaks::both, "an attribute is of another type"},
    {Rule::attribute_mode_changed, "ATTRIBUTE_MODE_CHANGED", Breaks::both,
     "an attribute became readonly, or writable, which servants must implement"},
    {Rule::member_added, "MEMBER_ADDED", Breaks::both, "a struct, exception or valuetype has one more member"},
    {Rule::member_removed, "MEMBER_REMOVED", Breaks::both, "a struct, exception or valuetype has one member less"},
    {Rule::member_moved, "MEMBER_MOVED", Breaks::both, "members are sent in another order"},
    {Rule::member_renamed, "MEMBER_RENAMED", Breaks::source, "the bytes stay the same, the name does not"},
    {Rule::member_type_changed, "MEMBER_TYPE_CHANGED", Breaks::both, "a member is of another type"},
    {Rule::member_visibility_changed, "MEMBER_VISIBILITY_CHANGED", Breaks::source,
     "public state became private, or private state public"},
    {Rule::extensibility_changed, "EXTENSIBILITY_CHANGED", Breaks::wire, "extensible encodings of the type differ"},
    {Rule::enumerator_added, "ENUMERATOR_ADDED", Breaks::wire, "old peers refuse the new enumerator"},
    {Rule::enumerator_removed, "ENUMERATOR_REMOVED", Breaks::both, "an enumerator is gone"},
    {Rule::enumerator_moved, "ENUMERATOR_MOVED", Breaks::wire, "an enumerator is sent as another number"},
    {Rule::enumerator_value_changed, "ENUMERATOR_VALUE_CHANGED", Breaks::source, "@value of an enumerator is another"},
    {Rule::discriminator_changed, "DISCRIMINATOR_CHANGED", Breaks::both, "a union is switched by another type"},
    {Rule::case_added, "CASE_ADDED", Breaks::wire, "old peers cannot read the new union member"},
    {Rule::case_removed, "CASE_REMOVED", Breaks::both, "a label of a union no longer has a member"},
    {Rule::case_renamed, "CASE_RENAMED", Breaks::source, "a union member has another name"},
    {Rule::case_type_changed, "CASE_TYPE_CHANGED", Breaks::both, "a union member is of another type"},
    {Rule::typedef_changed, "TYPEDEF_CHANGED", Breaks::both, "a typedef or box stands for another type"},
    {Rule::constant_changed, "CONSTANT_CHANGED", Breaks::source, "a constant has another value or type"},
    {Rule::factory_changed, "FACTORY_CHANGED", Breaks::source,
     "a factory of a valuetype is gone or has other parameters"},
    {Rule::bits_changed, "BITS_CHANGED", Breaks::both,
     "a bitfield or flag is gone, elsewhere, or of another width or sign"},
});

}  // namespace

std::span<const RuleInfo> rules() noexcept {
  return kRules;
}

const RuleInfo& info(Rule rule) noexcept {
  return kRules[static_cast<std::size_t>(rule)];
}

std::string_view spelling(Breaks breaks) noexcept {
  return breaks == Breaks::wire ? "WIRE" : breaks == Breaks::source ? "SOURCE" : "WIRE+SOURCE";
}

std::string rules_document() {
  std::string text =
      "# Rules of corbel-idl check --against\n\n"
      "Generated from the table in `src/corbel/idl/compat/rules.cpp`; a test compares the two.\n\n"
      "`corbel-idl check --against OLD.idl NEW.idl` compares what two versions of an IDL file declare, included files "
      "too, "
      "and\nnames every change that breaks something: WIRE, programs built from the two versions misunderstand each "
      "other; "
      "SOURCE,\nprograms written for the old version no longer compile, or no longer mean the same. `--breaks wire` or "
      "`--breaks source`\nlooks for one of them only, `--ignore RULE` leaves a rule out. Exit status: 0 nothing "
      "breaks, 1 "
      "something does, 2 a file\ncannot be compiled or the usage is wrong. Parameter names may change freely.\n\n"
      "| rule | breaks | meaning |\n|---|---|---|\n";
  for (const auto& rule : kRules) {
    text += "| `" + std::string(rule.name) + "` | " + std::string(spelling(rule.breaks)) + " | " +
            std::string(rule.meaning) + " |\n";
  }
  return text;
}

}  // namespace corbel::idl::compat

// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/annotations.hpp"

#include <array>
#include <initializer_list>

namespace corbel::idl::front {
namespace {

constexpr std::uint32_t targets(std::initializer_list<Target> list) {
  std::uint32_t bits = 0;
  for (const Target target : list) bits |= 1U << static_cast<unsigned>(target);
  return bits;
}

using P = AnnotationParameter;
using T = AnnotationParameter::Type;

constexpr std::uint32_t kEverywhere = ~0U;
constexpr std::uint32_t kMembers = targets({Target::member, Target::state, Target::union_case});
constexpr std::uint32_t kTypes = targets({Target::structure, Target::exception, Target::union_, Target::enumeration,
                                          Target::bitset, Target::bitmask, Target::value});
constexpr std::uint32_t kValued =
    kMembers | targets({Target::parameter, Target::alias, Target::attribute, Target::other, Target::discriminator});

const std::vector<StandardAnnotation>& table() {
  static const P kFlag{"value", T::boolean, false};
  static const P kNumber{"value", T::number, true};
  static const std::vector<StandardAnnotation> kTable = {
      {"ami", targets({Target::interface_, Target::operation, Target::module_}), {kFlag}},
      {"appendable", kTypes, {}},
      {"autoid",
       targets({Target::module_, Target::structure, Target::union_, Target::value}),
       {{"value", T::word, false, "SEQUENTIAL HASH"}}},
      {"bit_bound", targets({Target::enumeration, Target::bitmask}), {kNumber}},
      {"default", kValued | targets({Target::bitfield}), {{"value", T::any, true}}},
      {"default_literal", targets({Target::enumerator}), {}},
      {"extensibility", kTypes, {{"value", T::word, true, "FINAL APPENDABLE MUTABLE"}}},
      {"external", kMembers | targets({Target::element}), {kFlag}},
      {"final", kTypes, {}},
      {"hashid", kMembers, {{"value", T::text, false}}},
      {"id", kMembers | targets({Target::discriminator}), {kNumber}},
      {"key", kMembers | targets({Target::discriminator}), {kFlag}},
      {"max", kValued, {{"value", T::any, true}}},
      {"min", kValued, {{"value", T::any, true}}},
      {"must_understand", kMembers, {kFlag}},
      {"mutable", kTypes, {}},
      {"nested", kTypes, {kFlag}},
      {"oneway", targets({Target::operation}), {kFlag}},
      {"optional", targets({Target::member, Target::union_case}), {kFlag}},
      {"position", targets({Target::flag}) | kMembers, {kNumber}},
      {"range", kValued, {{"min", T::any, true}, {"max", T::any, true}}},
      {"service", targets({Target::interface_}), {{"platform", T::text, false}}},
      {"shared", targets({Target::operation, Target::parameter}), {kFlag}},
      {"unit", kValued, {{"value", T::text, true}}},
      {"value", targets({Target::enumerator}), {{"value", T::any, true}}},
      {"verbatim",
       kEverywhere,
       {{"language", T::text, false},
        {"placement", T::word, false,
         "BEGIN_FILE BEFORE_DECLARATION BEGIN_DECLARATION END_DECLARATION AFTER_DECLARATION END_FILE"},
        {"text", T::text, true}}},
      {"view", targets({Target::interface_, Target::value, Target::operation, Target::parameter}), {kFlag}},
  };
  return kTable;
}

}  // namespace

std::string_view describe(Target target) noexcept {
  static constexpr std::array<std::string_view, 22> kNames = {
      "a module",       "an interface",    "a valuetype",       "a struct",        "an exception", "a union",
      "an enum",        "a bitset",        "a bitmask",         "a typedef",       "a member",     "a state member",
      "a union member", "a discriminator", "an enumerator",     "a bitfield",      "a flag",       "a parameter",
      "an operation",   "an attribute",    "an element's type", "this declaration"};
  return kNames[static_cast<std::size_t>(target)];
}

const StandardAnnotation* find_standard_annotation(std::string_view name) {
  for (const auto& annotation : table()) {
    if (annotation.name == name) return &annotation;
  }
  return nullptr;
}

void append_standard_annotations(std::vector<std::string_view>& names) {
  for (const auto& annotation : table()) names.push_back(annotation.name);
}

const Applied* find(const std::vector<Applied>& applied, std::string_view name) noexcept {
  for (const auto& one : applied) {
    if (one.standard != nullptr && one.standard->name == name) return &one;
  }
  return nullptr;
}

bool is_on(const std::vector<Applied>& applied, std::string_view name) noexcept {
  const Applied* found = find(applied, name);
  if (found == nullptr) return false;
  const model::Value* value = found->annotation.find();
  const bool* on = value == nullptr ? nullptr : std::get_if<bool>(value);
  return on == nullptr || *on;
}

}  // namespace corbel::idl::front

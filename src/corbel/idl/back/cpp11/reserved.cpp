// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/reserved.hpp"

#include <cctype>
#include <iterator>
#include <unordered_set>

#include "corbel/idl/back/cpp11/reserved_table.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using Set = std::unordered_set<std::string_view>;

const Set& keywords() {
  static const Set kKeywords = {
      "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char8_t",
      "char16_t",    "char32_t", "class",      "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
      "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
      "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
      "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
      "xor_eq"};
  return kKeywords;
}

bool is_macro(std::string_view identifier) {
  static const Set kSet(std::begin(kMacros), std::end(kMacros));
  // The numbers of system calls: SYS_read. Other names that begin so are the user's.
  const bool system_call = identifier.starts_with("SYS_") && identifier.size() > 4 &&
                           (std::islower(static_cast<unsigned char>(identifier[4])) != 0 || identifier[4] == '_');
  return system_call || identifier.starts_with("CORBEL_") || kSet.contains(identifier);
}

}  // namespace

bool is_reserved(std::string_view identifier) {
  return keywords().contains(identifier) || is_macro(identifier);
}

bool is_global(std::string_view identifier) {
  static const Set kFunctions(std::begin(kGlobalFunctions), std::end(kGlobalFunctions));
  static const Set kOthers(std::begin(kGlobalNames), std::end(kGlobalNames));
  return kFunctions.contains(identifier) || kOthers.contains(identifier);
}

bool is_library_module(std::string_view identifier) {
  static const Set kSet = {"DynamicAny", "IOP", "Messaging", "RTCORBA"};
  return kSet.contains(identifier);
}

bool is_namespace(std::string_view identifier) {
  static const Set kSet = {"std", "corbel", "IDL", "CORBA", "PortableServer"};
  return kSet.contains(identifier);
}

bool is_generated(std::string_view identifier) {
  return identifier == "POA" || identifier == "obv" || identifier == "swap";
}

}  // namespace corbel::idl::back::cpp11

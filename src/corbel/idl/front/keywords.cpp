// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <unordered_map>

#include "corbel/idl/front/token.hpp"

namespace corbel::idl::front {
namespace {

constexpr std::array<std::string_view, 48> kKeywords = {
    "abstract", "any",      "attribute", "boolean",   "case",      "char",    "const",  "context",
    "custom",   "default",  "double",    "enum",      "exception", "factory", "FALSE",  "fixed",
    "float",    "in",       "inout",     "interface", "local",     "long",    "module", "native",
    "Object",   "octet",    "oneway",    "out",       "private",   "public",  "raises", "readonly",
    "sequence", "short",    "string",    "struct",    "supports",  "switch",  "TRUE",   "truncatable",
    "typedef",  "unsigned", "union",     "ValueBase", "valuetype", "void",    "wchar",  "wstring"};

// Keywords that came with CORBA 2.3 and later.
constexpr std::array<std::string_view, 11> kYoungerKeywords = {"abstract",    "custom",    "factory",  "local",
                                                               "native",      "private",   "public",   "supports",
                                                               "truncatable", "ValueBase", "valuetype"};

// Reserved by CORBA 3, but not by the compilers before it.
constexpr std::array<std::string_view, 17> kCorba3Keywords = {
    "component", "consumes",   "emits",    "eventtype", "finder",    "getraises", "home",       "import", "manages",
    "multiple",  "primarykey", "provides", "publishes", "setraises", "typeid",    "typeprefix", "uses"};

// Reserved by IDL 4 only.
constexpr std::array<std::string_view, 18> kIdl4Keywords = {
    "alias", "bitfield",   "bitmask", "bitset",   "connector", "int16",  "int32",  "int64",  "int8",
    "map",   "mirrorport", "port",    "porttype", "typename",  "uint16", "uint32", "uint64", "uint8"};

constexpr std::array<std::string_view, 24> kPunctuation = {"{", "}", ";", ":", "::", ",", "=", "+",
                                                           "-", "(", ")", "<", ">",  "[", "]", "|",
                                                           "^", "&", "*", "/", "%",  "~", "@", "<<"};

std::unordered_map<std::string, KeywordMatch> make_table() {
  using How = KeywordMatch::How;
  std::unordered_map<std::string, KeywordMatch> table;
  for (std::size_t i = 0; i < kKeywords.size(); ++i) {
    const auto kind = static_cast<Kind>(static_cast<std::size_t>(Kind::kw_abstract) + i);
    table[folded(kKeywords[i])] = {How::exact, kind, kKeywords[i]};
  }
  for (const auto word : kCorba3Keywords) table[folded(word)] = {How::corba3, Kind::identifier, word};
  for (const auto word : kIdl4Keywords) table[folded(word)] = {How::idl4, Kind::identifier, word};
  return table;
}

}  // namespace

std::string folded(std::string_view identifier) {
  std::string result(identifier);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

KeywordMatch match_keyword(std::string_view identifier) {
  static const auto kTable = make_table();
  const auto found = kTable.find(folded(identifier));
  if (found == kTable.end()) return {};
  KeywordMatch match = found->second;
  if (match.how == KeywordMatch::How::exact && match.spelling != identifier) {
    const bool younger =
        std::find(kYoungerKeywords.begin(), kYoungerKeywords.end(), match.spelling) != kYoungerKeywords.end();
    match.how = younger ? KeywordMatch::How::younger_case : KeywordMatch::How::other_case;
  }
  return match;
}

void append_keywords(std::vector<std::string_view>& words) {
  words.insert(words.end(), kKeywords.begin(), kKeywords.end());
}

std::string describe(Kind kind) {
  if (kind >= Kind::kw_abstract) {
    return "'" + std::string(kKeywords[static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::kw_abstract)]) +
           "'";
  }
  if (kind >= Kind::left_brace) {
    return "'" +
           std::string(kPunctuation[static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::left_brace)]) + "'";
  }
  switch (kind) {
    case Kind::end:
      return "end of file";
    case Kind::identifier:
      return "identifier";
    case Kind::integer:
      return "integer literal";
    case Kind::floating:
      return "floating-point literal";
    case Kind::fixed:
      return "fixed-point literal";
    case Kind::character:
      return "character literal";
    case Kind::wide_character:
      return "wide character literal";
    case Kind::string:
      return "string literal";
    case Kind::wide_string:
      return "wide string literal";
    default:
      return "this token";
  }
}

}  // namespace corbel::idl::front

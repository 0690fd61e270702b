// SPDX-License-Identifier: Apache-2.0
// Constructs of IDL that this version recognises but does not compile: each is named in one error, its name declared so
// that uses of it pass in silence, and the parser goes on behind it.
#include <array>

#include "idl/front/parser.hpp"

namespace corbel::idl::front {
namespace {

struct Construct {
  std::string_view word;
  std::string_view name;
};

constexpr std::array<Construct, 12> kLaterDefinitions = {{{"component", "components"},
                                                          {"home", "component homes"},
                                                          {"eventtype", "event types"},
                                                          {"porttype", "port types"},
                                                          {"connector", "connectors"},
                                                          {"typeid", "'typeid'"},
                                                          {"typeprefix", "'typeprefix'"},
                                                          {"import", "'import'"},
                                                          {"bitset", "bitsets"},
                                                          {"bitmask", "bitmasks"},
                                                          {"alias", "template module aliases"},
                                                          {"port", "ports"}}};

}  // namespace

void Parser::report_unsupported(Span where, std::string_view construct) {
  std::string text(construct);
  text += construct.ends_with("s") ? " are" : " is";
  diagnostics_.report(Id::unsupported, where, text + " not supported yet");
}

/// Reports, remembers the name that follows the keywords and leaves the rest to recovery.
void Parser::skip_unsupported_declaration(std::string_view construct) {
  const Span where = current().span;
  take();
  while (at(Kind::kw_valuetype) || at(Kind::kw_interface)) take();
  if (at(Kind::identifier)) {
    const Token name = take();
    const Entry* known = names_.current().find(folded(name.text));
    const bool again = known != nullptr && known->how == Entry::How::unsupported;
    report_unsupported(again ? name.span : where, construct);
    if (!again) names_.declare(name.text, name.span, Entry::How::unsupported, nullptr);
  } else {
    report_unsupported(where, construct);
  }
  panic_ = true;
}

bool Parser::skip_unsupported_definition() {
  switch (kind()) {
    case Kind::kw_valuetype:
    case Kind::kw_custom:
      skip_unsupported_declaration("value types");
      return true;
    case Kind::kw_abstract:
      skip_unsupported_declaration("abstract interfaces and value types");
      return true;
    case Kind::kw_local:
      skip_unsupported_declaration("local interfaces");
      return true;
    case Kind::kw_native:
      skip_unsupported_declaration("native types");
      return true;
    case Kind::identifier:
      break;
    default:
      return false;
  }
  if (!current().later_keyword || names_.is_declared(current().text)) return false;
  for (const Construct& construct : kLaterDefinitions) {
    if (current().text != construct.word) continue;
    const bool declares = !construct.name.starts_with("'");
    if (declares) {
      skip_unsupported_declaration(construct.name);
    } else {
      report_unsupported(current().span, construct.name);
      panic_ = true;
    }
    return true;
  }
  return false;
}

/// True if a type that is not supported stood here and was skipped.
bool Parser::skip_unsupported_type() {
  const Span where = panic_ || abandoned_ ? Span{} : current().span;
  switch (kind()) {
    case Kind::kw_any:
      take();
      report_unsupported(where, "'any'");
      return true;
    case Kind::kw_valuebase:
      take();
      report_unsupported(where, "'ValueBase'");
      return true;
    case Kind::kw_fixed:
      take();
      report_unsupported(where, "'fixed'");
      skip_balanced(Kind::less, Kind::greater);
      return true;
    case Kind::identifier:
      break;
    default:
      return false;
  }
  const std::string_view word = current().text;
  const bool sized = word.starts_with("int") || word.starts_with("uint") || word == "map";
  if (!current().later_keyword || !sized || names_.is_declared(word)) return false;
  report_unsupported(where, quoted(word));
  const bool is_map = word == "map";
  take();
  if (is_map) skip_balanced(Kind::less, Kind::greater);
  return true;
}

void Parser::skip_annotations() {
  while (at(Kind::at)) {
    const Span where = take().span;
    report_unsupported(where, "annotations");
    accept(Kind::scope);
    if (at(Kind::identifier) && current().text == "annotation") {
      panic_ = true;
      return;
    }
    while (!at(Kind::end) && !at(Kind::left_paren)) {
      take();
      if (!accept(Kind::scope)) break;
    }
    skip_balanced(Kind::left_paren, Kind::right_paren);
  }
}

}  // namespace corbel::idl::front

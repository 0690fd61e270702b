// SPDX-License-Identifier: Apache-2.0
// Components and their kin, which are recognised but not compiled: each is named in one error, its name declared so
// that uses of it pass in silence, and the parser goes on behind it.
#include <array>

#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {
namespace {

struct Construct {
  std::string_view word;
  std::string_view name;
};

constexpr std::array<Construct, 5> kConstructs = {{{"component", "components"},
                                                   {"home", "component homes"},
                                                   {"eventtype", "event types"},
                                                   {"porttype", "port types"},
                                                   {"connector", "connectors"}}};

}  // namespace

void Parser::report_unsupported(Span where, std::string_view construct) {
  std::string text(construct);
  text += construct.ends_with("s") ? " are" : " is";
  diagnostics_.report(Id::unsupported, where, text + " not supported");
}

/// Reports, remembers the name that follows the keywords and leaves the rest to recovery.
void Parser::skip_unsupported_declaration(std::string_view construct) {
  const Span where = current().span;
  take();
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

/// `component`, `home` and their like. False if something else stands here.
bool Parser::skip_unsupported_definition() {
  if (!at(Kind::identifier) || !current().later_keyword || names_.is_declared(current().text)) return false;
  for (const Construct& construct : kConstructs) {
    if (current().text != construct.word) continue;
    skip_unsupported_declaration(construct.name);
    return true;
  }
  return false;
}

}  // namespace corbel::idl::front

// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/writer.hpp"

#include <algorithm>

namespace corbel::idl::back::cpp11 {
namespace {

constexpr std::size_t kColumns = 120;

std::string joined(const Writer::Piece& piece) {
  std::string result = piece.head;
  for (std::size_t i = 0; i < piece.items.size(); ++i) result += (i == 0 ? "" : ", ") + piece.items[i];
  return result + piece.tail;
}

}  // namespace

void Writer::list(const std::string& head, const std::vector<std::string>& items, const std::string& tail) {
  std::string current = head;
  const std::size_t indent = 2 * indent_;
  const std::size_t room = kColumns - indent;
  // Under the opening bracket where that leaves enough room, else four columns in.
  const std::size_t bracket = head.ends_with(" : ") ? head.size() : std::max(head.rfind('(') + 1, head.rfind('{') + 1);
  const std::string next(bracket > 0 && bracket < kColumns / 2 ? bracket : 4, ' ');
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : tail);
    const std::size_t gap = i == 0 ? 0 : 1;
    if (current.size() + gap + item.size() > room && i > 0) {
      line(current);
      current = next + item;
    } else {
      current += std::string(gap, ' ') + item;
    }
  }
  if (items.empty()) current += tail;
  line(current);
}

void Writer::function(const Piece& signature, const Piece& statement) {
  const std::string whole = joined(signature) + " { " + joined(statement) + " }";
  if (whole.size() + 2 * indent_ <= kColumns) return line(whole);
  list(signature.head, signature.items, signature.tail + " {");
  indent();
  list(statement.head, statement.items, statement.tail);
  close("}");
}

void Writer::constructor(const std::string& head, const std::vector<std::string>& parameters,
                         const std::vector<std::string>& initializers) {
  const std::string whole = joined({head, parameters, ")"}) + joined({" : ", initializers, " {}"});
  if (whole.size() + 2 * indent_ <= kColumns) return line(whole);
  list(head, parameters, ")");
  list("    : ", initializers, " {}");
}

void Writer::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n") && !text_.ends_with("{\n")) text_ += '\n';
}

}  // namespace corbel::idl::back::cpp11

// SPDX-License-Identifier: Apache-2.0
#include "idl/cpp/writer.hpp"

#include <algorithm>

namespace corbel::idl::cpp {
namespace {

constexpr std::size_t kColumns = 120;

}  // namespace

void Writer::list(const std::string& head, const std::vector<std::string>& items, const std::string& tail) {
  std::string current = head;
  const std::size_t indent = 2 * indent_;
  const std::size_t room = kColumns - indent;
  // Under the opening bracket where that leaves enough room, else four columns in.
  const std::size_t bracket = std::max(head.rfind('(') + 1, head.rfind('{') + 1);
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

void Writer::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n") && !text_.ends_with("{\n")) text_ += '\n';
}

}  // namespace corbel::idl::cpp

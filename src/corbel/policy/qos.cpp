// SPDX-License-Identifier: Apache-2.0
#include "corbel/policy/qos.hpp"

#include <algorithm>

namespace corbel::policy {
namespace {

bool is_word(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    const bool legal =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!legal) return false;
  }
  return true;
}

}  // namespace

base::Result<ProtocolPreference> ProtocolPreference::parse(std::string_view text) {
  ProtocolPreference preference;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const std::size_t plus = item.find('+');
    const std::string_view protocol = plus == std::string_view::npos ? std::string_view() : item.substr(0, plus);
    const std::string_view transport = plus == std::string_view::npos ? item : item.substr(plus + 1);
    if (!is_word(transport) || (plus != std::string_view::npos && !is_word(protocol))) {
      return base::error(base::Stage::configure, base::Code::bad_argument);
    }
    preference.combinations_.push_back({std::string(protocol), std::string(transport)});
    begin = end + 1;
  }
  return preference;
}

std::size_t ProtocolPreference::rank(std::string_view protocol, std::string_view transport) const noexcept {
  for (std::size_t i = 0; i < combinations_.size(); ++i) {
    const Combination& wanted = combinations_[i];
    if ((wanted.protocol.empty() || wanted.protocol == protocol) && wanted.transport == transport) return i;
  }
  return combinations_.size();
}

}  // namespace corbel::policy

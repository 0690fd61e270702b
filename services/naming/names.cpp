// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>

namespace corbel::naming {
namespace {

void append_escaped(std::string& text, const std::string& part) {
  for (const char c : part) {
    if (c == '/' || c == '.' || c == '\\') text += '\\';
    text += c;
  }
}

void append(std::string& text, const CosNaming::NameComponent& component) {
  append_escaped(text, component.id());
  if (component.kind().empty() && !component.id().empty()) return;
  text += '.';
  append_escaped(text, component.kind());
}

/// Reads one component, up to an unescaped '/' or the end, and leaves `text` behind it; or up to the first octet of an
/// id or kind beyond `longest`. False if it is none.
bool read_component(std::string_view& text, CosNaming::NameComponent& component, std::size_t longest) {
  std::string* part = &component.id();
  bool any = false;
  bool dot = false;
  while (!text.empty() && text.front() != '/') {
    char c = text.front();
    text.remove_prefix(1);
    any = true;
    if (c == '.') {
      if (dot) return false;
      dot = true;
      part = &component.kind();
      continue;
    }
    if (c == '\\') {
      if (text.empty()) return false;
      c = text.front();
      if (c != '/' && c != '.' && c != '\\') return false;
      text.remove_prefix(1);
    }
    *part += c;
    if (part->size() > longest) return true;
  }
  if (!any) return false;
  // "." alone has neither id nor kind; "id." is no way to write "id".
  return !dot || !component.kind().empty() || component.id().empty();
}

}  // namespace

bool within(const CosNaming::Name& name, const NameLimits& limits) noexcept {
  return !name.empty() && name.size() <= limits.components &&
         std::all_of(name.begin(), name.end(), [&](const CosNaming::NameComponent& component) {
           return component.id().size() <= limits.component_octets &&
                  component.kind().size() <= limits.component_octets;
         });
}

std::string to_string(const CosNaming::NameComponent& component) {
  std::string text;
  append(text, component);
  return text;
}

std::string to_string(const CosNaming::Name& name) {
  std::string text;
  for (const auto& component : name) {
    if (&component != &name.front()) text += '/';
    append(text, component);
  }
  return text;
}

std::optional<CosNaming::Name> parse_name(std::string_view text, const NameLimits& limits) {
  CosNaming::Name name;
  for (;;) {
    CosNaming::NameComponent component;
    if (!read_component(text, component, limits.component_octets)) return std::nullopt;
    const bool beyond = component.id().size() > limits.component_octets ||
                        component.kind().size() > limits.component_octets || name.size() == limits.components;
    name.push_back(std::move(component));
    if (beyond || text.empty()) return name;
    text.remove_prefix(1);  // the '/'
  }
}

std::string escape_for_url(std::string_view text) {
  constexpr std::string_view kPlain = ";/:?@&=+$,-_.!~*'()";
  std::string escaped;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kPlain.find(c) != std::string_view::npos) {
      escaped += c;
      continue;
    }
    constexpr const char* kDigits = "0123456789abcdef";
    const auto octet = static_cast<unsigned char>(c);
    escaped += '%';
    escaped += kDigits[octet >> 4];
    escaped += kDigits[octet & 15];
  }
  return escaped;
}

}  // namespace corbel::naming

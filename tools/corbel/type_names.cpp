// SPDX-License-Identifier: Apache-2.0
// Types by the names that IDL has for them.
#include <charconv>
#include <vector>

#include "types.hpp"

namespace corbel::tool {

namespace model = idl::model;

namespace {

constexpr std::size_t kLongestName = 4096;           // what walks into it has a stack
constexpr std::uint64_t kMostElements = 16'777'216;  // of an array: a recording may come from strangers

bool read_number(std::string_view text, std::uint32_t& number) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() && end == text.data() + text.size() && number > 0;
}

}  // namespace

const model::Declaration* Types::find_declared(std::string_view name) const {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  const auto found = by_id_.find(name);
  return found == by_id_.end() ? nullptr : found->second;
}

CORBA::typecode_reference Types::named(std::string_view name) {
  if (name.size() > kLongestName) return nullptr;
  if (name.starts_with("::")) name.remove_prefix(2);
  if (const model::Declaration* const declared = find_declared(name); declared != nullptr) {
    switch (declared->kind) {
      case model::DeclarationKind::alias:
      case model::DeclarationKind::enum_:
      case model::DeclarationKind::struct_:
      case model::DeclarationKind::union_:
      case model::DeclarationKind::exception:
      case model::DeclarationKind::interface_:
      case model::DeclarationKind::value:
      case model::DeclarationKind::value_box:
      case model::DeclarationKind::bitset:
      case model::DeclarationKind::bitmask:
        return make_declared(*declared).code;
      default:
        return nullptr;
    }
  }
  // IDL itself knows best what a type's name means: it compiles a line that uses it.
  auto parsed = idl::front::parse("typedef " + std::string(name) + " named_;\n", "type");
  if (parsed.model == nullptr || parsed.model->contents.size() != 1) {
    return name.ends_with(']') ? named_array(name) : named_sequence(name);
  }
  const auto* alias = model::as<model::Alias>(parsed.model->contents[0]);
  if (alias == nullptr) return nullptr;
  const CORBA::typecode_reference code = make(*alias->aliased).code;
  models_.push_back(std::move(parsed.model));
  return code;
}

/// "M::S[2][3]", which IDL writes around the name of what has the type.
CORBA::typecode_reference Types::named_array(std::string_view name) {
  std::vector<std::uint32_t> lengths;
  std::uint64_t elements = 1;
  while (name.ends_with(']')) {
    const std::size_t open = name.rfind('[');
    std::uint32_t length = 0;
    if (open == std::string_view::npos || !read_number(name.substr(open + 1, name.size() - open - 2), length))
      return nullptr;
    lengths.push_back(length);
    elements *= length;
    if (elements > kMostElements) return nullptr;
    name.remove_suffix(name.size() - open);
  }
  CORBA::typecode_reference code = named(name);
  for (const std::uint32_t length : lengths) {
    if (code != nullptr) code = factory_.create_array_tc(length, code);
  }
  return code;
}

/// "sequence<M::S, 3>", of what is declared in the files.
CORBA::typecode_reference Types::named_sequence(std::string_view name) {
  constexpr std::string_view kBegin = "sequence<";
  if (!name.starts_with(kBegin) || !name.ends_with('>')) return nullptr;
  name.remove_prefix(kBegin.size());
  name.remove_suffix(1);
  std::uint32_t bound = 0;
  if (const std::size_t comma = name.rfind(','); comma != std::string_view::npos) {
    if (read_number(name.substr(comma + 1), bound)) name = name.substr(0, comma);
  }
  const CORBA::typecode_reference element = named(name);
  return element == nullptr ? nullptr : factory_.create_sequence_tc(bound, element);
}

}  // namespace corbel::tool

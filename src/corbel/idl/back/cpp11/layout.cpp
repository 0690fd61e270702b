// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/layout.hpp"

#include "corbel/idl/back/cpp11/types.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;
using model::TypeKind;

constexpr std::size_t kMaxInlineMembers = 16;
constexpr std::size_t kEndless = std::size_t{1} << 40;

std::size_t holder_size(unsigned bits) {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

std::size_t align(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

std::size_t element_count(const model::Type& array) {
  std::size_t count = 1;
  for (const auto dimension : array.dimensions)
    count = std::min(kEndless, count * std::min<std::size_t>(dimension, kEndless));
  return count;
}

/// Adds up the least size of a run of values for each of the eight positions at which it may begin. Once something of
/// varying size has passed, positions are unknown and padding counts nothing.
class Extent {
 public:
  void add(std::size_t size, std::size_t alignment) {
    for (std::size_t start = 0; start < sizes_.size(); ++start) {
      if (exact_) sizes_[start] = align(start + sizes_[start], alignment) - start;
      sizes_[start] = std::min(kEndless, sizes_[start] + size);
    }
  }
  void lose_position() { exact_ = false; }
  std::size_t least() const { return *std::min_element(sizes_.begin(), sizes_.end()); }

 private:
  std::array<std::size_t, 8> sizes_{};
  bool exact_ = true;
};

void add(Extent& extent, const model::Type& type, Layouts& layouts) {
  const model::Type& real = resolve(type);
  if (const std::size_t size = primitive_size(real.kind)) return extent.add(size, size);
  if (real.kind == TypeKind::enum_) return extent.add(4, 4);
  if (real.kind == TypeKind::boolean) return extent.add(1, 1);
  const TypeKind element = real.kind == TypeKind::array ? resolve(*real.element).kind : TypeKind::void_;
  if (const std::size_t size = primitive_size(element)) {
    extent.add(0, size);
    return extent.add(std::min(kEndless, size * element_count(real)), 1);
  }
  extent.lose_position();
  extent.add(layouts.min_size(real), 1);
}

/// Declarations that a declaration's values are made of, through sequences too.
void append_parts(const model::Declaration& declaration, std::vector<const model::Type*>& types) {
  if (const auto* u = as<model::Union>(&declaration)) {
    for (const auto& c : u->cases) types.push_back(c.member.type);
  } else if (declaration.kind == model::DeclarationKind::struct_ ||
             declaration.kind == model::DeclarationKind::exception) {
    for (const auto* m : model::all_members(static_cast<const model::Struct&>(declaration))) types.push_back(m->type);
  }
}

/// External members compare by identity, as references do.
bool has_external(const model::Declaration& declaration) {
  if (const auto* u = as<model::Union>(&declaration)) {
    return std::any_of(u->cases.begin(), u->cases.end(), [](const auto& c) { return c.member.external; });
  }
  if (declaration.kind != model::DeclarationKind::struct_ && declaration.kind != model::DeclarationKind::exception) {
    return false;
  }
  const auto members = model::all_members(static_cast<const model::Struct&>(declaration));
  return std::any_of(members.begin(), members.end(), [](const auto* m) { return m->external; });
}

const model::Type& innermost(const model::Type& type) {
  const model::Type* current = &resolve(type);
  while (current->element != nullptr) current = &resolve(*current->element);
  return *current;
}

}  // namespace

std::size_t primitive_size(TypeKind kind) noexcept {
  switch (kind) {
    case TypeKind::char_:
    case TypeKind::octet:
    case TypeKind::int8:
    case TypeKind::uint8:
      return 1;
    case TypeKind::short_:
    case TypeKind::ushort:
      return 2;
    case TypeKind::long_:
    case TypeKind::ulong:
    case TypeKind::float_:
      return 4;
    case TypeKind::longlong:
    case TypeKind::ulonglong:
    case TypeKind::double_:
      return 8;
    default:
      return 0;
  }
}

const BulkLayout* Layouts::bulk(const model::Struct& structure) {
  if (const auto known = bulk_.find(&structure); known != bulk_.end()) return known->second ? &*known->second : nullptr;
  auto& result = bulk_[&structure];  // a recursive struct finds nothing here, and is right
  if (structure.base != nullptr) return nullptr;
  BulkLayout layout;
  for (const auto& member : structure.members) {
    if (member.optional || member.external) return nullptr;
    const model::Type& real = resolve(*member.type);
    const bool array = real.kind == TypeKind::array;
    const model::Type& element = array ? resolve(*real.element) : real;
    std::size_t size = primitive_size(element.kind);
    std::size_t cdr_alignment = size;
    std::size_t alignment = size;
    if (const auto* nested = as<model::Struct>(element.declaration)) {
      const BulkLayout* inner = bulk(*nested);
      if (inner == nullptr) return nullptr;
      size = inner->size;
      cdr_alignment = inner->first_alignment;
      alignment = inner->alignment;
      layout.has_padding |= inner->has_padding;
    }
    if (size == 0) return nullptr;
    const std::size_t offset = align(layout.size, alignment);
    if (offset != align(layout.size, cdr_alignment)) return nullptr;
    if (layout.offsets.empty()) layout.first_alignment = cdr_alignment;
    layout.offsets.push_back(offset);
    layout.padding_before.push_back(offset - layout.size);
    layout.has_padding |= offset != layout.size;
    layout.alignment = std::max(layout.alignment, alignment);
    layout.size = offset + size * (array ? element_count(real) : 1);
    if (layout.size >= kEndless) return nullptr;
  }
  if (structure.members.empty() || layout.size % layout.alignment != 0) return nullptr;
  result = std::move(layout);
  return &*result;
}

std::size_t Layouts::min_size(const model::Type& type) {
  const model::Type& real = resolve(type);
  switch (real.kind) {
    case TypeKind::boolean:
      return 1;
    case TypeKind::wchar:
      return 2;
    case TypeKind::string:
      return 5;
    case TypeKind::wstring:
    case TypeKind::sequence:
    case TypeKind::enum_:
      return 4;
    case TypeKind::any:
    case TypeKind::type_code:
    case TypeKind::map:
    case TypeKind::value_base:
    case TypeKind::value:
    case TypeKind::value_box:
      return 4;
    case TypeKind::long_double:
      return 16;
    case TypeKind::bitmask:
      return holder_size(as<model::Bitmask>(real.declaration)->bit_bound);
    case TypeKind::bitset:
      return holder_size(as<model::Bitset>(real.declaration)->width);
    case TypeKind::fixed:
      return static_cast<std::size_t>(real.digits + 2) / 2;
    case TypeKind::object:
      return 12;
    case TypeKind::interface_: {
      const auto& interface = *as<model::Interface>(real.declaration);
      return interface.is_abstract ? 5 : 12;
    }
    case TypeKind::array:
      return std::min(kEndless, element_count(real) * min_size(*real.element));
    case TypeKind::struct_:
      return min_size(*as<model::Struct>(real.declaration));
    case TypeKind::union_:
      return min_size(*as<model::Union>(real.declaration));
    default:
      return primitive_size(real.kind);
  }
}

std::size_t Layouts::min_size(const model::Struct& structure) {
  if (const auto known = min_sizes_.find(&structure); known != min_sizes_.end()) return known->second;
  Extent extent;
  for (const auto* member : model::all_members(structure)) {
    if (member->optional) {
      extent.lose_position();
      extent.add(1, 1);
    } else {
      add(extent, *member->type, *this);
    }
  }
  return min_sizes_[&structure] = extent.least();
}

std::size_t Layouts::min_size(const model::Union& u) {
  if (const auto known = min_sizes_.find(&u); known != min_sizes_.end()) return known->second;
  std::size_t least = kEndless;
  bool has_default = u.covers_all_labels;
  for (const auto& c : u.cases) {
    least = std::min(least, min_size(*c.member.type));
    has_default |= c.is_default;
  }
  return min_sizes_[&u] = min_size(*u.discriminator) + (has_default ? least : 0);
}

bool Layouts::is_fixed(const model::Type& type) {
  const model::Type& real = resolve(type);
  if (primitive_size(real.kind) != 0 || real.kind == TypeKind::boolean || real.kind == TypeKind::enum_) return true;
  if (real.kind == TypeKind::array) return is_fixed(*real.element);
  const auto* nested = as<model::Struct>(real.declaration);
  return nested != nullptr && is_fixed(*nested);
}

bool Layouts::is_fixed(const model::Struct& structure) {
  const auto [known, added] = fixed_.try_emplace(&structure, false);  // a struct holds itself through sequences only
  if (!added) return known->second;
  const bool fixed = structure.base == nullptr && structure.members.size() <= kMaxInlineMembers &&
                     std::all_of(structure.members.begin(), structure.members.end(),
                                 [&](const auto& m) { return !m.optional && !m.external && is_fixed(*m.type); });
  return fixed_[&structure] = fixed;
}

bool Layouts::is_recursive(const model::Declaration& declaration) {
  std::set<const model::Declaration*> seen;
  std::vector<const model::Type*> waiting;
  append_parts(declaration, waiting);
  while (!waiting.empty()) {
    const model::Declaration* part = innermost(*waiting.back()).declaration;
    waiting.pop_back();
    if (part == &declaration) return true;
    if (part != nullptr && seen.insert(part).second) append_parts(*part, waiting);
  }
  return false;
}

bool Layouts::has_reference(const model::Type& type) {
  const model::Type& real = innermost(type);
  // References compare by identity, which is not what == on a struct promises.
  if (is_reference(real)) return true;
  return real.declaration != nullptr && has_reference(*real.declaration);
}

bool Layouts::has_reference(const model::Declaration& declaration) {
  const auto [known, added] = references_.try_emplace(&declaration, false);  // false while it is being worked out
  if (!added) return known->second;
  std::vector<const model::Type*> parts;
  append_parts(declaration, parts);
  const bool found = has_external(declaration) ||
                     std::any_of(parts.begin(), parts.end(), [this](const auto* type) { return has_reference(*type); });
  return references_[&declaration] = found;
}

bool Layouts::has_value(const model::Type& type) {
  const model::Type& real = innermost(type);
  if (resolve(type).key != nullptr && has_value(*resolve(type).key)) return true;
  const auto* interface = as<model::Interface>(real.declaration);
  if (real.kind == TypeKind::value_base || real.kind == TypeKind::value || real.kind == TypeKind::value_box ||
      (interface != nullptr && interface->is_abstract)) {
    return true;
  }
  return real.declaration != nullptr && has_value(*real.declaration);
}

bool Layouts::has_value(const model::Declaration& declaration) {
  const auto [known, added] = values_.try_emplace(&declaration, false);  // false while it is being worked out
  if (!added) return known->second;
  std::vector<const model::Type*> parts;
  append_parts(declaration, parts);
  const bool found = std::any_of(parts.begin(), parts.end(), [this](const auto* type) { return has_value(*type); });
  return values_[&declaration] = found;
}

}  // namespace corbel::idl::back::cpp11

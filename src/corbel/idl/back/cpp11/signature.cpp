// SPDX-License-Identifier: Apache-2.0
// What two operations must have in common before one's arguments may be handed to the other as they lie in memory.
#include "corbel/idl/back/cpp11/signature.hpp"

#include <array>
#include <cstdio>
#include <set>
#include <span>
#include <vector>

#include "corbel/idl/back/cpp11/method.hpp"
#include "corbel/idl/back/cpp11/types.hpp"
#include "corbel/idl/model/md5.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

std::string hexadecimal(std::span<const std::uint8_t> octets) {
  std::string text;
  for (const auto octet : octets) {
    std::array<char, 3> digits;
    std::snprintf(digits.data(), digits.size(), "%02x", octet);
    text += digits.data();
  }
  return text;
}

/// Writes down types. Declarations are named only, and listed the first time.
class Description {
 public:
  explicit Description(const Names& names) : names_(names) {}

  std::string text;
  std::vector<const model::Declaration*> mentioned;

  void add(std::uint64_t number) { text += std::to_string(number) + ' '; }
  void add(const std::string& name) { text += std::to_string(name.size()) + ':' + name + ' '; }
  void add(const model::Type& type) {
    const model::Type& real = resolve(type);
    text += 't';
    add(static_cast<std::uint64_t>(real.kind));
    add(real.bound);
    add(real.digits);
    add(real.scale);
    add(real.dimensions.size());
    for (const auto dimension : real.dimensions) add(dimension);
    if (real.declaration != nullptr) mention(*real.declaration);
    if (real.key != nullptr) add(*real.key);
    if (real.element != nullptr) add(*real.element);
  }
  void mention(const model::Declaration& declaration) {
    add(scoped_name(declaration));
    add(declaration.repository_id);
    if (known_.insert(&declaration).second) mentioned.push_back(&declaration);
  }
  /// What the declaration's C++ is made of.
  void define(const model::Declaration& declaration);

 private:
  void add(const model::Member& member) {
    add(member.name);
    add(*member.type);
    add((member.optional ? 1U : 0U) + (member.external ? 2U : 0U));
  }
  void define(const model::Union& u);
  void define(const model::ValueType& value);

  const Names& names_;
  std::set<const model::Declaration*> known_;
};

void Description::define(const model::Union& u) {
  add(*u.discriminator);
  for (const auto& c : u.cases) {
    for (const auto& label : c.labels) add(literal(label, *u.discriminator, names_));
    add(c.is_default ? 1U : 0U);
    add(c.member);
  }
}

void Description::define(const model::ValueType& value) {
  add((value.is_abstract ? 1U : 0U) + (value.is_custom ? 2U : 0U) + (value.is_truncatable ? 4U : 0U));
  for (const auto* base : value.bases) mention(*base);
  for (const auto& member : value.state) add(member);
}

void Description::define(const model::Declaration& declaration) {
  add(static_cast<std::uint64_t>(declaration.kind));
  if (const auto* u = as<model::Union>(&declaration)) return define(*u);
  if (const auto* value = as<model::ValueType>(&declaration)) return define(*value);
  if (declaration.kind == model::DeclarationKind::struct_ || declaration.kind == model::DeclarationKind::exception) {
    const auto& structure = static_cast<const model::Struct&>(declaration);
    if (structure.base != nullptr) mention(*structure.base);
    for (const auto& member : structure.members) add(member);
  } else if (const auto* enumeration = as<model::Enum>(&declaration)) {
    add(enumeration->bit_bound);
    for (const auto* enumerator : enumeration->enumerators) {
      add(enumerator->name);
      add(std::to_string(enumerator->value));
    }
  } else if (const auto* interface = as<model::Interface>(&declaration)) {
    add((interface->is_abstract ? 1U : 0U) + (interface->is_local ? 2U : 0U));
  } else if (const auto* box = as<model::ValueBox>(&declaration)) {
    add(*box->boxed);
  } else if (const auto* bits = as<model::Bitset>(&declaration)) {
    if (bits->base != nullptr) mention(*bits->base);
    for (const auto& field : bits->fields) {
      add(field.name);
      add(field.position);
      add(field.width);
      add(*field.type);
    }
  } else if (const auto* mask = as<model::Bitmask>(&declaration)) {
    add(mask->bit_bound);
    for (const auto& flag : mask->flags) {
      add(flag.name);
      add(flag.position);
    }
  }
}

}  // namespace

/// A digest of the declaration and all that its values can contain.
const std::string& Signatures::closure(const model::Declaration& declaration) {
  std::string& digest = closures_[&declaration];
  if (!digest.empty()) return digest;
  Description all(names_);
  all.mention(declaration);
  for (std::size_t i = 0; i < all.mentioned.size(); ++i) all.define(*all.mentioned[i]);
  return digest = hexadecimal(model::md5(all.text));
}

std::string Signatures::of(const Method& method) {
  Description all(names_);
  all.add(method.wire_name);
  all.add((method.oneway ? 1U : 0U) + (method.context ? 2U : 0U));
  all.add(*method.result);
  for (const auto& p : method.parameters) {
    all.add(static_cast<std::uint64_t>(p.direction));
    all.add(*p.type);
    all.add(view_type(p, names_).empty() ? 0U : 1U);
  }
  for (const auto* exception : *method.raises) all.mention(*exception);
  std::string text = std::move(all.text);
  for (const auto* declaration : all.mentioned) text += closure(*declaration) + ' ';
  const auto digest = model::md5(text);
  return "corbel::corba::signature(0x" + hexadecimal(std::span(digest).first(8)) + ")";
}

}  // namespace corbel::idl::back::cpp11

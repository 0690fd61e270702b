// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/compat/comparison.hpp"

#include <algorithm>
#include <map>

namespace corbel::idl::compat {
namespace {

using model::TypeKind;

std::string quote(const std::string& name) {
  return "'" + name + "'";
}

template <class T>
const T* by_name(const std::vector<T>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& item) { return item.name == name; });
  return found == list.end() ? nullptr : &*found;
}

template <class T>
bool has(const std::vector<const T*>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const T* item) { return scoped_name(*item) == name; });
}

std::map<std::string, std::size_t> places(const std::vector<model::Member>& members) {
  std::map<std::string, std::size_t> result;
  for (std::size_t i = 0; i < members.size(); ++i) result[members[i].name] = i;
  return result;
}

struct Text {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(const std::string& s) const { return "\"" + s + "\""; }
  std::string operator()(const std::u32string& s) const {
    std::string text = "L";
    for (const char32_t c : s) text += "," + std::to_string(static_cast<std::uint32_t>(c));
    return text;
  }
  std::string operator()(char32_t c) const { return "char " + std::to_string(static_cast<std::uint32_t>(c)); }
  std::string operator()(const model::Enumerator* e) const { return scoped_name(*e); }
  std::string operator()(const model::Fixed& f) const {
    return (f.negative ? "-" : "") + f.digits + "e-" + std::to_string(f.scale);
  }
  template <class T>
  std::string operator()(T number) const {
    return std::to_string(number);
  }
};

}  // namespace

std::string label(const model::Declaration& declaration) {
  return std::string(kind_name(declaration)) + " " + quote(scoped_name(declaration));
}

std::string text_of(const model::Value& value) {
  return std::visit(Text{}, value);
}

std::string signature(const model::Type& type) {
  const model::Type& real = resolve(type);
  if (real.kind == TypeKind::uint8) return "octet";
  if (real.element == nullptr) return spelling(real);
  std::string text = real.kind == TypeKind::sequence ? "sequence<" : real.kind == TypeKind::map ? "map<" : "array<";
  if (real.key != nullptr) text += signature(*real.key) + ", ";
  text += signature(*real.element);
  if (real.bound != 0) text += ", " + std::to_string(real.bound);
  for (const auto dimension : real.dimensions) text += ", " + std::to_string(dimension);
  return text + ">";
}

void Comparison::types(Rule rule, const model::Declaration& of, const model::Type& before, const model::Type& after,
                       model::Location where, const std::string& part) {
  if (signature(before) == signature(after)) return;
  add(rule, part + label(of) + " was of type " + quote(spelling(before)) + " and is of " + quote(spelling(after)),
      where);
}

void Comparison::constants(const model::Constant& before, const model::Constant& after) {
  if (signature(*before.type) == signature(*after.type) && text_of(before.value) == text_of(after.value)) return;
  add(Rule::constant_changed, label(after) + " has another value or type", after.where);
}

void Comparison::enums(const model::Enum& before, const model::Enum& after) {
  std::map<std::string, const model::Enumerator*> known;
  for (const auto* enumerator : after.enumerators) known[enumerator->name] = enumerator;
  for (const auto* old : before.enumerators) {
    const auto found = known.find(old->name);
    if (found == known.end()) {
      add_old(Rule::enumerator_removed, quote(old->name) + " of " + label(before) + " is gone", old->where);
      continue;
    }
    const model::Enumerator& now = *found->second;
    if (old->ordinal != now.ordinal) {
      add(Rule::enumerator_moved,
          quote(now.name) + " of " + label(after) + " was sent as " + std::to_string(old->ordinal) +
              " and is sent as " + std::to_string(now.ordinal),
          now.where);
    }
    if ((before.has_values || after.has_values) && old->value != now.value) {
      add(Rule::enumerator_value_changed, "the value of " + quote(now.name) + " of " + label(after) + " is another",
          now.where);
    }
    known.erase(found);
  }
  for (const auto& [name, enumerator] : known) {
    add(Rule::enumerator_added, quote(name) + " of " + label(after) + " is new", enumerator->where);
  }
}

void Comparison::member(const model::Declaration& of, const model::Member& before, const model::Member& after) {
  types(Rule::member_type_changed, of, *before.type, *after.type, after.where, quote(after.name) + " of ");
  if (before.is_public != after.is_public) {
    add(Rule::member_visibility_changed, quote(after.name) + " of " + label(of) + " has another visibility",
        after.where);
  }
}

/// Position decides what is sent, names decide what is compiled.
void Comparison::members(const model::Declaration& of, const std::vector<model::Member>& before,
                         const std::vector<model::Member>& after) {
  const auto old_places = places(before);
  const auto new_places = places(after);
  const auto renamed = [&](std::size_t i) {
    return i < before.size() && i < after.size() && !new_places.contains(before[i].name) &&
           !old_places.contains(after[i].name) && signature(*before[i].type) == signature(*after[i].type);
  };
  for (std::size_t i = 0; i < before.size(); ++i) {
    const model::Member& old = before[i];
    const std::string what = quote(old.name) + " of " + label(of);
    if (const auto found = new_places.find(old.name); found != new_places.end()) {
      const model::Member& now = after[found->second];
      if (found->second != i) add(Rule::member_moved, what + " is in another place", now.where);
      member(of, old, now);
    } else if (renamed(i)) {
      add(Rule::member_renamed, what + " is called " + quote(after[i].name) + " now", after[i].where);
    } else {
      add_old(Rule::member_removed, what + " is gone", old.where);
    }
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (old_places.contains(after[i].name) || renamed(i)) continue;
    add(Rule::member_added, quote(after[i].name) + " of " + label(of) + " is new", after[i].where);
  }
}

void Comparison::structs(const model::Struct& before, const model::Struct& after) {
  const std::string old_base = before.base == nullptr ? "" : scoped_name(*before.base);
  const std::string new_base = after.base == nullptr ? "" : scoped_name(*after.base);
  if (old_base != new_base) add(Rule::base_removed, label(after) + " has another base", after.where);
  if (before.extensibility != after.extensibility) {
    add(Rule::extensibility_changed, label(after) + " has another extensibility", after.where);
  }
  members(after, before.members, after.members);
}

void Comparison::unions(const model::Union& before, const model::Union& after) {
  types(Rule::discriminator_changed, after, *before.discriminator, *after.discriminator, after.where,
        "the discriminator of ");
  const auto by_label = [](const model::Union& u) {
    std::map<std::string, const model::Member*> cases;
    for (const auto& c : u.cases) {
      for (const auto& value : c.labels) cases[text_of(value)] = &c.member;
      if (c.is_default) cases["default"] = &c.member;
    }
    return cases;
  };
  const auto old_cases = by_label(before);
  auto new_cases = by_label(after);
  for (const auto& [name, old] : old_cases) {
    const auto found = new_cases.find(name);
    if (found == new_cases.end()) {
      add_old(Rule::case_removed, "case " + name + " of " + label(before) + " is gone", old->where);
      continue;
    }
    const model::Member& now = *found->second;
    types(Rule::case_type_changed, after, *old->type, *now.type, now.where, quote(now.name) + " of ");
    if (old->name != now.name) {
      add(Rule::case_renamed, quote(old->name) + " of " + label(after) + " is called " + quote(now.name) + " now",
          now.where);
    }
    new_cases.erase(found);
  }
  for (const auto& [name, now] : new_cases) {
    add(Rule::case_added, "case " + name + " of " + label(after) + " is new", now->where);
  }
}

void Comparison::modifiers(const model::Declaration& before, const model::Declaration& after, bool same) {
  if (!same) add(Rule::modifiers_changed, label(before) + " became " + label(after), after.where);
}

template <class T>
void Comparison::bases(const model::Declaration& of, const std::vector<const T*>& before,
                       const std::vector<const T*>& after) {
  for (const T* base : before) {
    if (has(after, scoped_name(*base))) continue;
    add(Rule::base_removed, label(of) + " no longer inherits or supports " + quote(scoped_name(*base)), of.where);
  }
  for (const T* base : after) {
    if (has(before, scoped_name(*base))) continue;
    add(Rule::base_added, label(of) + " inherits or supports " + quote(scoped_name(*base)) + " now", of.where);
  }
}

void Comparison::interfaces(const model::Interface& before, const model::Interface& after) {
  modifiers(before, after, before.is_abstract == after.is_abstract && before.is_local == after.is_local);
  bases(after, before.bases, after.bases);
}

void Comparison::values(const model::ValueType& before, const model::ValueType& after) {
  modifiers(before, after,
            before.is_abstract == after.is_abstract && before.is_custom == after.is_custom &&
                before.is_truncatable == after.is_truncatable);
  bases(after, before.bases, after.bases);
  bases(after, before.supports, after.supports);
  members(after, before.state, after.state);
}

void Comparison::attributes(const model::Attribute& before, const model::Attribute& after) {
  types(Rule::attribute_type_changed, after, *before.type, *after.type, after.where);
  if (before.readonly != after.readonly) {
    add(Rule::attribute_mode_changed, label(after) + " became " + (after.readonly ? "readonly" : "writable"),
        after.where);
  }
  raises(after, before.get_raises, after.get_raises);
  raises(after, before.set_raises, after.set_raises);
}

void Comparison::raises(const model::Declaration& of, const std::vector<const model::Exception*>& before,
                        const std::vector<const model::Exception*>& after) {
  for (const auto* exception : after) {
    const std::string name = scoped_name(*exception);
    if (!has(before, name)) add(Rule::raises_added, label(of) + " raises " + quote(name) + " now", of.where);
  }
  for (const auto* exception : before) {
    const std::string name = scoped_name(*exception);
    if (!has(after, name)) add(Rule::raises_removed, label(of) + " no longer raises " + quote(name), of.where);
  }
}

void Comparison::parameters(const model::Operation& before, const model::Operation& after) {
  const std::size_t common = std::min(before.parameters.size(), after.parameters.size());
  for (std::size_t i = 0; i < common; ++i) {
    const model::Parameter& old = before.parameters[i];
    const model::Parameter& now = after.parameters[i];
    types(Rule::parameter_type_changed, after, *old.type, *now.type, now.where, quote(now.name) + " of ");
    if (old.direction == now.direction) continue;
    add(Rule::parameter_direction_changed, quote(now.name) + " of " + label(after) + " has another direction",
        now.where);
  }
  for (std::size_t i = common; i < before.parameters.size(); ++i) {
    const model::Parameter& old = before.parameters[i];
    add_old(Rule::parameter_removed, quote(old.name) + " of " + label(after) + " is gone", old.where);
  }
  for (std::size_t i = common; i < after.parameters.size(); ++i) {
    const model::Parameter& now = after.parameters[i];
    add(Rule::parameter_added, quote(now.name) + " of " + label(after) + " is new", now.where);
  }
}

void Comparison::operations(const model::Operation& before, const model::Operation& after) {
  if (before.oneway != after.oneway) {
    add(Rule::oneway_changed, label(after) + (after.oneway ? " became oneway" : " is no longer oneway"), after.where);
  }
  types(Rule::result_changed, after, *before.result, *after.result, after.where, "the result of ");
  parameters(before, after);
  raises(after, before.raises, after.raises);
  if (before.contexts != after.contexts) {
    add(Rule::context_changed, label(after) + " has another context clause", after.where);
  }
}

void Comparison::factories(const model::Factory& before, const model::Factory& after) {
  const bool same = before.parameters.size() == after.parameters.size() &&
                    std::equal(before.parameters.begin(), before.parameters.end(), after.parameters.begin(),
                               [](const auto& a, const auto& b) { return signature(*a.type) == signature(*b.type); });
  if (!same) add(Rule::factory_changed, label(after) + " has other parameters", after.where);
}

void Comparison::bits(const model::Declaration& of, const std::string& name, bool same, model::Location where) {
  if (!same) add(Rule::bits_changed, quote(name) + " of " + label(of) + " is gone or has other bits", where);
}

void Comparison::bitsets(const model::Bitset& before, const model::Bitset& after) {
  for (const auto& field : before.fields) {
    if (field.name.empty()) continue;
    const auto* now = by_name(after.fields, field.name);
    const bool same = now != nullptr && now->position == field.position && now->width == field.width &&
                      is_signed(*now) == is_signed(field);
    bits(after, field.name, same, now == nullptr ? after.where : now->where);
  }
}

void Comparison::bitmasks(const model::Bitmask& before, const model::Bitmask& after) {
  if (before.bit_bound != after.bit_bound) {
    add(Rule::bits_changed, label(after) + " has another bit bound", after.where);
  }
  for (const auto& flag : before.flags) {
    const auto* now = by_name(after.flags, flag.name);
    bits(after, flag.name, now != nullptr && now->position == flag.position, now == nullptr ? after.where : now->where);
  }
}

}  // namespace corbel::idl::compat

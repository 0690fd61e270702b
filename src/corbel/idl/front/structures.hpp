// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {

template <class T>
inline constexpr model::TypeKind kTypeKind = model::TypeKind::struct_;
template <>
inline constexpr model::TypeKind kTypeKind<model::Union> = model::TypeKind::union_;
template <>
inline constexpr model::TypeKind kTypeKind<model::Interface> = model::TypeKind::interface_;
template <>
inline constexpr model::TypeKind kTypeKind<model::ValueType> = model::TypeKind::value;

/// `abstract` and `local` must be the same wherever something is declared.
template <class T>
void Parser::set_modifiers(T& target, const Modifiers& modifiers, bool first, Span where, Span earlier) {
  bool differs = false;
  if constexpr (std::is_same_v<T, model::Interface> || std::is_same_v<T, model::ValueType>) {
    differs = target.is_abstract != modifiers.abstract;
    if (first) target.is_abstract = modifiers.abstract;
  }
  if constexpr (std::is_same_v<T, model::Interface>) {
    differs = differs || target.is_local != modifiers.local;
    if (first) target.is_local = modifiers.local;
  }
  if (first || !differs) return;
  diagnostics_
      .report(Id::modifiers_differ, where,
              quote(target.name) + " was declared as " + std::string(kind_name(target)) + " before")
      .note(earlier, "declared here");
}

/// Adds a base and what is above it, each once.
template <class T>
void Parser::adopt(std::vector<T*>& list, T* one, const std::vector<T*>& above) {
  const auto append = [&list](T* item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  };
  append(one);
  for (T* item : above) append(item);
}

/// `struct S;`, `union U;`, `interface I;`, `valuetype V;`: may be repeated, before and after the definition.
template <class T>
void Parser::forward_declare(const Name& name, const Modifiers& modifiers) {
  const Entry* existing = names_.current().find(folded(name.text));
  auto* forward = make<model::Forward>(name);
  forward->repository_id.clear();
  const T* target = existing != nullptr && existing->how == Entry::How::declared && existing->name == name.text
                        ? model::as<T>(existing->declaration)
                        : nullptr;
  if (target == nullptr) {
    T* fresh = make<T>(name);
    types_[fresh] = model_->add({kTypeKind<T>, 0, nullptr, {}, fresh});
    if (names_.declare(name.text, name.where, Entry::How::declared, fresh) == nullptr) return;
    pending_[fresh] = {std::string(name.text), name.where, std::nullopt, fresh->in_main_file};
    set_modifiers(*fresh, modifiers, true, name.where, {});
    target = fresh;
  } else {
    set_modifiers(static_cast<T&>(*writable_[target]), modifiers, false, name.where, existing->where);
  }
  forward->annotations = annotations_of(take_applied(Target::other));
  forward->target = target;
  add(forward);
}

/// The struct, union, interface or valuetype that the definition at hand completes or starts. `entry` stays null if the
/// name clashes.
template <class T>
T* Parser::begin_structure(const Name& name, Entry*& entry, const Modifiers& modifiers) {
  Entry* existing = names_.current().find(folded(name.text));
  const bool completes = existing != nullptr && existing->how == Entry::How::declared && existing->name == name.text &&
                         pending_.contains(existing->declaration) && model::as<T>(existing->declaration) != nullptr;
  if (!completes) {
    T* fresh = make<T>(name);
    types_[fresh] = model_->add({kTypeKind<T>, 0, nullptr, {}, fresh});
    set_modifiers(*fresh, modifiers, true, name.where, {});
    entry = names_.declare(name.text, name.where, Entry::How::declared, fresh);
    return fresh;
  }
  auto* target = static_cast<T*>(writable_[existing->declaration]);
  const auto position = source_.position(name.where.offset);
  target->where = {position.file, position.line, position.column};
  target->in_main_file = is_in_main_file(name.where);
  if (ids_.fixed_at(*target) == nullptr && ids_.make(*target) != target->repository_id) {
    diagnostics_
        .report(Id::prefix_differs, name.where,
                "the prefix in force here gives " + quote(ids_.make(*target)) + ", but the forward declaration had " +
                    quote(target->repository_id))
        .note(existing->where, "forward declared here");
  }
  set_modifiers(*target, modifiers, false, name.where, existing->where);
  if (!std::is_same_v<T, model::Interface>) check_file_of(pending_[target], name);
  pending_.erase(target);
  existing->where = name.where;
  entry = existing;
  return target;
}

}  // namespace corbel::idl::front

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "idl/front/parser.hpp"

namespace corbel::idl::front {

template <class T>
inline constexpr model::TypeKind kTypeKind = model::TypeKind::struct_;
template <>
inline constexpr model::TypeKind kTypeKind<model::Union> = model::TypeKind::union_;
template <>
inline constexpr model::TypeKind kTypeKind<model::Interface> = model::TypeKind::interface_;

/// `struct S;`, `union U;`, `interface I;`: may be repeated, before and after the definition.
template <class T>
void Parser::forward_declare(const Name& name) {
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
    pending_[fresh] = {std::string(name.text), name.where, false, fresh->in_main_file};
    target = fresh;
  }
  forward->target = target;
  add(forward);
}

/// The struct, union or interface that the definition at hand completes or starts. `entry` stays null if the name
/// clashes.
template <class T>
T* Parser::begin_structure(const Name& name, Entry*& entry) {
  Entry* existing = names_.current().find(folded(name.text));
  const bool completes = existing != nullptr && existing->how == Entry::How::declared && existing->name == name.text &&
                         pending_.contains(existing->declaration) && model::as<T>(existing->declaration) != nullptr;
  if (!completes) {
    T* fresh = make<T>(name);
    types_[fresh] = model_->add({kTypeKind<T>, 0, nullptr, {}, fresh});
    entry = names_.declare(name.text, name.where, Entry::How::declared, fresh);
    return fresh;
  }
  auto* target = static_cast<T*>(writable_[existing->declaration]);
  const auto position = source_.position(name.where.offset);
  target->where = {position.file, position.line, position.column};
  target->in_main_file = source_.marker_at(name.where.offset).depth == 0;
  if (ids_.fixed_at(*target) == nullptr && ids_.make(*target) != target->repository_id) {
    diagnostics_
        .report(Id::prefix_differs, name.where,
                "the prefix in force here gives " + quoted(ids_.make(*target)) + ", but the forward declaration had " +
                    quoted(target->repository_id))
        .note(existing->where, "forward declared here");
  }
  pending_.erase(target);
  existing->where = name.where;
  entry = existing;
  return target;
}

}  // namespace corbel::idl::front

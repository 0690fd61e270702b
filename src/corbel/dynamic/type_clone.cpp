// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/type_clone.hpp"

#include <set>

namespace corbel::dynamic {

using CORBA::TypeCode;

/// Types that lead to types have no bound: what is found is put on a list, not followed at once.
const TypeCode* TypeCloner::clone(const TypeCode* code) {
  const TypeCode* copy = copy_of(code);
  while (!waiting_.empty()) {
    const auto [original, place] = waiting_.back();
    waiting_.pop_back();
    fill(*original, place);
  }
  return copy;
}

/// The copy, which is filled in later.
const TypeCode* TypeCloner::copy_of(const TypeCode* code) {
  if (code == nullptr) return nullptr;
  const TypeNode& node = code->_node();
  if (is_stand_in(node) && node.id == id_) return stood_for_;
  const auto [known, added] = copies_.try_emplace(code);
  if (added) {
    known->second = arena_->reserve();
    waiting_.emplace_back(code, known->second);
  }
  return known->second;
}

void TypeCloner::fill(const TypeCode& original, const TypeCode* copy) {
  TypeNode node = original._node();
  std::vector<TypeMember> members(node.members.begin(), node.members.end());
  for (TypeMember& member : members) {
    member.name = names_ ? arena_->keep(member.name) : std::string_view();
    member.type = copy_of(member.type);
  }
  node.id = arena_->keep(node.id);
  node.name = names_ ? arena_->keep(node.name) : std::string_view();
  node.members = arena_->keep(members);
  node.content = copy_of(node.content);
  arena_->set(copy, node);
}

bool has_stand_in(const TypeCode& code, std::string_view id) {
  std::set<const TypeCode*> seen;
  std::vector<const TypeCode*> waiting{&code};
  while (!waiting.empty()) {
    const TypeCode* next = waiting.back();
    waiting.pop_back();
    if (next == nullptr || !seen.insert(next).second) continue;
    const TypeNode& node = next->_node();
    if (is_stand_in(node) && (id.empty() || node.id == id)) return true;
    waiting.push_back(node.content);
    for (const TypeMember& member : node.members) waiting.push_back(member.type);
  }
  return false;
}

}  // namespace corbel::dynamic

namespace CORBA {

typecode_reference TypeCode::get_compact_typecode() const {
  (void)kind();  // stands for a type?
  auto arena = corbel::base::make_shared<corbel::dynamic::TypeArena>();
  return corbel::dynamic::reference_to(arena, corbel::dynamic::TypeCloner(*arena, {}, nullptr, false).clone(this));
}

}  // namespace CORBA

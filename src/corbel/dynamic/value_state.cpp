// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/value_state.hpp"

#include <algorithm>

#include "corbel/cdr/format.hpp"
#include "corbel/corba/exception.hpp"
#include "corbel/dynamic/known_type.hpp"
#include "corbel/dynamic/type_arena.hpp"

namespace corbel::dynamic {
namespace {

/// The type and its bases, the most derived first.
std::vector<const TypeNode*> lineage(const TypeNode& node) {
  std::vector<const TypeNode*> types = {&node};
  while (is_stateful(types.back()->kind) && types.back()->content != nullptr &&
         is_stateful(types.back()->content->_node().kind)) {
    if (types.size() == cdr::Limits{}.max_depth) throw CORBA::IMP_LIMIT();
    types.push_back(&types.back()->content->_node());
  }
  return types;
}

}  // namespace

std::vector<const TypeMember*> members_of(const TypeNode& node) {
  const auto types = lineage(node);
  std::vector<const TypeMember*> members;
  for (auto type = types.rbegin(); type != types.rend(); ++type) {
    for (const TypeMember& member : (*type)->members) members.push_back(&member);
  }
  return members;
}

const TypeMember* member_at(const TypeNode& node, std::size_t index) {
  const auto types = lineage(node);
  for (auto type = types.rbegin(); type != types.rend(); ++type) {
    const auto members = (*type)->members;
    if (index < members.size()) return &members[index];
    index -= members.size();
  }
  return nullptr;
}

std::vector<std::string_view> truncatable_ids(const TypeNode& node) {
  std::vector<std::string_view> ids;
  for (const TypeNode* type : lineage(node)) {
    ids.push_back(type->id);
    if (type->modifier != CORBA::VM_TRUNCATABLE) break;
  }
  return ids;
}

bool is_or_derives_from(const TypeNode& node, std::string_view id) {
  const auto types = lineage(node);
  return std::any_of(types.begin(), types.end(), [id](const TypeNode* type) { return type->id == id; });
}

bool may_stand_for(const TypeNode& type, const TypeNode& formal) {
  if (!is_stateful(type.kind) && type.kind != CORBA::TCKind::tk_value_box) return false;
  return formal.id.empty() || formal.id == CORBA::detail::k_ValueBase._node().id ||
         formal.modifier == CORBA::VM_ABSTRACT || is_or_derives_from(type, formal.id);
}

const TypeNode* type_of_value(const TypeNode& formal, std::span<const std::string_view>& ids) {
  if (ids.empty()) return &formal;
  // A stranger's list may be very long, and be that of very many values.
  constexpr std::size_t kMostLookedFor = 16;
  const std::size_t all = ids.size();
  for (; !ids.empty(); ids = ids.subspan(1)) {
    if (ids.front() == formal.id) return &formal;
    if (all - ids.size() >= kMostLookedFor) continue;
    const CORBA::typecode_reference known = KnownType::find(ids.front());  // a constant
    if (known != nullptr && may_stand_for(known->_node(), formal)) return &known->_node();
  }
  return nullptr;
}

}  // namespace corbel::dynamic

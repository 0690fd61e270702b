// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/value_state.hpp"

#include <algorithm>

#include "corbel/cdr/format.hpp"
#include "corbel/corba/exception.hpp"

namespace corbel::dynamic {
namespace {

/// The type and its bases, the most derived first.
std::vector<const TypeNode*> lineage(const TypeNode& node) {
  std::vector<const TypeNode*> types = {&node};
  while (types.back()->kind == CORBA::TCKind::tk_value && types.back()->content != nullptr &&
         types.back()->content->kind() == CORBA::TCKind::tk_value) {
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

}  // namespace corbel::dynamic

// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/signature.hpp"

#include <set>

namespace corbel::bridge {
namespace {

using CORBA::TCKind;

bool refers(const CORBA::TypeCode& type, std::set<const dynamic::TypeNode*>& seen) {
  const dynamic::TypeNode& node = type._resolved()._node();
  switch (node.kind) {
    case TCKind::tk_objref:
    case TCKind::tk_any:
    case TCKind::tk_abstract_interface:
      return true;
    case TCKind::tk_sequence:
    case TCKind::tk_array:
    case TCKind::tk_value_box:
    case TCKind::tk_value:
    case TCKind::tk_struct:
    case TCKind::tk_except:
    case TCKind::tk_union:
      break;
    default:
      return false;
  }
  if (!seen.insert(&node).second) return false;
  if (node.content != nullptr && refers(*node.content, seen)) return true;
  for (const auto& member : node.members) {
    if (member.type != nullptr && refers(*member.type, seen)) return true;
  }
  return false;
}

}  // namespace

bool may_refer(const CORBA::TypeCode& type) {
  std::set<const dynamic::TypeNode*> seen;
  return refers(type, seen);
}

}  // namespace corbel::bridge

// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/signature.hpp"

#include <algorithm>
#include <set>

#include "corbel/dynamic/value_state.hpp"

namespace corbel::bridge {
namespace {

using CORBA::TCKind;

using Values = std::span<const CORBA::typecode_reference>;

bool refers(const CORBA::TypeCode& type, Values values, std::set<const dynamic::TypeNode*>& seen) {
  const dynamic::TypeNode& node = type._resolved()._node();
  switch (node.kind) {
    case TCKind::tk_objref:
    case TCKind::tk_component:
    case TCKind::tk_home:
    case TCKind::tk_any:
    case TCKind::tk_abstract_interface:
      return true;
    case TCKind::tk_sequence:
    case TCKind::tk_array:
    case TCKind::tk_value_box:
    case TCKind::tk_value:
    case TCKind::tk_event:
    case TCKind::tk_struct:
    case TCKind::tk_except:
    case TCKind::tk_union:
      break;
    default:
      return false;
  }
  if (!seen.insert(&node).second) return false;
  if (node.content != nullptr && refers(*node.content, values, seen)) return true;
  for (const auto& member : node.members) {
    if (member.type != nullptr && refers(*member.type, values, seen)) return true;
  }
  if (node.kind != TCKind::tk_value && node.kind != TCKind::tk_event) return false;
  return std::ranges::any_of(values, [&](const auto& value) {
    return dynamic::may_stand_for(value->_node(), node) && refers(*value, values, seen);
  });
}

}  // namespace

bool may_refer(const CORBA::TypeCode& type, Values values) {
  std::set<const dynamic::TypeNode*> seen;
  return refers(type, values, seen);
}

}  // namespace corbel::bridge

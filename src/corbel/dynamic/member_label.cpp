// SPDX-License-Identifier: Apache-2.0
// The one thing that TypeCodes say by an Any.
#include "corbel/dynamic/any.hpp"

namespace CORBA {

Any TypeCode::member_label(std::uint32_t index) const {
  if (kind() != TCKind::tk_union) throw BadKind();
  const std::int64_t label = member(index).label;
  Any any;
  if (static_cast<std::int32_t>(index) == node_.default_index) {
    any <<= std::uint8_t{0};
    return any;
  }
  return corbel::dynamic::make_label(*node_.content, label);
}

}  // namespace CORBA

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "corbel/corba/call.hpp"
#include "corbel/dynamic/nv_list.hpp"

namespace corbel::corba {

/// What dynamic invocation (DII) and dynamic servants (DSI) know of a call, where they keep it. Before the reply, out
/// arguments and the result have no values.
struct RunTimeValues {
  const CORBA::NVList* arguments = nullptr;
  const CORBA::NamedValue* result = nullptr;
  const std::vector<CORBA::typecode_reference>* exceptions = nullptr;  ///< that may come; null: that is not known
};

}  // namespace corbel::corba

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "corbel/dynamic/any.hpp"

namespace CORBA {

using Flags = std::uint32_t;
inline constexpr Flags ARG_IN = 1;
inline constexpr Flags ARG_OUT = 2;
inline constexpr Flags ARG_INOUT = ARG_IN | ARG_OUT;

/// An argument or result: the Any says its type also where it has no value yet.
struct NamedValue {
  std::string name = {};  ///< for people; may be empty
  Any value = {};
  Flags flags = ARG_IN;
};

/// The arguments of an operation in order. References to elements stay valid while others are added at the end.
class NVList : public std::deque<NamedValue> {
 public:
  using std::deque<NamedValue>::deque;
  NamedValue& add_value(const std::string& name, const Any& value, Flags flags) {
    return emplace_back(NamedValue{name, value, flags});
  }
  /// An argument whose value is still to come.
  NamedValue& add_type(const std::string& name, const typecode_reference& type, Flags flags) {
    return add_value(name, Any(type, nullptr), flags);
  }
};

}  // namespace CORBA

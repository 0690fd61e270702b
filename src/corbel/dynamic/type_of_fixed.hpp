// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/type_of.hpp"
#include "corbel/mapping/fixed.hpp"

namespace corbel::dynamic {

template <std::uint16_t D, std::uint16_t S>
struct TypeOf<IDL::Fixed<D, S>> {
  static constexpr CORBA::TypeCode code{
      TypeNode{.kind = CORBA::TCKind::tk_fixed, .digits = D, .scale = static_cast<std::int16_t>(S)}};
};

}  // namespace corbel::dynamic

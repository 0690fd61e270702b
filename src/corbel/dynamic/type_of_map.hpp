// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/type_of.hpp"
#include "corbel/mapping/map.hpp"

/// A map is described as a sequence of key and value.
namespace corbel::dynamic {

namespace detail {
template <class K, class V>
struct PairType {
  static constexpr TypeMember members[] = {{"key", &TypeOf<K>::code}, {"value", &TypeOf<V>::code}};
  static constexpr CORBA::TypeCode code{TypeNode{.kind = CORBA::TCKind::tk_struct, .members = members}};
};
}  // namespace detail

template <HasType K, HasType V>
struct TypeOf<std::map<K, V>> {
  static constexpr CORBA::TypeCode code{
      TypeNode{.kind = CORBA::TCKind::tk_sequence, .content = &detail::PairType<K, V>::code}};
};
template <HasType K, HasType V, std::uint32_t N>
struct TypeOf<IDL::bounded_map<K, V, N>> {
  static constexpr CORBA::TypeCode code{
      TypeNode{.kind = CORBA::TCKind::tk_sequence, .content = &detail::PairType<K, V>::code, .length = N}};
};

}  // namespace corbel::dynamic

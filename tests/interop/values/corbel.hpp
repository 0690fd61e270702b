// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/corbel.hpp>
#include <corbel/mapping/print.hpp>
#include <iostream>
#include <string>

#include "values_any.hpp"

/// What the Corbel programs of the value suite share.
namespace interop_values {

template <class V>
using Ref = typename IDL::traits<V>::ref_type;

template <class V, class... Arguments>
Ref<V> make(Arguments&&... arguments) {
  return CORBA::make_reference<typename IDL::traits<V>::obv_type>(std::forward<Arguments>(arguments)...);
}

template <class V>
void register_factory(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  orb->register_value_factory(std::string(V::_value_id),
                              CORBA::make_reference<typename IDL::traits<V>::factory_type>());
}

/// All that both sides know; Secret is the client's alone.
inline void register_factories(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  register_factory<Graph::Base>(orb);
  register_factory<Graph::Derived>(orb);
  register_factory<Graph::Plain>(orb);
  register_factory<Graph::ThingValue>(orb);
}

inline std::string describe(const Ref<Graph::Base>& value) {
  if (value == nullptr) return "nil";
  std::string text = std::to_string(value->a()) + " " + value->s();
  if (const auto derived = IDL::traits<Graph::Derived>::narrow(value)) {
    text += " +" + std::to_string(derived->extra()) + " (" + describe(derived->link()) + ")";
  }
  if (const auto plain = IDL::traits<Graph::Plain>::narrow(value)) text += " plain " + std::to_string(plain->d());
  return text;
}

}  // namespace interop_values

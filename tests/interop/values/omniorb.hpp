// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iostream>
#include <sstream>
#include <string>

#include "values.hh"

/// What the omniORB programs of the value suite share.
namespace interop_values {

template <class Obv>
class Impl : public virtual Obv, public virtual CORBA::DefaultValueRefCountBase {};
using BaseImpl = Impl<OBV_Graph::Base>;
using DerivedImpl = Impl<OBV_Graph::Derived>;
using SecretImpl = Impl<OBV_Graph::Secret>;
using PlainImpl = Impl<OBV_Graph::Plain>;
using NodeImpl = Impl<OBV_Graph::Node>;
using ThingImpl = Impl<OBV_Graph::ThingValue>;

template <class I>
class Factory : public CORBA::ValueFactoryBase {
 public:
  CORBA::ValueBase* create_for_unmarshal() override { return new I; }
};

template <class I>
void register_factory(CORBA::ORB_ptr orb, const char* id) {
  CORBA::ValueFactoryBase_var factory = new Factory<I>;
  CORBA::ValueFactoryBase_var before = orb->register_value_factory(id, factory);
}

inline void register_factories(CORBA::ORB_ptr orb) {
  register_factory<BaseImpl>(orb, "IDL:corbel.test/Graph/Base:1.0");
  register_factory<DerivedImpl>(orb, "IDL:corbel.test/Graph/Derived:1.0");
  register_factory<PlainImpl>(orb, "IDL:corbel.test/Graph/Plain:1.0");
  register_factory<NodeImpl>(orb, "IDL:corbel.test/Graph/Node:1.0");
  register_factory<ThingImpl>(orb, "IDL:corbel.test/Graph/ThingValue:1.0");
}

template <class V>
V* share(V* value) {
  CORBA::add_ref(value);
  return value;
}

inline std::string describe(Graph::Base* value) {
  if (value == nullptr) return "nil";
  std::ostringstream text;
  text << value->a() << ' ' << value->s();
  if (auto* derived = Graph::Derived::_downcast(value)) {
    text << " +" << derived->extra() << " (" << describe(derived->link()) << ')';
  }
  if (auto* plain = Graph::Plain::_downcast(value)) text << " plain " << std::to_string(plain->d());
  return text.str();
}

}  // namespace interop_values

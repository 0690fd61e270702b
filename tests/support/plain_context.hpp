// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/object.hpp"
#include "corbel/ior/ior.hpp"

namespace corbel::test {

/// An ORB as far as reading values needs one: references become nil, and it has no factories.
class PlainContext : public corba::OrbContext {
 public:
  virtual ~PlainContext() = default;
  CORBA::object_reference<CORBA::Object> make_object(ior::Ior) override { return nullptr; }
  CORBA::object_reference<CORBA::ORB> orb() override { return nullptr; }
};

}  // namespace corbel::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "corbel/corba/dii_requests.hpp"
#include "corbel/corba/object.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/face_core.hpp"
#include "corbel/orb/value_factories.hpp"

namespace corbel::orb {

/// An ORB as the C++11 mapping sees it: owns the core, and makes the objects of that mapping. Thread-safe.
class Face final : public FaceCore, public corba::OrbContext {
 public:
  Face(Options options, CoreParts parts) : core_(std::move(options), std::move(parts), *this) {}

  // FaceCore
  cdr::Context& context() noexcept override { return *this; }
  LentPtr lend(connection::Connection& connection) override;
  void calls_ended() noexcept override { dii_requests_->end(); }

  // corba::OrbContext
  CORBA::object_reference<CORBA::Object> make_object(ior::Ior ior) override {
    return make_object(std::move(ior), nullptr);
  }
  CORBA::object_reference<CORBA::ORB> orb() override { return orb_.lock(); }
  CORBA::object_reference<CORBA::ValueFactoryBase> find_value_factory(std::string_view id) override {
    return value_factories_.find(id);
  }
  base::SharedPtr<corba::DiiRequests> dii_requests() override { return dii_requests_; }
  const cdr::Limits& limits() const noexcept override { return core_.limits(); }
  bool is_destroyed() const noexcept override { return core_.is_destroyed(); }
  cdr::Memory* value_memory() noexcept override { return core_.value_memory(); }

  /// The same for a reference that came over a connection which its client lends.
  CORBA::object_reference<CORBA::Object> make_object(ior::Ior ior, LentPtr lent);
  Core& core() noexcept { return core_; }
  ValueFactories& value_factories() noexcept { return value_factories_; }
  /// Set once by ORB_init, before anything else runs.
  void set_orb(const CORBA::object_reference<CORBA::ORB>& orb);

 private:
  const base::SharedPtr<corba::DiiRequests> dii_requests_ = base::make_shared<corba::DiiRequests>();
  ValueFactories value_factories_;
  CORBA::weak_object_reference<CORBA::ORB> orb_;
  Core core_;  // goes first: its threads use the others
};

/// The face of an ORB of this mapping.
inline Face& face_of(const Core& core) noexcept {
  return static_cast<Face&>(core.face());
}

}  // namespace corbel::orb

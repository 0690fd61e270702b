// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/face.hpp"

#include <utility>

namespace corbel::orb {
namespace {

/// A stub for an object whose interface is not known yet.
class GenericObject final : public CORBA::Object {};

/// Keeps a context in memory that a connection would otherwise let go of.
struct Held {
  base::SharedPtr<Lent> lent;
  CORBA::object_reference<CORBA::ORB> orb;
};

/// References that are decoded with it may be called over the connection.
class LentContext final : public Lent, public corba::OrbContext {
 public:
  LentContext(Face& face, connection::Connection& connection) : Lent(connection), face_(face) {}

  cdr::Context& context() noexcept override { return *this; }

  CORBA::object_reference<CORBA::Object> make_object(ior::Ior ior) override {
    return face_.make_object(std::move(ior), shared_from(static_cast<Lent*>(this)));
  }
  CORBA::object_reference<CORBA::ORB> orb() override { return face_.orb(); }
  CORBA::object_reference<CORBA::ValueFactoryBase> find_value_factory(std::string_view id) override {
    return face_.find_value_factory(id);
  }
  base::SharedPtr<corba::DiiRequests> dii_requests() override { return face_.dii_requests(); }
  const cdr::Limits& limits() const noexcept override { return face_.limits(); }
  cdr::Memory* value_memory() noexcept override { return face_.value_memory(); }
  base::SharedPtr<corba::OrbContext> hold() override {
    return {base::make_shared<Held>(Held{shared_from(static_cast<Lent*>(this)), orb()}), this};
  }

 private:
  Face& face_;
};

}  // namespace

LentPtr Face::lend(connection::Connection& connection) {
  return base::make_shared<LentContext>(*this, connection);
}

CORBA::object_reference<CORBA::Object> Face::make_object(ior::Ior ior, LentPtr lent) {
  if (ior.is_nil()) return nullptr;
  auto object = base::make_shared<GenericObject>();
  object->_bind(core_.make_target(std::move(ior), nullptr, std::move(lent)));
  return CORBA::object_reference<CORBA::Object>(std::move(object));
}

void Face::set_orb(const CORBA::object_reference<CORBA::ORB>& orb) {
  orb_ = orb;
  core_.set_owner({orb._shared(), &core_});
}

}  // namespace corbel::orb

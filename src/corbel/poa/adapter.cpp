// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/adapter.hpp"

#include "corbel/orb/face.hpp"
#include "corbel/orb/local_references.hpp"
#include "corbel/orb/no_memory.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/adapter_impl.hpp"
#include "corbel/poa/current_impl.hpp"
#include "corbel/poa/home.hpp"
#include "corbel/poa/ior_table_impl.hpp"
#include "corbel/poa/manager_face.hpp"
#include "corbel/poa/poa_face.hpp"
#include "corbel/poa/policy_lists.hpp"

namespace corbel::poa {
namespace {

constexpr AdapterMakers kMakers{&PoaFace::make_one, &ManagerFace::make_one, &make_policy};

/// The object adapters of an ORB of the C++11 mapping.
class AdapterFace final : public Adapter, public orb::LocalReferences {
 public:
  explicit AdapterFace(orb::Core& core) : Adapter(core, kMakers) { Home::instance().add(space()); }
  ~AdapterFace() override {
    (void)AdapterFace::shutdown(true, space()->core().end_deadline());
    Home::instance().remove(*space());
  }

  CORBA::object_reference<CORBA::Object> initial_reference(std::string_view id) override {
    if (id == "POACurrent") return CORBA::make_reference<Current>();
    if (id == "IORTable") {
      space()->core().listen();  // no reference need be made here for others to ask it
      return table_;
    }
    if (id != "RootPOA") return nullptr;
    const auto root = orb::or_no_memory([&] { return space()->root(); });
    return root == nullptr ? nullptr : as_poa(root);
  }
  bool shutdown(bool wait, base::Deadline deadline) override {
    const bool ended = Adapter::shutdown(wait, deadline);
    table_->close();
    return ended;
  }

 private:
  std::optional<ior::Ior> named(std::string_view name) const override {
    const auto orb = orb::face_of(space()->core()).orb();
    if (orb == nullptr) return std::nullopt;
    const auto object = orb->_registered(name);
    if (object == nullptr) return table_->lead(name);
    if (object->_target() == nullptr) return std::nullopt;
    return object->_target()->ior();
  }

  const CORBA::object_reference<IorTable> table_ = CORBA::make_reference<IorTable>(space());
};

}  // namespace

std::unique_ptr<orb::ObjectAdapter> make_adapter(orb::Core& core) {
  return std::make_unique<AdapterFace>(core);
}

}  // namespace corbel::poa

// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/manager_face.hpp"

#include <utility>

#include "corbel/orb/no_memory.hpp"
#include "corbel/poa/adapter_space.hpp"

namespace corbel::poa {
namespace {

class ManagerFactory final : public PortableServer::POAManagerFactory, public ManagerRegistry::Attached {
 public:
  explicit ManagerFactory(base::SharedPtr<AdapterSpace> space) : space_(std::move(space)) {}

  ManagerFace::Ref create_POAManager(const std::string& id, const CORBA::PolicyList& policies) override {
    if (!policies.empty()) throw CORBA::PolicyError(CORBA::UNSUPPORTED_POLICY);
    const auto made = orb::or_no_memory([&] { return space_->managers().make(space_, id); });
    if (made == nullptr) throw ManagerAlreadyExists();
    return ManagerFace::as_ref(made);
  }
  POAManagerSeq list() override {
    return orb::or_no_memory([&] {
      POAManagerSeq all;
      for (const auto& manager : space_->managers().list()) all.push_back(ManagerFace::as_ref(manager));
      return all;
    });
  }
  ManagerFace::Ref find(const std::string& id) override { return ManagerFace::as_ref(space_->managers().find(id)); }
  bool _static_is_a(std::string_view repository_id) const noexcept override {
    return repository_id == _interface_id || Object::_static_is_a(repository_id);
  }

 private:
  const base::SharedPtr<AdapterSpace> space_;
};

}  // namespace

base::SharedPtr<Manager> ManagerFace::make_one(base::SharedPtr<AdapterSpace> space, std::string id) {
  return base::make_shared<ManagerFace>(std::move(space), std::move(id));
}

ManagerFace::Ref ManagerFace::as_ref(const base::SharedPtr<Manager>& manager) {
  if (manager == nullptr) return nullptr;
  return Ref(base::SharedPtr<PortableServer::POAManager>(manager, static_cast<ManagerFace*>(manager.get())));
}

// Without memory the state may be the new one.
void ManagerFace::activate() {
  orb::or_no_memory([&] { Manager::activate(); }, corba::Completed::maybe);
}

void ManagerFace::hold_requests(bool wait_for_completion) {
  orb::or_no_memory([&] { Manager::hold_requests(wait_for_completion); }, corba::Completed::maybe);
}

void ManagerFace::discard_requests(bool wait_for_completion) {
  orb::or_no_memory([&] { Manager::discard_requests(wait_for_completion); }, corba::Completed::maybe);
}

void ManagerFace::deactivate(bool etherealize_objects, bool wait_for_completion) {
  orb::or_no_memory([&] { Manager::deactivate(etherealize_objects, wait_for_completion); }, corba::Completed::maybe);
}

std::string ManagerFace::get_id() {
  return orb::or_no_memory([&] { return Manager::id(); });
}

void ManagerFace::throw_refused(Refused) const {  // of which managers have one
  throw AdapterInactive();
}

bool ManagerFace::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || Object::_static_is_a(repository_id);
}

IDL::traits<PortableServer::POAManagerFactory>::ref_type manager_factory(const base::SharedPtr<AdapterSpace>& space) {
  const auto attached = space->managers().attached(
      [&]() -> base::SharedPtr<ManagerRegistry::Attached> { return base::make_shared<ManagerFactory>(space); });
  return IDL::traits<PortableServer::POAManagerFactory>::ref_type(
      base::SharedPtr<PortableServer::POAManagerFactory>(attached, static_cast<ManagerFactory*>(attached.get())));
}

}  // namespace corbel::poa

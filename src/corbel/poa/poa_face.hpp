// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/poa/poa.hpp"
#include "corbel/poa/poa_impl.hpp"

namespace corbel::poa {

/// A servant as applications of the C++11 mapping know it.
using KnownServant = IDL::traits<PortableServer::Servant>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

/// Throws OBJ_ADAPTER for a servant that was written for another mapping; nil stays nil.
KnownServant as_known(const ServantRef& servant);
/// A POA that this face made, as its applications hold it; nil stays nil.
PoaRef as_poa(const base::SharedPtr<Poa>& poa);
ObjectRef as_object(const Poa& poa, ior::Ior ior);

/// A POA as applications of the C++11 mapping see it. Thread-safe.
class PoaFace final : public PortableServer::POA, public Poa {
 public:
  explicit PoaFace(PoaMaking making) : Poa(std::move(making)) {}
  /// For AdapterMakers.
  static base::SharedPtr<Poa> make_one(PoaMaking making);

  PoaRef create_POA(const std::string& adapter_name, IDL::traits<PortableServer::POAManager>::ref_type a_POAManager,
                    const CORBA::PolicyList& policies) override;
  PoaRef find_POA(const std::string& adapter_name, bool activate_it) override;
  void destroy(bool etherealize_objects, bool wait_for_completion) override;
  std::string the_name() override;
  PoaRef the_parent() override;
  PortableServer::POAList the_children() override;
  IDL::traits<PortableServer::POAManager>::ref_type the_POAManager() override;
  IDL::traits<PortableServer::POAManagerFactory>::ref_type the_POAManagerFactory() override;
  IDL::traits<PortableServer::AdapterActivator>::ref_type the_activator() override;
  void the_activator(IDL::traits<PortableServer::AdapterActivator>::ref_type activator) override;
  std::vector<std::uint8_t> id() override;
  bool _static_is_a(std::string_view repository_id) const noexcept override;

  IDL::traits<PortableServer::ServantManager>::ref_type get_servant_manager() override;
  void set_servant_manager(IDL::traits<PortableServer::ServantManager>::ref_type imgr) override;
  KnownServant get_servant() override;
  void set_servant(KnownServant p_servant) override;

  ObjectId activate_object(KnownServant p_servant) override;
  void activate_object_with_id(const ObjectId& id, KnownServant p_servant) override;
  void deactivate_object(const ObjectId& oid) override;
  ObjectRef create_reference(const std::string& intf) override;
  ObjectRef create_reference_with_id(const ObjectId& oid, const std::string& intf) override;
  ObjectId servant_to_id(KnownServant p_servant) override;
  ObjectRef servant_to_reference(KnownServant p_servant) override;
  KnownServant reference_to_servant(ObjectRef reference) override;
  ObjectId reference_to_id(ObjectRef reference) override;
  KnownServant id_to_servant(const ObjectId& oid) override;
  ObjectRef id_to_reference(const ObjectId& oid) override;

 private:
  void throw_refused(Refused why) const override;
};

}  // namespace corbel::poa

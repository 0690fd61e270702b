// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corbel/poa/current.hpp"
#include "corbel/poa/exceptions.hpp"
#include "corbel/poa/poa_manager.hpp"
#include "corbel/poa/poa_manager_factory.hpp"
#include "corbel/poa/policies.hpp"
#include "corbel/poa/servant_managers.hpp"

namespace PortableServer {

using POAList = std::vector<IDL::traits<POA>::ref_type>;

/// A portable object adapter (CORBA 3.3 part 1, 15.3.9): the initial reference "RootPOA" and its descendants.
/// Thread-safe. Operations on a destroyed POA throw OBJECT_NOT_EXIST; waits end in TIMEOUT after -ORBShutdownTimeout.
/// Those that find no memory throw NO_MEMORY with COMPLETED_NO, and have changed nothing; destroy, deactivate_object
/// and servant_to_reference, and those of managers that change the state, with COMPLETED_MAYBE.
class CORBEL_API POA : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<POA>;
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableServer/POA:2.3";

  CORBEL_POA_EXCEPTION(AdapterAlreadyExists, "POA");
  CORBEL_POA_EXCEPTION(AdapterNonExistent, "POA");
  CORBEL_POA_EXCEPTION(NoServant, "POA");
  CORBEL_POA_EXCEPTION(ObjectAlreadyActive, "POA");
  CORBEL_POA_EXCEPTION(ObjectNotActive, "POA");
  CORBEL_POA_EXCEPTION(ServantAlreadyActive, "POA");
  CORBEL_POA_EXCEPTION(ServantNotActive, "POA");
  CORBEL_POA_EXCEPTION(WrongAdapter, "POA");
  CORBEL_POA_EXCEPTION(WrongPolicy, "POA");
  /// `index`: the first policy in the list that is unknown or conflicts with another.
  class CORBEL_API InvalidPolicy final : public CORBA::UserException {
   public:
    static constexpr const char* _id = "IDL:omg.org/PortableServer/POA/InvalidPolicy:1.0";
    InvalidPolicy() = default;
    explicit InvalidPolicy(std::uint16_t index) : index_(index) {}
    std::uint16_t index() const noexcept { return index_; }
    void index(std::uint16_t index) noexcept { index_ = index; }
    [[noreturn]] void _raise() const override;
    const char* _rep_id() const noexcept override;
    const char* _name() const noexcept override;
    void _encode(corbel::cdr::Encoder& encoder) const override;

   protected:
    void _info(std::string& text) const override;

   private:
    std::uint16_t index_ = 0;
  };

  /// A nil manager makes a new one, in the holding state.
  virtual IDL::traits<POA>::ref_type create_POA(const std::string& adapter_name,
                                                IDL::traits<POAManager>::ref_type a_POAManager,
                                                const CORBA::PolicyList& policies) = 0;
  virtual IDL::traits<POA>::ref_type find_POA(const std::string& adapter_name, bool activate_it) = 0;
  /// Destroys this POA and its descendants; requests that run finish, new ones find no adapter. `wait_for_completion`
  /// from inside a request of this ORB throws BAD_INV_ORDER minor OMG 3; TIMEOUT if requests still run after
  /// -ORBShutdownTimeout: the POA ends when they do.
  virtual void destroy(bool etherealize_objects, bool wait_for_completion) = 0;

  IDL::traits<ThreadPolicy>::ref_type create_thread_policy(ThreadPolicyValue value);
  IDL::traits<LifespanPolicy>::ref_type create_lifespan_policy(LifespanPolicyValue value);
  IDL::traits<IdUniquenessPolicy>::ref_type create_id_uniqueness_policy(IdUniquenessPolicyValue value);
  IDL::traits<IdAssignmentPolicy>::ref_type create_id_assignment_policy(IdAssignmentPolicyValue value);
  IDL::traits<ImplicitActivationPolicy>::ref_type create_implicit_activation_policy(
      ImplicitActivationPolicyValue value);
  IDL::traits<ServantRetentionPolicy>::ref_type create_servant_retention_policy(ServantRetentionPolicyValue value);
  IDL::traits<RequestProcessingPolicy>::ref_type create_request_processing_policy(RequestProcessingPolicyValue value);

  virtual std::string the_name() = 0;
  virtual IDL::traits<POA>::ref_type the_parent() = 0;
  virtual POAList the_children() = 0;
  virtual IDL::traits<POAManager>::ref_type the_POAManager() = 0;
  virtual IDL::traits<POAManagerFactory>::ref_type the_POAManagerFactory() = 0;
  virtual IDL::traits<AdapterActivator>::ref_type the_activator() = 0;
  virtual void the_activator(IDL::traits<AdapterActivator>::ref_type activator) = 0;
  /// Identifies the POA within the process.
  virtual std::vector<std::uint8_t> id() = 0;

  virtual IDL::traits<ServantManager>::ref_type get_servant_manager() = 0;
  /// At most once (BAD_INV_ORDER minor OMG 6).
  virtual void set_servant_manager(IDL::traits<ServantManager>::ref_type imgr) = 0;
  virtual IDL::traits<Servant>::ref_type get_servant() = 0;
  /// The default servant.
  virtual void set_servant(IDL::traits<Servant>::ref_type p_servant) = 0;

  virtual ObjectId activate_object(IDL::traits<Servant>::ref_type p_servant) = 0;
  virtual void activate_object_with_id(const ObjectId& id, IDL::traits<Servant>::ref_type p_servant) = 0;
  /// New requests no longer find the object; those that run finish, then the servant is etherealised and released.
  virtual void deactivate_object(const ObjectId& oid) = 0;
  virtual IDL::traits<CORBA::Object>::ref_type create_reference(const std::string& intf) = 0;
  virtual IDL::traits<CORBA::Object>::ref_type create_reference_with_id(const ObjectId& oid,
                                                                        const std::string& intf) = 0;

  virtual ObjectId servant_to_id(IDL::traits<Servant>::ref_type p_servant) = 0;
  virtual IDL::traits<CORBA::Object>::ref_type servant_to_reference(IDL::traits<Servant>::ref_type p_servant) = 0;
  virtual IDL::traits<Servant>::ref_type reference_to_servant(IDL::traits<CORBA::Object>::ref_type reference) = 0;
  /// WrongAdapter unless the reference names this POA: a persistent one by an address at which this ORB listens, as its
  /// own references have it ("localhost" in a corbaloc is another text).
  virtual ObjectId reference_to_id(IDL::traits<CORBA::Object>::ref_type reference) = 0;
  virtual IDL::traits<Servant>::ref_type id_to_servant(const ObjectId& oid) = 0;
  virtual IDL::traits<CORBA::Object>::ref_type id_to_reference(const ObjectId& oid) = 0;

 protected:
  POA() noexcept = default;
};

/// Octets of the text; ObjectId_to_string throws BAD_PARAM for ids with octets that no string can hold (NUL).
CORBEL_API ObjectId string_to_ObjectId(const std::string& text);
CORBEL_API std::string ObjectId_to_string(const ObjectId& id);
/// Each character as UTF-8.
CORBEL_API ObjectId wstring_to_ObjectId(const std::wstring& text);
CORBEL_API std::wstring ObjectId_to_wstring(const ObjectId& id);

}  // namespace PortableServer

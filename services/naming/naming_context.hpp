// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "NamingLeases_server.hpp"
#include "service.hpp"

namespace corbel::naming {

/// Serves all contexts of a service (CosNaming 1.3, 2.3 and 2.5), with leases on names. A name of several components is
/// followed as far as this store goes in one snapshot of it; what happens at its end is one change. A name that leads
/// into a context of another service is handed on to that. Thread-safe, keeps nothing.
class NamingContextServant final : public virtual CORBA::servant_traits<CorbelNaming::LeasingContext>::base_type {
 public:
  using Name = CosNaming::Name;
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
  using IteratorRef = IDL::traits<CosNaming::BindingIterator>::ref_type;

  explicit NamingContextServant(Service& service) noexcept : service_(service) {}

  void bind(const Name& n, ObjectRef obj) override;
  void rebind(const Name& n, ObjectRef obj) override;
  void bind_context(const Name& n, ContextRef nc) override;
  void rebind_context(const Name& n, ContextRef nc) override;
  ObjectRef resolve(const Name& n) override;
  void unbind(const Name& n) override;
  ContextRef new_context() override;
  ContextRef bind_new_context(const Name& n) override;
  void destroy() override;
  void list(std::uint32_t how_many, CosNaming::BindingList& bl, IteratorRef& bi) override;

  std::string to_string(const Name& n) override;
  Name to_name(const std::string& sn) override;
  std::string to_url(const std::string& addr, const std::string& sn) override;
  ObjectRef resolve_str(const std::string& n) override;

  std::uint32_t bind_leased(const Name& n, ObjectRef obj, CorbelNaming::LeaseId lease, std::uint32_t seconds) override;
  std::uint32_t rebind_leased(const Name& n, ObjectRef obj, CorbelNaming::LeaseId lease,
                              std::uint32_t seconds) override;
  std::uint32_t renew(const Name& n, CorbelNaming::LeaseId lease, std::uint32_t seconds) override;
  void release(const Name& n, CorbelNaming::LeaseId lease) override;

  bool _non_existent() override;

 private:
  void check(const Name& name) const;
  /// Calls local(context, last component) where all but the last component lead, or foreign(context, rest of the name)
  /// where another service goes on.
  template <class Local, class Foreign>
  auto at_end(const Name& name, Local local, Foreign foreign);
  [[noreturn]] void refuse(const Name& name, const Walk& walk);
  [[noreturn]] void refuse(Outcome outcome, ContextId context, const CosNaming::NameComponent& last);
  void bind(const Name& name, const Bound& bound, bool replace);
  /// A limit on what is granted, then the same with a lease.
  Term term(CorbelNaming::LeaseId lease, std::uint32_t seconds) const;
  std::uint32_t bind_leased(const Name& name, const ObjectRef& object, const Term& term, bool replace);

  Service& service_;
};

}  // namespace corbel::naming

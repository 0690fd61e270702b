// SPDX-License-Identifier: Apache-2.0
#include "service.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "corbel/orb/statistics.hpp"
#include "iterators.hpp"
#include "naming_context.hpp"

namespace corbel::naming {
namespace {

using PortableServer::IdAssignmentPolicyValue;
using PortableServer::IdUniquenessPolicyValue;
using PortableServer::LifespanPolicyValue;
using PortableServer::RequestProcessingPolicyValue;
using PortableServer::ServantRetentionPolicyValue;

constexpr std::string_view kPrefix = "IOR:";
constexpr const char* kDigits = "0123456789abcdef";

/// An adapter whose one servant serves whatever ids requests come with.
Service::PoaRef make_adapter(const Service::PoaRef& root, const std::string& name, LifespanPolicyValue lifespan) {
  return root->create_POA(
      name, root->the_POAManager(),
      {root->create_lifespan_policy(lifespan), root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
       root->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID),
       root->create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
       root->create_request_processing_policy(RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)});
}

unsigned digit(char c) {
  return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/// The octets of a reference are those that its stringified form writes as digits; half the size.
std::string octets_of(const std::string& ior) {
  std::string octets;
  octets.reserve((ior.size() - kPrefix.size()) / 2);
  for (std::size_t i = kPrefix.size(); i + 1 < ior.size(); i += 2) {
    octets += static_cast<char>(digit(ior[i]) << 4 | digit(ior[i + 1]));
  }
  return octets;
}

std::string ior_of(const std::string& octets) {
  std::string ior(kPrefix);
  ior.reserve(kPrefix.size() + 2 * octets.size());
  for (const char octet : octets) {
    ior += kDigits[static_cast<unsigned char>(octet) >> 4];
    ior += kDigits[static_cast<unsigned char>(octet) & 15];
  }
  return ior;
}

/// The number behind the prefix of an object id; nothing if it is no id of ours.
std::optional<ContextId> context_of(const PortableServer::ObjectId& id, const std::string& prefix) {
  const std::string_view text(reinterpret_cast<const char*>(id.data()), id.size());
  if (!text.starts_with(prefix)) return std::nullopt;
  ContextId context = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + prefix.size(), end, context);
  return error == std::errc() && stopped == end && context > 0 ? std::optional(context) : std::nullopt;
}

/// Other services may be silent: half of the threads at most wait for them, so that the names of this one are found.
ServiceLimits within_threads(ServiceLimits limits, CORBA::ORB& orb) {
  const auto half = static_cast<int>(std::max(corbel::orb::statistics(orb).most_threads / 2, 1U));
  limits.foreign_calls = std::min(limits.foreign_calls, half);
  return limits;
}

}  // namespace

Service::Service(OrbRef orb, Store& store, ServiceLimits limits)
    : orb_(std::move(orb)),
      store_(store),
      limits_(within_threads(limits, *orb_)),
      id_prefix_(hex(store.identity()) + "/") {
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  current_ = IDL::traits<PortableServer::Current>::narrow(orb_->resolve_initial_references("POACurrent"));
  contexts_ = make_adapter(root, "naming", LifespanPolicyValue::PERSISTENT);
  const PoaRef iterators = make_adapter(root, "iterators", LifespanPolicyValue::TRANSIENT);
  iterators_ = std::make_unique<Iterators>(iterators, current_, store_, limits_);
  contexts_->set_servant(CORBA::make_reference<NamingContextServant>(*this));
  iterators->set_servant(CORBA::make_reference<BindingIteratorServant>(*iterators_));
  orb_->register_initial_reference("NameService", this->root());
  root->the_POAManager()->activate();
}

Service::~Service() = default;

PortableServer::ObjectId Service::object_id(ContextId context) const {
  return PortableServer::string_to_ObjectId(id_prefix_ + std::to_string(context));
}

ContextId Service::current() {
  const auto context = context_of(current_->get_object_id(), id_prefix_);
  if (!context) {
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the reference was made with another database of names");
  }
  return *context;
}

IDL::traits<CosNaming::NamingContextExt>::ref_type Service::reference(ContextId context) {
  return IDL::traits<CosNaming::NamingContextExt>::unchecked_narrow(
      contexts_->create_reference_with_id(object_id(context), std::string(CosNaming::NamingContextExt::_interface_id)));
}

Bound Service::bound(const ObjectRef& object, CosNaming::BindingType type) {
  if (object == nullptr) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a name cannot be bound to nil");
  if (type == CosNaming::BindingType::ncontext) {
    try {
      if (const auto context = context_of(contexts_->reference_to_id(object), id_prefix_)) return {type, *context, {}};
    } catch (const PortableServer::POA::WrongAdapter&) {  // another service's
    }
  }
  return {type, 0, octets_of(orb_->object_to_string(object))};
}

Service::ObjectRef Service::object(const Bound& bound) {
  if (bound.child != 0) return reference(bound.child);
  return orb_->string_to_object(ior_of(bound.reference));
}

}  // namespace corbel::naming

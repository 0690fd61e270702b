// SPDX-License-Identifier: Apache-2.0
// Operations of contexts on bindings that end.
#include <algorithm>

#include "following.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;
using LeasingContext = CorbelNaming::LeasingContext;

/// The same for another service's context. One that knows no leases has not done anything.
IDL::traits<LeasingContext>::ref_type leasing(const NamingContextServant::ContextRef& context) {
  auto narrowed = IDL::traits<LeasingContext>::narrow(context);
  if (narrowed == nullptr) throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO, "the service there knows no leases");
  return narrowed;
}

std::uint32_t seconds_of(const Term& term) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(term.length).count());
}

}  // namespace

Term NamingContextServant::term(CorbelNaming::LeaseId lease, std::uint32_t seconds) const {
  if (lease == 0) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a lease has a number that is not 0");
  if (seconds == 0) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a lease lasts a second at least");
  return {static_cast<std::int64_t>(lease), std::min(std::chrono::seconds(seconds), service_.limits().lease)};
}

std::uint32_t NamingContextServant::bind_leased(const Name& name, const ObjectRef& object, const Term& term,
                                                bool replace) {
  const Bound bound = service_.bound(object, BindingType::nobject);
  return at_end(
      name,
      [&](ContextId context, const NameComponent& last) {
        const Outcome outcome = stored([&] { return service_.store().bind(context, last, bound, replace, term); });
        if (outcome != Outcome::done) refuse(outcome, context, last);
        return seconds_of(term);
      },
      [&](const ContextRef& context, const Name& others) {
        const auto lease = static_cast<CorbelNaming::LeaseId>(term.lease);
        return replace ? leasing(context)->rebind_leased(others, object, lease, seconds_of(term))
                       : leasing(context)->bind_leased(others, object, lease, seconds_of(term));
      });
}

std::uint32_t NamingContextServant::bind_leased(const Name& n, ObjectRef obj, CorbelNaming::LeaseId lease,
                                                std::uint32_t seconds) {
  return bind_leased(n, obj, term(lease, seconds), false);
}

std::uint32_t NamingContextServant::rebind_leased(const Name& n, ObjectRef obj, CorbelNaming::LeaseId lease,
                                                  std::uint32_t seconds) {
  return bind_leased(n, obj, term(lease, seconds), true);
}

std::uint32_t NamingContextServant::renew(const Name& n, CorbelNaming::LeaseId lease, std::uint32_t seconds) {
  const Term length = term(lease, seconds);
  return at_end(
      n,
      [&](ContextId context, const NameComponent& last) {
        const Outcome outcome = stored([&] { return service_.store().renew(context, last, length); });
        if (outcome != Outcome::done) refuse(outcome, context, last);
        return seconds_of(length);
      },
      [&](const ContextRef& context, const Name& others) { return leasing(context)->renew(others, lease, seconds); });
}

void NamingContextServant::release(const Name& n, CorbelNaming::LeaseId lease) {
  at_end(
      n,
      [&](ContextId context, const NameComponent& last) {
        const auto held = static_cast<std::int64_t>(lease);
        const Outcome outcome = stored([&] { return service_.store().release(context, last, held); });
        if (outcome != Outcome::done) refuse(outcome, context, last);
      },
      [&](const ContextRef& context, const Name& others) { leasing(context)->release(others, lease); });
}

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
#include "naming_context.hpp"

#include <span>

#include "corbel/ior/url.hpp"
#include "following.hpp"
#include "iterators.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::Name;
using CosNaming::NameComponent;
// Inside the servant the bare names are those of its skeletons.
using Context = CosNaming::NamingContext;
using ContextExt = CosNaming::NamingContextExt;
using NotFoundReason = CosNaming::NamingContext::NotFoundReason;

}  // namespace

void NamingContextServant::check(const Name& name) const {
  if (name.empty()) throw Context::InvalidName();
  if (!within(name, service_.limits().names)) {
    throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO, "the name has too many components, or too long ones");
  }
}

void NamingContextServant::refuse(const Name& name, const Walk& walk) {
  switch (walk.outcome) {
    case Outcome::not_context:
      throw Context::NotFound(NotFoundReason::not_context, rest(name, walk.at));
    case Outcome::gone:
      if (walk.at == 0) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the context was destroyed");
      // The name leads to a context that was destroyed. A client that can unbind it is told where.
      throw Context::CannotProceed(service_.reference(walk.context), rest(name, walk.at));
    default:
      throw Context::NotFound(NotFoundReason::missing_node, rest(name, walk.at));
  }
}

/// What became of a change to the last component, in that context.
void NamingContextServant::refuse(Outcome outcome, ContextId context, const NameComponent& last) {
  switch (outcome) {
    case Outcome::missing:
      throw Context::NotFound(NotFoundReason::missing_node, Name{last});
    case Outcome::not_context:
      throw Context::NotFound(NotFoundReason::not_context, Name{last});
    case Outcome::not_object:
      throw Context::NotFound(NotFoundReason::not_object, Name{last});
    case Outcome::exists:
      throw Context::AlreadyBound();
    case Outcome::not_empty:
      throw Context::NotEmpty();
    case Outcome::not_held:
      throw CorbelNaming::NotHeld();
    case Outcome::full:
      throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, "a limit of the naming service is reached");
    case Outcome::argument_gone:
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "the context that was to be bound was destroyed");
    default:
      // OBJECT_NOT_EXIST is said of the object that was asked only: clients forget its reference for good. Another
      // context, destroyed since the name was followed to it, is where that name ended.
      if (context != service_.current()) throw Context::CannotProceed(service_.reference(context), Name{last});
      throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the context was destroyed");
  }
}

void NamingContextServant::bind(const Name& name, const Bound& bound, bool replace) {
  at_end(
      name,
      [&](ContextId context, const NameComponent& last) {
        const Outcome outcome = stored([&] { return service_.store().bind(context, last, bound, replace); });
        if (outcome != Outcome::done) refuse(outcome, context, last);
      },
      [&](const ContextRef& context, const Name& others) {
        const ObjectRef object = service_.object(bound);
        if (bound.type == BindingType::nobject) {
          replace ? context->rebind(others, object) : context->bind(others, object);
        } else {
          const ContextRef child = IDL::traits<Context>::unchecked_narrow(object);
          replace ? context->rebind_context(others, child) : context->bind_context(others, child);
        }
      });
}

void NamingContextServant::bind(const Name& n, ObjectRef obj) {
  bind(n, service_.bound(obj, BindingType::nobject), false);
}

void NamingContextServant::rebind(const Name& n, ObjectRef obj) {
  bind(n, service_.bound(obj, BindingType::nobject), true);
}

void NamingContextServant::bind_context(const Name& n, ContextRef nc) {
  bind(n, service_.bound(nc, BindingType::ncontext), false);
}

void NamingContextServant::rebind_context(const Name& n, ContextRef nc) {
  bind(n, service_.bound(nc, BindingType::ncontext), true);
}

NamingContextServant::ObjectRef NamingContextServant::resolve(const Name& n) {
  check(n);
  const ContextId here = service_.current();
  const Walk walk = stored([&] { return service_.store().resolve(here, n); });
  if (walk.outcome == Outcome::done) return service_.object(walk.bound);
  if (walk.outcome != Outcome::foreign) refuse(n, walk);
  return service_.proceed(walk.bound, rest(n, walk.at + 1), Service::Effect::none,
                          [](const ContextRef& context, const Name& others) { return context->resolve(others); });
}

void NamingContextServant::unbind(const Name& n) {
  at_end(
      n,
      [&](ContextId context, const NameComponent& last) {
        const Outcome outcome = stored([&] { return service_.store().unbind(context, last); });
        if (outcome != Outcome::done) refuse(outcome, context, last);
      },
      [](const ContextRef& context, const Name& others) { context->unbind(others); });
}

NamingContextServant::ContextRef NamingContextServant::new_context() {
  const ContextId here = service_.current();
  ContextId made = 0;
  const Outcome outcome =
      stored([&] { return service_.store().exists(here) ? service_.store().new_context(made) : Outcome::gone; });
  if (outcome != Outcome::done) refuse(outcome, here, {});
  return service_.reference(made);
}

NamingContextServant::ContextRef NamingContextServant::bind_new_context(const Name& n) {
  return at_end(
      n,
      [&](ContextId context, const NameComponent& last) -> ContextRef {
        ContextId made = 0;
        const Outcome outcome = stored([&] { return service_.store().bind_new_context(context, last, made); });
        if (outcome != Outcome::done) refuse(outcome, context, last);
        return service_.reference(made);
      },
      [](const ContextRef& context, const Name& others) { return context->bind_new_context(others); });
}

void NamingContextServant::destroy() {
  const ContextId here = service_.current();
  if (here == kRoot) throw CORBA::NO_PERMISSION(0, CORBA::COMPLETED_NO, "the root context cannot be destroyed");
  const Outcome outcome = stored([&] { return service_.store().destroy(here); });
  if (outcome != Outcome::done) refuse(outcome, here, {});
}

void NamingContextServant::list(std::uint32_t how_many, CosNaming::BindingList& bl, IteratorRef& bi) {
  const ContextId here = service_.current();
  stored([&] {
    if (!service_.store().exists(here)) refuse(Outcome::gone, here, {});
    bi = service_.iterators().begin(here, how_many, bl);
  });
}

std::string NamingContextServant::to_string(const Name& n) {
  check(n);
  return naming::to_string(n);
}

Name NamingContextServant::to_name(const std::string& sn) {
  auto name = parse_name(sn, service_.limits().names);
  if (!name) throw Context::InvalidName();
  check(*name);
  return *std::move(name);
}

std::string NamingContextServant::to_url(const std::string& addr, const std::string& sn) {
  to_name(sn);
  const std::string url = "corbaname:" + addr + "#" + escape_for_url(sn);
  ior::UrlFault fault = ior::UrlFault::none;
  if (addr.empty() || addr.find('#') != std::string::npos || !ior::parse_object_url(url, fault)) {
    throw ContextExt::InvalidAddress();
  }
  return url;
}

NamingContextServant::ObjectRef NamingContextServant::resolve_str(const std::string& n) {
  return resolve(to_name(n));
}

bool NamingContextServant::_non_existent() {
  const ContextId here = service_.current();
  return stored([&] { return !service_.store().exists(here); });
}

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
// What the operations of a context have in common: where a name leads, and what the store's failures are to clients.
// For the servant's own sources only.
#pragma once

#include <span>

#include "naming_context.hpp"

namespace corbel::naming {

inline CosNaming::Name rest(const CosNaming::Name& name, std::size_t from) {
  return CosNaming::Name(name.begin() + static_cast<std::ptrdiff_t>(from), name.end());
}

/// The store's failures as clients see them.
template <class Work>
auto stored(Work work) {
  try {
    return work();
  } catch (const StoreError& error) {
    const bool maybe = error.completed() == StoreError::Completed::maybe;
    const auto completed = maybe ? CORBA::COMPLETED_MAYBE : CORBA::COMPLETED_NO;
    if (error.fault() == StoreError::Fault::away) throw CORBA::TRANSIENT(0, completed, error.what());
    throw CORBA::PERSIST_STORE(0, completed, error.what());
  }
}

template <class Local, class Foreign>
auto NamingContextServant::at_end(const Name& name, Local local, Foreign foreign) {
  check(name);
  const ContextId here = service_.current();
  const std::span<const CosNaming::NameComponent> way(name.data(), name.size() - 1);
  const Walk walk = stored([&] { return service_.store().walk(here, way); });
  if (walk.outcome == Outcome::foreign) {
    return service_.proceed(walk.bound, rest(name, walk.at + 1), Service::Effect::change, foreign);
  }
  if (walk.outcome != Outcome::done) refuse(name, walk);
  return local(walk.context, name.back());
}

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
// Bindings that end. They are not seen any more from that moment on; who comes by removes them.
#include "sql_store.hpp"
#include "statements.hpp"

namespace corbel::naming {

using CosNaming::NameComponent;

std::int64_t SqlStore::sweep_now() {
  std::int64_t now = 0;
  {
    const Running row(writer_->now);
    if (row->step()) now = row->number(0);
  }
  writer_->uncount_ended.bind(1, now).run();
  writer_->remove_ended.bind(1, now).run();
  const std::int64_t removed = writer_->connection->changes();
  bindings_ -= removed;
  return removed;
}

Outcome SqlStore::renew(ContextId context, const NameComponent& name, const Term& term) {
  return change([&] {
    bool is_context = false;
    std::int64_t lease = 0;
    if (look_up(context, name, is_context, lease) == Outcome::missing) return nothing_there(context);
    if (lease == 0 || lease != term.lease) return Outcome::not_held;
    Statement& renew = writer_->renew;
    renew.bind(1, context).bind(2, name.id()).bind(3, name.kind());
    renew.bind(4, lease).bind(5, static_cast<std::int64_t>(term.length.count())).run();
    return Outcome::done;
  });
}

Outcome SqlStore::release(ContextId context, const NameComponent& name, std::int64_t lease) {
  return change([&] {
    bool is_context = false;
    std::int64_t held = 0;
    if (look_up(context, name, is_context, held) == Outcome::missing) return nothing_there(context);
    return held != 0 && held == lease ? remove(context, name) : Outcome::not_held;
  });
}

std::int64_t SqlStore::sweep() {
  if (!any_ended()) return 0;
  std::int64_t swept = 0;
  change([&] {
    swept = sweep_now();
    return Outcome::done;
  });
  return swept;
}

}  // namespace corbel::naming

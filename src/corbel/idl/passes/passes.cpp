// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/passes/passes.hpp"

#include "corbel/idl/passes/library.hpp"
#include "corbel/idl/passes/pollers.hpp"
#include "corbel/idl/passes/reply_handlers.hpp"

namespace corbel::idl::passes {

std::unique_ptr<const model::Model> run(std::unique_ptr<model::Model> model, const Wanted& wanted) {
  if (wanted.library) leave_to_library(*model);
  if (wanted.handlers != Handlers::none) imply_reply_handlers(*model, wanted.handlers == Handlers::all);
  if (wanted.pollers) imply_pollers(*model);
  return model;
}

}  // namespace corbel::idl::passes

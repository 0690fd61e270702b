// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::passes {

/// Adds the implied IDL of asynchronous calls (CORBA 3.3 part 1, 22.10): after each interface I with operations that
/// are wanted in this form, the interface AMI_<I>Handler, which Interface::reply_handler then names. Wanted is what has
/// the annotation @ami, or with `all` everything. Fills Interface::async_names first.
void imply_reply_handlers(model::Model& model, bool all);

}  // namespace corbel::idl::passes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::passes {

/// Adds the implied IDL of polled calls (CORBA 3.3 part 1, 22.10): after each interface I that has a reply handler, and
/// that handler, the valuetype AMI_<I>Poller, which Interface::poller then names, with an operation for each that the
/// handler is told of. After imply_reply_handlers().
void imply_pollers(model::Model& model);

}  // namespace corbel::idl::passes

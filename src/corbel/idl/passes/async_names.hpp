// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::passes {

/// Fills Interface::async_names of every interface. The names are those of CORBA 3.3 part 1, 22.10, with `ami_` put in
/// as often as it takes: none is what the interface or one of its bases declares, or another asynchronous form of them.
/// They depend on nothing but the interface and its bases, so that all files that include them agree.
void name_async_forms(model::Model& model);

}  // namespace corbel::idl::passes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::passes {

/// Adds the implied IDL of asynchronous calls (CORBA 3.3 part 1, 22.10): after each interface I with operations that
/// are wanted in this form, the interface AMI_<I>Handler, which Interface::reply_handler then names. Wanted is what has
/// the annotation @ami, or with `all` everything.
void imply_reply_handlers(model::Model& model, bool all);

/// What the asynchronous forms of an operation, or of an attribute's get or set, are called.
struct AsyncNames {
  std::string send;   ///< "sendc_echo", "sendc_get_level"
  std::string reply;  ///< of the handler: "echo", "get_level"
  std::string fail;   ///< "echo_excep"
};
/// `wire_name`: "echo", "_get_level".
AsyncNames async_names(const model::Interface& interface, const std::string& wire_name);
/// "echo", "get_level": what those names are made of, "ami_get_level" if there is an operation `get_level`, too.
std::string base_name(const model::Interface& interface, const std::string& wire_name);
/// "async_" and the name, or longer if the interface uses that already.
std::string unused_name(const model::Interface& interface, const std::string& prefix, const std::string& name);

}  // namespace corbel::idl::passes

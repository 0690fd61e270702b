// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "corbel/idl/model/model.hpp"

/// Names in the implied IDL of asynchronous calls (CORBA 3.3 part 1, 22.8 and 22.10).
namespace corbel::idl::passes {

/// Names of types beside the interfaces that they are implied by. A module may be opened again, with names that clash
/// with those of the first part.
class ImpliedNames {
 public:
  explicit ImpliedNames(const model::Model& model) { note(model.contents, ""); }

  /// "AMI_EchoHandler" for "Handler"; with more AMI_ if that is taken.
  std::string add(const model::Interface& interface, const std::string& ending);

 private:
  void note(const model::Contents& contents, const std::string& scope);

  std::map<std::string, std::set<std::string>> names_;  // by scope
};

/// "IDL:Demo/AMI_EchoHandler:1.0" from "IDL:Demo/Echo:1.0".
std::string implied_id(const model::Interface& interface, const std::string& name);
/// The name, with `ami_` before it as often as it takes to be none of these.
std::string parameter_name(std::string name, const std::vector<model::Parameter>& others);

}  // namespace corbel::idl::passes

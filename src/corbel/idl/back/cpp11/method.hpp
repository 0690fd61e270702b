// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::back::cpp11 {

/// One C++ method of an interface: an operation, or an attribute's get or set.
struct Method {
  std::string wire_name;  ///< "_get_level"
  std::string name;       ///< "level"
  const model::Type* result;
  std::vector<model::Parameter> parameters;
  const std::vector<const model::Exception*>* raises;
  bool oneway = false;
  bool overloaded = false;                                      ///< shares its C++ name with another method
  const model::Interface* owner;                                ///< null for those of a value
  bool context = false;                                         ///< an operation with a context clause
  bool shared = false;                                          ///< servants return a std::shared_ptr to the result
  const std::vector<const model::Exception*>* tells = nullptr;  ///< model::Operation::tells
  std::size_t place = 0;                                        ///< among the methods of the owner, or of `adopted`
  const model::Interface* adopted = nullptr;                    ///< the abstract interface that it comes from
};

}  // namespace corbel::idl::back::cpp11

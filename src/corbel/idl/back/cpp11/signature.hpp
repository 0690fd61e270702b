// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "corbel/idl/back/cpp11/names.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::back::cpp11 {

struct Method;

/// Tells operations apart by the C++ types that stub and skeleton exchange when both are in one process. Remembers what
/// it has worked out; one per model, not thread-safe.
class Signatures {
 public:
  explicit Signatures(const Names& names) noexcept : names_(names) {}

  /// "corbel::corba::signature(0x0123456789abcdef)": equal for two operations only if these are of one name, direction
  /// by direction of the same types down to the last member, with the same exceptions.
  std::string of(const Method& method);

 private:
  const std::string& closure(const model::Declaration& declaration);

  const Names& names_;
  std::map<const model::Declaration*, std::string> closures_;
};

}  // namespace corbel::idl::back::cpp11

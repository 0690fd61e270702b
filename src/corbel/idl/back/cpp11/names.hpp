// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::back::cpp11 {

/// The C++ identifier for an IDL one: C++ keywords and macros get the prefix `_cxx_`.
std::string escape(std::string_view identifier);
/// The same for a member of an exception, where `what` is taken too.
std::string escape_exception_member(std::string_view identifier);
/// The private data member behind an accessor: "_m_count". Nothing else of what generated code adds begins with `_m_`.
std::string storage(const std::string& name);

/// Spells names of declarations. Users may call things what they like. Therefore their types are always named from
/// `::`, and what is the library's from `corbel`, `CORBA` or `std`. Everything else in generated code, down to
/// parameters and variables, begins with an underscore, which IDL cannot write (tests/idl/spelling.py).
class Names {
 public:
  explicit Names(const model::Model& model);

  /// "::Demo::Echo::Part": means the same everywhere.
  std::string global(const model::Declaration& declaration) const { return "::" + full(declaration); }
  /// "Demo::Echo::Part": to define something, where C++ has no leading `::`.
  std::string full(const model::Declaration& declaration) const;
  /// "Echo::Part": the same within the module around.
  std::string within_module(const model::Declaration& declaration) const;
  /// The last part alone, for the definition.
  std::string own(const model::Declaration& declaration) const;
  /// Skeleton class of an interface or valuetype: "::Demo::POA::Echo", or just "Echo" within the POA namespace of that
  /// module.
  std::string skeleton(const model::Declaration* module, const model::Declaration& served) const;
  std::string skeleton(const model::Declaration& served) const { return "::" + path_of(served.scope, "POA", served); }
  /// "Demo::POA", "POA" at file level.
  std::string skeleton_namespace(const model::Declaration* module) const;
  /// The class with a value's state: "::Demo::obv::Point".
  std::string obv(const model::ValueType& value) const { return "::" + path_of(value.scope, "obv", value); }
  /// "corbel::types::Demo": of the constants that describe what is declared beside it.
  std::string types_namespace(const model::Declaration& declaration) const;
  /// The class that makes values: "Point_init".
  std::string factory(const model::ValueType& value) const;

 private:
  /// Finds out what must be renamed.
  void collect(const model::Contents& contents);
  /// Finds out which of a value's factory and a declaration called like it gives way: the later one.
  void settle_factory(const model::Declaration& declaration);
  std::string path_of(const model::Declaration* module, const std::string& space,
                      const model::Declaration& declaration) const;

  std::unordered_set<std::string> values_;                 ///< IDL names of values that have a factory
  std::unordered_set<const model::Declaration*> renamed_;  ///< called like an earlier value's factory, or a member
  std::unordered_set<std::string> factories_;              ///< values whose factory is called otherwise
  std::unordered_set<std::string> seen_;                   ///< IDL names so far
};

}  // namespace corbel::idl::back::cpp11

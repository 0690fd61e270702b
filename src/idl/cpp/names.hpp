// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "idl/model/model.hpp"

namespace corbel::idl::cpp {

/// The C++ identifier for an IDL one: C++ keywords get the prefix `_cxx_`.
std::string escape(std::string_view identifier);
/// The same for a member of an exception, where `what` is taken too.
std::string escape_exception_member(std::string_view identifier);

/// Where in the generated code a name is about to be written.
struct Context {
  const model::Declaration* scope = nullptr;  ///< the module, interface, struct or union around; null at file level
  bool skeleton = false;                      ///< in the POA namespace of that scope
  std::vector<std::string> hidden = {};       ///< further names that mean something else here (parameters, T)
};

/// Spells names of declarations so that C++ finds what IDL meant: short where nothing in between hides them.
class Names {
 public:
  explicit Names(const model::Model& model);

  /// "Demo::Echo::Part"
  std::string full(const model::Declaration& declaration) const;
  /// The last part alone, for the definition.
  std::string own(const model::Declaration& declaration) const;
  /// As short as the context allows.
  std::string in(const Context& context, const model::Declaration& declaration) const;
  /// Skeleton class: "Demo::POA::Echo", or just "Echo" within the same namespace.
  std::string skeleton(const Context& context, const model::Interface& interface) const;
  /// "Demo::POA", "POA" at file level.
  std::string skeleton_namespace(const model::Declaration* module) const;
  /// The class with a value's state: "::Demo::obv::Point".
  std::string obv(const model::ValueType& value) const;
  /// `name`, or `name_` if the plain one would hide a type or namespace that is visible from the scope.
  std::string parameter(const model::Declaration& scope, const std::string& name) const;
  /// True if anything declared in the model has this C++ name, in whatever scope.
  bool is_used(const std::string& name) const { return all_.contains(name); }

 private:
  using Path = std::vector<std::string>;
  static Path path_of(const model::Declaration* declaration);
  void collect(const model::Contents& contents, const std::string& scope);
  bool is_hidden(const Context& context, const Path& from, const Path& target, std::size_t depth) const;

  std::unordered_map<std::string, std::unordered_set<std::string>> members_;  ///< by full name of the scope
  std::unordered_set<std::string> all_;
  std::unordered_set<std::string> types_;  ///< full names, modules included
};

}  // namespace corbel::idl::cpp

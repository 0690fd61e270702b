// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/names.hpp"

#include <algorithm>
#include <vector>

#include "corbel/idl/back/cpp11/library.hpp"
#include "corbel/idl/back/cpp11/reserved.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

constexpr const char* kPrefix = "_cxx_";

/// Operations, attributes, factories: functions of a class, which hide no type that generated code names.
bool is_function(const model::Declaration& declaration) {
  return as<model::Operation>(&declaration) != nullptr || as<model::Attribute>(&declaration) != nullptr ||
         as<model::Factory>(&declaration) != nullptr;
}

/// Whether it is the library's, or extends one of the library's modules: it keeps its name.
bool is_librarys(const model::Declaration& declaration) {
  const bool module = as<model::Module>(&declaration) != nullptr;
  if (!module) return !library_header(declaration).empty();
  return declaration.scope == nullptr && declaration.repository_id.starts_with("IDL:omg.org/");
}

/// Whether a type, module or constant of that name would stand in the way of generated code.
bool is_taken(const model::Declaration& declaration) {
  if (is_function(declaration) || is_librarys(declaration)) return false;
  const std::string& name = declaration.name;
  if (is_namespace(name) || is_generated(name)) return true;
  if (name == "what" && as<model::Exception>(&declaration) != nullptr) return true;
  return declaration.scope == nullptr && (is_global(name) || is_library_module(name));
}

template <class Members>
bool has(const Members& members, const std::string& name) {
  return std::any_of(members.begin(), members.end(), [&](const auto& m) { return m.name == name; });
}
template <class Member>
bool has(const std::vector<const Member*>& members, const std::string& name) {
  return std::any_of(members.begin(), members.end(), [&](const auto* m) { return m->name == name; });
}
bool has_function(const model::Contents& contents, const std::string& name) {
  return std::any_of(contents.begin(), contents.end(), [&](const auto* d) {
    return is_function(*d) && as<model::Factory>(d) == nullptr && d->name == name;
  });
}
template <class Type>
bool any_has_function(const std::vector<const Type*>& types, const std::string& name) {
  return std::any_of(types.begin(), types.end(), [&](const auto* type) { return has_function(type->contents, name); });
}
bool supports_function(const model::ValueType& value, const std::string& name) {
  return any_has_function(value.supports, name) ||
         std::any_of(value.supports.begin(), value.supports.end(),
                     [&](const auto* interface) { return any_has_function(interface->ancestors, name); });
}

/// Whether the class has or inherits a function of its own name, which C++ would take for a constructor. IDL forbids
/// that for a type's own members, except in bitsets and bitmasks, and allows it for members of its bases.
bool is_called_like_a_member(const model::Declaration& declaration) {
  const std::string& name = declaration.name;
  if (const auto* structure = as<model::Struct>(&declaration)) return has(model::all_members(*structure), name);
  if (const auto* mask = as<model::Bitmask>(&declaration)) return has(mask->flags, name);
  if (const auto* interface = as<model::Interface>(&declaration)) return any_has_function(interface->ancestors, name);
  if (const auto* value = as<model::ValueType>(&declaration)) {
    const auto& bases = value->ancestors;
    return has(model::all_state(*value), name) || any_has_function(bases, name) || supports_function(*value, name) ||
           std::any_of(bases.begin(), bases.end(), [&](const auto* base) { return supports_function(*base, name); });
  }
  for (const auto* bits = as<model::Bitset>(&declaration); bits != nullptr; bits = bits->base) {
    if (has(bits->fields, name)) return true;
  }
  return false;
}

}  // namespace

std::string escape(std::string_view identifier) {
  return (is_reserved(identifier) ? kPrefix : "") + std::string(identifier);
}

std::string escape_exception_member(std::string_view identifier) {
  return identifier == "what" ? "_cxx_what" : escape(identifier);
}

std::string storage(const std::string& name) {
  return "_m_" + name;
}

Names::Names(const model::Model& model) {
  collect(model.contents);
}

void Names::settle_factory(const model::Declaration& declaration) {
  constexpr std::string_view kEnding = "_init";
  const std::string name = scoped_name(declaration);
  const auto* forward = as<model::Forward>(&declaration);
  const auto* value = as<model::ValueType>(forward != nullptr ? forward->target : &declaration);
  if (value != nullptr && !value->is_abstract && value->polled == nullptr && values_.insert(name).second &&
      seen_.contains(name + "_init")) {
    factories_.insert(name);
  }
  seen_.insert(name);
  if (!name.ends_with(kEnding) || !values_.contains(name.substr(0, name.size() - kEnding.size()))) return;
  if (!factories_.contains(name.substr(0, name.size() - kEnding.size()))) {
    renamed_.insert(forward != nullptr ? forward->target : &declaration);
  }
}

void Names::collect(const model::Contents& contents) {
  for (const auto* declaration : contents) {
    settle_factory(*declaration);
    if (is_called_like_a_member(*declaration)) renamed_.insert(declaration);
    if (const auto* inner = model::contents_of(*declaration)) collect(*inner);
  }
}

std::string Names::own(const model::Declaration& declaration) const {
  const bool renamed = renamed_.contains(&declaration);
  if (!renamed && !is_taken(declaration)) return escape(declaration.name);
  // The member of that name has the prefix already.
  return kPrefix + std::string(renamed && is_reserved(declaration.name) ? "type_" : "") + declaration.name;
}

std::string Names::full(const model::Declaration& declaration) const {
  return (declaration.scope == nullptr ? "" : full(*declaration.scope) + "::") + own(declaration);
}

std::string Names::within_module(const model::Declaration& declaration) const {
  const auto* scope = declaration.scope;
  const bool outermost = scope == nullptr || as<model::Module>(scope) != nullptr;
  return (outermost ? "" : within_module(*scope) + "::") + own(declaration);
}

std::string Names::path_of(const model::Declaration* module, const std::string& space,
                           const model::Declaration& declaration) const {
  return (module == nullptr ? "" : full(*module) + "::") + space + "::" + own(declaration);
}

std::string Names::types_namespace(const model::Declaration& declaration) const {
  return "corbel::types" + (declaration.scope == nullptr ? "" : "::" + full(*declaration.scope));
}

std::string Names::factory(const model::ValueType& value) const {
  return (factories_.contains(scoped_name(value)) ? "_" : "") + own(value) + "_init";
}

std::string Names::skeleton_namespace(const model::Declaration* module) const {
  return module == nullptr ? "POA" : full(*module) + "::POA";
}

std::string Names::skeleton(const model::Declaration* module, const model::Declaration& served) const {
  return skeleton_namespace(module) == skeleton_namespace(served.scope) ? own(served) : skeleton(served);
}

}  // namespace corbel::idl::back::cpp11

// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/names.hpp"

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

/// Whether it is the library's, or extends one of its modules: it keeps its name.
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

}  // namespace

std::string escape(std::string_view identifier) {
  return (is_reserved(identifier) ? kPrefix : "") + std::string(identifier);
}

std::string escape_exception_member(std::string_view identifier) {
  return identifier == "what" ? "_cxx_what" : escape(identifier);
}

std::string storage(const std::string& name, bool taken) {
  // Different names stay different: what is not written as `_m_` does not begin with `m_`.
  const bool apart = taken || name.starts_with("cxx_") || name.starts_with("m_");
  return (apart ? "_m_" : "_") + name;
}

Names::Names(const model::Model& model) {
  collect(model.contents);
}

void Names::settle_factory(const model::Declaration& declaration) {
  constexpr std::string_view kEnding = "_init";
  const std::string name = scoped_name(declaration);
  const auto* forward = as<model::Forward>(&declaration);
  const auto* value = as<model::ValueType>(forward != nullptr ? forward->target : &declaration);
  if (value != nullptr && !value->is_abstract && values_.insert(name).second && seen_.contains(name + "_init")) {
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
    const auto* forward = as<model::Forward>(declaration);
    const std::string name = own(forward != nullptr ? *forward->target : *declaration);
    all_.insert(name);
    if (const auto* inner = model::contents_of(*declaration)) collect(*inner);
  }
}

std::string Names::own(const model::Declaration& declaration) const {
  const bool prefixed = is_taken(declaration) || renamed_.contains(&declaration);
  return prefixed ? kPrefix + declaration.name : escape(declaration.name);
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

std::string Names::skeleton(const model::Declaration* module, const model::Interface& interface) const {
  return skeleton_namespace(module) == skeleton_namespace(interface.scope) ? own(interface) : skeleton(interface);
}

}  // namespace corbel::idl::back::cpp11

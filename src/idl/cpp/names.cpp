// SPDX-License-Identifier: Apache-2.0
#include "idl/cpp/names.hpp"

#include <algorithm>

namespace corbel::idl::cpp {
namespace {

using model::as;

const std::unordered_set<std::string_view>& keywords() {
  static const std::unordered_set<std::string_view> kKeywords = {
      "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char8_t",
      "char16_t",    "char32_t", "class",      "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
      "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
      "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
      "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
      "xor_eq"};
  return kKeywords;
}

/// A module or type inside another scope would hide these from the generated code around it.
std::string scope_part(const model::Declaration& declaration) {
  static const std::unordered_set<std::string_view> kOurs = {"std", "corbel", "IDL", "CORBA", "PortableServer"};
  if (declaration.scope != nullptr && kOurs.contains(declaration.name)) return "_cxx_" + declaration.name;
  return escape(declaration.name);
}

std::string join(const std::vector<std::string>& path, std::size_t first = 0) {
  std::string result;
  for (std::size_t i = first; i < path.size(); ++i) result += (i == first ? "" : "::") + path[i];
  return result;
}

}  // namespace

std::string escape(std::string_view identifier) {
  return (keywords().contains(identifier) ? "_cxx_" : "") + std::string(identifier);
}

std::string escape_exception_member(std::string_view identifier) {
  return identifier == "what" ? "_cxx_what" : escape(identifier);
}

Names::Names(const model::Model& model) {
  collect(model.contents, "");
}

void Names::collect(const model::Contents& contents, const std::string& scope) {
  for (const auto* declaration : contents) {
    members_[scope].insert(escape(declaration->name));
    all_.insert(escape(declaration->name));
    if (as<model::Operation>(declaration) == nullptr && as<model::Attribute>(declaration) == nullptr) {
      types_.insert(full(*declaration));
    }
    const model::Contents* inner = model::contents_of(*declaration);
    if (inner == nullptr) continue;
    const std::string path = full(*declaration);
    collect(*inner, path);
    if (const auto* u = as<model::Union>(declaration)) {
      for (const auto& c : u->cases) members_[path].insert(escape(c.member.name));
    } else if (const auto* value = as<model::ValueType>(declaration)) {
      for (const auto& m : value->state) members_[path].insert(escape(m.name));
    } else if (declaration->kind == model::DeclarationKind::struct_ ||
               declaration->kind == model::DeclarationKind::exception) {
      for (const auto& m : static_cast<const model::Struct*>(declaration)->members)
        members_[path].insert(escape(m.name));
    }
  }
}

Names::Path Names::path_of(const model::Declaration* declaration) {
  Path path;
  for (const auto* d = declaration; d != nullptr; d = d->scope) path.push_back(scope_part(*d));
  std::reverse(path.begin(), path.end());
  return path;
}

std::string Names::own(const model::Declaration& declaration) const {
  return scope_part(declaration);
}

std::string Names::full(const model::Declaration& declaration) const {
  return join(path_of(&declaration));
}

/// Whether target[depth], looked up from the context, is found in a scope deeper than the first `depth` parts of `from`
/// and means something else there.
bool Names::is_hidden(const Context& context, const Path& from, const Path& target, std::size_t depth) const {
  const std::string& name = target[depth];
  const std::string wanted = join({target.begin(), target.begin() + static_cast<std::ptrdiff_t>(depth) + 1});
  if (std::find(context.hidden.begin(), context.hidden.end(), name) != context.hidden.end()) return true;
  const auto holds = [&](const std::string& scope) {
    const auto found = members_.find(scope);
    return found != members_.end() && found->second.contains(name);
  };
  Path scope = from;
  for (const auto* d = context.scope; d != nullptr && scope.size() > depth; d = d->scope, scope.pop_back()) {
    if (holds(join(scope))) return true;
    // A class knows its own name and those of its bases.
    if (d->kind != model::DeclarationKind::module_ && scope.back() == name) return join(scope) != wanted;
    const auto hides = [&](const auto* base) {
      return holds(full(*base)) || (own(*base) == name && full(*base) != wanted);
    };
    if (const auto* interface = as<model::Interface>(d)) {
      if (std::any_of(interface->ancestors.begin(), interface->ancestors.end(), hides)) return true;
    } else if (const auto* value = as<model::ValueType>(d)) {
      if (std::any_of(value->ancestors.begin(), value->ancestors.end(), hides)) return true;
      if (std::any_of(value->supports.begin(), value->supports.end(), hides)) return true;
    }
  }
  return false;
}

std::string Names::in(const Context& context, const model::Declaration& declaration) const {
  const Path target = path_of(&declaration);
  const Path from = path_of(context.scope);
  std::size_t common = 0;
  while (common < from.size() && common + 1 < target.size() && from[common] == target[common]) ++common;
  const auto is_doubled = [](const model::Declaration* d) {
    return as<model::Interface>(d) != nullptr || as<model::ValueType>(d) != nullptr;
  };
  bool in_interface = false;
  for (const auto* d = &declaration; d != nullptr; d = d->scope) in_interface |= is_doubled(d);
  // In the POA namespace interfaces are called like their skeletons; in obv values like the classes with their state.
  const bool shadowed = context.skeleton && in_interface;
  if (!shadowed && !is_hidden(context, from, target, common)) return join(target, common);
  const auto* outermost = &declaration;
  while (outermost->scope != nullptr) outermost = outermost->scope;
  const bool global = shadowed && is_doubled(outermost);
  return (global || is_hidden(context, from, target, 0) ? "::" : "") + join(target);
}

std::string Names::obv(const model::ValueType& value) const {
  return "::" + (value.scope == nullptr ? "" : full(*value.scope) + "::") + "obv::" + own(value);
}

std::string Names::parameter(const model::Declaration& scope, const std::string& name) const {
  bool taken = name == "T";  // the parameter of tie templates
  for (const auto* d = &scope; d != nullptr && !taken; d = d->scope) taken = types_.contains(full(*d) + "::" + name);
  return name + (taken || types_.contains(name) ? "_" : "");
}

std::string Names::skeleton_namespace(const model::Declaration* module) const {
  return module == nullptr ? "POA" : full(*module) + "::POA";
}

std::string Names::skeleton(const Context& context, const model::Interface& interface) const {
  const std::string name = own(interface);
  const auto* module = as<model::Interface>(context.scope) != nullptr ? context.scope->scope : context.scope;
  const bool same = path_of(module) == path_of(interface.scope) && context.skeleton;
  return same ? name : skeleton_namespace(interface.scope) + "::" + name;
}

}  // namespace corbel::idl::cpp

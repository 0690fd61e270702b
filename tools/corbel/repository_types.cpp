// SPDX-License-Identifier: Apache-2.0
#include "repository_types.hpp"

#include <algorithm>
#include <stdexcept>

namespace corbel::tool {

namespace model = idl::model;
using model::TypeKind;

namespace {

using CORBA::TCKind;

constexpr std::size_t kMostParts = 100'000;
constexpr int kDeepestTypes = 256;  // levels: what walks over them has a stack

bool is_identifier(std::string_view text) {
  constexpr std::string_view kUsual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return !text.empty() && text.size() <= 1023 && text.find_first_not_of(kUsual) == std::string_view::npos &&
         !(text.front() >= '0' && text.front() <= '9');
}

const std::string& checked_id(const std::string& id) {
  const auto is_usual = [](char c) { return c > ' ' && c < '\x7f'; };
  const std::size_t colon = id.find(':');
  if (id.size() > 4096 || colon == std::string::npos || colon == 0 || !std::all_of(id.begin(), id.end(), is_usual))
    refuse_told("what is no repository id: '" + id.substr(0, 60) + "'");
  return id;
}

/// "omg.org", "M" and "S" of "IDL:omg.org/M/S:1.0"; nothing of ids in other formats.
std::vector<std::string> parts_of(const std::string& id) {
  constexpr std::string_view kFormat = "IDL:";
  const std::size_t end = id.rfind(':');
  std::vector<std::string> parts;
  if (!id.starts_with(kFormat) || end < kFormat.size()) return parts;
  for (std::size_t at = kFormat.size(); at <= end;) {
    const std::size_t stop = std::min(id.find('/', at), end);
    parts.push_back(id.substr(at, stop - at));
    at = stop + 1;
  }
  return parts;
}

/// "M" and "I" of "::M::I".
std::vector<std::string> parts_of_name(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t at = name.starts_with("::") ? 2 : 0; at < name.size();) {
    const std::size_t stop = std::min(name.find("::", at), name.size());
    parts.emplace_back(name.substr(at, stop - at));
    at = stop + 2;
  }
  return parts;
}

/// Types without parameters, and texts; TypeKind::native for others.
TypeKind basic(TCKind kind) {
  constexpr std::pair<TCKind, TypeKind> kAll[] = {
      {TCKind::tk_void, TypeKind::void_},
      {TCKind::tk_short, TypeKind::short_},
      {TCKind::tk_long, TypeKind::long_},
      {TCKind::tk_ushort, TypeKind::ushort},
      {TCKind::tk_ulong, TypeKind::ulong},
      {TCKind::tk_float, TypeKind::float_},
      {TCKind::tk_double, TypeKind::double_},
      {TCKind::tk_boolean, TypeKind::boolean},
      {TCKind::tk_char, TypeKind::char_},
      {TCKind::tk_octet, TypeKind::octet},
      {TCKind::tk_any, TypeKind::any},
      {TCKind::tk_TypeCode, TypeKind::type_code},
      {TCKind::tk_longlong, TypeKind::longlong},
      {TCKind::tk_ulonglong, TypeKind::ulonglong},
      {TCKind::tk_longdouble, TypeKind::long_double},
      {TCKind::tk_wchar, TypeKind::wchar},
      {TCKind::tk_string, TypeKind::string},
      {TCKind::tk_wstring, TypeKind::wstring},
  };
  const auto* const found =
      std::find_if(std::begin(kAll), std::end(kAll), [&](const auto& one) { return one.first == kind; });
  return found == std::end(kAll) ? TypeKind::native : found->second;
}

model::Type type_of(TypeKind kind, const model::Declaration* declaration = nullptr) {
  return {.kind = kind, .dimensions = {}, .declaration = declaration};
}

model::Value value_of_label(const model::Type& discriminator, std::int64_t label) {
  const model::Type* type = &discriminator;
  while (type != nullptr && type->kind == TypeKind::alias)
    type = static_cast<const model::Alias*>(type->declaration)->aliased;  // null while that is being made
  if (type == nullptr) refuse_told("a union over itself");
  switch (type->kind) {
    case TypeKind::boolean:
      return label != 0;
    case TypeKind::char_:
    case TypeKind::wchar:
      return static_cast<char32_t>(label);
    case TypeKind::short_:
    case TypeKind::long_:
    case TypeKind::longlong:
      return label;
    case TypeKind::octet:
    case TypeKind::ushort:
    case TypeKind::ulong:
    case TypeKind::ulonglong:
      return static_cast<std::uint64_t>(label);
    case TypeKind::enum_: {
      const auto& all = static_cast<const model::Enum*>(type->declaration)->enumerators;
      if (label < 0 || static_cast<std::uint64_t>(label) >= all.size())
        refuse_told("a label that its enum does not have");
      return all[static_cast<std::size_t>(label)];
    }
    default:
      refuse_told("a union over what has no labels");
  }
}

}  // namespace

void refuse_told(const std::string& what) {
  throw std::runtime_error("the interface repository tells " + what);
}

const std::string& checked_name(const std::string& name) {
  if (!is_identifier(name)) refuse_told("a name that is no identifier: '" + name.substr(0, 60) + "'");
  return name;
}

ToldTypes::ToldTypes(const std::string& id, std::string_view absolute_name) {
  const std::vector<std::string> parts = parts_of(id);
  const std::vector<std::string> name = parts_of_name(absolute_name);
  if (name.empty() || name.size() > parts.size() || !std::equal(name.rbegin(), name.rend(), parts.rbegin())) return;
  knows_prefix_ = true;
  prefix_.assign(parts.begin(), parts.end() - static_cast<std::ptrdiff_t>(name.size()));
}

void ToldTypes::count() {
  if (++parts_ > kMostParts) refuse_told("more than is read: " + std::to_string(kMostParts) + " types and members");
}

/// The modules that an id names. Null if it names none, or was made otherwise than by `#pragma prefix`.
const model::Declaration* ToldTypes::scope_of(const std::string& id) {
  std::vector<std::string> parts = parts_of(id);
  if (parts.empty()) return nullptr;
  parts.pop_back();
  if (knows_prefix_ && parts.size() >= prefix_.size() && std::equal(prefix_.begin(), prefix_.end(), parts.begin()))
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(prefix_.size()));
  parts.erase(parts.begin(), std::find_if(parts.begin(), parts.end(), is_identifier));  // "omg.org"
  if (!std::all_of(parts.begin(), parts.end(), is_identifier)) return nullptr;
  const model::Module* scope = nullptr;
  std::string path;
  for (const std::string& part : parts) {
    path += "::" + part;
    const model::Module*& module = modules_[path];
    if (module == nullptr) {
      auto* const made = make<model::Module>();
      made->name = part;
      made->scope = scope;
      module = made;
    }
    scope = module;
  }
  return scope;
}

/// Without a name (8.11.1 allows it) a type has that of its id.
template <class T>
T* ToldTypes::declare(const std::string& id, const std::string& name) {
  T* const made = make<T>();
  const std::vector<std::string> parts = parts_of(checked_id(id));
  made->name = checked_name(name.empty() && !parts.empty() ? parts.back() : name);
  made->repository_id = id;
  made->scope = scope_of(id);
  declared_.emplace(id, made);
  model_->contents.push_back(made);
  return made;
}

template <class T>
T* ToldTypes::known(const std::string& id) const {
  const auto found = declared_.find(id);
  if (found == declared_.end()) return nullptr;
  if (found->second->kind != T::kKind) refuse_told("two different types with the id " + id.substr(0, 200));
  return static_cast<T*>(found->second);
}

model::Interface* ToldTypes::interface(const std::string& id, const std::string& name) {
  auto* const made = known<model::Interface>(id);
  return made != nullptr ? made : declare<model::Interface>(id, name);
}

const model::Exception* ToldTypes::exception(const CORBA::typecode_reference& code) {
  if (code == nullptr || code->kind() != TCKind::tk_except) refuse_told("an exception whose type is none");
  if (const auto* made = known<model::Exception>(code->id())) return made;
  auto* const made = declare<model::Exception>(code->id(), code->name());
  fill(*made, *code);
  return made;
}

const model::Type* ToldTypes::type(const CORBA::typecode_reference& code) {
  if (code == nullptr) refuse_told("nothing for a type");
  return type(*code);
}

/// TypeCodes may lead to themselves, by their ids or without any.
const model::Type* ToldTypes::type(const TypeCode& code) {
  count();
  if (depth_ == kDeepestTypes) refuse_told("types that are nested too deeply");
  ++depth_;
  const auto& node = code._node();
  model::Type made = type_of(basic(node.kind));
  const model::Type* found = nullptr;
  switch (node.kind) {
    case TCKind::tk_string:
    case TCKind::tk_wstring:
      made.bound = node.length;
      break;
    case TCKind::tk_fixed:
      if (node.scale < 0 || node.scale > node.digits) refuse_told("a fixed-point type that is none");
      made.kind = TypeKind::fixed;
      made.digits = node.digits;
      made.scale = static_cast<std::uint16_t>(node.scale);
      break;
    case TCKind::tk_sequence:
      made.kind = TypeKind::sequence;
      made.bound = node.length;
      made.element = type(*node.content);
      break;
    case TCKind::tk_array: {
      made.kind = TypeKind::array;
      const TypeCode* inner = &code;
      for (; inner->kind() == TCKind::tk_array; inner = inner->_node().content) {
        count();
        if (inner->_node().length == 0) refuse_told("an array of nothing");
        made.dimensions.push_back(inner->_node().length);
      }
      made.element = type(*inner);
      break;
    }
    default:
      if (made.kind == TypeKind::native) found = declared(code);
  }
  --depth_;
  return found != nullptr ? found : model_->add(std::move(made));
}

/// A type that has a name, which may be met again in its own parts.
template <class T>
const model::Type* ToldTypes::once(TypeKind kind, const TypeCode& code) {
  T* made = known<T>(code.id());
  if (made == nullptr) {
    made = declare<T>(code.id(), code.name());
    fill(*made, code);
  }
  return model_->add(type_of(kind, made));
}

const model::Type* ToldTypes::declared(const TypeCode& code) {
  switch (code.kind()) {
    case TCKind::tk_objref:
      if (code.id().empty() || code.id() == CORBA::_tc_Object->id()) return model_->add(type_of(TypeKind::object));
      [[fallthrough]];
    case TCKind::tk_abstract_interface:
    case TCKind::tk_local_interface:
    case TCKind::tk_component:
    case TCKind::tk_home:
      return once<model::Interface>(TypeKind::interface_, code);
    case TCKind::tk_struct:
      return once<model::Struct>(TypeKind::struct_, code);
    case TCKind::tk_union:
      return once<model::Union>(TypeKind::union_, code);
    case TCKind::tk_enum:
      return once<model::Enum>(TypeKind::enum_, code);
    case TCKind::tk_alias:
      return once<model::Alias>(TypeKind::alias, code);
    case TCKind::tk_value_box:
      return once<model::ValueBox>(TypeKind::value_box, code);
    case TCKind::tk_value:
    case TCKind::tk_event:
      if (code.id() == CORBA::_tc_ValueBase->id()) return model_->add(type_of(TypeKind::value_base));
      return once<model::ValueType>(TypeKind::value, code);
    case TCKind::tk_native:
      return once<model::Native>(TypeKind::native, code);
    default:
      refuse_told("a type that is of no use here, of kind " + std::to_string(static_cast<std::uint32_t>(code.kind())));
  }
}

void ToldTypes::fill(model::Interface& made, const TypeCode& code) {
  made.is_abstract = code.kind() == TCKind::tk_abstract_interface;
  made.is_local = code.kind() == TCKind::tk_local_interface;
}

void ToldTypes::fill(model::Struct& made, const TypeCode& code) {
  made.defined = true;
  for (const auto& member : code._node().members) {
    count();
    made.members.push_back({.name = checked_name(std::string(member.name)), .type = type(*member.type), .where = {}});
  }
}

void ToldTypes::fill(model::Enum& made, const TypeCode& code) {
  if (code._node().members.empty()) refuse_told("an enum of nothing");
  for (const auto& member : code._node().members) {
    auto* const one = make<model::Enumerator>();
    one->name = checked_name(std::string(member.name));
    one->scope = made.scope;
    one->owner = &made;
    one->ordinal = static_cast<std::uint32_t>(made.enumerators.size());
    one->value = one->ordinal;
    made.enumerators.push_back(one);
  }
}

/// A member has as many places in a TypeCode as it has labels.
void ToldTypes::fill(model::Union& made, const TypeCode& code) {
  made.defined = true;
  const auto& node = code._node();
  made.discriminator = type(*node.content);
  for (std::size_t i = 0; i < node.members.size(); ++i) {
    const auto& member = node.members[i];
    count();
    const std::string name(member.name);
    if (made.cases.empty() || made.cases.back().member.name != name) {
      model::UnionCase& one = made.cases.emplace_back();
      one.member.name = checked_name(name);
      one.member.type = type(*member.type);
    }
    model::UnionCase& one = made.cases.back();
    if (node.default_index >= 0 && static_cast<std::size_t>(node.default_index) == i)
      one.is_default = true;
    else
      one.labels.push_back(value_of_label(*made.discriminator, member.label));
  }
}

void ToldTypes::fill(model::ValueType& made, const TypeCode& code) {
  made.defined = true;
  const auto& node = code._node();
  made.is_custom = node.modifier == CORBA::VM_CUSTOM;
  made.is_abstract = node.modifier == CORBA::VM_ABSTRACT;
  made.is_truncatable = node.modifier == CORBA::VM_TRUNCATABLE;
  if (node.content != nullptr) {
    made.concrete_base = model::as<model::ValueType>(type(*node.content)->declaration);
    if (made.concrete_base == nullptr) refuse_told("a valuetype whose base is none");
    made.bases.push_back(made.concrete_base);
  }
  for (const auto& member : node.members) {
    count();
    made.state.push_back({.name = checked_name(std::string(member.name)),
                          .type = type(*member.type),
                          .where = {},
                          .is_public = member.visibility == CORBA::PUBLIC_MEMBER});
  }
}

/// How many types stand one inside the other. Those that contain themselves, not through a sequence or a value, have no
/// end.
int ToldTypes::height(const model::Declaration& declaration, int above) {
  if (above > kDeepestTypes) refuse_told("types that contain themselves, or are nested too deeply");
  if (const auto known = heights_.find(&declaration); known != heights_.end()) return known->second;
  int most = 0;
  const auto look = [&](const model::Type& type) {
    const model::Type* inner = &type;
    while (inner->kind == TypeKind::array) inner = inner->element;
    if (inner->declaration != nullptr) most = std::max(most, height(*inner->declaration, above + 1));
  };
  if (const auto* value = model::as<model::ValueType>(&declaration)) {
    if (value->concrete_base != nullptr) most = height(*value->concrete_base, above + 1);
  } else if (declaration.kind != model::DeclarationKind::value_box) {
    model::for_each_type(declaration, look);
  }
  if (most >= kDeepestTypes) refuse_told("types that are nested too deeply");
  return heights_[&declaration] = most + 1;
}

std::unique_ptr<model::Model> ToldTypes::finish() {
  for (const model::Declaration* one : model_->contents) height(*one, 0);
  return std::move(model_);
}

}  // namespace corbel::tool

// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/model/model.hpp"

#include <array>

namespace corbel::idl::model {

std::string scoped_name(const Declaration& declaration, std::string_view separator) {
  std::vector<const Declaration*> path;
  for (const Declaration* d = &declaration; d != nullptr; d = d->scope) path.push_back(d);
  std::string result;
  for (auto part = path.rbegin(); part != path.rend(); ++part) {
    if (!result.empty()) result += separator;
    result += (*part)->name;
  }
  return result;
}

bool is_signed(const Bitfield& field) noexcept {
  const TypeKind kind = resolve(*field.type).kind;
  return kind == TypeKind::int8 || kind == TypeKind::short_ || kind == TypeKind::long_ || kind == TypeKind::longlong;
}

const Type& resolve(const Type& type) noexcept {
  const Type* current = &type;
  while (current->kind == TypeKind::alias) current = as<Alias>(current->declaration)->aliased;
  return *current;
}

std::string spelling(const Type& type) {
  static constexpr std::array<std::string_view, 23> kNames = {"void",
                                                              "boolean",
                                                              "char",
                                                              "wchar",
                                                              "octet",
                                                              "int8",
                                                              "uint8",
                                                              "short",
                                                              "unsigned short",
                                                              "long",
                                                              "unsigned long",
                                                              "long long",
                                                              "unsigned long long",
                                                              "float",
                                                              "double",
                                                              "long double",
                                                              "string",
                                                              "wstring",
                                                              "any",
                                                              "CORBA::TypeCode",
                                                              "Object",
                                                              "ValueBase",
                                                              "fixed"};
  const auto index = static_cast<std::size_t>(type.kind);
  if (type.declaration != nullptr) return scoped_name(*type.declaration);
  if (type.kind == TypeKind::array) {
    std::string result = spelling(*type.element);
    for (const auto dimension : type.dimensions) result += "[" + std::to_string(dimension) + "]";
    return result;
  }
  const std::string bound = type.bound != 0 ? std::to_string(type.bound) : "";
  if (type.kind == TypeKind::sequence) {
    return "sequence<" + spelling(*type.element) + (bound.empty() ? "" : ", " + bound) + ">";
  }
  if (type.kind == TypeKind::map) {
    return "map<" + spelling(*type.key) + ", " + spelling(*type.element) + (bound.empty() ? "" : ", " + bound) + ">";
  }
  if (type.kind == TypeKind::fixed && type.digits != 0) {
    return "fixed<" + std::to_string(type.digits) + ", " + std::to_string(type.scale) + ">";
  }
  return std::string(kNames[index]) + (bound.empty() ? "" : "<" + bound + ">");
}

const Value* Annotation::find(std::string_view argument) const noexcept {
  for (const Argument& given : arguments) {
    if (given.name == argument) return &given.value;
  }
  return nullptr;
}

const Annotation* find(const Annotations& annotations, std::string_view name) noexcept {
  for (const Annotation& annotation : annotations) {
    if (annotation.name == name) return &annotation;
  }
  return nullptr;
}

const Contents* contents_of(const Declaration& declaration) noexcept {
  switch (declaration.kind) {
    case DeclarationKind::module_:
      return &static_cast<const Module&>(declaration).contents;
    case DeclarationKind::interface_:
      return &static_cast<const Interface&>(declaration).contents;
    case DeclarationKind::value:
      return &static_cast<const ValueType&>(declaration).contents;
    case DeclarationKind::struct_:
    case DeclarationKind::exception:
      return &static_cast<const Struct&>(declaration).contents;
    case DeclarationKind::union_:
      return &static_cast<const Union&>(declaration).contents;
    case DeclarationKind::annotation:
      return &static_cast<const AnnotationType&>(declaration).contents;
    default:
      return nullptr;
  }
}

namespace {

/// Calls `visit` for each type that is there; a file with errors may lack some.
class TypeVisitor {
 public:
  explicit TypeVisitor(const std::function<void(const Type&)>& visit) : visit_(visit) {}
  void one(const Type* type) const {
    if (type != nullptr) visit_(*type);
  }
  template <class List>
  void each(const List& list) const {
    for (const auto& item : list) one(item.type);
  }

 private:
  const std::function<void(const Type&)>& visit_;
};

}  // namespace

void for_all(const Contents& contents, const std::function<void(const Declaration&)>& visit) {
  for (const auto* declaration : contents) {
    visit(*declaration);
    if (const auto* inner = contents_of(*declaration)) for_all(*inner, visit);
  }
}

void for_each_type(const Declaration& declaration, const std::function<void(const Type&)>& visit) {
  const TypeVisitor types(visit);
  if (const auto* constant = as<Constant>(&declaration)) types.one(constant->type);
  if (const auto* alias = as<Alias>(&declaration)) types.one(alias->aliased);
  if (const auto* attribute = as<Attribute>(&declaration)) types.one(attribute->type);
  if (const auto* box = as<ValueBox>(&declaration)) types.one(box->boxed);
  if (const auto* factory = as<Factory>(&declaration)) types.each(factory->parameters);
  if (const auto* value = as<ValueType>(&declaration)) types.each(value->state);
  if (const auto* bitset = as<Bitset>(&declaration)) types.each(bitset->fields);
  if (const auto* annotation = as<AnnotationType>(&declaration)) types.each(annotation->members);
  if (const auto* operation = as<Operation>(&declaration)) {
    types.one(operation->result);
    types.each(operation->parameters);
  }
  if (const auto* u = as<Union>(&declaration)) {
    types.one(u->discriminator);
    for (const auto& c : u->cases) types.one(c.member.type);
  }
  if (declaration.kind == DeclarationKind::struct_ || declaration.kind == DeclarationKind::exception) {
    types.each(static_cast<const Struct&>(declaration).members);
  }
}

std::vector<const Member*> all_members(const Struct& structure) {
  std::vector<const Member*> members;
  if (structure.base != nullptr) members = all_members(*structure.base);
  for (const Member& member : structure.members) members.push_back(&member);
  return members;
}

std::vector<const Member*> all_state(const ValueType& value) {
  std::vector<const Member*> members;
  if (value.concrete_base != nullptr) members = all_state(*value.concrete_base);
  for (const Member& member : value.state) members.push_back(&member);
  return members;
}

std::string_view kind_name(const Declaration& declaration) noexcept {
  static constexpr std::array<std::string_view, 19> kNames = {
      "module",  "forward declaration", "constant",  "typedef",   "enum",      "enumerator", "struct",
      "union",   "exception",           "interface", "attribute", "operation", "valuetype",  "boxed valuetype",
      "factory", "native type",         "bitset",    "bitmask",   "annotation"};
  if (const auto* interface = as<Interface>(&declaration)) {
    if (interface->is_abstract) return "abstract interface";
    if (interface->is_local) return "local interface";
  }
  if (const auto* value = as<ValueType>(&declaration)) {
    if (value->is_abstract) return "abstract valuetype";
    if (value->is_custom) return "custom valuetype";
  }
  return kNames[static_cast<std::size_t>(declaration.kind)];
}

}  // namespace corbel::idl::model

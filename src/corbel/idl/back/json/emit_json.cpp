// SPDX-License-Identifier: Apache-2.0
// Declarations.
#include "corbel/idl/back/json/emit_json.hpp"

#include "corbel/idl/back/json/values.hpp"
#include "corbel/idl/model/member_ids.hpp"

namespace corbel::idl::back::json {
namespace {

using model::as;
using model::DeclarationKind;

Json declaration_json(const model::Declaration& declaration);

/// Only what is set is written: a flag that is absent is false, a list that is absent is empty.
void set(Json& json, const char* name, bool value) {
  if (value) json[name] = true;
}

template <class List, class Write>
void set_list(Json& json, const char* name, const List& list, const Write& write) {
  if (list.empty()) return;
  Json array = Json::array();
  for (const auto& item : list) array.push_back(write(item));
  json[name] = std::move(array);
}

void set_annotations(Json& json, const model::Annotations& annotations) {
  if (!annotations.empty()) json["annotations"] = to_json(annotations);
}

std::string name_of(const model::Declaration* declaration) {
  return scoped_name(*declaration);
}

using MemberId = std::optional<std::uint32_t>;

Json member_json(const model::Member& member, MemberId id, bool state = false) {
  Json json{{"name", member.name}, {"type", to_json(*member.type)}};
  if (state) json["visibility"] = member.is_public ? "public" : "private";
  set(json, "optional", member.optional);
  set(json, "key", member.key);
  set(json, "external", member.external);
  if (id) json["id"] = *id;
  if (!std::holds_alternative<std::monostate>(member.default_value)) json["default"] = to_json(member.default_value);
  set_annotations(json, member.annotations);
  json["where"] = to_json(member.where);
  return json;
}

/// Members without an id of their own have that of the list, if it is long enough.
void write_members(Json& json, const std::vector<model::Member>& members, const std::vector<MemberId>& ids = {},
                   bool state = false) {
  Json list = Json::array();
  for (std::size_t i = 0; i < members.size(); ++i) {
    list.push_back(member_json(members[i], i < ids.size() ? ids[i] : members[i].id, state));
  }
  json[state ? "state" : "members"] = std::move(list);
}

Json parameter_json(const model::Parameter& parameter) {
  static constexpr std::array<const char*, 3> kDirections = {"in", "out", "inout"};
  Json json{{"direction", kDirections[static_cast<std::size_t>(parameter.direction)]},
            {"name", parameter.name},
            {"type", to_json(*parameter.type)}};
  set(json, "view", parameter.view);
  set(json, "shared", parameter.shared);
  set_annotations(json, parameter.annotations);
  json["where"] = to_json(parameter.where);
  return json;
}

void write(Json& json, const model::Enum& e) {
  if (e.bit_bound != 32) json["bit_bound"] = e.bit_bound;
  if (e.default_literal != nullptr) json["default_literal"] = e.default_literal->name;
  set_list(json, "enumerators", e.enumerators, [](const model::Enumerator* enumerator) {
    Json one{{"name", enumerator->name}, {"ordinal", enumerator->ordinal}, {"value", enumerator->value}};
    set_annotations(one, enumerator->annotations);
    one["where"] = to_json(enumerator->where);
    return one;
  });
}

void write(Json& json, const model::Struct& structure) {
  static constexpr std::array<const char*, 4> kExtensibility = {"", "final", "appendable", "mutable"};
  if (structure.base != nullptr) json["base"] = name_of(structure.base);
  if (structure.extensibility != model::Extensibility::unspecified) {
    json["extensibility"] = kExtensibility[static_cast<std::size_t>(structure.extensibility)];
  }
  set(json, "nested", structure.nested);
  const bool numbered = structure.kind == DeclarationKind::struct_;
  write_members(json, structure.members, numbered ? model::member_ids(structure) : std::vector<MemberId>());
}

void write(Json& json, const model::Union& u) {
  json["discriminator"] = to_json(*u.discriminator);
  if (!u.discriminator_annotations.empty()) {
    json["discriminator_annotations"] = to_json(u.discriminator_annotations);
  }
  set_list(json, "cases", u.cases, [&](const model::UnionCase& c) {
    Json one;
    set_list(one, "labels", c.labels, [](const model::Value& label) { return to_json(label); });
    set(one, "default", c.is_default);
    one["member"] = member_json(c.member, model::fixed_member_id(u, c.member));
    return one;
  });
  if (!u.covers_all_labels) json["default_label"] = to_json(u.default_label);
}

void write(Json& json, const model::Interface& interface) {
  set(json, "abstract", interface.is_abstract);
  set(json, "local", interface.is_local);
  set_list(json, "bases", interface.bases, name_of);
}

void write(Json& json, const model::ValueType& value) {
  set(json, "abstract", value.is_abstract);
  set(json, "custom", value.is_custom);
  set(json, "truncatable", value.is_truncatable);
  set_list(json, "bases", value.bases, name_of);
  set_list(json, "supports", value.supports, name_of);
  std::vector<MemberId> ids;
  for (const auto& member : value.state) ids.push_back(model::fixed_member_id(value, member));
  write_members(json, value.state, ids, true);
}

void write(Json& json, const model::Attribute& attribute) {
  json["type"] = to_json(*attribute.type);
  set(json, "readonly", attribute.readonly);
  set_list(json, "get_raises", attribute.get_raises, name_of);
  set_list(json, "set_raises", attribute.set_raises, name_of);
}

void write(Json& json, const model::Operation& operation) {
  set(json, "oneway", operation.oneway);
  set(json, "ami", operation.ami);
  set(json, "shared", operation.shared);
  json["result"] = to_json(*operation.result);
  set_list(json, "parameters", operation.parameters, parameter_json);
  set_list(json, "raises", operation.raises, name_of);
  set_list(json, "contexts", operation.contexts, [](const std::string& name) { return name; });
}

void write(Json& json, const model::Factory& factory) {
  set_list(json, "parameters", factory.parameters, parameter_json);
  set_list(json, "raises", factory.raises, name_of);
}

void write(Json& json, const model::Bitset& bitset) {
  if (bitset.base != nullptr) json["base"] = name_of(bitset.base);
  json["width"] = bitset.width;
  set_list(json, "fields", bitset.fields, [](const model::Bitfield& field) {
    Json one;
    if (!field.name.empty()) one["name"] = field.name;
    one.update({{"width", field.width}, {"position", field.position}, {"type", to_json(*field.type)}});
    set_annotations(one, field.annotations);
    one["where"] = to_json(field.where);
    return one;
  });
}

void write(Json& json, const model::Bitmask& bitmask) {
  json["bit_bound"] = bitmask.bit_bound;
  set_list(json, "flags", bitmask.flags, [](const model::BitFlag& flag) {
    Json one{{"name", flag.name}, {"position", flag.position}};
    set_annotations(one, flag.annotations);
    one["where"] = to_json(flag.where);
    return one;
  });
}

void write(Json& json, const model::Constant& constant) {
  json["type"] = to_json(*constant.type);
  json["value"] = to_json(constant.value);
}

void write(Json& json, const model::Forward& forward) {
  json["of"] = std::string(kind_name(*forward.target));
}

/// What belongs to the kind alone.
void write_kind(Json& json, const model::Declaration& declaration) {
  switch (declaration.kind) {
    case DeclarationKind::constant:
      return write(json, *as<model::Constant>(&declaration));
    case DeclarationKind::alias:
      json["type"] = to_json(*as<model::Alias>(&declaration)->aliased);
      return;
    case DeclarationKind::forward:
      return write(json, *as<model::Forward>(&declaration));
    case DeclarationKind::enum_:
      return write(json, *as<model::Enum>(&declaration));
    case DeclarationKind::struct_:
    case DeclarationKind::exception:
      return write(json, static_cast<const model::Struct&>(declaration));
    case DeclarationKind::union_:
      return write(json, *as<model::Union>(&declaration));
    case DeclarationKind::interface_:
      return write(json, *as<model::Interface>(&declaration));
    case DeclarationKind::value:
      return write(json, *as<model::ValueType>(&declaration));
    case DeclarationKind::value_box:
      json["type"] = to_json(*as<model::ValueBox>(&declaration)->boxed);
      return;
    case DeclarationKind::attribute:
      return write(json, *as<model::Attribute>(&declaration));
    case DeclarationKind::operation:
      return write(json, *as<model::Operation>(&declaration));
    case DeclarationKind::factory:
      return write(json, *as<model::Factory>(&declaration));
    case DeclarationKind::bitset:
      return write(json, *as<model::Bitset>(&declaration));
    case DeclarationKind::bitmask:
      return write(json, *as<model::Bitmask>(&declaration));
    case DeclarationKind::annotation:
      return write_members(json, as<model::AnnotationType>(&declaration)->members);
    case DeclarationKind::module_:
    case DeclarationKind::enumerator:
    case DeclarationKind::native:
      return;
  }
}

std::string_view json_kind(DeclarationKind kind) {
  static constexpr std::array<std::string_view, 19> kNames = {
      "module",  "forward",   "const",     "typedef",   "enum",      "enumerator", "struct",
      "union",   "exception", "interface", "attribute", "operation", "valuetype",  "valuebox",
      "factory", "native",    "bitset",    "bitmask",   "annotation"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json contents_json(const model::Contents& contents) {
  Json list = Json::array();
  for (const auto* declaration : contents) list.push_back(declaration_json(*declaration));
  return list;
}

Json declaration_json(const model::Declaration& declaration) {
  Json json{{"kind", json_kind(declaration.kind)}, {"name", scoped_name(declaration)}};
  if (!declaration.repository_id.empty()) json["repository_id"] = declaration.repository_id;
  set_annotations(json, declaration.annotations);
  write_kind(json, declaration);
  const auto* contents = contents_of(declaration);
  if (contents != nullptr && !contents->empty()) json["contents"] = contents_json(*contents);
  json["where"] = to_json(declaration.where);
  return json;
}

}  // namespace

std::vector<std::string> file_names(const std::string& idl_path) {
  return {stem_of(idl_path) + ".json"};
}

std::vector<GeneratedFile> generate(const model::Model& model, const Options&) {
  return {{file_names(model.files.at(0).path)[0], emit(model)}};
}

std::string emit(const model::Model& model) {
  Json json{{"format", "corbel-idl"}, {"version", kVersion}};
  set_list(json, "files", model.files, [](const model::File& file) {
    Json one{{"path", file.path}, {"spelling", file.spelling}};
    set(one, "direct", file.direct);
    set(one, "shipped", file.shipped);
    return one;
  });
  json["contents"] = contents_json(model.contents);
  // A file name may hold any octets; the rest is clean by now.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace corbel::idl::back::json

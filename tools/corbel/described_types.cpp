// SPDX-License-Identifier: Apache-2.0
#include "described_types.hpp"

#include <algorithm>
#include <set>

namespace corbel::tool {
namespace {

namespace model = idl::model;
using model::DeclarationKind;

class Used {
 public:
  void add(const model::Declaration* one) {
    if (one != nullptr && one->kind != DeclarationKind::interface_ && met_.insert(one).second) all_.push_back(one);
  }
  void add(const model::Type& type) {
    for (const model::Type* part = &type; part != nullptr; part = part->element) {
      if (part->key != nullptr) add(*part->key);
      add(part->declaration);
    }
  }
  void add_types_of(const model::Declaration& one) {
    model::for_each_type(one, [this](const model::Type& type) { add(type); });
  }
  std::vector<const model::Declaration*> with_parts() && {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const model::Declaration& one = *all_[i];
      add_types_of(one);
      if (const auto* structure = model::as<model::Struct>(&one)) add(structure->base);
      if (const auto* bitset = model::as<model::Bitset>(&one)) add(bitset->base);
      if (const auto* value = model::as<model::ValueType>(&one))
        for (const auto* base : value->bases) add(base);
    }
    return std::move(all_);
  }

 private:
  std::vector<const model::Declaration*> all_;
  std::set<const model::Declaration*> met_;
};

std::string text_of(const model::Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "TRUE" : "FALSE";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  if (const auto* one = std::get_if<const model::Enumerator*>(&value)) return (*one)->name;
  const auto* letter = std::get_if<char32_t>(&value);
  if (letter == nullptr) return "?";
  if (*letter > ' ' && *letter < 0x7f) return std::string("'") + static_cast<char>(*letter) + "'";
  return std::to_string(static_cast<std::uint32_t>(*letter));
}

/// A part of a type: a member, case, enumerator, flag or field.
struct Part {
  const void* about;
  std::string before = {};  ///< the label of a case, a value's visibility
  std::string type = {};
  std::string name = {};
  Json more = Json::object();  ///< beside name and type
};

Part part_of(const model::Member& member) {
  Part part{.about = &member, .type = model::spelling(*member.type), .name = member.name};
  if (member.optional) {
    part.before = "@optional ";
    part.more["optional"] = true;
  }
  return part;
}

/// What a type is made of, with the name under which JSON has it.
struct Parts {
  std::string name = {};
  std::string head = {};  ///< behind the type's name: bases, what a union switches on
  std::vector<Part> all = {};
};

Parts parts_of_union(const model::Union& type) {
  Parts parts{.name = "cases", .head = " switch (" + model::spelling(*type.discriminator) + ")"};
  for (const model::UnionCase& one : type.cases) {
    Part part = part_of(one.member);
    part.more["labels"] = Json::array();
    for (const model::Value& label : one.labels) {
      part.more["labels"].push_back(text_of(label));
      part.before += "case " + text_of(label) + ": ";
    }
    if (one.is_default) {
      part.more["default"] = true;
      part.before += "default: ";
    }
    parts.all.push_back(std::move(part));
  }
  return parts;
}

Parts parts_of_value(const model::ValueType& type) {
  Parts parts{.name = "members"};
  for (const auto* base : type.bases) parts.head += (parts.head.empty() ? " : " : ", ") + model::scoped_name(*base);
  for (const model::Member& member : type.state) {
    Part part = part_of(member);
    part.before = std::string(member.is_public ? "public " : "private ") + part.before;
    part.more["visibility"] = member.is_public ? "public" : "private";
    parts.all.push_back(std::move(part));
  }
  return parts;
}

Parts parts_of_bitset(const model::Bitset& type) {
  Parts parts{.name = "fields"};
  if (type.base != nullptr) parts.head = " : " + model::scoped_name(*type.base);
  for (const model::Bitfield& field : type.fields) {
    const std::string sign = is_signed(field) ? ", " + model::spelling(*field.type) : "";
    Part part{.about = &field, .type = "bitfield<" + std::to_string(field.width) + sign + ">", .name = field.name};
    part.more["width"] = field.width;
    parts.all.push_back(std::move(part));
  }
  return parts;
}

Parts parts_of_type(const model::Declaration& type) {
  switch (type.kind) {
    case DeclarationKind::struct_:
    case DeclarationKind::exception: {
      const auto& structure = static_cast<const model::Struct&>(type);
      Parts parts{.name = "members"};
      if (structure.base != nullptr) parts.head = " : " + model::scoped_name(*structure.base);
      for (const model::Member& member : structure.members) parts.all.push_back(part_of(member));
      return parts;
    }
    case DeclarationKind::union_:
      return parts_of_union(static_cast<const model::Union&>(type));
    case DeclarationKind::value:
      return parts_of_value(static_cast<const model::ValueType&>(type));
    case DeclarationKind::bitset:
      return parts_of_bitset(static_cast<const model::Bitset&>(type));
    case DeclarationKind::enum_: {
      Parts parts{.name = "enumerators"};
      for (const auto* one : static_cast<const model::Enum&>(type).enumerators)
        parts.all.push_back({.about = one, .name = one->name});
      return parts;
    }
    case DeclarationKind::bitmask: {
      Parts parts{.name = "flags"};
      for (const model::BitFlag& flag : static_cast<const model::Bitmask&>(type).flags)
        parts.all.push_back(
            {.about = &flag, .before = "@position(" + std::to_string(flag.position) + ") ", .name = flag.name});
      return parts;
    }
    default:
      return {};
  }
}

/// What a typedef or a boxed valuetype stands for; null for other types.
const model::Type* stands_for(const model::Declaration& type) {
  if (const auto* alias = model::as<model::Alias>(&type)) return alias->aliased;
  if (const auto* box = model::as<model::ValueBox>(&type)) return box->boxed;
  return nullptr;
}

}  // namespace

std::vector<const model::Declaration*> types_used(const model::Interface& interface) {
  Used used;
  const auto add_all = [&](const auto& raised) {
    for (const auto* one : raised) used.add(one);
  };
  for (const model::Interface* one : with_ancestors(interface)) {
    for (const model::Declaration* declaration : one->contents) {
      const auto* const operation = model::as<model::Operation>(declaration);
      const auto* const attribute = model::as<model::Attribute>(declaration);
      if (operation == nullptr && attribute == nullptr) continue;  // not used by what can be called
      used.add_types_of(*declaration);
      if (operation != nullptr) add_all(operation->raises);
      if (attribute == nullptr) continue;
      add_all(attribute->get_raises);
      add_all(attribute->set_raises);
    }
  }
  return std::move(used).with_parts();
}

void print_comment(std::ostream& out, const std::string& comment, std::string_view indent) {
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    out << indent << (end > at ? "// " : "//") << comment.substr(at, end - at) << '\n';
    at = end + 1;
  }
}

void add_comment(Json& json, const std::string& comment) {
  if (!comment.empty()) json["comment"] = comment;
}

void print_type(std::ostream& out, const model::Declaration& type, const Comments& comments) {
  print_comment(out, comments.of(&type), "");
  if (const model::Type* meant = stands_for(type)) {
    const bool is_alias = type.kind == DeclarationKind::alias;
    const std::string name = model::scoped_name(type);
    const std::string text = model::spelling(*meant);
    out << (is_alias ? "typedef " + text + " " + name : "valuetype " + name + " " + text) << ";\n";
    return;
  }
  const Parts parts = parts_of_type(type);
  if (parts.name.empty()) {
    out << "native " << model::scoped_name(type) << ";\n";
    return;
  }
  out << model::kind_name(type) << ' ' << model::scoped_name(type) << parts.head << " {\n";
  const bool listed = type.kind == DeclarationKind::enum_ || type.kind == DeclarationKind::bitmask;
  for (const Part& part : parts.all) {
    print_comment(out, comments.of(part.about), "  ");
    const char* const gap = part.type.empty() || part.name.empty() ? "" : " ";
    const char* const end = !listed ? ";" : &part == &parts.all.back() ? "" : ",";
    out << "  " << part.before << part.type << gap << part.name << end << '\n';
  }
  out << "};\n";
}

Json type_json(const model::Declaration& type, const Comments& comments) {
  Json json = {{"name", model::scoped_name(type)}, {"kind", model::kind_name(type)}, {"id", type.repository_id}};
  add_comment(json, comments.of(&type));
  if (const model::Type* meant = stands_for(type)) json["type"] = model::spelling(*meant);
  if (const auto* choice = model::as<model::Union>(&type))
    json["discriminator"] = model::spelling(*choice->discriminator);
  const Parts parts = parts_of_type(type);
  if (parts.name.empty()) return json;
  json[parts.name] = Json::array();
  for (const Part& part : parts.all) {
    Json one = {{"name", part.name}};
    if (!part.type.empty()) one["type"] = part.type;
    one.update(part.more);
    add_comment(one, comments.of(part.about));
    json[parts.name].push_back(std::move(one));
  }
  return json;
}

}  // namespace corbel::tool

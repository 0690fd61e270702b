// SPDX-License-Identifier: Apache-2.0
// Traits, codecs and bulk layouts: what the library knows about each type.
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;
using model::TypeKind;

/// Small structs of fixed size are coded inline.
bool is_inline(Emitter& e, const model::Struct& structure) {
  return as<model::Exception>(&structure) == nullptr && e.layouts.is_fixed(structure);
}

std::string codec_of(const Emitter& e, const model::Type& type) {
  return "corbel::mapping::Codec<" + spell(type, e.names) + ">";
}

std::string codec_of(const Emitter& e, const Field& field) {
  return "corbel::mapping::Codec<" + spell_member(spell(*field.type, e.names), field) + ">";
}

/// The members of the base come first.
void code_base(const Emitter& e, Writer& out, const model::Struct& structure, const std::string& verb) {
  if (structure.base == nullptr) return;
  out.line("corbel::mapping::Codec<" + e.names.global(*structure.base) + ">::" + verb + "(_" + verb + "r, _value);");
}

bool is_primitive(const model::Type& type) {
  const TypeKind kind = resolve(type).kind;
  return primitive_size(kind) != 0 || kind == TypeKind::boolean;
}

/// A basic type that the coder reads and writes itself.
bool is_plain(const Field& field) {
  return is_primitive(*field.type) && !field.optional && !field.external;
}

void encode_members(const Emitter& e, Writer& out, const model::Struct& structure) {
  code_base(e, out, structure, "encode");
  for (const auto& field : fields_of(e, structure)) {
    if (is_plain(field)) {
      out.line("_encoder.put(_value." + field.storage + ");");
    } else {
      out.line(codec_of(e, field) + "::encode(_encoder, _value." + field.storage + ");");
    }
  }
}

void decode_members(Emitter& e, Writer& out, const model::Struct& structure) {
  const bool recursive = e.layouts.is_recursive(structure);
  if (recursive) out.line("if (!_decoder.enter()) return;");
  code_base(e, out, structure, "decode");
  for (const auto& field : fields_of(e, structure)) {
    if (is_plain(field)) {
      out.line("_value." + field.storage + " = _decoder.get<" + spell(resolve(*field.type), e.names) + ">();");
    } else {
      out.line(codec_of(e, field) + "::decode(_decoder, _value." + field.storage + ");");
    }
  }
  if (recursive) out.line("_decoder.leave();");
}

std::string encode_head(const std::string& name, const std::string& scope, bool unused) {
  return "void " + scope + "encode(corbel::cdr::Encoder&" + (unused ? "" : " _encoder") + ", const " + name + "&" +
         (unused ? "" : " _value") + ")";
}
std::string decode_head(const std::string& name, const std::string& scope, bool unused) {
  return "void " + scope + "decode(corbel::cdr::Decoder&" + (unused ? "" : " _decoder") + ", " + name + "&" +
         (unused ? "" : " _value") + ")";
}

/// The struct that a member is, or is an array of; null if there is none.
const model::Struct* struct_in(const Field& field) {
  const model::Type& real = resolve(*field.type);
  return as<model::Struct>((real.kind == TypeKind::array ? resolve(*real.element) : real).declaration);
}

/// The paddings as clear_octets() wants them. Empty if it would be long, or structs inside have their own.
std::string paddings_in_words(Emitter& e, const std::vector<Field>& fields, const BulkLayout& bulk) {
  constexpr std::size_t kLargest = 128;
  if (bulk.size > kLargest) return {};
  std::string paddings;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto* const nested = struct_in(fields[i]);
    if (nested != nullptr && e.layouts.bulk(*nested)->has_padding) return {};
    if (bulk.padding_before[i] == 0) continue;
    if (!paddings.empty()) paddings += ", ";
    paddings +=
        std::to_string(bulk.offsets[i] - bulk.padding_before[i]) + ", " + std::to_string(bulk.padding_before[i]);
  }
  return paddings;
}

void emit_bulk_layout(Emitter& e, const model::Struct& structure, const BulkLayout& bulk) {
  const std::string outer = e.names.global(structure);
  const std::string name = e.names.global(structure);
  const auto fields = fields_of(e, structure);
  Writer& out = e.header;
  out.line("template <>");
  out.open("struct corbel::cdr::BulkLayout<" + outer + "> {");
  out.line("static constexpr bool value = true;");
  out.line("static constexpr std::size_t alignment = " + std::to_string(bulk.alignment) + ";");
  out.line("static constexpr std::size_t first_alignment = " + std::to_string(bulk.first_alignment) + ";");
  out.line(std::string("static constexpr bool has_padding = ") + (bulk.has_padding ? "true;" : "false;"));
  if (!bulk.has_padding) {
    out.line("static void clear_padding(" + name + "&) noexcept {}");
  } else if (const std::string in_words = paddings_in_words(e, fields, bulk); !in_words.empty()) {
    out.open("static void clear_padding(" + name + "& _value) noexcept {");
    out.line("corbel::cdr::clear_octets<" + in_words + ">(_value);");
    out.close("}");
  } else {
    out.open("static void clear_padding(" + name + "& _value) noexcept {");
    std::size_t paddings = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (bulk.padding_before[i] != 0) {
        const std::string padding = "_value._padding_" + std::to_string(paddings++);
        out.line(bulk.padding_before[i] == 1 ? padding + "[0] = 0;"
                                             : "for (auto& _octet : " + padding + ") _octet = 0;");
      }
      const model::Type& real = resolve(*fields[i].type);
      const model::Type& element = real.kind == TypeKind::array ? resolve(*real.element) : real;
      const auto* const nested = struct_in(fields[i]);
      if (nested == nullptr || !e.layouts.bulk(*nested)->has_padding) continue;
      const std::string clear = "corbel::cdr::BulkLayout<" + e.names.global(*nested) + ">::clear_padding(";
      // Arrays of arrays: one loop per dimension.
      std::string item = "_value." + fields[i].storage;
      for (std::size_t d = 0; &element != &real && d < real.dimensions.size(); ++d) {
        const std::string next = "_element_" + std::to_string(d);
        out.line(std::string(2 * d, ' ') + "for (auto& " + next + " : " + item + ")");
        item = next;
      }
      out.line((&element == &real ? "" : std::string(2 * real.dimensions.size(), ' ')) + clear + item + ");");
    }
    out.close("}");
  }
  out.open("static constexpr bool proven() {");
  std::vector<std::string> facts = {"sizeof(" + name + ") == " + std::to_string(bulk.size),
                                    "alignof(" + name + ") == " + std::to_string(bulk.alignment)};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    facts.push_back("offsetof(" + name + ", " + fields[i].storage + ") == " + std::to_string(bulk.offsets[i]));
  }
  for (std::size_t i = 0; i < facts.size(); ++i) {
    out.line((i == 0 ? "return " : "       ") + facts[i] + (i + 1 < facts.size() ? " &&" : ";"));
  }
  out.close("}");
  out.close("};");
  out.line("static_assert(corbel::cdr::BulkLayout<" + outer + ">::proven());");
}

void emit_struct_codec(Emitter& e, const model::Struct& structure) {
  const std::string name = e.names.global(structure);
  const bool empty = structure.members.empty() && structure.base == nullptr;
  Writer& out = e.header;
  out.line("template <>");
  out.open("struct corbel::mapping::Codec<" + e.names.global(structure) + "> {");
  out.line("static constexpr std::size_t kMinSize = " + std::to_string(e.layouts.min_size(structure)) + ";");
  if (!is_inline(e, structure)) {
    out.line("static " + encode_head(name, "", false) + ";");
    out.line("static " + decode_head(name, "", false) + ";");
  } else {
    out.open("static " + encode_head(name, "", empty) + " {");
    encode_members(e, out, structure);
    out.close("}");
    out.open("static " + decode_head(name, "", empty) + " {");
    decode_members(e, out, structure);
    out.close("}");
  }
  out.close("};");
  const BulkLayout* bulk = as<model::Exception>(&structure) == nullptr ? e.layouts.bulk(structure) : nullptr;
  if (bulk != nullptr) emit_bulk_layout(e, structure, *bulk);
}

void implement_union_codec(Emitter& e, const model::Union& u) {
  const std::string outer = e.names.global(u);
  const std::string name = e.names.global(u);
  const std::string scope = "corbel::mapping::Codec<" + outer + ">::";
  const std::string discriminator = codec_of(e, *u.discriminator);
  const bool recursive = e.layouts.is_recursive(u);
  Writer& out = e.source;
  const auto for_members = [&](const auto& statement) {
    for (std::size_t i = 0; i < u.cases.size(); ++i) {
      Field field{u.cases[i].member.type, {}, {}, {}, false};
      field.external = u.cases[i].member.external;
      out.line("case " + std::to_string(i) + ":");
      out.line("  " + codec_of(e, field) + statement("<" + std::to_string(i) + ">"));
      out.line("  break;");
    }
  };
  out.open(encode_head(name, scope, false) + " {");
  out.line(discriminator + "::encode(_encoder, _value._discriminator);");
  out.open("switch (_value._members.index()) {");
  for_members(
      [](const std::string& index) { return "::encode(_encoder, *std::get_if" + index + "(&_value._members));"; });
  out.line("default:");
  out.line("  break;");
  out.close("}");
  out.close("}");
  out.open(decode_head(name, scope, false) + " {");
  if (recursive) out.line("if (!_decoder.enter()) return;");
  out.line(discriminator + "::decode(_decoder, _value._discriminator);");
  out.open("switch (" + name + "::_select(_value._discriminator)) {");
  for_members([](const std::string& index) { return "::decode(_decoder, _value._members.emplace" + index + "());"; });
  out.line("default:");
  const bool has_nothing =
      !u.covers_all_labels && std::none_of(u.cases.begin(), u.cases.end(), [](const auto& c) { return c.is_default; });
  if (has_nothing) out.line("  _value._members.emplace<" + std::to_string(u.cases.size()) + ">();");
  out.line("  break;");
  out.close("}");
  if (recursive) out.line("_decoder.leave();");
  out.close("}");
}

}  // namespace

void emit_traits(Emitter& e, const model::Declaration& declaration) {
  if (const auto* contents = inner_contents(declaration)) {
    for (const auto* inner : *contents) emit_traits(e, *inner);
  }
  const std::string name = e.names.global(declaration);
  switch (declaration.kind) {
    case model::DeclarationKind::bitset:
    case model::DeclarationKind::bitmask: {
      const auto* mask = as<model::Bitmask>(&declaration);
      const unsigned bits = mask != nullptr ? mask->bit_bound : as<model::Bitset>(&declaration)->width;
      e.header.line("template <>");
      e.header.open("struct IDL::traits<" + name + "> : IDL::common_byval_traits<" + name + "> {");
      e.header.line("using underlying_type = " + holder_of(bits) + ";");
      e.header.line("using bit_bound = std::integral_constant<std::uint8_t, " + std::to_string(bits) + ">;");
      e.header.close("};");
      return;
    }
    case model::DeclarationKind::enum_: {
      const unsigned bits = as<model::Enum>(&declaration)->bit_bound;
      e.header.line("template <>");
      e.header.open("struct IDL::traits<" + name + "> : IDL::common_byval_traits<" + name + "> {");
      e.header.line("using underlying_type = " + underlying_type(*as<model::Enum>(&declaration)) + ";");
      e.header.line("using bit_bound = std::integral_constant<std::uint8_t, " + std::to_string(bits) + ">;");
      e.header.close("};");
      return;
    }
    case model::DeclarationKind::struct_:
    case model::DeclarationKind::exception:
    case model::DeclarationKind::union_:
      e.header.line("template <>");
      e.header.line("struct IDL::traits<" + name + "> : IDL::common_traits<" + name + "> {};");
      return;
    default:
      return;
  }
}

void emit_codec(Emitter& e, const model::Declaration& declaration) {
  if (const auto* contents = inner_contents(declaration)) {
    for (const auto* inner : *contents) emit_codec(e, *inner);
  }
  const std::string name = e.names.global(declaration);
  if (const auto* enumeration = as<model::Enum>(&declaration); enumeration != nullptr && enumeration->has_values) {
    std::vector<std::string> enumerators = {name};
    for (const auto* each : enumeration->enumerators) enumerators.push_back(name + "::" + escape(each->name));
    e.header.line("template <>");
    e.header.list("struct corbel::mapping::Codec<" + name + "> : corbel::mapping::ValuedEnumCodec<", enumerators,
                  "> {};");
  } else if (enumeration != nullptr) {
    e.header.line("template <>");
    e.header.line("struct corbel::mapping::Codec<" + name + "> : corbel::mapping::EnumCodec<" + name + ", " +
                  std::to_string(enumeration->enumerators.size()) + "> {};");
  } else if (as<model::Native>(&declaration) != nullptr) {
    e.header.line("template <>");
    e.header.line("struct corbel::mapping::Codec<" + name + "> : corbel::mapping::NativeCodec<" + name + "> {};");
  } else if (as<model::Bitset>(&declaration) != nullptr || as<model::Bitmask>(&declaration) != nullptr) {
    e.header.line("template <>");
    e.header.line("struct corbel::mapping::Codec<" + name + "> : corbel::mapping::BitsCodec<" + name + "> {};");
  } else if (const auto* u = as<model::Union>(&declaration)) {
    const std::string inside = e.names.global(declaration);
    e.header.line("template <>");
    e.header.open("struct corbel::mapping::Codec<" + name + "> {");
    e.header.line("static constexpr std::size_t kMinSize = " + std::to_string(e.layouts.min_size(*u)) + ";");
    e.header.line("static " + encode_head(inside, "", false) + ";");
    e.header.line("static " + decode_head(inside, "", false) + ";");
    e.header.close("};");
  } else if (as<model::Struct>(&declaration) != nullptr || as<model::Exception>(&declaration) != nullptr) {
    emit_struct_codec(e, static_cast<const model::Struct&>(declaration));
  }
}

void implement_codec(Emitter& e, const model::Declaration& declaration) {
  if (const auto* contents = inner_contents(declaration)) {
    for (const auto* inner : *contents) implement_codec(e, *inner);
  }
  if (const auto* u = as<model::Union>(&declaration)) return implement_union_codec(e, *u);
  if (as<model::Struct>(&declaration) == nullptr && as<model::Exception>(&declaration) == nullptr) return;
  const auto& structure = static_cast<const model::Struct&>(declaration);
  if (is_inline(e, structure)) return;
  const std::string name = e.names.global(structure);
  const std::string scope = "corbel::mapping::Codec<" + e.names.global(structure) + ">::";
  const bool empty = structure.members.empty() && structure.base == nullptr;
  e.source.open(encode_head(name, scope, empty) + " {");
  encode_members(e, e.source, structure);
  e.source.close("}");
  e.source.open(decode_head(name, scope, empty) + " {");
  decode_members(e, e.source, structure);
  e.source.close("}");
}

}  // namespace corbel::idl::back::cpp11

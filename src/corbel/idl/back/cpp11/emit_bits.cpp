// SPDX-License-Identifier: Apache-2.0
// Bitmasks and bitsets: classes around one unsigned integer.
#include <algorithm>

#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

std::string hex(std::uint64_t bits) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[bits & 15]);
    bits >>= 4;
  } while (bits != 0);
  return "0x" + text + "U";
}

std::uint64_t ones(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// What BitsCodec uses.
void emit_holder(Writer& out, const std::string& holder, std::uint64_t mask) {
  out.line("using _holder = " + holder + ";");
  out.line("static constexpr _holder _mask = " + hex(mask) + ";");
}

}  // namespace

std::string holder_of(unsigned bits) {
  return std::string("std::uint") + (bits <= 8 ? "8" : bits <= 16 ? "16" : bits <= 32 ? "32" : "64") + "_t";
}

std::vector<const model::Bitfield*> all_fields(const model::Bitset& bits) {
  std::vector<const model::Bitfield*> fields;
  if (bits.base != nullptr) fields = all_fields(*bits.base);
  for (const auto& field : bits.fields) fields.push_back(&field);
  return fields;
}

void define_bitmask(Emitter& e, const model::Bitmask& mask) {
  const std::string name = e.names.own(mask);
  const std::string holder = holder_of(mask.bit_bound);
  Writer& out = e.header;
  std::vector<std::string> flags;
  std::uint64_t all = 0;
  for (const auto& flag : mask.flags) {
    const std::uint64_t bit = std::uint64_t{1} << flag.position;
    all |= bit;
    flags.push_back(escape(flag.name) + " = " + hex(bit));
  }
  out.blank();
  out.open("class " + name + " {");
  out.label("public:");
  out.list("enum _flags : " + holder + " { ", flags, " };");
  emit_holder(out, holder, all);
  out.line("constexpr " + name + "() noexcept = default;");
  out.line("constexpr " + name + "(_holder _given) noexcept : _value(_given) {}");
  out.line("constexpr operator _holder() const noexcept { return _value; }");
  for (const char* op : {"|", "&", "^"}) {
    out.open(name + "& operator" + op + "=(" + name + " _other) noexcept {");
    out.line("_value = static_cast<_holder>(_value " + std::string(op) + " _other._value);");
    out.line("return *this;");
    out.close("}");
  }
  out.line("constexpr _holder _bits() const noexcept { return _value; }");
  out.line("void _bits(_holder _given) noexcept { _value = _given; }");
  out.blank();
  out.label("private:");
  out.line("_holder _value = 0;");
  out.close("};");
}

void define_bitset(Emitter& e, const model::Bitset& bits) {
  const std::string name = e.names.own(bits);
  const std::string base = bits.base == nullptr ? "" : e.names.global(*bits.base);
  Writer& out = e.header;
  std::uint64_t all = 0;
  for (const auto* field : all_fields(bits)) {
    if (!field->name.empty()) all |= ones(field->width) << field->position;
  }
  out.blank();
  out.open("class " + name + (base.empty() ? "" : " : public " + base) + " {");
  out.label("public:");
  emit_holder(out, holder_of(bits.width), all);
  out.line(name + "() noexcept = default;");
  std::vector<std::string> parameters, setters;
  for (const auto* field : all_fields(bits)) {
    if (field->name.empty()) continue;
    const std::string parameter = escape(field->name);
    parameters.push_back(spell(*field->type, e.names) + " " + parameter);
    setters.push_back("this->" + escape(field->name) + "(" + parameter + ");");
  }
  if (!parameters.empty()) {
    out.list("explicit " + name + "(", parameters, ") noexcept {");
    for (const auto& setter : setters) out.line("  " + setter);
    out.line("}");
  }
  for (const auto& field : bits.fields) {
    if (field.name.empty()) continue;
    const std::string type = spell(*field.type, e.names);
    const std::string accessor = escape(field.name);
    const std::string ones_text = hex(ones(field.width));
    const std::string position = std::to_string(field.position);
    out.blank();
    out.line("/// " + std::to_string(field.width) + " bits.");
    out.open(type + " " + accessor + "() const noexcept {");
    if (is_signed(field)) {  // up to the top, and down again with the sign
      out.line("return static_cast<" + type + ">(static_cast<std::int64_t>(std::uint64_t{_value} << " +
               std::to_string(64 - field.position - field.width) + ") >> " + std::to_string(64 - field.width) + ");");
    } else {
      out.line("return static_cast<" + type + ">(std::uint64_t{_value} >> " + position + " & " + ones_text + ");");
    }
    out.close("}");
    out.open("void " + accessor + "(" + type + " _given) noexcept {");
    out.line("const std::uint64_t _field = static_cast<std::uint64_t>(_given) & " + ones_text + ";");
    out.line("_value = static_cast<_holder>((_value & ~(std::uint64_t{" + ones_text + "} << " + position +
             ")) | _field << " + position + ");");
    out.close("}");
  }
  out.blank();
  const std::string inherited = base.empty() ? "" : " | " + base + "::_bits()";
  out.line("_holder _bits() const noexcept { return static_cast<_holder>(_value" + inherited + "); }");
  out.open("void _bits(_holder _given) noexcept {");
  if (base.empty()) {
    out.line("_value = _given;");
  } else {
    out.line(base + "::_bits(static_cast<" + base + "::_holder>(_given & " + base + "::_mask));");
    out.line("_value = static_cast<_holder>(_given & ~std::uint64_t{" + base + "::_mask});");
  }
  out.close("}");
  const auto inherited_fields = bits.base == nullptr ? std::vector<const model::Bitfield*>{} : all_fields(*bits.base);
  if (std::any_of(inherited_fields.begin(), inherited_fields.end(), [](const auto* f) { return f->name == "swap"; })) {
    out.line("using " + base + "::swap;");  // the accessor, which the swap of this class would hide
  }
  out.line("void swap(" + name + "& _other) noexcept { std::swap(*this, _other); }");
  out.line("friend void swap(" + name + "& _a, " + name + "& _b) noexcept { _a.swap(_b); }");
  out.line("friend bool operator==(const " + name + "&, const " + name + "&) = default;");
  out.blank();
  out.label("private:");
  out.line("_holder _value = 0;");
  out.close("};");
}

void stream_bitmask(Emitter& e, const model::Bitmask& mask) {
  std::vector<std::string> names;
  for (const auto& flag : mask.flags)
    names.push_back("{" + quote(flag.name) + ", " + std::to_string(flag.position) + "}");
  e.source.list("static constexpr corbel::mapping::BitName _kNames[] = {", names, "};");
  e.source.line("return corbel::mapping::print_bits(_stream, " + quote(scoped_name(mask)) +
                ", _kNames, _value._bits());");
}

void stream_bitset(Emitter& e, const model::Bitset& bits) {
  std::vector<std::string> arguments = {"_stream", quote(scoped_name(bits))};
  for (const auto* field : all_fields(bits)) {
    if (field->name.empty()) continue;
    arguments.push_back(quote(field->name));
    arguments.push_back("_value." + escape(field->name) + "()");
  }
  e.source.list("return corbel::mapping::print_members(", arguments, ");");
}

}  // namespace corbel::idl::back::cpp11

// SPDX-License-Identifier: Apache-2.0
// Valuetypes in the source file: what they are at run time, their state on the wire and as text.
#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

/// What a value may be truncated to, itself first.
std::vector<std::string> truncation_ids(const model::ValueType& value) {
  std::vector<std::string> ids = {quote(value.repository_id)};
  for (const auto* each = &value; each->is_truncatable; each = each->concrete_base) {
    ids.push_back(quote(each->concrete_base->repository_id));
  }
  return ids;
}

/// `const ValueType M::V::_static_type{...};`
void define_static_type(Emitter& e, const model::Declaration& value, const std::vector<std::string>& ids, bool custom,
                        const std::string& created) {
  const std::string name = e.names.full(value);
  const std::string space = e.names.types_namespace(value);
  const std::string list = "_ids_" + e.names.own(value);
  e.source.blank();
  e.source.list("namespace " + space + " { static constexpr std::string_view " + list + "[] = {", ids, "}; }");
  e.source.list("constinit const corbel::mapping::ValueType " + name + "::_static_type{",
                {name + "::_value_id", space + "::" + list, custom ? "true" : "false",
                 created.empty() ? "nullptr" : "&corbel::mapping::create_value<" + created + ">"},
                "};");
}

void define_value_type(Emitter& e, const std::string& owner) {
  e.source.line("const corbel::mapping::ValueType& " + owner +
                "::_value_type() const noexcept { return _static_type; }");
}

void code_state(Emitter& e, const model::ValueType& value, const std::string& owner, const std::string& verb,
                const std::string& signature) {
  Writer& out = e.source;
  const bool used = value.is_custom || value.concrete_base != nullptr || !value.state.empty();
  out.open("void " + owner + "::_" + verb + "_state(corbel::cdr::" + (verb == "encode" ? "Encoder&" : "Decoder&") +
           (used ? " _" + verb + "r" : "") + signature + " {");
  if (value.is_custom && verb == "encode") {
    out.line("// Marshalling is not const in the mapping.");
    out.line("corbel::mapping::marshal_custom(_encoder, const_cast<" + e.names.obv(value) + "&>(*this));");
  } else if (value.is_custom) {
    out.line("corbel::mapping::unmarshal_custom(_decoder, *this);");
  } else {
    if (value.concrete_base != nullptr) {
      out.line(e.names.obv(*value.concrete_base) + "::_" + verb + "_state(_" + verb + "r);");
    }
    for (const auto& field : state_fields(e, value)) {
      out.line("corbel::mapping::Codec<" + field.spelled + ">::" + verb + "(_" + verb + "r, " + field.storage + ");");
    }
  }
  out.close("}");
}

void print_state(Emitter& e, const model::ValueType& value, const std::string& owner) {
  std::vector<std::string> arguments = {"_stream", quote(scoped_name(value))};
  for (const auto* member : model::all_state(value)) {
    arguments.push_back(quote(member->name));
    arguments.push_back("this->" + escape(member->name) + "()");
  }
  e.source.open("void " + owner + "::_print(std::ostream& _stream) const {");
  e.source.list("corbel::mapping::print_members(", arguments, ");");
  e.source.close("}");
}

}  // namespace

void implement_value(Emitter& e, const model::ValueType& value) {
  const bool creatable = is_default_creatable(value);
  const std::string owner = e.names.obv(value).substr(2);
  define_static_type(e, value, truncation_ids(value), value.is_custom, creatable ? owner : "");
  if (value.is_abstract) return;
  if (creatable) {
    const std::string factory =
        (value.scope == nullptr ? "" : e.names.full(*value.scope) + "::") + e.names.factory(value);
    e.source.open("CORBA::valuetype_reference<CORBA::ValueBase> " + factory + "::create_for_unmarshal() {");
    e.source.line("return CORBA::make_reference<" + owner + ">();");
    e.source.close("}");
  }
  define_value_type(e, owner);
  code_state(e, value, owner, "encode", ") const");
  code_state(e, value, owner, "decode", ")");
  print_state(e, value, owner);
}

void implement_value_box(Emitter& e, const model::ValueBox& box) {
  const std::string name = e.names.full(box);
  define_static_type(e, box, {quote(box.repository_id)}, false, name);
  define_value_type(e, name);
  const std::string codec = "  corbel::mapping::Codec<_boxed_type>::";
  e.source.line("void " + name + "::_encode_state(corbel::cdr::Encoder& _encoder) const {");
  e.source.line(codec + "encode(_encoder, _value());");
  e.source.line("}");
  e.source.line("void " + name + "::_decode_state(corbel::cdr::Decoder& _decoder) {");
  e.source.line(codec + "decode(_decoder, _value());");
  e.source.line("}");
  e.source.line("void " + name + "::_print(std::ostream& _stream) const {");
  e.source.line("  corbel::mapping::print_members(_stream, " + quote(scoped_name(box)) + ", \"value\", _value());");
  e.source.line("}");
}

}  // namespace corbel::idl::back::cpp11

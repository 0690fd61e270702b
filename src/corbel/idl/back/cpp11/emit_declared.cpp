// SPDX-License-Identifier: Apache-2.0
// Interfaces that this file only declares. Another file, which may include this one or know nothing of it, may define
// them or declare them, too: macros tell the second of the two what the first has done.
#include "corbel/idl/back/cpp11/emitter.hpp"
#include "corbel/idl/back/cpp11/runs.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

/// "CORBEL_DECLARED_1M4Echo": the length of each part keeps `A::b_c` and `A_b::c` apart.
std::string macro(const char* what, const model::Declaration& declaration) {
  std::string name;
  for (const auto* d = &declaration; d != nullptr; d = d->scope) {
    name = std::to_string(d->name.size()) + d->name + name;
  }
  return std::string("CORBEL_") + what + "_" + name;
}

std::string known_codec_of(const std::string& name) {
  return "[[gnu::weak]] const corbel::mapping::KnownCodec* corbel::mapping::known_codec<" + name + ">() noexcept";
}

void emit_known_codec(Emitter& e, const std::string& name) {
  e.header.line("template <>");
  e.header.line(known_codec_of(name) + " {");
  e.header.line("  return &corbel::mapping::kKnownCodec<" + name + ">;");
  e.header.line("}");
}

}  // namespace

void emit_traits_unless_declared(Emitter& e, const model::Interface& interface) {
  if (interface.is_abstract || interface.is_implied) return emit_interface_traits(e, interface);
  e.header.directive("ifndef " + macro("DECLARED", interface));
  emit_interface_traits(e, interface);
  e.header.directive("endif");
  e.header.directive("define " + macro("DEFINED", interface));
}

void emit_declared_traits(Emitter& e, const model::Interface& interface) {
  const std::string name = e.names.global(interface);
  const std::string declared = macro("DECLARED", interface);
  const std::string defined = macro("DEFINED", interface);
  e.header.directive("if !defined(" + declared + ") && !defined(" + defined + ")");
  emit_interface_traits(e, interface);
  if (!interface.is_local) {
    e.header.line("template <>");
    e.header.line("struct corbel::mapping::Codec<IDL::traits<" + name + ">::ref_type>");
    e.header.line("    : corbel::mapping::DeclaredCodec<" + name + "> {};");
    e.header.line("template <>");
    e.header.line(known_codec_of(name) + ";");
    e.header.directive("elif !defined(" + declared + ")");
    emit_known_codec(e, name);
  }
  e.header.directive("endif");
  e.header.directive("undef " + declared);
  e.header.directive("define " + declared);
}

void emit_known_codecs(Emitter& e) {
  for_each(e.model.contents, [&](const auto& declaration) {
    const auto* interface = as<model::Interface>(&declaration);
    if (interface == nullptr || !is_served(*interface) || interface->is_implied) return;
    e.header.directive("ifdef " + macro("DECLARED", *interface));
    emit_known_codec(e, e.names.global(*interface));
    e.header.directive("endif");
  });
}

}  // namespace corbel::idl::back::cpp11

// SPDX-License-Identifier: Apache-2.0
// What the generated header includes.
#include <set>

#include "corbel/idl/back/back_end.hpp"
#include "corbel/idl/back/cpp11/emitter.hpp"
#include "corbel/idl/back/cpp11/library.hpp"
#include "corbel/idl/back/cpp11/runs.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

/// Headers that only some IDL needs.
struct Needs {
  bool optional = false;
  bool bits = false;  ///< bitsets, bitmasks
  bool external = false;
  bool local = false;  ///< what never leaves the process, and values of enumerators
  bool native = false;
  bool value = false;
  bool custom = false;
  bool declared = false;  ///< interfaces whose definition is elsewhere
};
Needs needs_of(const Emitter& e) {
  Needs needs;
  const auto look_at = [&](const model::Member& member) {
    needs.optional |= member.optional;
    needs.external |= member.external;
  };
  for_each_own(e.model, [&](const auto& d) {
    needs.declared |= is_declared_only(d);
    needs.bits |= as<model::Bitset>(&d) != nullptr || as<model::Bitmask>(&d) != nullptr;
    needs.native |= as<model::Native>(&d) != nullptr;
    const auto* given = as<model::ValueType>(&d);
    needs.value |= (is_value(d) && (given == nullptr || given->polled == nullptr)) || (is_remote(d) && !is_served(d));
    if (const auto* value = as<model::ValueType>(&d)) {
      needs.custom |= value->is_custom;
      for (const auto& member : value->state) look_at(member);
    }
    const auto* enumeration = as<model::Enum>(&d);
    needs.local |= needs.native || is_declared_only(d) || (enumeration != nullptr && enumeration->has_values) ||
                   (is_interface(d) && !is_remote(d));
    if (const auto* operation = as<model::Operation>(&d)) needs.local |= !operation->contexts.empty();
    if (const auto* u = as<model::Union>(&d)) {
      for (const auto& c : u->cases) look_at(c.member);
    }
    if (d.kind != model::DeclarationKind::struct_ && d.kind != model::DeclarationKind::exception) return;
    for (const auto& member : static_cast<const model::Struct&>(d).members) look_at(member);
  });
  return needs;
}

bool has_views(const Emitter& e) {
  bool found = false;
  for_each_own(e.model, [&](const auto& d) {
    const auto* interface = as<model::Interface>(&d);
    if (interface == nullptr) return;
    for (const auto& method : methods_of(*interface)) {
      for (const auto& p : method.parameters) found |= p.view;
    }
  });
  return found;
}

bool has_handlers(const Emitter& e) {
  bool found = false;
  for_each_own(e.model, [&](const auto& d) {
    const auto* interface = as<model::Interface>(&d);
    found |= interface != nullptr && interface->reply_handler != nullptr;
  });
  return found;
}

bool has_pollers(const Emitter& e) {
  bool found = false;
  for_each_own(e.model, [&](const auto& d) {
    const auto* value = as<model::ValueType>(&d);
    found |= value != nullptr && value->polled != nullptr;
  });
  return found;
}

}  // namespace

std::string header_for(const std::string& spelling, const std::string& ending) {
  const std::size_t slash = spelling.rfind('/');
  return (slash == std::string::npos ? "" : spelling.substr(0, slash + 1)) + stem_of(spelling) + ending;
}

std::vector<const model::File*> included_files(const model::Model& model) {
  // Whether each file declares anything, and anything that is not the library's.
  std::vector<std::pair<bool, bool>> declares(model.files.size());
  model::for_all(model.contents, [&](const auto& declaration) {
    if (as<model::Module>(&declaration) != nullptr) return;
    auto& [something, of_its_own] = declares.at(declaration.where.file);
    something = true;
    of_its_own |= library_header(declaration).empty();
  });
  std::vector<const model::File*> files;
  for (std::size_t i = 0; i < model.files.size(); ++i) {
    const auto [something, of_its_own] = declares[i];
    const auto& file = model.files[i];
    // orb.idl has no header that could include what it includes.
    const bool by_orb = file.shipped && file.spelling == "InterfaceRepository.idl";
    if ((file.direct || by_orb) && file.spelling != "orb.idl" && (of_its_own || !something)) files.push_back(&file);
  }
  return files;
}

std::set<std::string> type_code_headers(const model::Model& model) {
  std::set<std::string> headers = {"corbel/dynamic/any.hpp"};
  for_each_own_type(model, [&](const auto& type) {
    if (type.kind == model::TypeKind::fixed) headers.emplace("corbel/dynamic/type_of_fixed.hpp");
    if (type.kind == model::TypeKind::map) headers.emplace("corbel/dynamic/type_of_map.hpp");
  });
  return headers;
}

void write_header_top(Emitter& e) {
  bool unions = false;
  for_each_own(e.model, [&](const auto& d) { unions |= as<model::Union>(&d) != nullptr; });
  bool anys = false, fixed = false, maps = false;
  Needs needs = needs_of(e);
  for_each_own_type(e.model, [&](const auto& type) {
    anys |= type.kind == model::TypeKind::any || type.kind == model::TypeKind::type_code;
    fixed |= type.kind == model::TypeKind::fixed;
    maps |= type.kind == model::TypeKind::map;
    needs.value |= type.kind == model::TypeKind::value_base;
    needs.custom |= is_abstract_base(type);
  });
  e.header.line("#pragma once");
  e.header.blank();
  const bool tuples = has_several_results(e);
  if (tuples) e.header.line("#include <tuple>");
  if (unions) e.header.line("#include <variant>");
  if (tuples || unions) e.header.blank();
  std::set<std::string> headers = e.library_headers;
  const auto include = [&](bool needed, const char* header) {
    if (needed) headers.emplace(header);
  };
  include(anys, "corbel/dynamic/any.hpp");
  include(needs.custom, "corbel/mapping/data_stream.hpp");
  include(needs.declared, "corbel/mapping/declared.hpp");
  include(needs.bits, "corbel/mapping/bits.hpp");
  include(maps, "corbel/mapping/map.hpp");
  include(needs.optional, "corbel/mapping/optional.hpp");
  include(needs.external, "corbel/mapping/external.hpp");
  include(fixed, "corbel/mapping/fixed.hpp");
  include(needs.local, "corbel/mapping/local.hpp");
  include(has_views(e), "corbel/mapping/view.hpp");
  include(has_handlers(e), "corbel/mapping/ami.hpp");
  include(has_pollers(e), "corbel/mapping/poller.hpp");
  include(e.futures, "corbel/mapping/future.hpp");
  include(true, "corbel/mapping/stub.hpp");
  include(needs.value, "corbel/mapping/value.hpp");
  for (const auto& header : headers) e.header.line("#include <" + header + ">");
  if (needs.native) {
    e.header.blank();
    e.header.line("// Yours: defines the native types.");
    e.header.line("#include \"" + stem_of(e.model.files.at(0).path) + "_native.hpp\"");
  }
  const auto files = included_files(e.model);
  if (!files.empty()) e.header.blank();
  for (const auto* file : files) e.header.line("#include \"" + header_for(file->spelling, ".hpp") + "\"");
}

}  // namespace corbel::idl::back::cpp11

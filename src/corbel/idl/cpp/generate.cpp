// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/cpp/generate.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "corbel/idl/cpp/emitter.hpp"
#include "corbel/idl/cpp/implied.hpp"
#include "corbel/idl/cpp/library.hpp"

namespace corbel::idl::cpp {
namespace {

using model::as;

using Visit = std::function<void(const model::Declaration&)>;

bool is_ours(const model::Declaration& declaration);

bool has_ours(const model::Module& module) {
  return std::any_of(module.contents.begin(), module.contents.end(), [](const auto* d) { return is_ours(*d); });
}
/// A definition of the main file, or a module that holds one.
bool is_ours(const model::Declaration& declaration) {
  const auto* module = as<model::Module>(&declaration);
  return module != nullptr ? has_ours(*module) : declaration.in_main_file;
}

/// Everything of the main file that is directly in a module or the file, in order.
void for_each(const model::Contents& contents, const Visit& visit) {
  for (const auto* declaration : contents) {
    if (!is_ours(*declaration)) continue;
    if (const auto* module = as<model::Module>(declaration)) {
      for_each(module->contents, visit);
    } else {
      visit(*declaration);
    }
  }
}

/// Declarations of one module that follow each other; null is the file level.
struct Run {
  const model::Declaration* module;
  std::vector<const model::Declaration*> declarations;
};

/// The main file's declarations that `wanted` accepts, cut into runs.
std::vector<Run> runs_of(const model::Model& model, bool (*wanted)(const model::Declaration&)) {
  std::vector<Run> runs;
  for_each(model.contents, [&](const auto& declaration) {
    if (!wanted(declaration)) return;
    if (runs.empty() || runs.back().module != declaration.scope) runs.push_back({declaration.scope, {}});
    runs.back().declarations.push_back(&declaration);
  });
  return runs;
}

bool any(const model::Declaration&) {
  return true;
}
bool is_interface(const model::Declaration& declaration) {
  return as<model::Interface>(&declaration) != nullptr;
}
/// Interfaces with stubs.
bool is_remote(const model::Declaration& declaration) {
  return is_interface(declaration) && !as<model::Interface>(&declaration)->is_local;
}
/// Interfaces with skeletons.
bool is_served(const model::Declaration& declaration) {
  return is_remote(declaration) && !as<model::Interface>(&declaration)->is_abstract;
}
bool is_value(const model::Declaration& declaration) {
  return as<model::ValueType>(&declaration) != nullptr || as<model::ValueBox>(&declaration) != nullptr;
}
/// What C++ knows by references.
bool is_referred_to(const model::Declaration& declaration) {
  return is_interface(declaration) || is_value(declaration);
}

void open_namespace(Writer& out, const std::string& name) {
  out.blank();
  if (!name.empty()) out.line("namespace " + name + " {");
}
void close_namespace(Writer& out, const std::string& name) {
  if (!name.empty()) out.line("}  // namespace " + name);
}

/// Users' names may be those of parameters and variables here, which is nothing to be warned of: whatever is theirs is
/// spelled from `::`.
void begin_code(Writer& out) {
  out.blank();
  out.line("#pragma GCC diagnostic push");
  out.line("#pragma GCC diagnostic ignored \"-Wshadow\"");
}
void end_code(Writer& out) {
  out.blank();
  out.line("#pragma GCC diagnostic pop");
}

std::string stem_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

/// Calls `visit` with every type in the main file, elements and keys too.
void for_each_type(const Emitter& e, const std::function<void(const model::Type&)>& visit) {
  const std::function<void(const model::Type&)> with_parts = [&](const model::Type& type) {
    visit(type);
    if (type.element != nullptr) with_parts(*type.element);
    if (type.key != nullptr) with_parts(*type.key);
  };
  for_each_own(e.model, [&](const auto& declaration) { model::for_each_type(declaration, with_parts); });
}

/// Headers that only some IDL needs.
struct Needs {
  bool extended = false;  ///< optional members, bitsets, bitmasks, maps
  bool external = false;
  bool local = false;  ///< what never leaves the process, and values of enumerators
  bool native = false;
  bool value = false;
  bool custom = false;
};
Needs needs_of(const Emitter& e) {
  Needs needs;
  const auto look_at = [&](const model::Member& member) {
    needs.extended |= member.optional;
    needs.external |= member.external;
  };
  for_each_own(e.model, [&](const auto& d) {
    needs.extended |= as<model::Bitset>(&d) != nullptr || as<model::Bitmask>(&d) != nullptr;
    needs.native |= as<model::Native>(&d) != nullptr;
    needs.value |= is_value(d) || (is_remote(d) && !is_served(d));
    if (const auto* value = as<model::ValueType>(&d)) {
      needs.custom |= value->is_custom;
      for (const auto& member : value->state) look_at(member);
    }
    const auto* enumeration = as<model::Enum>(&d);
    needs.local |=
        needs.native || (enumeration != nullptr && enumeration->has_values) || (is_interface(d) && !is_remote(d));
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

void write_header_top(Emitter& e) {
  bool unions = false;
  for_each_own(e.model, [&](const auto& d) { unions |= as<model::Union>(&d) != nullptr; });
  bool anys = false, fixed = false;
  Needs needs = needs_of(e);
  for_each_type(e, [&](const auto& type) {
    anys |= type.kind == model::TypeKind::any || type.kind == model::TypeKind::type_code;
    fixed |= type.kind == model::TypeKind::fixed;
    needs.extended |= type.kind == model::TypeKind::map;
    needs.value |= type.kind == model::TypeKind::value_base;
    needs.custom |= is_abstract_base(type);
  });
  e.header.line("#pragma once");
  e.header.blank();
  if (unions) {
    e.header.line("#include <variant>");
    e.header.blank();
  }
  std::set<std::string> headers = e.library_headers;
  const auto include = [&](bool needed, const char* header) {
    if (needed) headers.emplace(header);
  };
  include(anys, "corbel/dynamic/any.hpp");
  include(needs.custom, "corbel/mapping/data_stream.hpp");
  include(needs.extended, "corbel/mapping/extended.hpp");
  include(needs.external, "corbel/mapping/external.hpp");
  include(fixed, "corbel/mapping/fixed.hpp");
  include(needs.local, "corbel/mapping/local.hpp");
  include(has_views(e), "corbel/mapping/view.hpp");
  include(has_handlers(e), "corbel/mapping/ami.hpp");
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

std::string namespace_of(const Emitter& e, const Run& run) {
  return run.module == nullptr ? "" : e.names.full(*run.module);
}

void forward_declare(Emitter& e, const model::Declaration& declaration) {
  const std::string name = e.names.own(declaration);
  e.header.line("class " + name + ";");
  const auto* value = as<model::ValueType>(&declaration);
  if (value == nullptr || value->is_abstract) return;
  e.header.line("class " + e.names.factory(*value) + ";");
  e.header.line("namespace obv { class " + name + "; }");
}

void emit_reference_traits(Emitter& e, const model::Declaration& declaration) {
  if (const auto* interface = as<model::Interface>(&declaration)) return emit_interface_traits(e, *interface);
  if (const auto* value = as<model::ValueType>(&declaration)) return emit_value_traits(e, *value);
  emit_value_box_traits(e, *as<model::ValueBox>(&declaration));
}

/// Interfaces and values, and how they are referred to.
void forward_declare_references(Emitter& e) {
  const auto runs = runs_of(e.model, is_referred_to);
  for (const auto& run : runs) {
    open_namespace(e.header, namespace_of(e, run));
    for (const auto* declaration : run.declarations) forward_declare(e, *declaration);
    close_namespace(e.header, namespace_of(e, run));
  }
  for (const auto& run : runs) {
    for (const auto* declaration : run.declarations) {
      const auto* interface = as<model::Interface>(declaration);
      const auto* handler = interface != nullptr ? interface->reply_handler : nullptr;
      if (handler == nullptr) continue;
      const std::string space = e.names.skeleton_namespace(run.module);
      e.header.line("namespace " + space + " { class " + e.names.own(*handler) + "; }");
    }
  }
  e.header.blank();
  for (const auto& run : runs) {
    for (const auto* declaration : run.declarations) emit_reference_traits(e, *declaration);
  }
}

/// Classes stand between blank lines, one-line definitions close together.
bool is_class(const model::Declaration& declaration) {
  return inner_contents(declaration) != nullptr;
}

void write_header(Emitter& e) {
  write_header_top(e);
  begin_code(e.header);
  forward_declare_references(e);
  for (const auto& run : runs_of(e.model, any)) {
    open_namespace(e.header, namespace_of(e, run));
    e.header.line("");
    for (const auto* declaration : run.declarations) {
      define(e, *declaration);
      declare_streaming(e, *declaration);
      if (is_class(*declaration)) e.header.blank();
    }
    e.header.blank();
    close_namespace(e.header, namespace_of(e, run));
  }
  if (!e.late.text().empty()) {
    e.header.blank();
    e.header.line(e.late.text());
  }
  e.header.blank();
  for_each(e.model.contents, [&](const auto& declaration) { emit_traits(e, declaration); });
  for_each(e.model.contents, [&](const auto& declaration) {
    if (const auto* interface = as<model::Interface>(&declaration)) emit_amic_traits(e, *interface);
  });
  e.header.blank();
  for_each(e.model.contents, [&](const auto& declaration) { emit_codec(e, declaration); });
  end_code(e.header);
}

/// Types inside a type, then itself.
void visit_nested(const model::Declaration& declaration, const Visit& visit) {
  if (const auto* contents = inner_contents(declaration)) {
    for (const auto* inner : *contents) visit_nested(*inner, visit);
  }
  visit(declaration);
}

/// What the stubs of a run share: descriptors of their operations.
void write_operations(Emitter& e, const Run& run) {
  const bool any_method = std::any_of(run.declarations.begin(), run.declarations.end(), [](const auto* d) {
    return is_remote(*d) && (!is_served(*d) || !stub_methods_of(*as<model::Interface>(d)).empty());
  });
  if (!any_method) return;
  e.source.blank();
  e.source.line("namespace {");
  e.use_helpers(e.source, {"call", "in", "inout", "out"});
  e.source.blank();
  for (const auto* declaration : run.declarations) {
    if (is_remote(*declaration)) declare_operations(e, *as<model::Interface>(declaration));
  }
  for (const auto* declaration : run.declarations) {
    if (!is_remote(*declaration) || is_served(*declaration)) continue;
    implement_abstract_stub(e, *as<model::Interface>(declaration));
  }
  e.source.line("}  // namespace");
}

void implement_any_interface(Emitter& e, const model::Interface& interface) {
  if (interface.is_abstract) return implement_abstract(e, interface);
  interface.is_local ? implement_is_a(e, interface) : implement_stub(e, interface);
}

void write_stubs(Emitter& e) {
  for (const auto& run : runs_of(e.model, any)) {
    open_namespace(e.source, namespace_of(e, run));
    e.source.line("");
    for (const auto* declaration : run.declarations) implement_streaming(e, *declaration);
    for (const auto* declaration : run.declarations) {
      visit_nested(*declaration, [&](const auto& d) {
        if (const auto* exception = as<model::Exception>(&d)) implement_exception(e, *exception);
      });
    }
    write_operations(e, run);
    for (const auto* declaration : run.declarations) {
      if (const auto* interface = as<model::Interface>(declaration)) implement_any_interface(e, *interface);
    }
    e.source.blank();
    close_namespace(e.source, namespace_of(e, run));
  }
}

void write_source(Emitter& e, const std::string& stem) {
  e.source.line("#include \"" + stem + ".hpp\"");
  e.source.blank();
  e.source.line("#include <corbel/mapping/print.hpp>");
  begin_code(e.source);
  write_stubs(e);
  for_each(e.model.contents, [&](const auto& declaration) {
    visit_nested(declaration, [&](const auto& d) {
      if (const auto* u = as<model::Union>(&d)) implement_union(e, *u);
    });
  });
  e.source.blank();
  for_each(e.model.contents, [&](const auto& declaration) { implement_codec(e, declaration); });
  for_each(e.model.contents, [&](const auto& declaration) {
    if (const auto* value = as<model::ValueType>(&declaration)) implement_value(e, *value);
    if (const auto* box = as<model::ValueBox>(&declaration)) implement_value_box(e, *box);
  });
  end_code(e.source);
}

void write_server_header(Emitter& e, const std::string& stem) {
  Writer& out = e.server_header;
  out.line("#pragma once");
  out.blank();
  out.line("#include <corbel/mapping/skeleton.hpp>");
  out.blank();
  out.line("#include \"" + stem + ".hpp\"");
  for (const auto* file : included_files(e.model)) {
    out.line("#include \"" + header_for(file->spelling, "_server.hpp") + "\"");
  }
  begin_code(out);
  for (const auto& run : runs_of(e.model, is_served)) {
    const std::string name = e.names.skeleton_namespace(run.module);
    open_namespace(out, name);
    out.line("");
    for (const auto* interface : run.declarations) define_skeleton(e, *as<model::Interface>(interface));
    out.blank();
    close_namespace(out, name);
  }
  out.blank();
  for_each(e.model.contents, [&](const auto& declaration) {
    if (is_served(declaration)) emit_servant_traits(e, *as<model::Interface>(&declaration));
  });
  end_code(out);
}

void write_server_source(Emitter& e, const std::string& stem) {
  Writer& out = e.server_source;
  out.line("#include \"" + stem + "_server.hpp\"");
  begin_code(out);
  for (const auto& run : runs_of(e.model, is_served)) {
    const std::string space = e.names.skeleton_namespace(run.module);
    open_namespace(out, space);
    out.line("namespace {");
    e.use_helpers(out, {"In", "Inout", "inherited", "OperationEntry", "OperationTable", "Out", "serve"});
    for (const auto* interface : run.declarations) emit_operation_table(e, *as<model::Interface>(interface));
    out.line("}  // namespace");
    for (const auto* interface : run.declarations) implement_skeleton(e, *as<model::Interface>(interface));
    out.blank();
    close_namespace(out, space);
  }
  end_code(out);
}

/// Ends in one line break, whatever the writers left.
std::string finished(const std::string& head, const Writer& writer) {
  std::string text = head + writer.text();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace

std::string header_for(const std::string& spelling, const std::string& ending) {
  const std::size_t slash = spelling.rfind('/');
  return (slash == std::string::npos ? "" : spelling.substr(0, slash + 1)) + stem_of(spelling) + ending;
}

std::vector<const model::File*> included_files(const model::Model& model) {
  // Whether each file declares anything, and anything that is not the library's.
  std::vector<std::pair<bool, bool>> declares(model.files.size());
  for_all(model.contents, [&](const auto& declaration) {
    if (as<model::Module>(&declaration) != nullptr) return;
    auto& [something, of_its_own] = declares.at(declaration.where.file);
    something = true;
    of_its_own |= library_header(declaration).empty();
  });
  std::vector<const model::File*> files;
  for (std::size_t i = 0; i < model.files.size(); ++i) {
    const auto [something, of_its_own] = declares[i];
    const auto& file = model.files[i];
    if (file.direct && file.spelling != "orb.idl" && (of_its_own || !something)) files.push_back(&file);
  }
  return files;
}

void for_each_own(const model::Model& model, const std::function<void(const model::Declaration&)>& visit) {
  for_each(model.contents, [&](const auto& declaration) { visit_nested(declaration, visit); });
}

std::vector<std::string> file_names(const std::string& idl_path) {
  const std::string stem = stem_of(idl_path);
  return {stem + ".hpp",        stem + ".cpp",     stem + "_server.hpp",
          stem + "_server.cpp", stem + "_any.hpp", stem + "_any.cpp"};
}

std::vector<GeneratedFile> generate(model::Model& model, const std::string& version, const Options& options) {
  auto library_headers = leave_to_library(model);
  imply_reply_handlers(model, options.ami);
  Emitter e(model);
  e.library_headers = std::move(library_headers);
  e.futures = options.futures;
  const std::string& path = model.files.at(0).path;
  const std::string stem = stem_of(path);
  write_header(e);
  write_source(e, stem);
  write_server_header(e, stem);
  write_server_source(e, stem);
  write_any_files(e, stem);
  const std::string file = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  const std::string head = "// Generated by corbel-idl " + version + " from " + file + ". Do not edit.\n";
  const auto names = file_names(path);
  return {{names[0], finished(head, e.header)},        {names[1], finished(head, e.source)},
          {names[2], finished(head, e.server_header)}, {names[3], finished(head, e.server_source)},
          {names[4], finished(head, e.any_header)},    {names[5], finished(head, e.any_source)}};
}

}  // namespace corbel::idl::cpp

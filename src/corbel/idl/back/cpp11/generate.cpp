// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/generate.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "corbel/idl/back/cpp11/emitter.hpp"
#include "corbel/idl/back/cpp11/library.hpp"
#include "corbel/idl/back/cpp11/runs.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;

void open_namespace(Writer& out, const std::string& name) {
  out.blank();
  if (!name.empty()) out.line("namespace " + name + " {");
}
void close_namespace(Writer& out, const std::string& name) {
  if (!name.empty()) out.line("}  // namespace " + name);
}

/// Users' names may be those of parameters and variables here. No warning is due: users' names are spelled from `::`.
void begin_code(Writer& out) {
  out.blank();
  out.line("#pragma GCC diagnostic push");
  out.line("#pragma GCC diagnostic ignored \"-Wshadow\"");
}
void end_code(Writer& out) {
  out.blank();
  out.line("#pragma GCC diagnostic pop");
}

std::string namespace_of(const Emitter& e, const Run& run) {
  return run.module == nullptr ? "" : e.names.full(*run.module);
}

void forward_declare(Emitter& e, const model::Declaration& declaration) {
  const std::string name = e.names.own(declaration);
  e.header.line("class " + name + ";");
  const auto* value = as<model::ValueType>(&declaration);
  if (value == nullptr || value->is_abstract || value->polled != nullptr) return;
  e.header.line("class " + e.names.factory(*value) + ";");
  e.header.line("namespace obv { class " + name + "; }");
}

void emit_reference_traits(Emitter& e, const model::Declaration& declaration) {
  if (const auto* interface = as<model::Interface>(&declaration)) return emit_traits_unless_declared(e, *interface);
  if (const auto* value = as<model::ValueType>(&declaration)) return emit_value_traits(e, *value);
  emit_value_box_traits(e, *as<model::ValueBox>(&declaration));
}

/// Interfaces whose definition is elsewhere, each once.
void declare_interfaces(Emitter& e) {
  std::set<const model::Declaration*> known;
  for (const auto& run : runs_of(e.model, is_declared_only)) {
    for (const auto* declaration : run.declarations) {
      const auto& interface = *as<model::Interface>(as<model::Forward>(declaration)->target);
      if (!known.insert(&interface).second) continue;
      open_namespace(e.header, namespace_of(e, run));
      e.header.line("class " + e.names.own(interface) + ";");
      close_namespace(e.header, namespace_of(e, run));
      emit_declared_traits(e, interface);
    }
  }
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
  declare_interfaces(e);
  forward_declare_references(e);
  for (const auto& run : runs_of(e.model, is_anything)) {
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
  emit_known_codecs(e);
  end_code(e.header);
}

/// What the stubs of a run share: descriptors of their operations.
void write_operations(Emitter& e, const Run& run) {
  const bool any_method = std::any_of(run.declarations.begin(), run.declarations.end(), [](const auto* d) {
    return is_remote(*d) && (!is_served(*d) || !stub_methods_of(*as<model::Interface>(d)).empty());
  });
  if (!any_method) return;
  e.source.blank();
  e.source.line("namespace {");
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
  if (!interface.is_local) return implement_stub(e, interface);
  if (!is_known_by_id(interface)) implement_is_a(e, interface);
}

void write_stubs(Emitter& e) {
  for (const auto& run : runs_of(e.model, is_anything)) {
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
      const auto* value = as<model::ValueType>(declaration);
      if (value != nullptr && value->polled != nullptr) implement_poller(e, *value);
    }
    e.source.blank();
    close_namespace(e.source, namespace_of(e, run));
  }
}

/// Whether anything of the main file has text.
bool is_printed(const model::Model& model) {
  bool found = false;
  for_each_own(model, [&](const auto& d) {
    using Kind = model::DeclarationKind;
    const auto* value = as<model::ValueType>(&d);
    if (value != nullptr && value->polled != nullptr) return;
    found |= d.kind != Kind::interface_ && d.kind != Kind::constant && d.kind != Kind::alias &&
             d.kind != Kind::forward && d.kind != Kind::operation && d.kind != Kind::attribute;
  });
  return found;
}

void write_source(Emitter& e, const std::string& stem) {
  e.source.line("#include \"" + stem + ".hpp\"");
  // The headers of streams are a fifth of what a file would have to read.
  if (is_printed(e.model)) {
    e.source.blank();
    e.source.line("#include <corbel/mapping/print.hpp>");
  }
  std::vector<std::string> known;
  for_each_own(e.model, [&](const auto& d) {
    const auto* interface = as<model::Interface>(&d);
    if (interface == nullptr || !is_known_by_id(*interface)) return;
    known.push_back("template struct corbel::corba::KnownLocalInterface<" + e.names.global(d) + ">;");
  });
  begin_code(e.source);
  for (const auto& line : known) e.source.line(line);
  write_stubs(e);
  for_each(e.model.contents, [&](const auto& declaration) {
    visit_nested(declaration, [&](const auto& d) {
      if (const auto* u = as<model::Union>(&d)) implement_union(e, *u);
    });
  });
  e.source.blank();
  for_each(e.model.contents, [&](const auto& declaration) { implement_codec(e, declaration); });
  for_each(e.model.contents, [&](const auto& declaration) {
    const auto* value = as<model::ValueType>(&declaration);
    if (value != nullptr && value->polled == nullptr) implement_value(e, *value);
    if (const auto* box = as<model::ValueBox>(&declaration)) implement_value_box(e, *box);
  });
  end_code(e.source);
}

bool is_reply_handler(const model::Declaration& declaration) {
  return is_served(declaration) && as<model::Interface>(&declaration)->is_implied;
}

/// The interfaces whose skeletons are wanted. For clients these are only those of their reply handlers.
std::vector<Run> served_runs(const Emitter& e) {
  return runs_of(e.model, e.stubs ? is_reply_handler : is_served);
}

/// Whether the interface has a skeleton of servants that answer later. A reply handler has nothing to answer.
bool is_deferred(const Emitter& e, const model::Declaration& interface) {
  return e.amh && !e.stubs && !is_reply_handler(interface);
}

bool has_shared(const Emitter& e) {
  bool found = false;
  for_each_own(e.model, [&](const auto& d) {
    const auto* interface = as<model::Interface>(&d);
    if (interface == nullptr) return;
    for (const auto& method : methods_of(*interface)) {
      found |= method.shared;
      for (const auto& p : method.parameters) found |= p.shared;
    }
  });
  return found;
}

void write_server_header(Emitter& e, const std::string& stem) {
  Writer& out = e.server_header;
  const auto runs = served_runs(e);
  out.line("#pragma once");
  out.blank();
  if (e.stubs && runs.empty()) return out.line("// There are no skeletons: --stubs.");
  if (e.amh && !e.stubs) out.line("#include <corbel/mapping/amh.hpp>");
  if (e.dispatch != Dispatch::hashed) out.line("#include <corbel/mapping/operation_schemes.hpp>");
  out.line(has_shared(e) ? "#include <corbel/mapping/shared.hpp>" : "#include <corbel/mapping/skeleton.hpp>");
  out.line("#include <corbel/mapping/tie.hpp>");
  out.blank();
  out.line("#include \"" + stem + ".hpp\"");
  for (const auto* file : included_files(e.model)) {
    out.line("#include \"" + header_for(file->spelling, "_server.hpp") + "\"");
  }
  begin_code(out);
  for (const auto& run : runs) {
    const std::string name = e.names.skeleton_namespace(run.module);
    open_namespace(out, name);
    out.line("");
    for (const auto* interface : run.declarations) {
      define_skeleton(e, *as<model::Interface>(interface));
      if (is_deferred(e, *interface)) define_deferring_skeleton(e, *as<model::Interface>(interface));
    }
    out.blank();
    close_namespace(out, name);
  }
  out.blank();
  for (const auto& run : runs) {
    for (const auto* interface : run.declarations) {
      emit_servant_traits(e, *as<model::Interface>(interface));
      if (is_deferred(e, *interface)) emit_amh_traits(e, *as<model::Interface>(interface));
    }
  }
  for_each(e.model.contents, [&](const auto& declaration) {
    const auto* const value = as<model::ValueType>(&declaration);
    if (value != nullptr && !e.stubs && is_served_value(*value)) emit_value_skeleton(e, *value);
  });
  end_code(out);
}

void write_server_source(Emitter& e, const std::string& stem) {
  Writer& out = e.server_source;
  const auto runs = served_runs(e);
  if (runs.empty()) return;  // nor does it cost the time to read a header
  out.line("#include \"" + stem + "_server.hpp\"");
  begin_code(out);
  for (const auto& run : runs) {
    const std::string space = e.names.skeleton_namespace(run.module);
    open_namespace(out, space);
    out.line("namespace {");
    for (const auto* interface : run.declarations) {
      emit_operation_table(e, *as<model::Interface>(interface));
      if (is_deferred(e, *interface)) emit_deferred_operation_table(e, *as<model::Interface>(interface));
    }
    out.line("}  // namespace");
    for (const auto* interface : run.declarations) {
      implement_skeleton(e, *as<model::Interface>(interface));
      if (is_deferred(e, *interface)) implement_deferring_skeleton(e, *as<model::Interface>(interface));
    }
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

/// What programs for TAOX11 include: there the stubs' header has the Anys, and the ORB, too.
void add_taox11_headers(std::vector<GeneratedFile>& files, const std::string& head, const std::string& stem) {
  const auto include = [](const std::string& name) { return "#include \"" + name + "\"\n"; };
  files.push_back({stem + "C.h",
                   head + "#include <corbel/standard.hpp>\n\n" + include(stem + ".hpp") + include(stem + "_any.hpp")});
  files.push_back({stem + "S.h", head + include(stem + "C.h") + include(stem + "_server.hpp")});
  files.push_back({stem + "AmiC.h", head + include(stem + "S.h")});
}

}  // namespace

std::vector<std::string> file_names(const std::string& idl_path) {
  const std::string stem = stem_of(idl_path);
  return {stem + ".hpp",        stem + ".cpp",     stem + "_server.hpp",
          stem + "_server.cpp", stem + "_any.hpp", stem + "_any.cpp"};
}

std::vector<GeneratedFile> generate(const model::Model& model, const Options& options) {
  Emitter e(model);
  e.library_headers = library_headers(model);
  e.futures = options.futures;
  e.amh = options.amh;
  e.stubs = options.stubs;
  e.dispatch = options.dispatch;
  const std::string& path = model.files.at(0).path;
  const std::string stem = stem_of(path);
  write_header(e);
  write_source(e, stem);
  write_server_header(e, stem);
  write_server_source(e, stem);
  write_any_files(e, stem);
  const std::string head =
      "// Generated by corbel-idl " + options.version + " from " + file_name_of(path) + ". Do not edit.\n";
  const auto names = file_names(path);
  std::vector<GeneratedFile> files = {
      {names[0], finished(head, e.header)},        {names[1], finished(head, e.source)},
      {names[2], finished(head, e.server_header)}, {names[3], finished(head, e.server_source)},
      {names[4], finished(head, e.any_header)},    {names[5], finished(head, e.any_source)}};
  if (options.taox11) add_taox11_headers(files, head + "#pragma once\n\n", stem);
  return files;
}

}  // namespace corbel::idl::back::cpp11

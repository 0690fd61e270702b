// SPDX-License-Identifier: Apache-2.0
// What is written for each file.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "arguments.hpp"
#include "corbel/idl/passes/implied_clashes.hpp"

namespace corbel::idl::tool {
namespace {

namespace fs = std::filesystem;

/// A blank would end a name in a make rule.
std::string make_escaped(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    if (c == ' ' || c == '#') escaped += '\\';
    if (c == '$') escaped += '$';
    escaped += c;
  }
  return escaped;
}

std::string output_path(const Arguments& arguments, const std::string& name) {
  return (fs::path(arguments.output_dir.empty() ? "." : arguments.output_dir) / name).string();
}

/// As make and ninja read it: what is generated depends on all files that were read.
std::string make_rule(const Arguments& arguments, const back::BackEnd& back_end, const std::string& file,
                      const front::Result& result) {
  std::string rule;
  for (const auto& name : back_end.file_names(file)) rule += make_escaped(output_path(arguments, name)) + " ";
  rule.back() = ':';
  for (const auto& dependency : result.dependencies) rule += " \\\n  " + make_escaped(dependency);
  return rule + "\n";
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return true;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) fs::remove(path, ignored);  // or make takes half of it for all
  std::cerr << path.string() << ": error: cannot write this file\n";
  return false;
}

/// Into a file if there is an output folder or the back end always wants one, else to the standard output.
int write_all(const Arguments& arguments, bool prints, const std::vector<back::GeneratedFile>& files) {
  for (const auto& file : files) {
    if (prints && arguments.output_dir.empty()) {
      std::cout << file.text;
    } else if (!write_file(output_path(arguments, file.name), file.text)) {
      return kUsageError;
    }
  }
  return 0;
}

/// True if a declaration has the name of a reply handler that the C++ of an included file declares, which is said.
bool says_of_clashes(const model::Model& model, passes::Handlers handlers) {
  const auto clashes = passes::find_implied_clashes(model, handlers);
  const auto place = [&](const model::Declaration& declaration) {
    const auto& [file, line, column] = declaration.where;
    const auto lines = front::lines_of(model.files.at(file).path);
    return front::Place{model.files[file].path, line, column, static_cast<std::uint32_t>(declaration.name.size()),
                        line == 0 || line > lines.size() ? "" : lines[line - 1]};
  };
  for (const auto& [declared, answered] : clashes) {
    std::cerr << front::render({front::Id::redefinition,
                                front::Severity::error,
                                place(*declared),
                                front::quote(declared->name) + " is the reply handler of interface " +
                                    front::quote(scoped_name(*answered)) +
                                    " in the C++ of the included file: rename one, or declare this in a module",
                                {{place(*answered), "the handler is implied by @ami or --ami"}}});
  }
  return !clashes.empty();
}

/// Compiles one file; the exit status it asks for.
int generate_one(const Arguments& arguments, const std::string& file, std::string& deps) {
  front::Result result = compile(file, arguments.options);
  if (result.model == nullptr) return kInputError;
  const bool only_deps = arguments.emit == "deps";
  const back::BackEnd& back_end = only_deps ? back::back_ends().front() : *back::find(arguments.emit);
  const std::string rule = make_rule(arguments, back_end, file, result);
  deps += rule;
  if (arguments.check_only) return 0;
  if (only_deps) return write_all(arguments, true, {{back::stem_of(file) + ".d", rule}});
  if (says_of_clashes(*result.model, back_end.passes(arguments.generated).handlers)) return kInputError;
  return write_all(arguments, back_end.prints, back::generate(back_end, std::move(result.model), arguments.generated));
}

/// True, and says so, if what is generated for one file would go where another's does, or into a name that no #include
/// can have.
bool says_of_lost_output(const Arguments& arguments) {
  const back::BackEnd* back_end = back::find(arguments.emit);
  if (arguments.check_only || back_end == nullptr || (back_end->prints && arguments.output_dir.empty())) return false;
  std::map<std::string, std::string> written;
  for (const auto& file : arguments.files) {
    if (back::stem_of(file).find_first_of("\"\\\n") != std::string::npos) {
      std::cerr << file << ": error: no #include can have this name\n";
      return true;
    }
    for (const auto& name : back_end->file_names(file)) {
      const auto& first = written.try_emplace(output_path(arguments, name), file).first->second;
      if (first == file) continue;
      std::cerr << file << ": error: its " << output_path(arguments, name) << " would take the place of the one of "
                << first << ": compile it into another folder, or give it another name\n";
      return true;
    }
  }
  return false;
}

}  // namespace

front::Result compile(const std::string& file, const front::Options& options) {
  front::Result result = front::parse_file(file, options);
  for (const auto& diagnostic : result.diagnostics) std::cerr << render(diagnostic);
  return result;
}

int generate(const Arguments& arguments) {
  if (says_of_lost_output(arguments)) return kUsageError;
  std::error_code ignored;  // what cannot be written is reported file by file
  if (!arguments.check_only && !arguments.output_dir.empty()) fs::create_directories(arguments.output_dir, ignored);
  int status = 0;
  std::string deps;
  for (const auto& file : arguments.files) status = std::max(status, generate_one(arguments, file, deps));
  if (status == 0 && !arguments.deps_file.empty() && !write_file(arguments.deps_file, deps)) status = kUsageError;
  return status;
}

}  // namespace corbel::idl::tool

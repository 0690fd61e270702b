// SPDX-License-Identifier: Apache-2.0
// What is written for each file.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "arguments.hpp"
#include "corbel/idl/json/emit_json.hpp"

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
std::string make_rule(const Arguments& arguments, const std::string& file, const front::Result& result) {
  std::string rule;
  for (const auto& name : cpp::file_names(file)) rule += make_escaped(output_path(arguments, name)) + " ";
  rule.back() = ':';
  for (const auto& dependency : result.dependencies) rule += " \\\n  " + make_escaped(dependency);
  return rule + "\n";
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return true;
  std::cerr << path.string() << ": error: cannot write this file\n";
  return false;
}

/// Into a file if there is an output folder, else to the standard output.
bool write_text(const Arguments& arguments, const std::string& name, const std::string& text) {
  if (!arguments.output_dir.empty()) return write_file(output_path(arguments, name), text);
  std::cout << text;
  return true;
}

int write_cpp(const Arguments& arguments, model::Model& model) {
  for (const auto& output : cpp::generate(model, CORBEL_VERSION, arguments.generated)) {
    if (!write_file(output_path(arguments, output.name), output.text)) return kUsageError;
  }
  return 0;
}

/// Compiles one file; the exit status it asks for.
int generate_one(const Arguments& arguments, const std::string& file, std::string& deps) {
  const front::Result result = compile(file, arguments.options);
  if (result.model == nullptr) return kInputError;
  const std::string rule = make_rule(arguments, file, result);
  deps += rule;
  if (arguments.check_only) return 0;
  const std::string stem = fs::path(file).stem().string();
  if (arguments.emit == "json") {
    return write_text(arguments, stem + ".json", json::emit(*result.model)) ? 0 : kUsageError;
  }
  if (arguments.emit == "deps") return write_text(arguments, stem + ".d", rule) ? 0 : kUsageError;
  return write_cpp(arguments, *result.model);
}

}  // namespace

front::Result compile(const std::string& file, const front::Options& options) {
  front::Result result = front::parse_file(file, options);
  for (const auto& diagnostic : result.diagnostics) std::cerr << render(diagnostic);
  return result;
}

int generate(const Arguments& arguments) {
  std::error_code ignored;  // what cannot be written is reported file by file
  if (!arguments.check_only && !arguments.output_dir.empty()) fs::create_directories(arguments.output_dir, ignored);
  int status = 0;
  std::string deps;
  for (const auto& file : arguments.files) status = std::max(status, generate_one(arguments, file, deps));
  if (status == 0 && !arguments.deps_file.empty() && !write_file(arguments.deps_file, deps)) status = kUsageError;
  return status;
}

}  // namespace corbel::idl::tool

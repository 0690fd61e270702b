// SPDX-License-Identifier: Apache-2.0
// The command line of the IDL compiler. Exit status: 0 everything compiled, 1 errors in the input, 2 wrong usage or
// output that cannot be written.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "idl/cpp/generate.hpp"
#include "idl/front/front.hpp"

namespace {

namespace fs = std::filesystem;
namespace front = corbel::idl::front;

constexpr int kInputError = 1;
constexpr int kUsageError = 2;

struct Arguments {
  front::Options options;
  std::vector<std::string> files;
  std::string output_dir = ".";
  std::string deps_file;
  bool check_only = false;
};

void declare_options(CLI::App& app, Arguments& arguments) {
  app.set_version_flag("-V,--version", "corbel-idl " CORBEL_VERSION);
  app.add_option("files", arguments.files, "IDL files to compile")->required()->type_name("FILE");
  app.add_option("-I,--include", arguments.options.include_dirs, "Search this folder for #include")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("-D,--define", arguments.options.defines, "Define a preprocessor macro")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  app.add_option("-U,--undefine", arguments.options.undefines, "Undefine a preprocessor macro")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("-o,--output-dir", arguments.output_dir, "Where the generated files go (default: .)")
      ->type_name("DIR");
  app.add_option("--deps", arguments.deps_file, "Write the files read as a make rule")->type_name("FILE");
  app.add_flag("--check", arguments.check_only, "Report errors and warnings, write nothing");
  app.add_flag("--werror", arguments.options.warnings_as_errors, "Treat warnings as errors");
  app.footer(
      "From NAME.idl come NAME.hpp and NAME.cpp (types and stubs) and NAME_server.hpp and NAME_server.cpp "
      "(skeletons).");
}

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

std::string make_rule(const Arguments& arguments, const std::string& file, const front::Result& result) {
  std::string rule;
  for (const auto& name : corbel::idl::cpp::file_names(file)) {
    rule += make_escaped((fs::path(arguments.output_dir) / name).string()) + " ";
  }
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

/// Compiles one file; the exit status it asks for.
int compile(const Arguments& arguments, const std::string& file, std::string& deps) {
  const front::Result result = front::parse_file(file, arguments.options);
  for (const auto& diagnostic : result.diagnostics) std::cerr << render(diagnostic);
  if (result.model == nullptr) return kInputError;
  deps += make_rule(arguments, file, result);
  if (arguments.check_only) return 0;
  for (const auto& output : corbel::idl::cpp::generate(*result.model, CORBEL_VERSION)) {
    if (!write_file(fs::path(arguments.output_dir) / output.name, output.text)) return kUsageError;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compiles OMG IDL to C++ for Corbel.", "corbel-idl");
  Arguments arguments;
  declare_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  std::error_code ignored;  // what cannot be written is reported file by file
  if (!arguments.check_only) fs::create_directories(arguments.output_dir, ignored);
  int status = 0;
  std::string deps;
  for (const auto& file : arguments.files) status = std::max(status, compile(arguments, file, deps));
  if (status == 0 && !arguments.deps_file.empty() && !write_file(arguments.deps_file, deps)) status = kUsageError;
  return status;
}

// SPDX-License-Identifier: Apache-2.0
// The command line of the IDL compiler. Exit status: 0 everything compiled, 1 errors in the input or changes that
// break, 2 wrong usage or output that cannot be written.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "arguments.hpp"

namespace {

namespace fs = std::filesystem;
namespace back = corbel::idl::back;
namespace tool = corbel::idl::tool;

/// The folder of Corbel's own renderings of OMG IDL: beside the installed program, else in the source tree.
std::string shipped_dir() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / CORBEL_IDL_DATADIR;
  if (!error && fs::is_directory(installed, error)) return installed.string();
  return fs::is_directory(CORBEL_IDL_SOURCE_DIR, error) ? CORBEL_IDL_SOURCE_DIR : "";
}

/// Options of the front end, which all commands have.
void declare_front_options(CLI::App& app, corbel::idl::front::Options& options) {
  app.add_option("-I,--include", options.include_dirs, "Search this folder for #include")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("-D,--define", options.defines, "Define a preprocessor macro")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  app.add_option("-U,--undefine", options.undefines, "Undefine a preprocessor macro")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--idl", options.idl_version,
                 "3: refuse what only IDL 4 has, and take the words that only IDL 4 reserves as names (default: 4)")
      ->check(CLI::IsMember({3, 4}))
      ->type_name("3|4");
  app.add_flag("--werror", options.warnings_as_errors, "Treat warnings as errors");
}

std::vector<std::string> emit_names() {
  std::vector<std::string> names = {"deps"};
  for (const auto& back_end : back::back_ends()) names.emplace_back(back_end.name);
  return names;
}

std::string emit_help() {
  std::string text;
  for (const auto& back_end : back::back_ends()) {
    text += std::string(back_end.name) + ": " + std::string(back_end.summary) + (text.empty() ? " (default); " : "; ");
  }
  return text + "deps: a make rule. Without -o, all but C++ goes to the standard output";
}

void declare_options(CLI::App& app, tool::Arguments& arguments, std::string& explained) {
  app.set_version_flag("-V,--version", "corbel-idl " CORBEL_VERSION);
  app.add_option("files", arguments.files, "IDL files to compile")->type_name("FILE");
  declare_front_options(app, arguments.options);
  app.add_option("--emit", arguments.emit, emit_help())->check(CLI::IsMember(emit_names()))->type_name("WHAT");
  app.add_option("-o,--output-dir", arguments.output_dir, "Where the generated files go (default: .)")
      ->type_name("DIR");
  app.add_option("--deps", arguments.deps_file, "Write the files read as a make rule")->type_name("FILE");
  app.add_flag("--ami", arguments.generated.ami,
               "Write sendc_ operations and reply handlers for all interfaces, not only where @ami stands");
  app.add_flag("--pollers", arguments.generated.pollers,
               "Write sendp_ operations and pollers, too, wherever there are sendc_ operations (--ami, @ami)");
  app.add_flag("--async", arguments.generated.futures, "Write async_ operations, which return futures");
  app.add_flag("--amh", arguments.generated.amh,
               "Write a second skeleton for each interface, of servants that answer later");
  app.add_flag("--stubs", arguments.generated.stubs,
               "For clients: the server files hold no skeletons but those of reply handlers");
  app.add_flag("--taox11", arguments.generated.taox11,
               "Write NAMEC.h, NAMES.h and NAMEAmiC.h, too, which programs for TAOX11 include; module CORBA needs no "
               "#include");
  static const std::map<std::string, back::Dispatch> kDispatch = {
      {"hashed", back::Dispatch::hashed}, {"linear", back::Dispatch::linear}, {"indexed", back::Dispatch::indexed}};
  app.add_option("--dispatch", arguments.generated.dispatch,
                 "For experiments: how skeletons find operations: hashed (default), linear search, or indexed, where "
                 "stubs send numbers that only skeletons of the same option understand")
      ->transform(CLI::CheckedTransformer(kDispatch))
      ->type_name("HOW");
  app.add_flag("--check", arguments.check_only, "Report errors and warnings, write nothing");
  app.add_option("--explain", explained, "Explain a diagnostic such as IDL-3004 and stop")->type_name("ID");
  app.footer(
      "From NAME.idl come NAME.hpp and NAME.cpp (types and stubs), NAME_server.hpp and NAME_server.cpp (skeletons), "
      "and "
      "NAME_any.hpp and NAME_any.cpp (TypeCodes; what goes into an Any). Corbel's own orb.idl, CosNaming.idl and so on "
      "are found by #include without -I.");
}

CLI::App* declare_check(CLI::App& app, tool::CompatArguments& arguments, corbel::idl::front::Options& options) {
  CLI::App* check = app.add_subcommand("check", "Report changes between two versions of a file that break something");
  check->add_option("--against", arguments.against, "The old version")->required()->type_name("OLD");
  check->add_option("file", arguments.file, "The new version")->required()->type_name("NEW");
  check->add_option("--breaks", arguments.breaks, "Look for what breaks the wire, the source, or all (default)")
      ->check(CLI::IsMember({"wire", "source", "all"}))
      ->type_name("wire|source|all");
  check->add_option("--ignore", arguments.ignored, "Leave a rule out; docs/idl-compatibility.md lists them")
      ->type_name("RULE")
      ->allow_extra_args(false);
  declare_front_options(*check, options);
  return check;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compiles OMG IDL to C++ for Corbel.", "corbel-idl");
  tool::Arguments arguments;
  tool::CompatArguments compat;
  std::string explained;
  declare_options(app, arguments, explained);
  const CLI::App* check = declare_check(app, compat, arguments.options);
  try {
    app.parse(argc, argv);
    if (!check->parsed() && explained.empty() && arguments.files.empty()) throw CLI::RequiredError("files");
    const back::BackEnd* back_end = back::find(arguments.emit);
    if (back_end != nullptr && back_end->prints && arguments.output_dir.empty() && arguments.files.size() > 1) {
      throw CLI::ValidationError("--emit=" + arguments.emit, "several files need an output folder (-o)");
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : tool::kUsageError;
  }
  if (!explained.empty()) return tool::explain(explained);
  arguments.options.shipped_dir = shipped_dir();
  arguments.options.knows_corba = arguments.generated.taox11;
  arguments.generated.version = CORBEL_VERSION;
  return check->parsed() ? tool::check_against(compat, arguments.options) : tool::generate(arguments);
}

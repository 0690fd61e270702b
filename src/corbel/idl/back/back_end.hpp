// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corbel/idl/model/model.hpp"
#include "corbel/idl/passes/passes.hpp"

/// What turns a model into files. A new one is a folder below idl/back and a line in idl/back_ends.cpp.
namespace corbel::idl::back {

struct GeneratedFile {
  std::string name;  ///< without folder
  std::string text;
};

/// How generated skeletons find operations.
enum class Dispatch { hashed, linear, indexed };

/// What a user may ask for; a back end takes what concerns it.
struct Options {
  std::string version;   ///< of the compiler; goes into what is generated
  bool ami = false;      ///< sendc_ operations and reply handlers for everything, not only for what has @ami
  bool futures = false;  ///< async_ operations
  bool pollers = false;  ///< sendp_ operations and pollers, where there are sendc_ operations
  bool amh = false;      ///< skeletons of servants that answer later
  bool stubs = false;    ///< no skeletons but those of reply handlers
  bool taox11 = false;   ///< headers with the names that TAOX11 gives them, besides
  Dispatch dispatch = Dispatch::hashed;  ///< with `indexed`, stubs call operations by their numbers
};

/// A constant; its functions depend on nothing but their arguments and may be called by any thread.
struct BackEnd {
  std::string_view name;     ///< as `--emit=NAME` says it
  std::string_view summary;  ///< one line of help
  /// True if its text may go to the standard output, when no folder is given.
  bool prints = false;
  /// The passes that it wants the model to go through first.
  passes::Wanted (*passes)(const Options& options);
  /// The names of the files that come from an IDL file of that path, always the same.
  std::vector<std::string> (*file_names)(const std::string& idl_path);
  /// Those files, in that order, and others that options ask for. The model has been through the passes.
  std::vector<GeneratedFile> (*generate)(const model::Model& model, const Options& options);
};

/// Takes the model through the passes that the back end wants, and hands it over.
std::vector<GeneratedFile> generate(const BackEnd& back_end, std::unique_ptr<model::Model> model,
                                    const Options& options);

/// "other" from "sub/other.idl".
std::string stem_of(const std::string& path);
/// "other.idl" from "sub/other.idl".
std::string file_name_of(const std::string& path);

}  // namespace corbel::idl::back

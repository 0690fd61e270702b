// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/idl/back_ends.hpp"
#include "corbel/idl/front/front.hpp"

namespace corbel::idl::tool {

inline constexpr int kInputError = 1;
inline constexpr int kUsageError = 2;

struct Arguments {
  front::Options options;
  std::vector<std::string> files;
  std::string emit = "cpp";
  std::string output_dir;
  std::string deps_file;
  bool check_only = false;
  back::Options generated;
};

struct CompatArguments {
  std::string against;
  std::string file;
  std::string breaks = "all";
  std::vector<std::string> ignored;
};

/// Compiles a file and prints what there is to say about it; the result has a model if there was no error.
front::Result compile(const std::string& file, const front::Options& options);

/// `corbel-idl FILE...`; the exit status.
int generate(const Arguments& arguments);
/// `corbel-idl check --against OLD NEW`; the exit status.
int check_against(const CompatArguments& compat, const front::Options& options);
/// `corbel-idl --explain ID`; the exit status.
int explain(const std::string& id);

}  // namespace corbel::idl::tool

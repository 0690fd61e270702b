// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace corbel::idl::front {

struct Options {
  std::vector<std::string> include_dirs;  ///< searched in order, after the folder of the including file
  std::string shipped_dir;                ///< searched last: Corbel's own renderings of OMG IDL; may be empty
  std::vector<std::string> defines;       ///< "NAME" or "NAME=value"
  std::vector<std::string> undefines;
  bool knows_corba = false;  ///< names of module CORBA need no #include <orb.idl>
  bool warnings_as_errors = false;
  int idl_version = 4;  ///< 3: what only IDL 4 has is an error, and its keywords are plain names
  std::size_t max_errors = 50;
};

}  // namespace corbel::idl::front

// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/back_end.hpp"

#include <utility>

namespace corbel::idl::back {

std::vector<GeneratedFile> generate(const BackEnd& back_end, std::unique_ptr<model::Model> model,
                                    const Options& options) {
  const auto finished = passes::run(std::move(model), back_end.passes(options));
  return back_end.generate(*finished, options);
}

std::string file_name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string stem_of(const std::string& path) {
  const std::string name = file_name_of(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

}  // namespace corbel::idl::back

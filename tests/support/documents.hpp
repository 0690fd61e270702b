// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/files.hpp"

namespace corbel::test {

/// That a file made from tables of the sources holds what they say. With CORBEL_UPDATE_DOCS in the environment it is
/// written.
inline void expect_document(const std::filesystem::path& path, const std::string& wanted) {
  if (std::getenv("CORBEL_UPDATE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << wanted;
  EXPECT_EQ(text_of_file(path), wanted) << path
                                        << " is out of date: run with CORBEL_UPDATE_DOCS=1 and look at the difference";
}

}  // namespace corbel::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "corbel/idl/front/front.hpp"

namespace corbel::idl::front::test {

inline const std::filesystem::path kCases = CORBEL_IDL_CASES;

/// The identifiers of what was said, with a blank between; "ok" if nothing was.
inline std::string ids_of(const Result& result) {
  std::string ids;
  for (const auto& diagnostic : result.diagnostics) {
    ids += (ids.empty() ? "" : " ") + std::to_string(static_cast<unsigned>(diagnostic.id));
  }
  return ids.empty() ? "ok" : ids;
}

inline std::string render_all(const Result& result) {
  std::string text;
  for (const auto& diagnostic : result.diagnostics) text += render(diagnostic);
  return text;
}

/// What is compiled without a word.
inline Result parse_clean(std::string text) {
  Result result = parse(std::move(text), "test.idl");
  EXPECT_EQ(render_all(result), "");
  EXPECT_NE(result.model, nullptr);
  return result;
}

/// The declaration of that name and kind; null if there is none.
template <class T>
const T* find(const model::Contents& contents, std::string_view name) {
  for (const auto* declaration : contents) {
    if (declaration->name == name && model::as<T>(declaration) != nullptr) return model::as<T>(declaration);
  }
  return nullptr;
}

}  // namespace corbel::idl::front::test

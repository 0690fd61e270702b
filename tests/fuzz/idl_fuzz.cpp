// SPDX-License-Identifier: Apache-2.0
// The IDL compiler: whatever the front end accepts, every back end can take.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "corbel/idl/back_ends.hpp"
#include "corbel/idl/compat/compare.hpp"
#include "corbel/idl/front/front.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel::idl;
  front::Options options;
  options.idl_version = size % 2 == 0 ? 4 : 3;
  front::Result result = front::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz.idl", options);
  bool failed = false;
  for (const auto& diagnostic : result.diagnostics) {
    if (front::render(diagnostic).empty()) std::abort();
    failed |= diagnostic.severity == front::Severity::error;
  }
  if (failed != (result.model == nullptr)) std::abort();
  if (result.model == nullptr) return 0;
  if (!compat::compare(*result.model, *result.model).empty()) std::abort();
  const auto all = back::back_ends();
  for (const auto& back_end : all.subspan(1)) {
    if (back_end.generate(*result.model, {}).empty()) std::abort();
  }
  if (back::generate(all.front(), std::move(result.model), {}).empty()) std::abort();
  return 0;
}

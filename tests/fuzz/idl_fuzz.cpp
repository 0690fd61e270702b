// SPDX-License-Identifier: Apache-2.0
// The IDL compiler: whatever the front end accepts, every back end can take.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "corbel/idl/compat/compare.hpp"
#include "corbel/idl/cpp/generate.hpp"
#include "corbel/idl/front/front.hpp"
#include "corbel/idl/json/emit_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel::idl;
  front::Options options;
  options.idl_version = size % 2 == 0 ? 4 : 3;
  const front::Result result =
      front::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz.idl", options);
  bool failed = false;
  for (const auto& diagnostic : result.diagnostics) {
    if (front::render(diagnostic).empty()) std::abort();
    failed |= diagnostic.severity == front::Severity::error;
  }
  if (failed != (result.model == nullptr)) std::abort();
  if (result.model == nullptr) return 0;
  if (json::emit(*result.model).empty()) std::abort();
  if (!compat::compare(*result.model, *result.model).empty()) std::abort();
  if (cpp::generate(*result.model, "0").empty()) std::abort();
  return 0;
}

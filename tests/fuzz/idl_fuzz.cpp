// SPDX-License-Identifier: Apache-2.0
// The IDL front end on text in memory, and the back end on what it accepts.
#include <cstdlib>
#include <string>

#include "idl/cpp/generate.hpp"
#include "idl/front/front.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel::idl;
  const front::Result result = front::parse(std::string(reinterpret_cast<const char*>(data), size), "fuzz.idl");
  bool failed = false;
  for (const auto& diagnostic : result.diagnostics) {
    if (front::render(diagnostic).empty()) std::abort();
    failed |= diagnostic.severity == front::Severity::error;
  }
  if (failed != (result.model == nullptr)) std::abort();
  if (result.model != nullptr && cpp::generate(*result.model, "0").size() != cpp::file_names("fuzz.idl").size()) std::abort();
  return 0;
}

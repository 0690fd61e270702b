// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back_ends.hpp"

#include <algorithm>
#include <array>

#include "corbel/idl/back/cpp11/generate.hpp"
#include "corbel/idl/back/json/emit_json.hpp"
#include "corbel/idl/back/wireshark/emit_wireshark.hpp"

namespace corbel::idl::back {

std::span<const BackEnd> back_ends() {
  static constexpr std::array kAll = {
      cpp11::kBackEnd,
      json::kBackEnd,
      wireshark::kBackEnd,
  };
  return kAll;
}

const BackEnd* find(std::string_view name) {
  const auto all = back_ends();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace corbel::idl::back

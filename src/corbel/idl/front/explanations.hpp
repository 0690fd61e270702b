// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "corbel/idl/front/diagnostics.hpp"

namespace corbel::idl::front {

/// One diagnostic, explained.
struct Explanation {
  Id id;
  std::string_view title;    ///< a few words
  std::string_view text;     ///< what is wrong, why, and what to do
  std::string_view example;  ///< IDL that gives it; empty where that would be a large file or a broken disk
};

/// All of them, by number.
std::span<const Explanation> explanations() noexcept;
/// Null if no diagnostic has this number.
const Explanation* explain(unsigned number) noexcept;
/// What `corbel-idl --explain` prints.
std::string render(const Explanation& explanation);
/// docs/diagnostics.md
std::string diagnostics_document();

}  // namespace corbel::idl::front

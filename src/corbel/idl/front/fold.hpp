// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "corbel/idl/front/diagnostics.hpp"
#include "corbel/idl/front/evaluated.hpp"
#include "corbel/idl/front/token.hpp"

namespace corbel::idl::front {

/// What is wrong with an operation or a conversion.
struct Problem {
  Id id;
  std::string text;
};

/// `left operation right`; on a problem the result is monostate and `problem` says why. Unknown operands give an
/// unknown result in silence.
Evaluated fold_binary(Kind operation, const Evaluated& left, const Evaluated& right, std::optional<Problem>& problem);
/// `operation operand`. `~` complements within the range of `target`.
Evaluated fold_unary(Kind operation, const Evaluated& operand, model::TypeKind target, std::optional<Problem>& problem);
/// The value as a constant of `type` (which is resolved), or monostate and a problem.
model::Value fit(const Evaluated& value, const model::Type& type, std::optional<Problem>& problem);

}  // namespace corbel::idl::front

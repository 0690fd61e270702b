// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "corbel/idl/model/model.hpp"

/// Fixed-point arithmetic as CORBA wants it in constant expressions: exact, then cut to 31 digits
/// (CORBA 3.4, 7.10.3.2).
namespace corbel::idl::front {

inline constexpr std::size_t kMaxFixedDigits = 31;

/// A literal such as `12.50d`, which becomes 12.5. Nothing if it has more than 31 digits before the point.
std::optional<model::Fixed> parse_fixed(std::string_view literal);

/// The operations give nothing if the result needs more than 31 digits before the point.
std::optional<model::Fixed> add(const model::Fixed& left, const model::Fixed& right);
std::optional<model::Fixed> multiply(const model::Fixed& left, const model::Fixed& right);
/// `right` is not zero.
std::optional<model::Fixed> divide(const model::Fixed& left, const model::Fixed& right);
model::Fixed negate(model::Fixed value);

/// Cut to a type's digits and scale; nothing if it does not fit before the point.
std::optional<model::Fixed> cut(const model::Fixed& value, std::size_t digits, std::size_t scale);

bool is_zero(const model::Fixed& value) noexcept;

}  // namespace corbel::idl::front

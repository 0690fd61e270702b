// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/dynamic/type_code.hpp"

namespace corbel::dynamic {

/// Stands where the kind of a TypeCode would, before the offset of the one that it repeats (CORBA 3.3 part
/// 2, 9.3.5.1.3).
constexpr std::uint32_t kIndirection = 0xffffffffU;

/// Writes a value of a discriminator's type; fails with bad_argument if it is no discriminator type.
void put_label(cdr::Encoder& out, const CORBA::TypeCode& discriminator, std::int64_t label);
/// Reads one; fails with malformed if it is no discriminator type.
std::int64_t get_label(cdr::Decoder& in, const CORBA::TypeCode& discriminator);
/// Index of the union's member that a discriminator value selects; -1 if none.
std::int32_t selected_member(const TypeNode& node, std::int64_t label) noexcept;
/// The smallest discriminator value that is no label of the union, if there is one. Takes a logarithm of the number of
/// labels where they are kept sorted: strangers choose how many there are, and how often it is asked for.
std::optional<std::int64_t> unused_label(const TypeNode& node);

}  // namespace corbel::dynamic

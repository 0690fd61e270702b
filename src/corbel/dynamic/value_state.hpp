// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "corbel/dynamic/type_code.hpp"

namespace corbel::dynamic {

/// The members of a struct, exception or valuetype, those of the valuetype's bases first. Throws IMP_LIMIT if it has
/// too many bases: TypeCodes from elsewhere may name a type as its own.
std::vector<const TypeMember*> members_of(const TypeNode& node);

/// The member at this index of members_of(), null if there is none. Takes as many steps as there are bases, however
/// many members there are. Throws as members_of() does.
const TypeMember* member_at(const TypeNode& node, std::size_t index);

/// The type's id and those that it may be truncated to, the most derived first.
std::vector<std::string_view> truncatable_ids(const TypeNode& node);

/// True if the type is `id`, or a valuetype with such a base.
bool is_or_derives_from(const TypeNode& node, std::string_view id);

/// True if values of `type` may stand where `formal` is expected. TypeCodes do not tell which abstract types a type
/// supports: there any may stand.
bool may_stand_for(const TypeNode& type, const TypeNode& formal);

/// The type of a value where `formal` is expected: the first of its ids, the most derived first, that is the formal
/// type's or one that the program knows and that may stand there; null if there is none. Takes those before it off
/// `ids`.
const TypeNode* type_of_value(const TypeNode& formal, std::span<const std::string_view>& ids);

}  // namespace corbel::dynamic

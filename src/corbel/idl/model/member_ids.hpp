// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "corbel/idl/model/model.hpp"

/// Ids of members (DDS-XTYPES 1.3, 7.3.1.2.1.1). GIOP has no use for them; other back ends do.
namespace corbel::idl::model {

inline constexpr std::uint32_t kLargestMemberId = 0x0fffffff;

/// The id that @autoid(HASH) gives a member of that name.
std::uint32_t hashed_member_id(std::string_view name);

/// The member's own @id or @hashid, else the hash of its name if @autoid(HASH) holds for `scope`, the type that it
/// is in: the nearest @autoid of the type and the modules around it counts.
std::optional<std::uint32_t> fixed_member_id(const Declaration& scope, const Member& member);

/// Ids of a struct's own members: fixed ones, else one more than that of the member before, of the base if need be; 0
/// for the first of all. Nothing for one whose predecessor has the largest id or none.
std::vector<std::optional<std::uint32_t>> member_ids(const Struct& structure);

}  // namespace corbel::idl::model

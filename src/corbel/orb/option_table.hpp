// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "corbel/base/option_rows.hpp"
#include "corbel/orb/options.hpp"

namespace corbel::orb {

using OptionRow = base::OptionRow<Options>;
using NumberMember = base::NumberMember<Options>;
using IntMember = base::IntMember<Options>;
using DurationMember = base::DurationMember<Options>;
using SwitchMember = base::SwitchMember<Options>;
using TextMember = base::TextMember<Options>;
using ParsedMember = base::ParsedMember<Options>;

/// The ORB's own options, in the order of their documentation; those of single transports are theirs. In the texts of
/// -ORBListenEndpoints {addresses} and {defaults} stand for what the transports say (OptionList).
std::span<const OptionRow> option_table();

}  // namespace corbel::orb

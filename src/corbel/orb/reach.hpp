// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace corbel::orb {

/// Who can reach an endpoint that is published in references, judged by its text.
enum class Reach { anybody, this_host, this_link };

/// Of "tcp://host:port" and the like; anybody where the text does not tell.
Reach reach_of(std::string_view endpoint) noexcept;

}  // namespace corbel::orb

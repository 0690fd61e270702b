// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace corbel::messaging::frames {

struct Arrival;

/// What last_arrival() will show to this thread.
void note_arrival(const Arrival& arrival) noexcept;
/// The stamp of a frame that this thread makes at `now` (nanoseconds).
std::uint32_t stamp_at(std::int64_t now) noexcept;

}  // namespace corbel::messaging::frames

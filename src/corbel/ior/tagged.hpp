// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "corbel/ior/ior.hpp"

namespace corbel::ior {

/// Sequences of tagged profiles and of tagged components, which look alike. The octets are always copied.
void put_tagged(cdr::Encoder& encoder, const std::vector<Tagged>& list);
/// Fails with `beyond` if there are more than `limit`; `list` is empty after a failure.
void get_tagged(cdr::Decoder& decoder, std::vector<Tagged>& list, std::uint32_t limit, base::Code beyond);

}  // namespace corbel::ior

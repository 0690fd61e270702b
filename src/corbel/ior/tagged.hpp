// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

namespace corbel::ior {

/// A tag with opaque data: IOP::TaggedProfile and IOP::TaggedComponent.
struct Tagged {
  std::uint32_t tag = 0;
  base::Bytes data;
  friend bool operator==(const Tagged&, const Tagged&) = default;
};
using TaggedProfile = Tagged;
using TaggedComponent = Tagged;

/// Sequences of tagged profiles and of tagged components, which look alike. The octets are always copied.
void put_tagged(cdr::Encoder& encoder, const std::vector<Tagged>& list);
/// Fails with `beyond` if there are more than `limit`; `list` is empty after a failure.
void get_tagged(cdr::Decoder& decoder, std::vector<Tagged>& list, std::uint32_t limit, base::Code beyond);

}  // namespace corbel::ior

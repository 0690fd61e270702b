// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cfloat>
#include <iterator>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

namespace corbel::cdr {
namespace {

#if LDBL_MANT_DIG == 113
using Quad = long double;
#else
__extension__ using Quad = __float128;
#endif
static_assert(sizeof(Quad) == 16);

}  // namespace

void Encoder::put_long_double(long double value) {
  const auto quad = static_cast<Quad>(value);
  std::uint8_t octets[16];
  std::memcpy(octets, &quad, sizeof octets);
  if (swap_) std::reverse(std::begin(octets), std::end(octets));
  align(8);
  copy_octets(octets, sizeof octets);
}

long double Decoder::get_long_double() noexcept {
  align(8);
  const base::ConstByteSpan raw = take_octets(16);
  if (!ok()) return 0;
  std::uint8_t octets[16];
  std::copy(raw.begin(), raw.end(), octets);
  if (swap_) std::reverse(std::begin(octets), std::end(octets));
  Quad quad;
  std::memcpy(&quad, octets, sizeof quad);
  return static_cast<long double>(quad);
}

}  // namespace corbel::cdr

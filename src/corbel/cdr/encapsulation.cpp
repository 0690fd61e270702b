// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/encapsulation.hpp"

namespace corbel::cdr {

base::Result<base::Bytes> encapsulate(base::FunctionRef<void(Encoder&)> write, Format format) {
  Encoder encoder(format, 256);
  encoder.put(format.little_endian);
  write(encoder);
  if (!encoder.ok()) return encoder.error();
  return encoder.to_bytes();
}

}  // namespace corbel::cdr

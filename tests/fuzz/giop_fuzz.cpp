// SPDX-License-Identifier: Apache-2.0
// Messages of giop: frame, headers, service contexts, bodies.
#include "corbel/messaging/giop/giop.hpp"

#include "message_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kProtocol = corbel::messaging::make_giop();
  corbel::fuzz::read_message(*kProtocol, {data, size});
  return 0;
}

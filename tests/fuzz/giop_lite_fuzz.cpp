// SPDX-License-Identifier: Apache-2.0
// Messages of giop_lite: frame, headers, service contexts, bodies.
#include "corbel/messaging/giop_lite/giop_lite.hpp"

#include "message_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kProtocol = corbel::messaging::make_giop_lite();
  corbel::fuzz::read_message(*kProtocol, {data, size});
  return 0;
}

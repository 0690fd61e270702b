// SPDX-License-Identifier: Apache-2.0
// A stream of messages as a connection sees it: header after header, each saying where the next begins, in every
// version of every protocol.
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"
#include "message_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel;
  for (std::uint8_t minor = 0; minor < 3; ++minor) fuzz::read_stream(*messaging::make_giop({1, minor}), {data, size});
  fuzz::read_stream(*messaging::make_giop_lite(), {data, size});
  return 0;
}

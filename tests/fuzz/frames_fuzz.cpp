// SPDX-License-Identifier: Apache-2.0
// A stream of frames: headers, names, indices.
#include "corbel/messaging/frames/frames.hpp"

#include "message_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  corbel::fuzz::read_stream(*corbel::messaging::make_frames(), {data, size});
  return 0;
}

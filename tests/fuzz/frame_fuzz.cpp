// SPDX-License-Identifier: Apache-2.0
// A stream of messages as a framer sees it: header after header, each saying where the next begins.
#include <cstdlib>

#include "corbel/messaging/giop/giop.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"

namespace {

using namespace corbel;

void walk(const messaging::Protocol& protocol, base::ConstByteSpan octets) {
  cdr::Limits limits;
  limits.max_message_size = 4096;
  while (octets.size() >= protocol.frame_header_size()) {
    const auto frame = protocol.decode_frame(octets.first(protocol.frame_header_size()), limits);
    if (!frame) return;
    if (frame->message_size < frame->header_size || frame->message_size > limits.max_message_size) std::abort();
    if (frame->message_size > octets.size()) return;
    const base::ConstByteSpan message = octets.first(frame->message_size);
    (void)protocol.peek_request_id(*frame, message);
    const auto fragment = protocol.decode_fragment(*frame, message);
    if (fragment && fragment->data_offset > message.size()) std::abort();
    octets = octets.subspan(frame->message_size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (std::uint8_t minor = 0; minor < 3; ++minor) walk(*messaging::make_giop({1, minor}), {data, size});
  walk(*messaging::make_giop_lite(), {data, size});
  return 0;
}

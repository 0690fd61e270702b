// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/codec.hpp"
#include "golden.hpp"

namespace corbel::golden {
namespace {

using messaging::MessageType;

void read_whole(const messaging::giop::Giop& giop, base::ConstByteSpan message) {
  const cdr::Limits limits;
  const auto frame = giop.decode_frame(message, limits);
  if (!frame) return;
  cdr::Decoder body;
  (void)giop.peek_request_id(*frame, message);
  switch (frame->type) {
    case MessageType::request: {
      const auto request = giop.decode_request(*frame, message, limits, body);
      if (request) request->contexts.for_each([](const messaging::ServiceContext&) {});
      break;
    }
    case MessageType::reply:
      (void)giop.decode_reply(*frame, message, limits, body);
      break;
    case MessageType::locate_request:
      (void)giop.decode_locate_request(*frame, message, limits);
      break;
    case MessageType::locate_reply:
      (void)giop.decode_locate_reply(*frame, message, limits, body);
      break;
    case MessageType::cancel_request:
      (void)giop.decode_cancel_request(*frame, message);
      break;
    default:
      (void)giop.decode_fragment(*frame, message);
      break;
  }
  ior::Ior reference;
  ior::decode(body, reference, limits);
}

}  // namespace

std::size_t mutate_message(base::ConstByteSpan message) {
  const auto giop = std::make_unique<const messaging::giop::Giop>(messaging::Version{1, 2});
  std::size_t tried = 0;
  for (std::size_t size = 0; size < message.size(); ++size, ++tried) {
    // A copy of exactly this size, so that a sanitizer sees reads beyond it.
    read_whole(*giop, base::Bytes(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  base::Bytes mutated(message.begin(), message.end());
  for (std::size_t at = 0; at < mutated.size(); ++at) {
    for (const int change : {0x01, 0x02, 0x40, 0x80, 0xff}) {
      mutated[at] = static_cast<base::Octet>(message[at] ^ change);
      read_whole(*giop, mutated);
      ++tried;
    }
    mutated[at] = message[at];
  }
  return tried;
}

}  // namespace corbel::golden

// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/header_reader.hpp"
#include "corbel/messaging/giop/header_writer.hpp"

// CancelRequest, CloseConnection and MessageError messages (CORBA 3.3 part 2, 9.4.4, 9.4.7 and 9.4.8).
namespace corbel::messaging::giop {

void Giop::encode_cancel_request(cdr::Encoder& encoder, std::uint32_t request_id) const {
  HeaderWriter header(encoder, MessageType::cancel_request, 4, encoder.format().swapped());
  header.put(request_id);
  header.finish();
}

void Giop::encode_control(cdr::Encoder& encoder, MessageType type) const {
  HeaderWriter(encoder, type, 0, encoder.format().swapped()).finish();
}

base::Result<std::uint32_t> Giop::decode_cancel_request(const FrameHeader& frame, base::ConstByteSpan message) const {
  HeaderReader reader(message, is_swapped(frame));
  const std::uint32_t id = reader.get();
  if (!reader.ok()) return reader.error();
  return id;
}

}  // namespace corbel::messaging::giop

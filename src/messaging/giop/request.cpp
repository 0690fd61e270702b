// SPDX-License-Identifier: Apache-2.0
#include "messaging/giop/codec.hpp"
#include "messaging/giop/header_reader.hpp"
#include "messaging/giop/header_writer.hpp"

// Request messages (CORBA 3.3 part 2, 9.4.2).
namespace corbel::messaging::giop {
namespace {

/// Octets of a request header besides frame header, contexts, key and operation, gaps included.
constexpr std::size_t kFixedPart = 40;

/// Only two bits count; what the specification reserves reads as "no reply".
Response response_from(std::uint8_t octet, const Traits& traits) noexcept {
  if (!traits.response_flags) return octet != 0 ? Response::with_target : Response::none;
  if ((octet & 1) == 0) return Response::none;
  return (octet & 2) != 0 ? Response::with_target : Response::with_server;
}

std::string_view take_operation(cdr::Decoder& decoder, const cdr::Limits& limits) noexcept {
  const base::ConstByteSpan octets = decoder.get_octet_sequence();
  if (octets.size() > limits.max_operation) decoder.fail(base::Code::too_large);
  if (octets.empty() || octets.back() != 0) {
    decoder.fail(base::Code::bad_string);
    return {};
  }
  return base::as_text(octets.first(octets.size() - 1));
}

}  // namespace

void Giop::encode_request(cdr::Encoder& encoder, const OutgoingRequest& request, BodyWriter body) const {
  const Traits& traits = traits_of(encoder.format().giop_minor);
  HeaderWriter header(encoder, MessageType::request,
                      kFixedPart + request.object_key.size() + request.operation.size());
  const auto response = static_cast<std::uint8_t>(request.response);
  if (traits.contexts_first) header.put_contexts(request.contexts);
  header.put(request.request_id);
  header.put_padded(traits.response_flags ? response : std::uint8_t{response != 0});
  if (traits.target_address) header.put_zero();  // KeyAddr and two octets of gap
  header.put_octets(request.object_key);
  header.put_string(request.operation);
  if (traits.principal) header.put_zero();
  if (!traits.contexts_first) header.put_contexts(request.contexts);
  header.finish();
  write_body(encoder, traits, body);
  finish_message(encoder);
}

base::Result<IncomingRequest> Giop::decode_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                   const cdr::Limits& limits, cdr::Decoder& body) const {
  const Traits& traits = traits_of(frame.version.minor);
  IncomingRequest request;
  cdr::Decoder decoder = after_frame(frame, message, limits);
  if (traits.contexts_first) request.contexts = take_contexts(decoder, message, limits);
  request.request_id = decoder.get<std::uint32_t>();
  request.response = response_from(decoder.get<std::uint8_t>(), traits);
  if (traits.reserved) decoder.take_octets(3);
  request.object_key = take_target(decoder, traits, limits, request.needs_key_addressing);
  request.operation = take_operation(decoder, limits);
  if (traits.principal) decoder.get_octet_sequence();
  if (!traits.contexts_first) request.contexts = take_contexts(decoder, message, limits);
  if (!decoder.ok()) return decoder.error();
  if (traits.body_aligned) decoder.align_if_more(8);
  body = decoder;
  return request;
}

}  // namespace corbel::messaging::giop

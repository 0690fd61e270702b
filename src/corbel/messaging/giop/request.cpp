// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/header_reader.hpp"
#include "corbel/messaging/giop/header_writer.hpp"

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

template <class Minor, class Swapped>
void encode(cdr::Encoder& encoder, std::uint32_t request_id, const OutgoingRequest& request, BodyWriter body,
            Swapped swapped, const TargetAddress* address = nullptr) {
  constexpr Traits kTraits = Minor::kTraits;
  HeaderWriter header(encoder, MessageType::request, kFixedPart + request.object_key.size() + request.operation.size(),
                      swapped);
  const auto response = static_cast<std::uint8_t>(request.response);
  if constexpr (kTraits.contexts_first) {
    header.put_contexts(request.contexts);
    header.align();
  }
  header.put(request_id);
  header.put_padded(kTraits.response_flags ? response : std::uint8_t{response != 0});
  if (kTraits.target_address && address != nullptr) {
    header.put_target(*address);
  } else {
    if constexpr (kTraits.target_address) header.put_zero();  // KeyAddr and two octets of gap
    header.put_octets(request.object_key);
  }
  header.align();
  header.put_string(request.operation);
  header.align();
  if constexpr (kTraits.principal) header.put_zero();
  if constexpr (!kTraits.contexts_first) header.put_contexts(request.contexts);
  header.finish(kTraits, body);
}

template <class Minor, class Swapped>
base::Status request_of(const FrameHeader& frame, base::ConstByteSpan message, const cdr::Limits& limits,
                        IncomingRequest& request, bool& needs_key, cdr::Decoder& body, Swapped swapped) {
  constexpr Traits kTraits = Minor::kTraits;
  ServiceContextView contexts;
  HeaderReader reader(message, swapped);
  if constexpr (kTraits.contexts_first) contexts = reader.get_contexts(reader.get(), limits);
  constexpr std::size_t kTarget = 8;
  const std::uint8_t* group = reader.take_group<kTarget + (kTraits.target_address ? 8 : 4)>();
  if (!reader.ok()) [[unlikely]]
    return reader.error();
  const std::uint32_t request_id = reader.load(group);
  const Response response = response_from(group[4], kTraits);
  HeaderReader::Target target;
  if constexpr (kTraits.target_address) {
    target = reader.get_target(group + kTarget, limits);
  } else {
    target.key = reader.get_key(reader.load(group + kTarget), limits);
  }
  if (!reader.ok()) [[unlikely]]
    return reader.error();
  const std::string_view operation = reader.get_string(limits.max_operation);
  if (!reader.ok()) [[unlikely]]
    return reader.error();
  if constexpr (kTraits.principal) reader.get_octets();
  if constexpr (!kTraits.contexts_first) contexts = reader.get_contexts(reader.get(), limits);
  if (!reader.ok()) [[unlikely]]
    return reader.error();
  begin_body(body, frame, message, limits, reader.position(), kTraits.body_aligned);
  request.origin = {request_id, frame.version.minor};
  request.response = response;
  request.object_key = target.key;
  request.operation = operation;
  request.contexts = contexts;
  needs_key = target.needs_key;
  return {};
}

[[gnu::noinline]] void encode_uncommon(cdr::Encoder& encoder, std::uint32_t request_id, const OutgoingRequest& request,
                                       BodyWriter body) {
  cdr::Format format = encoder.format();
  const TargetAddress* address = request.address;
  if (address != nullptr && address->swapped) {
    format.little_endian = !format.little_endian;
    encoder.reset(format);
  }
  if (address != nullptr && address->by == TargetAddress::By::key) address = nullptr;
  with_version(format.giop_minor,
               [&]<class Minor>() { encode<Minor>(encoder, request_id, request, body, format.swapped(), address); });
}

[[gnu::noinline]] base::Status uncommon_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                const cdr::Limits& limits, IncomingRequest& request, bool& needs_key,
                                                cdr::Decoder& body) {
  return with_version(frame.version.minor, [&]<class Minor>() {
    return request_of<Minor>(frame, message, limits, request, needs_key, body, is_swapped(frame));
  });
}

}  // namespace

void Giop::encode_request(cdr::Encoder& encoder, std::uint32_t request_id, const OutgoingRequest& request,
                          BodyWriter body) const {
  const cdr::Format& format = encoder.format();
  if (!is_common(format.giop_minor, format.swapped()) || request.address != nullptr) [[unlikely]]
    return encode_uncommon(encoder, request_id, request, body);
  encode<MinorVersion<2>>(encoder, request_id, request, body, std::false_type());
}

base::Status Giop::decode_request(const FrameHeader& frame, base::ConstByteSpan message, const cdr::Limits& limits,
                                  IncomingRequest& request, bool& needs_key_addressing, cdr::Decoder& body) const {
  if (!is_common(frame.version.minor, is_swapped(frame))) {
    return uncommon_request(frame, message, limits, request, needs_key_addressing, body);
  }
  return request_of<MinorVersion<2>>(frame, message, limits, request, needs_key_addressing, body, std::false_type());
}

}  // namespace corbel::messaging::giop

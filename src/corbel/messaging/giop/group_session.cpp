// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/group_session.hpp"

#include <bit>

#include "corbel/messaging/giop/header_reader.hpp"
#include "corbel/messaging/giop/header_writer.hpp"

namespace corbel::messaging::giop {
namespace {

/// Octets of a request header besides contexts, profile and operation, gaps included.
constexpr std::size_t kGroupPart = 48;
/// AddressingDisposition ProfileAddr, and two octets of gap.
constexpr std::uint32_t kProfileAddr = std::endian::native == std::endian::little ? 1 : 0x10000;

}  // namespace

base::Status GroupSession::take(base::ConstByteSpan octets, Incoming& incoming) {
  forget_code_sets();
  // A message is whole when it comes; its parts could be those of any sender.
  const bool in_parts = octets.size() > 6 && (octets[6] & 2) != 0;
  auto taken = in_parts ? base::Status(base::error(base::Stage::receive, base::Code::malformed))
                        : GiopSession::take(octets, incoming);
  const bool is_request =
      taken && incoming.kind == Kind::request && incoming.request.response == Response::none && incoming.size != 0;
  std::atomic<std::uint64_t>& counter = is_request ? received_ : discarded_;
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (taken && !is_request) incoming.kind = Kind::nothing;
  return taken;
}

void GroupSession::put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) {
  encoder.reset(request_format());
  if (request.response != Response::none) return encoder.fail(base::Code::unsupported);
  const auto put = [&](const OutgoingRequest& whole) { encode(encoder, token, whole, body); };
  with_introduction(request, put);
}

void GroupSession::encode(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) const {
  HeaderWriter header(encoder, MessageType::request, kGroupPart + request.object_key.size() + request.operation.size(),
                      false);
  header.put(token);
  header.put_padded(0);
  header.put(kProfileAddr);
  header.put(profile_tag_);
  header.put_octets(request.object_key);
  header.align();
  header.put_string(request.operation);
  header.align();
  header.put_contexts(request.contexts);
  header.finish(traits_of(kHighestMinor), body);
}

}  // namespace corbel::messaging::giop

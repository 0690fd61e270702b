// SPDX-License-Identifier: Apache-2.0
// What the two ends of a conversation agree on before they exchange text (CORBA 3.3 part 2, 7.10.2.5), and answers to
// requests that cannot be understood.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "corbel/base/log.hpp"
#include "corbel/messaging/giop/session.hpp"

namespace corbel::messaging::giop {
namespace {

constexpr std::uint32_t kCodeSetsContext = 1;

/// CONV_FRAME::CodeSetContext as an encapsulation.
std::array<base::Octet, 12> code_sets_context(const cdr::Format& format) {
  const std::array<std::uint32_t, 2> sets{static_cast<std::uint32_t>(format.char_set),
                                          static_cast<std::uint32_t>(format.wchar_set)};
  std::array<base::Octet, 12> context{};
  context[0] = std::endian::native == std::endian::little ? 1 : 0;
  std::memcpy(context.data() + 4, sets.data(), sizeof sets);
  return context;
}

}  // namespace

/// An initiator says what was agreed on through the reference. An acceptor that asks, too, uses what the peer said,
/// which the peer surely knows.
bool GiopSession::tells_code_sets() const noexcept {
  if (minor_ == 0) return false;
  return side_ == Side::initiator ? code_sets_.negotiated : heard_.load(std::memory_order_relaxed);
}

/// Calls `put` with the request and what the peer has to know first among its contexts; no allocation for a few.
void GiopSession::with_introduction(const OutgoingRequest& request,
                                    base::FunctionRef<void(const OutgoingRequest&)> put) const {
  const auto data = code_sets_context(request_format());
  std::array<ServiceContext, 8> few{};
  std::vector<ServiceContext> many;
  const std::size_t most = request.contexts.size() + 2;
  if (most > few.size()) many.resize(most);
  const std::span<ServiceContext> contexts = most > few.size() ? std::span(many) : std::span(few);
  auto end = std::copy(request.contexts.begin(), request.contexts.end(), contexts.begin());
  if (tells_code_sets()) *end++ = {kCodeSetsContext, data};
  if (!introduction_.empty()) *end++ = {introduction_id_, introduction_};
  OutgoingRequest first = request;
  first.contexts = contexts.first(static_cast<std::size_t>(end - contexts.begin()));
  put(first);
}

/// The first request tells the server the code sets; every request does where any may be lost, or the server forget.
[[gnu::noinline]] void GiopSession::put_first_request(cdr::Encoder& encoder, Token token,
                                                      const OutgoingRequest& request, BodyWriter body) {
  if (side_ == Side::acceptor) {
    asked_.copy(served_);
    encoder.reset(request_format());
  }
  with_introduction(request, [&](const OutgoingRequest& first) { codec_.encode_request(encoder, token, first, body); });
  if (lossy_) return;
  // If other threads may write by now, one of them may have told the peer; telling it twice is harmless.
  if (encoder.host() != nullptr) introduced_.store(encoder.ok(), std::memory_order_relaxed);
}

void GiopSession::unsent() noexcept {
  if (tells_code_sets() || !introduction_.empty()) introduced_.store(false, std::memory_order_relaxed);
}

void GiopSession::introduce(std::uint32_t context_id, base::Bytes data) {
  if (minor_ == 0 || data.empty()) return;
  introduction_id_ = context_id;
  introduction_ = std::move(data);
  introduced_.store(false, std::memory_order_relaxed);
}

/// The client's choice, which usually comes with its first request. False if it is none that can be spoken here.
[[gnu::noinline]] bool GiopSession::take_code_sets(const IncomingRequest& request) {
  base::ConstByteSpan data;
  if (!request.contexts.find(kCodeSetsContext, data)) return true;
  cdr::Decoder context = cdr::Decoder::from_encapsulation(data);
  const auto for_char = static_cast<cdr::CodeSet>(context.get<std::uint32_t>());
  const auto for_wchar = static_cast<cdr::CodeSet>(context.get<std::uint32_t>());
  const bool known =
      context.ok() &&
      (for_char == cdr::CodeSet::utf_8 || for_char == cdr::CodeSet::iso_8859_1 || for_char == cdr::CodeSet::none) &&
      (for_wchar == cdr::CodeSet::utf_16 || for_wchar == cdr::CodeSet::none);
  if (!known) {
    CORBEL_LOG(log_, messaging, warning, "the peer's code sets are not supported",
               {"char", static_cast<std::uint32_t>(for_char)}, {"wchar", static_cast<std::uint32_t>(for_wchar)},
               {"peer", peer_});
    return false;
  }
  served_.set(for_char == cdr::CodeSet::none ? cdr::CodeSet::utf_8 : for_char, for_wchar);
  heard_.store(true, std::memory_order_relaxed);
  return true;
}

/// The target was given in a way that we cannot take a key from, the code sets are none of ours, or the header is
/// beyond a limit.
void GiopSession::put_answer(cdr::Encoder& encoder, const Incoming& incoming) {
  const auto by_key = [](cdr::Encoder& out) { out.put(std::int16_t{0}); };
  if (incoming.request.response == Response::none) {
    return put_locate_reply(encoder, incoming.locate.origin, LocateStatus::needs_addressing_mode, by_key);
  }
  const Origin& origin = incoming.request.origin;
  if (incoming.request.object_key.data() == nullptr) {
    return put_reply(encoder, origin, ReplyStatus::needs_addressing_mode, {}, by_key);
  }
  const bool beyond_limit = !limit_passed_by(incoming.request).empty();
  put_reply(encoder, origin, ReplyStatus::system_exception, {}, [&](cdr::Encoder& out) {
    if (beyond_limit) return put_header_too_large(out);
    constexpr std::uint32_t kNoCommonCodeSet = 0x4f4d0000 | 2;  // of the OMG
    put_not_executed(out, "IDL:omg.org/CORBA/CODESET_INCOMPATIBLE:1.0", kNoCommonCodeSet);
  });
}

}  // namespace corbel::messaging::giop

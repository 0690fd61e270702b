// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>
#include <vector>

namespace corbel::ziop {

using base::Code;
using base::Stage;
using messaging::Incoming;
using messaging::Kind;
using messaging::ServiceContext;

namespace {

/// The contexts without those of an id, and with another one if that has data; no allocation for a few.
class Contexts {
 public:
  Contexts(std::span<const ServiceContext> all, std::uint32_t without, const ServiceContext& with) {
    const std::size_t most = all.size() + 1;
    if (most > few_.size()) many_.resize(most);
    const std::span<ServiceContext> room = most > few_.size() ? std::span(many_) : std::span(few_);
    const auto is_other = [&](const ServiceContext& one) { return one.id != without; };
    auto end = std::copy_if(all.begin(), all.end(), room.begin(), is_other);
    if (!with.data.empty()) *end++ = with;
    kept_ = room.first(static_cast<std::size_t>(end - room.begin()));
  }
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;
  std::span<const ServiceContext> all() const noexcept { return kept_; }

 private:
  std::array<ServiceContext, 8> few_{};
  std::vector<ServiceContext> many_;
  std::span<const ServiceContext> kept_;
};

/// Different for different lists, in all likelihood; never 0.
std::uint64_t number_of(const Levels& levels) noexcept {
  std::uint64_t number = 14695981039346656037U;  // FNV-1a
  for (const IdLevel& one : levels) {
    number = (number ^ (std::uint64_t{one.id} << 16 | one.level)) * 1099511628211U;
  }
  return number | 1;
}

}  // namespace

ZiopSession::ZiopSession(std::unique_ptr<messaging::Session> below, EnginePtr engine,
                         const messaging::SessionSettings& settings)
    : Session(settings),
      below_(std::move(below)),
      engine_(std::move(engine)),
      limits_(settings.limits),
      has_compression_(settings.version.major == 1 && settings.version.minor >= 2),
      lossy_(settings.lossy),
      memory_(settings.memory),
      log_(*settings.log),
      peer_(settings.peer) {}

// --- reading ---

base::Status ZiopSession::take(base::ConstByteSpan octets, Incoming& incoming) {
  if (octets.size() >= kGiopHeader && is_compressed(octets)) return take_compressed(octets, incoming);
  return taken(below_->take(octets, incoming), incoming);
}

base::Status ZiopSession::take_compressed(base::ConstByteSpan octets, Incoming& incoming) {
  incoming.kind = Kind::nothing;
  incoming.size = incoming.wanted = 0;
  const auto head = read_head(octets, limits_.max_message_size);
  if (!head) return refuse(head.error().code, "header");
  if (octets.size() < head->size) {
    incoming.wanted = head->size;
    return {};
  }
  CORBEL_CHECK(open(octets.first(head->size), *head, *incoming.joined));
  engine_->received.add(incoming.joined->octets.size(), head->size);
  auto status = taken(below_->take(incoming.joined->octets, incoming), incoming);
  incoming.size = head->size;
  return status;
}

/// To `joined`, which is paid for before anything is decompressed.
base::Status ZiopSession::open(base::ConstByteSpan message, const Head& head, messaging::Joined& joined) try {
  const base::ConstByteSpan data = message.subspan(kDataAt);
  const auto scratch = engine_->scratch(head.compressor, data.size(), head.original_length);
  if (!scratch) return refuse(Code::unsupported, "unknown compressor");
  const std::size_t size = kGiopHeader + std::size_t{head.original_length};
  if (memory_ != nullptr && !memory_->take(size + *scratch)) return base::error(Stage::receive, Code::out_of_resources);
  const auto give = [&](std::size_t octets) {
    if (memory_ != nullptr && octets != 0) memory_->give(octets);
  };
  // What was there goes first: only one of the two is paid for, however much room is kept.
  give(joined.cost());
  joined = {};
  try {
    joined.octets.resize(size);
  } catch (...) {
    give(size + *scratch);
    throw;
  }
  put_giop_header(message, head.original_length, joined.octets.data());
  const bool sound = engine_->decompress(head.compressor, data, base::ByteSpan(joined.octets).subspan(kGiopHeader));
  give(*scratch);
  return sound ? base::Status() : refuse(Code::malformed, "data");
} catch (const std::bad_alloc&) {
  return base::error(Stage::receive, Code::out_of_resources, ENOMEM);
}

base::Error ZiopSession::refuse(Code code, std::string_view why) {
  engine_->refused.fetch_add(1, std::memory_order_relaxed);
  CORBEL_LOG(log_, messaging, warning, "a compressed message makes no sense", {"what", why},
             {"error", base::error(Stage::receive, code)}, {"peer", peer_});
  return base::error(Stage::receive, code);
}

/// What the session below has found, and what that says of compression.
base::Status ZiopSession::taken(base::Status status, Incoming& incoming) {
  part_octets_ = below_->part_octets();
  oldest_part_.store(below_->oldest_part(), std::memory_order_relaxed);
  has_own(below_->has_own());
  if (!status || incoming.kind != Kind::request || incoming.request.contexts.count() == 0) return status;
  base::ConstByteSpan policies;
  if (incoming.request.contexts.find(kInvocationPolicies, policies)) hear(policies);
  return status;
}

void ZiopSession::hear(base::ConstByteSpan policies) try {
  Exposed exposed = decode_exposed(policies);
  const bool takes = exposed.enabled && !exposed.compressors.empty();
  {
    const std::lock_guard lock(mutex_);
    if (exposed.compressors == heard_) return;
    heard_ = exposed.compressors;
    is_heard_.store(takes, std::memory_order_relaxed);
  }
  CORBEL_LOG(log_, messaging, debug, "the peer takes compressed replies",
             {"by", takes ? to_string(exposed.compressors.front()) : std::string("nothing")}, {"peer", peer_});
} catch (const std::bad_alloc&) {
  is_heard_.store(false, std::memory_order_relaxed);
}

base::Status ZiopSession::take_begun(base::ConstByteSpan begun, Incoming& incoming) {
  if (begun.size() >= kGiopHeader && is_compressed(begun)) return Session::take_begun(begun, incoming);
  return taken(below_->take_begun(begun, incoming), incoming);
}

void ZiopSession::forget_parts() noexcept {
  below_->forget_parts();
  part_octets_ = below_->part_octets();
  oldest_part_.store(below_->oldest_part(), std::memory_order_relaxed);
}

// --- writing ---

void ZiopSession::put_request(cdr::Encoder& encoder, messaging::Token token, const messaging::OutgoingRequest& request,
                              messaging::BodyWriter body) {
  Terms terms;
  if (request.contexts.empty() || !engine_->find(request.contexts, terms)) {
    return below_->put_request(encoder, token, request, body);
  }
  const bool compresses = has_compression_ && terms.enabled && !terms.compressors.empty();
  const std::uint64_t number = number_of(terms.compressors);
  base::Bytes news;
  if (compresses && told_.load(std::memory_order_relaxed) != number) news = encode({true, terms.compressors});
  const Contexts contexts(request.contexts, Engine::kTermsContext, {kInvocationPolicies, news});
  messaging::OutgoingRequest other = request;
  other.contexts = contexts.all();
  below_->put_request(encoder, token, other, body);
  if (!compresses) return;
  if (!news.empty() && !lossy_ && encoder.host() != nullptr && encoder.ok()) {
    told_.store(number, std::memory_order_relaxed);
    CORBEL_LOG(log_, messaging, debug, "requests are compressed", {"by", to_string(terms.compressors.front())},
               {"peer", peer_});
  }
  engine_->compress(encoder, terms.compressors.front(), terms);
}

void ZiopSession::put_reply_with(cdr::Encoder& encoder, std::span<const ServiceContext> contexts, ReplyWriter put) {
  if (!is_heard_.load(std::memory_order_relaxed) && contexts.empty()) return put(contexts);
  Terms own;
  const Terms* terms = &engine_->terms();
  if (!contexts.empty() && engine_->find(contexts, own)) {
    terms = &own;
    const Contexts others(contexts, Engine::kTermsContext, {});
    put(others.all());
  } else {
    put(contexts);
  }
  const bool compresses = terms->enabled && is_heard_.load(std::memory_order_relaxed);
  if (!compresses || encoder.position() < terms->low_value) return;
  Levels common;
  {
    const std::lock_guard lock(mutex_);
    common = in_common(heard_, terms->compressors);
  }
  if (!common.empty()) engine_->compress(encoder, common.front(), *terms);
}

void ZiopSession::put_reply(cdr::Encoder& encoder, const messaging::Origin& origin, messaging::ReplyStatus status,
                            std::span<const ServiceContext> contexts, messaging::BodyWriter body) {
  put_reply_with(encoder, contexts, [&](std::span<const ServiceContext> others) {
    below_->put_reply(encoder, origin, status, others, body);
  });
}

void ZiopSession::put_swapped_reply(cdr::Encoder& encoder, const messaging::Origin& origin,
                                    messaging::ReplyStatus status, std::span<const ServiceContext> contexts,
                                    messaging::BodyWriter body) {
  put_reply_with(encoder, contexts, [&](std::span<const ServiceContext> others) {
    below_->put_swapped_reply(encoder, origin, status, others, body);
  });
}

void ZiopSession::put_locate_reply(cdr::Encoder& encoder, const messaging::Origin& origin,
                                   messaging::LocateStatus status, messaging::BodyWriter body) {
  below_->put_locate_reply(encoder, origin, status, body);
}

void ZiopSession::put_answer(cdr::Encoder& encoder, const Incoming& incoming) {
  below_->put_answer(encoder, incoming);
}

bool ZiopSession::put_cancel(cdr::Encoder& encoder, messaging::Token token) {
  return below_->put_cancel(encoder, token);
}

bool ZiopSession::put_close(cdr::Encoder& encoder) {
  return below_->put_close(encoder);
}

bool ZiopSession::put_error(cdr::Encoder& encoder) {
  return below_->put_error(encoder);
}

void ZiopSession::unsent() noexcept {
  told_.store(0, std::memory_order_relaxed);
  below_->unsent();
}

bool ZiopSession::put_own(cdr::Encoder& encoder) {
  const bool written = below_->put_own(encoder);
  has_own(below_->has_own());
  return written;
}

base::Status ZiopSession::cut(std::span<const cdr::Segment> message, std::size_t most, MessageSender send) {
  return below_->cut(message, most, send);
}

void ZiopSession::introduce(std::uint32_t context_id, base::Bytes data) {
  below_->introduce(context_id, std::move(data));
}

bool ZiopSession::goes_both_ways(const messaging::Origin& origin) const noexcept {
  return below_->goes_both_ways(origin);
}

bool ZiopSession::heard_code_sets() const noexcept {
  return below_->heard_code_sets();
}

void ZiopSession::report(base::FunctionRef<void(const messaging::Figure&)> visit) const {
  below_->report(visit);
}

}  // namespace corbel::ziop

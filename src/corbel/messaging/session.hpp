// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/messaging/message.hpp"

namespace corbel::messaging {

/// What a received message is.
enum class Kind : std::uint8_t {
  nothing,         ///< not whole yet, or of concern to the session alone
  request,         ///< Incoming::request and body
  locate_request,  ///< Incoming::locate
  reply,           ///< Incoming::reply and body
  cancel,          ///< the sender of a request has given up; the session has done what there is to do
  answer,          ///< the session answers it itself: Session::put_answer()
  close,           ///< the peer ends the conversation in order: what it has not answered it has not executed
  error,           ///< the peer could not read what it was sent
};

/// A message that was put together from several, and where the data of each but the first begin
/// (cdr::Decoder::set_joints).
struct Joined {
  base::Bytes octets;
  std::vector<std::size_t> joints;

  /// Octets that `Memory` pays for it.
  std::size_t cost() const noexcept { return octets.capacity() + joints.capacity() * sizeof(std::size_t); }
};

/// What Session::take() found. Views into the octets it was given, into `joined`, or into the session.
///
/// The same one is shown for message after message and not reset: what take() does not set is the last message's. It
/// sets `kind` and `size` always, `wanted` if `size` is 0, and what Kind names; of a request or a reply also all from
/// `octets` to `joints`, by which another caller has a copy of its reply. Contexts only if the protocol offers them;
/// those of a reply lie in `octets`.
struct Incoming {
  Kind kind = Kind::nothing;
  std::size_t size = 0;                 ///< octets that were taken; 0 if the message is not whole yet
  std::size_t wanted = 0;               ///< then: octets that it has in all, as far as can be told; 0 if it cannot
  base::ConstByteSpan octets;           ///< the message, joined if it came in pieces
  std::size_t body_at = 0;              ///< where in it the body begins, and `body` stands
  std::span<const std::size_t> joints;  ///< what `body` was given by set_joints(); empty if nothing
  IncomingRequest request;
  IncomingLocateRequest locate;
  IncomingReply reply;
  cdr::Decoder body;
  /// Set by the caller: where messages that come in pieces are put together. Outlives the use of this.
  Joined* joined = nullptr;
};

/// Pays for what a session keeps. take() is for messages that are not whole yet: others may have to go for it.
class Memory : public cdr::Memory {
 public:
  /// For what is kept until the conversation ends, however idle it is. It comes from a share of its own, so that nobody
  /// waits for it in vain. False, and nothing is taken, if there is no more: then the session does without.
  virtual bool take_for_good(std::size_t octets) noexcept = 0;
  virtual void give_for_good(std::size_t octets) noexcept = 0;

 protected:
  ~Memory() = default;
};

/// Which end of the conversation this is.
enum class Side : std::uint8_t { initiator, acceptor };

/// What a session is opened with.
struct SessionSettings {
  Side side = Side::initiator;
  cdr::Limits limits;
  Version version{1, 2};         ///< highest to speak; for an initiator, what was agreed on through the reference
  ior::CodeSetChoice code_sets;  ///< initiator: what was agreed on through the reference
  std::uint64_t first_token = 2;
  bool lossy = false;               ///< the carrier may lose messages or change their order
  std::uint32_t group_profile = 0;  ///< transport::Traits::group_profile
  Memory* memory = nullptr;         ///< outlives the session; nullptr: no limit
  const base::Log* log = &base::Log::none();
  std::string_view peer;  ///< for the log; outlives the session
  /// Nanoseconds of a clock that never goes back, for time stamps.
  std::int64_t (*now)() = [] { return std::int64_t{std::chrono::steady_clock::now().time_since_epoch().count()}; };
  /// Nanoseconds since 1970, for what two hosts compare.
  std::int64_t (*wall)() = [] { return std::int64_t{std::chrono::system_clock::now().time_since_epoch().count()}; };
};

/// One number that a session has counted.
struct Figure {
  std::string_view name;  ///< of static storage: "received", "lost"
  std::uint64_t value = 0;
};

/// The state of one conversation in a message protocol: what was agreed on, what has come of messages in pieces, what
/// was counted. Octets in, octets out; no I/O and, once warm, no allocation.
///
/// Threads: take() and forget_parts() are called by one thread at a time, the reader; the put functions and unsent() by
/// one thread at a time, the writer. Reader and writer may be different threads at the same time, and so may be the
/// callers of everything else. Being the writer shows in the encoder's host (cdr::Encoder::Host). If the encoder loses
/// it while a body is written, others may write from then on. If it had none, another thread is writing: the message is
/// kept and may be sent much later, or never; then put_request() may be called by any thread, and changes nothing but
/// atomics. What a message tells the peer counts as told only if the host is there after the body.
class CORBEL_API Session {
 public:
  virtual ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // --- reading ---

  /// Looks at the octets that have come and not been taken yet; the first is a message's first. Of a message that is
  /// whole says what it is, in an `incoming` that another one was in. Fails (stage receive) with malformed, unsupported
  /// (version), too_large (limits) or out_of_resources: the conversation cannot go on, but after the last the same
  /// octets may be shown again, when there is memory.
  virtual base::Status take(base::ConstByteSpan octets, Incoming& incoming) = 0;
  /// As take(), of a request or reply in one piece whose body need not have come yet: `begun` has at least what comes
  /// before that. Everything else is Kind::nothing, of size 0: the default. May be called before take(), and again, for
  /// one message. Fails if less has come, too.
  virtual base::Status take_begun(base::ConstByteSpan begun, Incoming& incoming);
  /// Octets kept of messages in pieces.
  std::size_t part_octets() const noexcept { return part_octets_; }
  /// A number that tells the message that has been in pieces longest from all others; 0: there is none. Any thread.
  std::uint64_t oldest_part() const noexcept { return oldest_part_.load(std::memory_order_relaxed); }
  /// Forgets these.
  virtual void forget_parts() noexcept {}
  /// True if a part of the reply has come to a request for which `awaited` is true. For the reader.
  virtual bool has_part_of_reply(base::FunctionRef<bool(Token)>) const { return false; }

  // --- writing: each resets `encoder` and writes one whole message; whether it worked is the encoder's ok() ---

  /// A request under a token of next_token(); with Response::none the token is of no consequence.
  virtual void put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) = 0;
  /// The reply to a request that was received here. A session that has no word for a status uses the nearest.
  virtual void put_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                         std::span<const ServiceContext> contexts, BodyWriter body);
  virtual void put_locate_reply(cdr::Encoder& encoder, const Origin& origin, LocateStatus status, BodyWriter body);
  /// As put_reply(), with a body in the byte order that is not this machine's: so is the whole message. Fails with
  /// unsupported if the protocol has only one: the default.
  virtual void put_swapped_reply(cdr::Encoder& encoder, const Origin& origin, ReplyStatus status,
                                 std::span<const ServiceContext> contexts, BodyWriter body);
  /// For Kind::answer.
  virtual void put_answer(cdr::Encoder& encoder, const Incoming& incoming);

  // These return false, and write nothing, if the protocol has no such message or this side may not send it.

  /// No caller waits for the reply any longer.
  virtual bool put_cancel(cdr::Encoder& encoder, Token token);
  /// The end, in order.
  virtual bool put_close(cdr::Encoder& encoder);
  /// What came could not be read.
  virtual bool put_error(cdr::Encoder& encoder);
  /// The request that was written last may never leave: what it told the peer has to be told again.
  virtual void unsent() noexcept {}
  /// What the session says to its peer by itself, when has_own() is true. False, and nothing written, if it only waits
  /// for what the peer may have said. Either way what has come is then read.
  virtual bool put_own(cdr::Encoder& encoder);

  using MessageSender = base::FunctionRef<base::Status(std::span<const cdr::Segment>)>;
  /// Writes what put_request() wrote, and is more than the carrier takes at once, as messages of at most `most` octets
  /// each, and gives one after the other to `send` until that fails. The reader at the other end joins them.
  /// Thread-safe. Fails with too_large (stage encode) if the protocol does not do that: the default.
  virtual base::Status cut(std::span<const cdr::Segment> message, std::size_t most, MessageSender send);
  /// What the first request is to say besides, in a context that a protocol without contexts leaves out. Before any.
  virtual void introduce(std::uint32_t context_id, base::Bytes data);

  // --- both ---

  /// True if requests may also go to the sender of the request that is known here as `origin`. Thread-safe.
  virtual bool goes_both_ways(const Origin&) const noexcept { return false; }
  /// True if the peer has said in which code sets its requests are. Thread-safe.
  virtual bool heard_code_sets() const noexcept { return false; }
  /// A token that no request has had for as long as there are tokens. Thread-safe.
  Token next_token() noexcept {
    return static_cast<Token>(next_token_.fetch_add(kTokenStep, std::memory_order_relaxed));
  }
  /// False if no request can have it. Thread-safe.
  bool was_issued(Token token) const noexcept {
    const std::uint64_t next = next_token_.load(std::memory_order_relaxed);
    const bool wrapped = next > UINT32_MAX;
    return token % kTokenStep == first_token_ % kTokenStep && (wrapped || (token >= kTokenStep && token < next));
  }
  /// True if tokens have come round, so that an old request may still have the next one. Thread-safe.
  bool tokens_came_round() const noexcept { return next_token_.load(std::memory_order_relaxed) > UINT32_MAX; }
  /// True if put_own() is to be called, by a thread that sends requests. Thread-safe.
  bool has_own() const noexcept { return has_own_.load(std::memory_order_relaxed); }
  /// Calls `visit` with what was counted, if the protocol counts anything. Thread-safe.
  virtual void report(base::FunctionRef<void(const Figure&)> visit) const;

 protected:
  explicit Session(const SessionSettings& settings) noexcept
      : first_token_(settings.first_token), next_token_(settings.first_token) {}

  void has_own(bool it_does) noexcept { has_own_.store(it_does, std::memory_order_relaxed); }

  std::size_t part_octets_ = 0;
  std::atomic<std::uint64_t> oldest_part_{0};  // written by the reader

 private:
  /// Even for one side and odd for the other, so that both may ask over one connection (CORBA 3.3 part 2, 9.4.1).
  static constexpr std::uint64_t kTokenStep = 2;

  const std::uint64_t first_token_;
  std::atomic<bool> has_own_{false};
  std::atomic<std::uint64_t> next_token_;  // twice as wide as tokens are, to tell which were issued
};

}  // namespace corbel::messaging

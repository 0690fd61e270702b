// SPDX-License-Identifier: Apache-2.0
// Client side of a connection: who reads, and how everybody gets his reply.
#include <array>
#include <cstring>
#include <vector>

#include "corbel/base/probe.hpp"
#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/telling.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

/// CONV_FRAME::CodeSetContext as an encapsulation (CORBA 3.3 part 2, 7.10.2.5).
std::array<base::Octet, 12> code_sets_context(const ior::CodeSetChoice& choice) {
  cdr::Encoder encoder(cdr::Format{}, 64);
  encoder.put(static_cast<std::uint8_t>(encoder.format().little_endian ? 1 : 0));
  encoder.put(static_cast<std::uint32_t>(choice.for_char));
  encoder.put(static_cast<std::uint32_t>(choice.for_wchar));
  const base::Bytes bytes = encoder.to_bytes();
  std::array<base::Octet, 12> context{};
  std::memcpy(context.data(), bytes.data(), context.size());
  return context;
}

}  // namespace

/// Gives the reading role to the next caller when the reply has been dealt with, also if that throws.
class Connection::ReadingRole {
 public:
  ReadingRole(Connection& connection, PendingReply& pending) noexcept : connection_(connection), pending_(pending) {}
  ~ReadingRole() { connection_.stop_reading(pending_); }
  ReadingRole(const ReadingRole&) = delete;
  ReadingRole& operator=(const ReadingRole&) = delete;

 private:
  Connection& connection_;
  PendingReply& pending_;
};

base::Status Connection::call(const messaging::OutgoingRequest& request, messaging::BodyWriter body, Deadline deadline,
                              bool only_if_idle, OnReply on_reply) {
  CORBEL_PROBE("connection");
  PendingReply pending;
  CORBEL_CHECK(register_call(pending, only_if_idle));
  const auto encode = [&](cdr::Encoder& encoder) { encode_request(encoder, pending.request_id, request, body); };
  try {
    if (auto sent = send(encode, format(settings_.version.minor), deadline, &pending); !sent) [[unlikely]] {
      // A broken send leaves half a message on the wire; an encoding failure concerns only this call.
      if (!leaves_intact(sent.error())) {
        return fail_reading(pending, pending.reading ? explain_failed_send(*this, sent.error()) : sent.error());
      }
      stop_reading(pending);
      return sent;
    }
  } catch (...) {  // from the application's code that marshals an argument
    stop_reading(pending);
    throw;
  }
  return await(pending, deadline, on_reply);
}

/// Called with the writer token.
void Connection::encode_request(cdr::Encoder& encoder, std::uint32_t id, messaging::OutgoingRequest request,
                                messaging::BodyWriter body) {
  CORBEL_PROBE("request header");
  request.request_id = id;
  if (code_sets_told_.load(std::memory_order_relaxed)) [[likely]] {
    protocol_->encode_request(encoder, request, body);
  } else {
    encode_first_request(encoder, request, body);
  }
}

/// The first request tells the server the code sets (CORBA 3.3 part 2, 7.10.2.5).
void Connection::encode_first_request(cdr::Encoder& encoder, messaging::OutgoingRequest& request,
                                      messaging::BodyWriter body) {
  const auto data = code_sets_context(settings_.code_sets);
  std::vector<messaging::ServiceContext> contexts(request.contexts.begin(), request.contexts.end());
  contexts.push_back({messaging::kCodeSetsContext, data});
  request.contexts = contexts;
  protocol_->encode_request(encoder, request, body);
  // If the token was let go of meanwhile, others may have told them; telling them twice is harmless.
  if (encoder.host() != nullptr) code_sets_told_.store(encoder.ok(), std::memory_order_relaxed);
}

base::Status Connection::register_call(PendingReply& pending, bool only_if_idle) {
  pending.request_id = next_id();
  auto idle = Calls::idle;
  // Whoever is alone takes the reading role before he sends: nobody else's reply can be held up by that.
  if (calls_.compare_exchange_strong(idle, Calls::alone, std::memory_order_acquire)) [[likely]] {
    pending.reading = true;
    if (!failed_.load(std::memory_order_acquire)) [[likely]]
      return {};
    stop_reading(pending);
    return why_failed();
  }
  return register_shared(pending, only_if_idle);
}

base::Status Connection::register_shared(PendingReply& pending, bool only_if_idle) {
  const std::lock_guard lock(mutex_);
  if (failed_) return base::error(Stage::send, failure_.code, failure_.os_error);
  if (only_if_idle) return base::error(Stage::send, Code::would_block);
  // Ids come round again after 2^31 calls, and somebody may have been waiting that long.
  while (pending_.contains(pending.request_id) || async_.contains(pending.request_id))
    [[unlikely]] pending.request_id = next_id();
  share_calls();
  // Who reads is decided when this call has sent its request: until then it must not keep others from it.
  pending.shared.emplace();
  pending_.add(pending);
  return {};
}

/// With the mutex: from now on whoever calls is listed. Somebody who was alone reads.
void Connection::share_calls() noexcept {
  auto calls = calls_.load(std::memory_order_acquire);
  while (calls != Calls::shared && !calls_.compare_exchange_weak(calls, Calls::shared, std::memory_order_acq_rel)) {
  }
  if (calls == Calls::alone) reader_active_ = true;
}

base::Status Connection::await(PendingReply& pending, Deadline deadline, OnReply on_reply) {
  if (!pending.reading) {
    if (auto status = wait_for_other(pending, deadline); !status) return status;
    // Not `done`: whoever reads is listed, and the connection may fail at any moment.
    if (!pending.reading) {
      cdr::Decoder body;
      auto reply = protocol_->decode_reply(pending.shared->frame, pending.shared->octets, settings_.limits, body);
      if (!reply) return base::error(Stage::receive, reply.error().code);
      body.set_joints(pending.shared->joints);
      on_reply(*reply, body);
      return {};
    }
  }
  return read_until(pending, deadline, on_reply);
}

/// Returns when the reply is there (done), or the reading role (reading), or with the error.
base::Status Connection::wait_for_other(PendingReply& pending, Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (!pending.done) {
    if (!reader_active_) {
      pending.reading = reader_active_ = true;
      return {};
    }
    if (deadline.expired()) {
      lock.unlock();
      give_up(pending);
      return base::error(Stage::wait, Code::timed_out);
    }
    pending.waiting = true;
    if (deadline.is_none()) {
      pending.shared->changed.wait(lock);
    } else {
      pending.shared->changed.wait_for(lock, deadline.remaining());
    }
    pending.waiting = false;
  }
  if (pending.error.code != Code::none) return pending.error;
  return {};
}

base::Status Connection::read_until(PendingReply& pending, Deadline deadline, OnReply on_reply) {
  Framer& framer = *framer_;
  for (;;) {
    Message message;
    const auto next = framer.unread().empty() ? base::Result<bool>(false) : framer.next(message);
    if (!next) return fail_reading(pending, next.error());
    if (!*next) {
      CORBEL_PROBE("wait and receive");
      auto received = receive(framer, deadline);
      CORBEL_PROBE("framing");
      if (received) continue;
      const Code code = received.error().code;
      if (code == Code::timed_out || code == Code::would_block) {
        give_up(pending);
        return base::error(Stage::wait, Code::timed_out);
      }
      // No CloseConnection came first, so nobody knows whether the request was executed.
      return fail_reading(pending, base::error(Stage::wait, Code::lost, received.error().os_error));
    }
    if (message.frame.type != messaging::MessageType::reply) [[unlikely]] {
      if (auto status = on_message_while_waiting(message); !status) return fail_reading(pending, status.error());
      continue;
    }
    CORBEL_PROBE("reply header");
    cdr::Decoder body;
    auto reply = protocol_->decode_reply(message.frame, message.octets, settings_.limits, body);
    if (!reply) return fail_reading(pending, base::error(Stage::receive, Code::malformed));
    if (reply->request_id == pending.request_id) {
      const ReadingRole role(*this, pending);
      body.set_joints(message.joints);
      on_reply(*reply, body);
      CORBEL_PROBE("return");
      return {};
    }
    AsyncReply* finished = nullptr;
    if (auto status = deliver(message, *reply, body, finished); !status) return fail_reading(pending, status.error());
    if (finished != nullptr) completions_->push(*finished);
  }
}

/// Hands a reply to the caller it belongs to; one that nobody waits for has to be finished then. One whose caller gave
/// up is dropped; one that nobody can have asked for breaks the protocol.
base::Status Connection::deliver(const Message& message, const messaging::IncomingReply& reply, cdr::Decoder& body,
                                 AsyncReply*& finished) {
  const std::uint32_t request_id = reply.request_id;
  if (!was_issued(request_id)) [[unlikely]]
    return base::error(Stage::receive, Code::unknown_reply);
  std::unique_lock lock(mutex_);
  PendingReply* other = pending_.take(request_id);
  if (other == nullptr) {
    finished = async_.take(request_id);
    if (finished != nullptr) {
      lock.unlock();
      body.set_joints(message.joints);
      finished->on_reply(reply, body);
      lock.lock();
      end_wait_for(request_id);
    }
    return {};
  }
  PendingReply::Shared& shared = *other->shared;
  shared.frame = message.frame;
  try {
    shared.octets.assign(message.octets.begin(), message.octets.end());
    shared.joints.assign(message.joints.begin(), message.joints.end());
  } catch (const std::bad_alloc&) {
    other->error = base::error(Stage::receive, Code::out_of_resources);
  }
  other->done = true;
  shared.changed.notify_one();
  return {};
}

/// Odd ones stand for those that help an asynchronous request, and never leave the process.
bool Connection::was_issued(std::uint32_t request_id) const noexcept {
  const std::uint64_t next = next_request_id_.load(std::memory_order_relaxed);
  const bool wrapped = next > UINT32_MAX;
  return request_id % 2 == 0 && (wrapped || (request_id >= 2 && request_id < next));
}

base::Status Connection::on_message_while_waiting(const Message& message) {
  switch (message.frame.type) {
    case messaging::MessageType::close_connection:
      // Everything without a reply was not executed (CORBA 3.3 part 2, 9.4.7) and may be tried again elsewhere.
      return base::error(Stage::wait, Code::closed);
    case messaging::MessageType::message_error:
      return base::error(Stage::wait, Code::protocol_error);
    default:
      return base::error(Stage::receive, Code::malformed);
  }
}

/// The connection has failed while this call was reading or sending. Failed first and left then: nobody may begin to
/// read or send in between, and find another error than the one that came first.
base::Error Connection::fail_reading(PendingReply& pending, base::Error error) noexcept {
  const base::Error told = fail(error);
  stop_reading(pending);
  return told;
}

/// Ends a call's part in the connection: gives up the reading role, if it has it, and sees to it that somebody reads
/// for those who remain. Also a call that does not read may have been chosen for that, and be leaving instead.
void Connection::stop_reading(PendingReply& pending) noexcept {
  if (pending.reading) {
    auto alone = Calls::alone;
    if (calls_.compare_exchange_strong(alone, Calls::idle, std::memory_order_release)) [[likely]] {
      pending.reading = false;
      return;
    }
  }
  bool for_reactor = false;
  bool has_octets = false;
  {
    const std::lock_guard lock(mutex_);
    if (!pending.done) pending_.remove(pending);
    if (std::exchange(pending.reading, false)) reader_active_ = false;
    // Nobody can be alone and using the framer while something is listed.
    if (!reader_active_ && !async_.empty()) has_octets = !framer_->unread().empty();
    for_reactor = choose_reader(has_octets);
    become_idle();
  }
  if (for_reactor) arm(has_octets);
}

/// The call is still under way, but another one reads; it will see who does when it waits for its reply.
void Connection::leave_reading(PendingReply& pending) noexcept {
  bool for_reactor = false;
  bool has_octets = false;
  {
    const std::lock_guard lock(mutex_);
    share_calls();
    pending.reading = reader_active_ = false;
    if (failed_) {  // too late to be told: it will find out when it sends
      pending.done = true;
      pending.error = failure_;
      return become_idle();
    }
    pending.shared.emplace();
    pending_.add(pending);
    has_octets = !async_.empty() && !framer_->unread().empty();
    for_reactor = choose_reader(has_octets);
  }
  if (for_reactor) arm(has_octets);
}

/// With the mutex: if nobody reads. True if it has to be the reactor, which the caller must arm.
bool Connection::choose_reader(bool has_octets) noexcept {
  if (reader_active_) return false;
  wake_next_reader();
  return wants_reactor(has_octets);
}

/// With the mutex: if nothing is under way any more, the next caller may be alone again.
void Connection::become_idle() noexcept {
  if (calls_.load(std::memory_order_relaxed) != Calls::shared) return;  // somebody may be alone already
  if (pending_.empty() && async_.empty() && !reader_active_) calls_.store(Calls::idle, std::memory_order_release);
}

/// With the mutex: those who are still sending will look for themselves.
void Connection::wake_next_reader() noexcept {
  for (PendingReply* next = pending_.first(); next != nullptr; next = next->next) {
    if (!next->waiting) continue;
    next->shared->changed.notify_one();
    return;
  }
}

/// Forgets a call: its reply, if it comes, will be dropped.
void Connection::give_up(PendingReply& pending) noexcept {
  stop_reading(pending);
  send_cancel(pending.request_id);
}

void Connection::send_cancel(std::uint32_t request_id) noexcept {
  const std::unique_lock writer(writer_, std::try_to_lock);
  if (!writer || has_backlog()) return;
  encoder_->reset(format(settings_.version.minor));
  protocol_->encode_cancel_request(*encoder_, request_id);
  const auto segments = encoder_->segments();
  std::size_t size = 0;
  for (const auto& segment : segments) size += segment.size;
  // A courtesy that may not block; but what it has begun must be whole before the next message.
  auto sent = transport_->send(segments, Deadline::now());
  if (!sent || *sent == size) return;
  try {
    oneways().push_begun(base::ConstByteSpan(encoder_->to_bytes()).subspan(*sent));
    schedule_drain();
  } catch (const std::bad_alloc&) {
    (void)fail(base::error(Stage::send, Code::timed_out));
  }
}

std::size_t Connection::load() {
  const std::lock_guard lock(mutex_);
  if (failed_) return static_cast<std::size_t>(-1);
  const bool alone = calls_.load(std::memory_order_relaxed) == Calls::alone;
  return pending_.count() + async_.count() + (alone || (reader_active_ && pending_.empty()) ? 1 : 0);
}

base::Status Connection::check_idle() {
  {
    const std::lock_guard lock(mutex_);
    if (failed_) return failure_;
  }
  auto idle = Calls::idle;
  if (!calls_.compare_exchange_strong(idle, Calls::alone, std::memory_order_acquire)) return {};  // somebody reads it
  PendingReply nobody;
  nobody.reading = true;
  const ReadingRole role(*this, nobody);
  for (;;) {
    Message message;
    auto next = framer_->next(message);
    if (!next) return fail(next.error());
    if (*next) {
      if (message.frame.type == messaging::MessageType::reply) continue;  // its caller gave up
      CORBEL_CHECK([&]() -> base::Status {
        auto status = on_message_while_waiting(message);
        return status ? status : base::Status(fail(status.error()));
      }());
      continue;
    }
    auto received = receive(*framer_, Deadline::now());
    if (received) continue;
    if (received.error().code == Code::would_block || received.error().code == Code::timed_out) return {};
    return fail(base::error(Stage::send, Code::closed, received.error().os_error));
  }
}

}  // namespace corbel::connection

// SPDX-License-Identifier: Apache-2.0
// Calls whose callers wait: each reads its own reply if no other thread reads.
#include "corbel/base/probe.hpp"
#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/reading_loop.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/connection/server.hpp"
#include "corbel/connection/serving_here.hpp"
#include "corbel/connection/telling.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

/// For the thread that reads to hear what the peer said last. It sleeps no longer.
constexpr base::Duration kLastWords = std::chrono::milliseconds(100);

}  // namespace

/// Gives the reading role to the next one when the reply has been dealt with, also if that throws.
class Connection::Role {
 public:
  Role(Connection& connection, Caller& caller) noexcept : connection_(connection), caller_(caller) {}
  /// As Connection::leave(), in place.
  [[gnu::always_inline]] ~Role() {
    if (caller_.reading && connection_.reading_.end_alone()) [[likely]] {
      caller_.reading = false;
    } else {
      connection_.leave_shared(caller_);
    }
  }
  Role(const Role&) = delete;
  Role& operator=(const Role&) = delete;

 private:
  Connection& connection_;
  Caller& caller_;
};

/// A caller that reads until it has its reply.
struct Connection::OwnReply {
  bool takes(Message& message) {
    if (message.reply.token != caller.token) [[unlikely]]
      return false;
    const Role role(connection, caller);
    const Framer::Decoded decoded(message);  // before another one reads
    on_reply(message.reply, message.body);
    CORBEL_PROBE("return");
    return true;
  }
  void on_finished(AsyncReply& reply) const noexcept { connection.completions_->push(reply); }
  static constexpr bool has_all() noexcept { return false; }
  Deadline until(const Framer&) const noexcept { return deadline; }

  Connection& connection;
  Caller& caller;
  Deadline deadline;
  OnReply& on_reply;
};

/// Looks whether the peer has ended while nothing was under way. Late replies come to nothing; a peer that sends them
/// without end is not waited for.
struct Connection::IdleCheck {
  static bool takes(const Message&) noexcept { return false; }
  void on_finished(AsyncReply& reply) const noexcept { connection.completions_->push(reply); }
  bool has_all() noexcept { return ++receptions > kMostReceptions; }
  static Deadline until(const Framer&) noexcept { return Deadline::now(); }

  static constexpr unsigned kMostReceptions = 32;
  Connection& connection;
  unsigned receptions = 0;
};

[[gnu::always_inline]] inline base::Status Connection::begin(Caller& caller) {
  if (caller.reading && framer_->has_unread()) [[unlikely]] {
    CORBEL_CHECK(take_rest(caller));
  }
  caller.token = session_->next_token();
  if (!caller.reading) [[unlikely]] {
    CORBEL_CHECK(may_ask());
    CORBEL_CHECK(join(caller));
    if (server_ != nullptr && in_upcall()) caller.listed->asks.emplace(server_->askers());
    see_to_serving();
    return {};
  }
  if (!failed_.load(std::memory_order_acquire)) [[likely]]
    return {};
  leave(caller);
  return why_failed();
}

[[gnu::always_inline]] inline base::Status Connection::await(Caller& caller, Deadline deadline, OnReply on_reply) {
  about_to_wait_here();
  if (!caller.reading) {
    if (auto status = wait_for_other(caller, deadline); !status) return status;
    if (!caller.reading) return take_handed(caller, on_reply);
  }
  OwnReply reader{*this, caller, deadline, on_reply};
  const ReadEnd end = read(*framer_, reader);
  switch (end.why) {
    case ReadEnd::Why::over:
    case ReadEnd::Why::rests:
      return {};
    case ReadEnd::Why::dry:
      give_up(caller);
      return base::error(Stage::wait, Code::timed_out);
    case ReadEnd::Why::broken:
    case ReadEnd::Why::failed:
      break;
  }
  const base::Error told = end_reading(end);
  leave(caller);
  return told;
}

// begin() and await() are inlined here.
base::Status Connection::call(Caller& caller, const messaging::OutgoingRequest& request, messaging::BodyWriter body,
                              Deadline deadline, OnReply on_reply) {
  CORBEL_PROBE("connection");
  CORBEL_CHECK(begin(caller));
  const auto encode = [&](cdr::Encoder& encoder) {
    CORBEL_PROBE("request header");
    session_->put_request(encoder, caller.token, request, body);
  };
  try {
    if (auto sent = send(encode, deadline, &caller); !sent) [[unlikely]] {
      // A broken send leaves half a message on the wire; an encoding failure concerns only this call.
      if (!leaves_intact(sent.error())) return end_sending(caller, sent.error(), on_reply);
      leave(caller);
      return sent;
    }
  } catch (...) {  // from the application's code that marshals an argument
    leave(caller);
    throw;
  }
  return await(caller, deadline, on_reply);
}

/// A message could not be sent whole, and the carrier has been shut down. What the peer had said before counts: for
/// this request an answer, or that it cannot be read; for all that wait, that the peer ends in order. If another thread
/// reads, the end wakes it, and it hears that itself.
base::Status Connection::end_sending(Caller& caller, base::Error error, OnReply on_reply) {
  struct Last {
    bool takes(Message& message) {
      if (message.reply.token != own.caller.token) return false;
      (void)own.connection.fail(error);  // before another one sends: half a message has left
      return own.takes(message);
    }
    void on_finished(AsyncReply& reply) const noexcept { own.on_finished(reply); }
    static constexpr bool has_all() noexcept { return false; }
    static Deadline until(const Framer&) noexcept { return Deadline::now(); }
    OwnReply own;
    base::Error error;
  };
  if (!caller.reading) {
    bool answered = false;
    {
      std::unique_lock lock(mutex_);
      const auto woken = reading_.sleep(lock, *caller.listed, Deadline::after(kLastWords));
      caller.reading = woken == Reading::Woken::reads;
      answered = woken == Reading::Woken::told && caller.listed->error.code == Code::none;
    }
    if (answered) {
      (void)fail(error);
      return take_handed(caller, on_reply);
    }
  }
  base::Error for_others = base::error(Stage::wait, Code::lost, error.os_error);
  if (caller.reading) {
    Last reader{{*this, caller, Deadline::now(), on_reply}, error};
    const ReadEnd end = read(*framer_, reader);
    if (end.why == ReadEnd::Why::over) return {};
    const Code why = end.error.code;
    if (why == Code::protocol_error || why == Code::certificate_refused) {
      error = base::error(Stage::send, why, error.os_error);
    }
    if (end.why == ReadEnd::Why::failed) for_others = end.error;
  }
  // It fails first and is left then: no other thread may begin to read or send in between, and find another error.
  const base::Error told = fail(error, for_others);
  leave(caller);
  return told;
}

/// The same of a message that no thread waits for the reply of.
base::Error Connection::fail_sending(base::Error error) noexcept {
  // The thread itself reads, or none has an interest.
  if (link_.lossy() || serving_here() == this) return fail(error);
  Caller nobody;
  nobody.token = session_->next_token();
  if (!join(nobody)) return fail(error);
  const auto ended = end_sending(nobody, error, [](const messaging::IncomingReply&, cdr::Decoder&) {});
  return ended ? error : ended.error();
}

/// What has come without having been asked for must not be taken for the answer to what is asked now.
base::Status Connection::take_rest(Caller& caller) {
  IdleCheck reader{*this};
  const ReadEnd end = read(*framer_, reader);
  if (end.why != ReadEnd::Why::broken && end.why != ReadEnd::Why::failed) return {};
  const base::Error told = end_reading(end);
  leave(caller);
  return base::error(Stage::send, told.code, told.os_error);
}

base::Status Connection::join(Caller& caller) {
  const std::lock_guard lock(mutex_);
  CORBEL_CHECK(may_begin());
  // Ids come round again after 2^31 calls, and a request may have been waiting for that long.
  while (outstanding_.find(caller.token) != nullptr) [[unlikely]] caller.token = session_->next_token();
  reading_.share();
  // Which thread reads is decided when this call has sent its request: until then it must not keep others from reading.
  caller.listed.emplace().token = caller.token;
  outstanding_.add(*caller.listed);
  return {};
}

/// Another thread has read the reply.
base::Status Connection::take_handed(const Caller& caller, OnReply on_reply) const {
  const Caller::Listed& listed = *caller.listed;
  cdr::Decoder reply(listed.octets, listed.format, settings_->limits, listed.body_at);
  reply.set_joints(listed.joints);
  on_reply(listed.reply, reply);
  return {};
}

/// Returns when the reply is there, or the reading role, or with the error.
base::Status Connection::wait_for_other(Caller& caller, Deadline deadline) {
  {
    std::unique_lock lock(mutex_);
    switch (reading_.sleep(lock, *caller.listed, deadline)) {
      case Reading::Woken::reads:
        caller.reading = true;
        return {};
      case Reading::Woken::told:
        if (caller.listed->error.code != Code::none) return caller.listed->error;
        return {};
      case Reading::Woken::late:
        break;
    }
  }
  give_up(caller);
  return base::error(Stage::wait, Code::timed_out);
}

void Connection::leave_shared(Caller& caller) noexcept {
  Arming arming = Arming::none;
  {
    const std::lock_guard lock(mutex_);
    if (caller.listed && !caller.listed->told) outstanding_.take(caller.token);
    if (std::exchange(caller.reading, false)) stop_reading();
    arming = choose_reader(Left::unknown);
  }
  arm(arming);
}

/// A thread that has the reading role must not be busy with something else while others wait for it. The call is still
/// under way, but another thread reads; it will see which one when it waits for its reply.
void Connection::step_aside(Caller& caller) noexcept {
  Arming arming = Arming::none;
  {
    const std::lock_guard lock(mutex_);
    reading_.share();
    caller.reading = false;
    reading_.end();
    caller.listed.emplace().token = caller.token;
    if (failed_) {  // too late to be told: it will find out when it sends
      caller.listed->told = true;
      caller.listed->error = failure_;
    } else {
      outstanding_.add(*caller.listed);
    }
    arming = choose_reader(Left::unknown);
  }
  arm(arming);
}

/// Forgets a call: its reply, if it comes, will be dropped.
void Connection::give_up(Caller& caller) noexcept {
  leave(caller);
  send_cancel(caller.token);
}

void Connection::send_cancel(messaging::Token token) noexcept {
  send_courtesy([&](cdr::Encoder& encoder) { return session_->put_cancel(encoder, token); });
}

/// Sends what `encode` writes, if it writes anything and no other thread is sending. It may not block; but what it has
/// begun must be whole before the next message.
void Connection::send_courtesy(base::FunctionRef<bool(cdr::Encoder&)> encode) noexcept {
  const std::unique_lock writer(link_.token(), std::try_to_lock);
  if (!writer || has_backlog() || !backlog_.empty()) return;
  if (!encodes([&] { return encode(link_.encoder()); })) return;
  cdr::Encoder& encoder = link_.encoder();
  const auto segments = encoder.segments();
  if (server_ != nullptr) return (void)send_among_replies(segments);
  std::size_t size = 0;
  for (const auto& segment : segments) size += segment.size;
  auto sent = transport().send(segments, Deadline::now());
  if (!sent || *sent == size) return;
  try {
    posting_.put_rest(base::ConstByteSpan(encoder.to_bytes()).subspan(*sent));
  } catch (const std::bad_alloc&) {
    (void)fail(base::error(Stage::send, Code::timed_out));
  }
}

void Connection::attend() noexcept {
  send_courtesy([this](cdr::Encoder& encoder) { return session_->put_own(encoder); });
  (void)check_idle();
}

base::Status Connection::check_idle() {
  {
    const std::lock_guard lock(mutex_);
    if (failed_) return failure_;
  }
  Caller nobody;
  if (!enter(nobody)) return {};  // it is being read
  const Role role(*this, nobody);
  IdleCheck reader{*this};
  const ReadEnd end = read(*framer_, reader);
  switch (end.why) {
    case ReadEnd::Why::over:
    case ReadEnd::Why::rests:
    case ReadEnd::Why::dry:
      return {};
    case ReadEnd::Why::broken:
      if (end.error.code == Code::out_of_resources) break;
      return fail(base::error(Stage::send, Code::closed, end.error.os_error));
    case ReadEnd::Why::failed:
      break;
  }
  return end_reading(end);
}

std::size_t Connection::waiting() {
  const std::lock_guard lock(mutex_);
  return reading_.sleepers();
}

/// With the mutex: of this side, under way.
std::size_t Connection::calls() const noexcept {
  return outstanding_.count() + (reading_.reader_is_unlisted() ? 1 : 0);
}

std::size_t Connection::load() {
  const std::lock_guard lock(mutex_);
  return failed_ ? static_cast<std::size_t>(-1) : calls();
}

}  // namespace corbel::connection

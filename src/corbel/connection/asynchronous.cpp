// SPDX-License-Identifier: Apache-2.0
// Requests whose callers do not wait, and threads that wait for one of them nevertheless.
#include <cerrno>
#include <new>

#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/reading_loop.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/connection/serving_here.hpp"
#include "corbel/connection/telling.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr std::size_t kMaxAsync = 1U << 16;
/// Until threads of the reactor read for requests that were to be asked for.
constexpr base::Duration kPatience = std::chrono::milliseconds(10);
/// For oneways that wait on a connection which ends.
constexpr base::Duration kLastOneways = std::chrono::milliseconds(100);

}  // namespace

[[gnu::always_inline]] inline base::Status Connection::list(AsyncReply& reply) {
  const std::lock_guard lock(mutex_);
  CORBEL_CHECK(may_begin());
  if (outstanding_.count() >= kMaxAsync) return base::error(Stage::send, Code::out_of_resources);
  // What may throw comes before the reply is listed.
  const bool looks = reply.kind() == UnderWay::Kind::asked && !looks_;
  const Deadline wakes = looks ? earlier(reply.deadline, Deadline::after(kPatience)) : reply.deadline;
  if (wakes != timer_deadline_ && earlier(wakes, timer_deadline_) == wakes) set_timer(wakes);
  looks_ = looks_ || looks;
  reading_.share();
  reply.sending_.store(AsyncReply::Sending::encoding, std::memory_order_relaxed);
  outstanding_.add(reply);
  return {};
}

// list() is inlined here.
base::Status Connection::start(const messaging::OutgoingRequest& request, messaging::BodyWriter body, AsyncReply& reply,
                               bool helps) {
  const messaging::Token id = reply.token;  // the reply may be gone as soon as the request has begun to leave
  const Deadline deadline = reply.deadline;
  const UnderWay::Kind reply_kind = reply.kind();
  if (server_ != nullptr) [[unlikely]]
    CORBEL_CHECK(may_ask());
  CORBEL_CHECK(list(reply));
  bool given_up = false;
  const auto encode = [&](cdr::Encoder& encoder) { session_->put_request(encoder, id, request, body); };
  const auto begin = [&](cdr::Encoder& encoder) -> base::Status {
    // If the message is a copy as a whole, nothing that is still on its way can become a result meanwhile.
    if (encoder.segments().size() != 1) leaving_.begin(id);
    if (reply.begin_sending()) [[likely]]
      return {};
    given_up = true;
    return reply.error;
  };
  try {
    auto sent = send(encode, deadline, nullptr, begin);
    leaving_.end(id);
    if (!sent) {
      const bool mine = withdraw(id);
      if (!given_up && !leaves_intact(sent.error())) (void)fail_sending(sent.error());
      return mine ? sent : base::Status();
    }
  } catch (...) {  // from the application's code that marshals an argument
    if (withdraw(id)) throw;
    return {};
  }
  if (!helps && reply_kind != UnderWay::Kind::asked) see_to_reading();
  if (server_ != nullptr) [[unlikely]]
    see_to_serving();
  return {};
}

/// Called when a request that no thread waits for has left, not before: the reply would wake a thread of the reactor
/// while this one may yet decide to wait for it.
void Connection::see_to_reading() noexcept {
  // The thread that the reactor wakes finds the request and goes on.
  if (reading_.armed()) return;
  Arming arming = Arming::none;
  {
    const std::lock_guard lock(mutex_);
    arming = choose_reader(Left::unknown);
  }
  arm(arming);
}

/// Takes back a request that was not sent whole. False if another thread finishes it: it failed with the connection, or
/// its time was over, when it had begun to leave.
bool Connection::withdraw(messaging::Token token) noexcept {
  const std::lock_guard lock(mutex_);
  auto* const mine = static_cast<AsyncReply*>(outstanding_.take(token));
  if (mine != nullptr) {
    end_helping(*mine);
    mine->error = {};
  }
  if (outstanding_.empty()) reading_.unshare();
  return mine != nullptr;
}

/// With the mutex. One timer for all: it is set to the earliest deadline, or look at what nobody reads for, and when it
/// fires, to the next.
void Connection::set_timer(Deadline deadline) {
  reactor::Reactor& reactor = completions_->reactor();
  reactor::TimerId timer;
  if (deadline != Deadline::none()) {  // may throw: then the one that there is stays
    timer =
        reactor.schedule_after(deadline.remaining(), [self = base::IntrusivePtr<Connection>(this)] { self->expire(); });
  }
  if (timer_deadline_ != Deadline::none()) (void)reactor.cancel(timer_);
  timer_ = timer;
  timer_deadline_ = deadline;
}

/// The ids came round again: a request may still wait for the reply to one of the first.
messaging::Token Connection::take_free_token(messaging::Token free) {
  const std::lock_guard lock(mutex_);
  while (outstanding_.find(free) != nullptr) free = session_->next_token();
  return free;
}

/// Reads until the request that the calling thread waits for is over.
struct Connection::Helping {
  static bool takes(const Message&) noexcept { return false; }
  void on_finished(AsyncReply& reply) noexcept {
    if (&reply != &own) return connection.completions_->push(reply);
    mine = true;
  }
  bool is_through() const noexcept { return mine; }
  /// What came behind the replies counts, whichever calls they were for: the peer may have closed. So this is only
  /// asked when no whole message is left.
  bool has_all() const noexcept {
    if (mine) return true;
    const std::lock_guard lock(connection.mutex_);
    return helper.told;
  }
  Deadline until(const Framer&) const noexcept { return deadline; }

  Connection& connection;
  const AsyncReply& own;
  const Sleeper& helper;
  Deadline deadline;
  bool mine = false;
};

bool Connection::help(const AsyncReply& reply, messaging::Token token, Deadline deadline) {
  about_to_wait_here();
  Sleeper helper;
  bool reads = false;
  {
    std::unique_lock lock(mutex_);
    UnderWay* const own = outstanding_.find(token);
    if (own != &reply) return false;
    helper.next_helper = std::exchange(static_cast<AsyncReply*>(own)->helpers_, &helper);
    reads = reading_.sleep(lock, helper, deadline) == Reading::Woken::reads;
  }
  Helping reader{*this, reply, helper, deadline};
  if (reads) {
    const ReadEnd end = read(*framer_, reader);
    if (end.why == ReadEnd::Why::failed || end.why == ReadEnd::Why::broken) (void)end_reading(end);
  }
  Arming arming = Arming::none;
  {
    const std::lock_guard lock(mutex_);
    if (!helper.told) stop_helping(token, helper);
    if (reads) stop_reading();
    // Also one that does not read may have been chosen for that, and be leaving instead.
    arming = choose_reader(Left::unknown);
  }
  arm(arming);
  return reader.mine;
}

/// With the mutex, while the request is still under way.
void Connection::stop_helping(messaging::Token token, const Sleeper& helper) noexcept {
  Sleeper** link = &static_cast<AsyncReply*>(outstanding_.find(token))->helpers_;
  while (*link != &helper) link = &(*link)->next_helper;
  *link = helper.next_helper;
}

void Connection::attend(const AsyncReply& reply, messaging::Token token) noexcept {
  Arming arming = Arming::none;
  {
    const std::lock_guard lock(mutex_);
    UnderWay* const listed = outstanding_.find(token);
    if (listed != &reply) return;
    outstanding_.attend(*listed);
    arming = choose_reader(Left::unknown);
  }
  arm(arming);
}

TakenBack Connection::take_back(const AsyncReply& reply, messaging::Token token) noexcept {
  {
    const std::lock_guard lock(mutex_);
    UnderWay* const listed = outstanding_.find(token);
    if (listed != &reply) return TakenBack::no;
    auto& cancelled = static_cast<AsyncReply&>(*listed);
    end_helping(cancelled);
    if (cancelled.give_up(base::error(Stage::send, Code::cancelled))) return TakenBack::unsent;
    outstanding_.take(token);
    cancelled.error = base::error(Stage::wait, Code::cancelled);
    if (outstanding_.empty()) reading_.unshare();
  }
  send_cancel(token);
  return TakenBack::sent;
}

void Connection::cancel(AsyncReply& reply, messaging::Token token) noexcept {
  if (take_back(reply, token) == TakenBack::sent) completions_->push(reply);
}

void Connection::cancel_async(AsyncReplyList& cancelled) noexcept {
  give_up_async(cancelled, Code::cancelled);
  {
    const std::lock_guard lock(mutex_);
    // Of a server its threads read.
    if (failed_ || server_ != nullptr || !reading_.active() || calls() != 0) return;
    ended_idle_ = true;  // nothing begins behind the word that this is the end
  }
  // Who reads does so for one of them, and waits for octets that may never come.
  retire();
  if (has_backlog()) (void)flush_oneways(Deadline::after(kLastOneways));
  (void)tell_close();
  (void)fail(base::error(Stage::wait, Code::cancelled));
}

void Connection::expire() noexcept {
  AsyncReplyList overdue;
  give_up_async(overdue, Code::timed_out);
  while (AsyncReply* reply = overdue.pop()) {
    send_cancel(reply->token);
    completions_->push(*reply);
  }
  see_to_reading();
}

/// Gives up the requests whose time is over (timed_out), or all of them.
void Connection::give_up_async(AsyncReplyList& given_up, Code why) noexcept {
  const std::lock_guard lock(mutex_);
  const Deadline next = take_off_async(given_up, why);
  if (why == Code::timed_out) try {
      set_timer(looks_ ? earlier(next, Deadline::after(kPatience)) : next);
    } catch (const std::bad_alloc&) {  // nothing would end those that are left
      timer_deadline_ = Deadline::none();
      (void)take_off_async(given_up, Code::out_of_resources);
    }
  if (outstanding_.empty()) reading_.unshare();
}

/// With the mutex. The earliest deadline of those that stay.
Deadline Connection::take_off_async(AsyncReplyList& given_up, Code why) noexcept {
  Deadline next = Deadline::none();
  looks_ = false;
  for (UnderWay* request = outstanding_.first(); request != nullptr;) {
    UnderWay& looked_at = *std::exchange(request, UnderWayList::after(*request));
    if (looked_at.kind() == UnderWay::Kind::caller) continue;
    auto& reply = static_cast<AsyncReply&>(looked_at);
    if (why == Code::timed_out && !reply.deadline.expired()) {
      next = earlier(next, reply.deadline);
      // As long as some thread reads, nothing is left lying.
      if (!reading_.active()) outstanding_.attend(reply);
      looks_ = looks_ || reply.kind() == UnderWay::Kind::asked;
      continue;
    }
    end_helping(reply);
    if (reply.give_up(why == Code::timed_out ? kBehindOthers : base::error(Stage::send, why))) continue;
    outstanding_.take(reply.token);
    reply.error =
        why == Code::out_of_resources ? base::error(Stage::receive, why, ENOMEM) : base::error(Stage::wait, why);
    given_up.push(reply);
  }
  return next;
}

}  // namespace corbel::connection

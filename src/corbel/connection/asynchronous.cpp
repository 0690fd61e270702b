// SPDX-License-Identifier: Apache-2.0
// Client side of a connection: requests whose callers do not wait, and who reads for them.
#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

base::Status Connection::start(const messaging::OutgoingRequest& request, messaging::BodyWriter body,
                               AsyncReply& reply) {
  const std::uint32_t id = reply.request_id;  // the reply may be gone as soon as the request has left
  const Deadline deadline = reply.deadline;
  CORBEL_CHECK(register_async(reply));
  const auto encode = [&](cdr::Encoder& encoder) {
    // Failed while this waited for its turn, the call may be tried elsewhere already and its arguments become results.
    if (failed()) return encoder.fail(Code::cancelled);
    encode_request(encoder, id, request, body);
  };
  // False if it failed with the connection, or its time was over, and it is being finished.
  const auto withdraw = [&] {
    const std::lock_guard lock(mutex_);
    const bool mine = async_.take(id) != nullptr;
    end_wait_for(id);
    become_idle();
    return mine;
  };
  try {
    if (auto sent = send(encode, format(settings_.version.minor), deadline); !sent) {
      const bool mine = withdraw();
      if (!leaves_intact(sent.error())) (void)fail(sent.error());
      return mine ? sent : base::Status();
    }
  } catch (...) {  // from the application's code that marshals an argument
    if (withdraw()) throw;
    return {};
  }
  bool for_reactor = false;
  {
    const std::lock_guard lock(mutex_);
    for_reactor = wants_reactor(false);
  }
  if (for_reactor) arm(false);
  return {};
}

base::Status Connection::register_async(AsyncReply& reply) {
  const std::lock_guard lock(mutex_);
  if (failed_) return base::error(Stage::send, failure_.code, failure_.os_error);
  if (async_.count() >= kMaxAsync) return base::error(Stage::send, Code::out_of_resources);
  // What may throw comes before the reply is listed.
  if (reply.deadline != timer_deadline_ && earlier(reply.deadline, timer_deadline_) == reply.deadline)
    set_timer(reply.deadline);
  share_calls();
  async_.add(reply);
  return {};
}

/// With the mutex. One timer for all: it is set to the earliest deadline, and when it fires, to the next.
void Connection::set_timer(Deadline deadline) {
  if (timer_deadline_ != Deadline::none()) (void)completions_->reactor().cancel(timer_);
  timer_deadline_ = Deadline::none();
  if (deadline == Deadline::none()) return;
  timer_ = completions_->reactor().schedule_after(deadline.remaining(),
                                                  [self = base::IntrusivePtr<Connection>(this)] { self->expire(); });
  timer_deadline_ = deadline;
}

std::uint32_t Connection::take_request_id() {
  const std::uint64_t id = next_request_id_.fetch_add(2, std::memory_order_relaxed);
  if (id <= UINT32_MAX) [[likely]]
    return static_cast<std::uint32_t>(id);
  // They came round again: somebody may still be waiting for the reply to one of the first.
  const std::lock_guard lock(mutex_);
  auto free = static_cast<std::uint32_t>(id);
  while (pending_.contains(free) || async_.contains(free)) free = next_id();
  return free;
}

/// With the mutex: those who help this request need not any longer.
void Connection::end_wait_for(std::uint32_t request_id) noexcept {
  while (PendingReply* helper = pending_.take(request_id | 1)) {
    helper->done = true;
    helper->shared->changed.notify_one();
  }
}

/// With the mutex: true if nobody reads, or is about to, and the caller must arm() therefore. Of octets that were
/// received already the handle says nothing, so an armed reactor does not help then.
bool Connection::wants_reactor(bool has_octets) noexcept {
  if (reader_active_ || (armed_ && !has_octets) || failed_ || async_.empty()) return false;
  for (const PendingReply* caller = pending_.first(); caller != nullptr; caller = caller->next) {
    if (caller->waiting) return false;
  }
  return armed_ = true;
}

/// Makes a thread of the reactor read when octets arrive, or at once. With no lock: it is a system call.
void Connection::arm(bool has_octets) noexcept {
  reactor::Reactor& reactor = completions_->reactor();
  if (has_octets) return reactor.post([self = base::IntrusivePtr<Connection>(this)] { self->read_for_async(); });
  bool registered = false;
  {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    registered = registered_;
  }
  auto armed = registered
                   ? reactor.rearm(*this)
                   : reactor.add(base::IntrusivePtr<Connection>(this), transport_->handle(), reactor::Events::readable,
                                 reactor::Trigger::one_shot, reactor::Promotion::by_handler);
  // Somebody else who was arming it may have been sooner.
  if (!armed && !registered && armed.error().code == Code::bad_argument) armed = reactor.rearm(*this);
  bool failed = false;
  {
    const std::lock_guard lock(mutex_);
    registered_ = true;  // not before it is: others would rearm what is not there yet
    failed = failed_;
  }
  if (failed) return reactor.remove(*this);
  if (!armed) (void)fail(base::error(Stage::wait, Code::out_of_resources, armed.error().os_error));
}

/// On a thread of the reactor: what has arrived is read and decoded here, then finished after the reading role is free.
void Connection::read_for_async() noexcept {
  {
    const std::lock_guard lock(mutex_);
    armed_ = false;
    if (failed_ || reader_active_ || async_.empty()) return;
    reader_active_ = true;
  }
  AsyncReplyList finished;
  auto status = deliver_received(finished);
  if (status && finished.empty()) {
    status = receive_some(Deadline::now());
    if (status) status = deliver_received(finished);
  }
  if (!status && status.error().code != Code::would_block) (void)fail(status.error());
  bool for_reactor = false;
  {
    const std::lock_guard lock(mutex_);
    reader_active_ = false;
    for_reactor = choose_reader(false);
    become_idle();
  }
  if (for_reactor) arm(false);
  if (finished.empty()) return;
  reactor::ThreadPool::promote_follower();
  completions_->run(finished);
}

/// Receives once. An error but would_block and timed_out is the connection's end.
base::Status Connection::receive_some(Deadline deadline) {
  auto received = receive(*framer_, deadline);
  if (received) return {};
  const Code code = received.error().code;
  if (code == Code::would_block || code == Code::timed_out) return base::error(Stage::wait, Code::would_block);
  return base::error(Stage::wait, Code::lost, received.error().os_error);
}

/// Delivers the messages that are there whole. For the reader.
base::Status Connection::deliver_received(AsyncReplyList& finished) {
  for (;;) {
    Message message;
    if (framer_->unread().empty()) return {};
    CORBEL_TRY(const bool whole, framer_->next(message));
    if (!whole) return {};
    if (message.frame.type != messaging::MessageType::reply) {
      CORBEL_CHECK(on_message_while_waiting(message));
      continue;
    }
    cdr::Decoder body;
    auto reply = protocol_->decode_reply(message.frame, message.octets, settings_.limits, body);
    if (!reply) return base::error(Stage::receive, Code::malformed);
    AsyncReply* done = nullptr;
    CORBEL_CHECK(deliver(message, *reply, body, done));
    if (done != nullptr) finished.push(*done);
  }
}

/// Reads until `own` is finished (true), somebody else has dealt with it, or the deadline has passed.
bool Connection::read_for(const PendingReply& helper, const AsyncReply& own, Deadline deadline) {
  for (;;) {
    AsyncReplyList finished;
    auto status = deliver_received(finished);
    bool mine = false;
    while (AsyncReply* reply = finished.pop()) {
      if (reply == &own) {
        mine = true;
      } else {
        completions_->push(*reply);
      }
    }
    // What came behind the replies counts, whoever they were for: the peer may have closed.
    if (!status) (void)fail(status.error());
    if (mine) return true;
    {
      const std::lock_guard lock(mutex_);
      if (helper.done) return false;
    }
    if (status) status = receive_some(deadline);
    if (status) continue;
    if (status.error().code != Code::would_block) (void)fail(status.error());
    return false;
  }
}

bool Connection::help(const AsyncReply& reply, std::uint32_t request_id, Deadline deadline) {
  PendingReply helper;
  helper.request_id = request_id | 1;  // no reply has an odd number
  helper.shared.emplace();
  {
    std::unique_lock lock(mutex_);
    if (!async_.contains(request_id)) return false;
    pending_.add(helper);
    while (!helper.done && reader_active_ && !deadline.expired()) {
      helper.waiting = true;
      if (deadline.is_none()) {
        helper.shared->changed.wait(lock);
      } else {
        helper.shared->changed.wait_for(lock, deadline.remaining());
      }
      helper.waiting = false;
    }
    if (!helper.done && !reader_active_) helper.reading = reader_active_ = true;
  }
  const bool mine = helper.reading && read_for(helper, reply, deadline);
  stop_reading(helper);
  return mine;
}

void Connection::cancel_async(AsyncReplyList& cancelled) noexcept {
  const std::lock_guard lock(mutex_);
  AsyncReplyList replies = async_.take_all();
  while (AsyncReply* reply = replies.pop()) {
    end_wait_for(reply->request_id);
    reply->error = base::error(Stage::wait, Code::cancelled);
    cancelled.push(*reply);
  }
  become_idle();
}

void Connection::expire() noexcept {
  AsyncReplyList overdue;
  {
    const std::lock_guard lock(mutex_);
    Deadline next = Deadline::none();
    for (AsyncReply* reply = async_.first(); reply != nullptr;) {
      AsyncReply& looked_at = *std::exchange(reply, AsyncReplyList::after(*reply));
      if (looked_at.deadline.expired()) {
        (void)async_.take(looked_at.request_id);
        end_wait_for(looked_at.request_id);
        overdue.push(looked_at);
      } else {
        next = earlier(next, looked_at.deadline);
      }
    }
    set_timer(next);
    become_idle();
  }
  while (AsyncReply* reply = overdue.pop()) {
    send_cancel(reply->request_id);
    reply->error = base::error(Stage::wait, Code::timed_out);
    completions_->push(*reply);
  }
}

}  // namespace corbel::connection

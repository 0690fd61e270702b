// SPDX-License-Identifier: Apache-2.0
// Replies go to the callers that asked, and the reading role to the next thread that needs it.
#include <cerrno>
#include <new>
#include <utility>

#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/reading_loop.hpp"
#include "corbel/connection/telling.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr unsigned kMostRounds = 8;            // of reading and finishing, before others have their turn
constexpr std::size_t kSmallCopy = 64U << 10;  // is nothing beside the thread that waits for it

/// What a copy of a message for another thread takes of the memory for what comes in, until that has it.
class Copied {
 public:
  explicit Copied(InputAccount& account) noexcept : account_(account) {}
  ~Copied() {
    if (paid_ != 0) account_.give_copy(paid_);
  }
  Copied(const Copied&) = delete;
  Copied& operator=(const Copied&) = delete;

  void pay(std::size_t octets) {
    refused_ = !account_.take_copy(octets);
    paid_ = refused_ ? 0 : octets;
  }
  bool refused() const noexcept { return refused_; }
  void hand_to(Caller::Listed& caller) noexcept {
    if (std::exchange(paid_, 0) != 0) caller.account = &account_;
  }

 private:
  InputAccount& account_;
  std::size_t paid_ = 0;
  bool refused_ = false;
};

/// With the connection's mutex: gives a copy to another caller.
void hand(const Message& message, Caller::Listed& caller, Copied& copied) noexcept {
  try {
    if (copied.refused()) throw std::bad_alloc();
    const base::ConstByteSpan rest = message.body.rest();
    caller.octets.reserve(message.octets.size() + rest.size());
    caller.octets.assign(message.octets.begin(), message.octets.end());
    caller.octets.insert(caller.octets.end(), rest.begin(), rest.end());
    copied.hand_to(caller);
    caller.joints.assign(message.joints.begin(), message.joints.end());
    caller.format = message.body.format();
    caller.body_at = message.body_at;
    caller.reply = message.reply;
    caller.reply.contexts = message.reply.contexts.moved(message.octets.data(), caller.octets.data());
  } catch (const std::bad_alloc&) {
    caller.error = base::error(Stage::receive, Code::out_of_resources, copied.refused() ? 0 : ENOMEM);
  }
  Reading::tell(caller);
}

}  // namespace

/// Hands a reply to the caller it belongs to; one that no caller waits for has to be finished then, unless it is given
/// back as null. One whose caller gave up is dropped. One that was never asked for breaks the protocol, unless
/// strangers may send over the carrier.
base::Status Connection::deliver(Message& message, AsyncReply*& finished) {
  if (!session_->was_issued(message.reply.token)) [[unlikely]]
    return link_.lossy() ? base::Status() : base::error(Stage::receive, Code::unknown_reply);
  if (leaving_.is(message.reply.token)) {
    if (auto left = leaving_.await_end(message.reply.token, link_.token()); !left)
      return link_.lossy() ? base::Status() : left;
  }
  Copied copied(input_);
  const std::size_t octets = message.octets.size() + message.body.rest().size();
  if (octets > kSmallCopy) [[unlikely]] {
    bool for_caller = false;
    {
      const std::lock_guard lock(mutex_);
      const UnderWay* const request = outstanding_.find(message.reply.token);
      for_caller = request != nullptr && request->kind() == UnderWay::Kind::caller;
    }
    if (for_caller) copied.pay(octets);
  }
  {
    const std::lock_guard lock(mutex_);
    UnderWay* const request = outstanding_.take(message.reply.token);
    if (request == nullptr) return {};
    if (request->kind() == UnderWay::Kind::caller) {
      hand(message, static_cast<Caller::Listed&>(*request), copied);
      return {};
    }
    auto& reply = static_cast<AsyncReply&>(*request);
    if (reply.is_unsent()) [[unlikely]] {  // the peer cannot have seen it
      outstanding_.add(reply);
      return link_.lossy() ? base::Status() : base::error(Stage::receive, Code::unknown_reply);
    }
    finished = &reply;
    if (reply.helpers_ != nullptr) end_helping(reply);
  }
  {
    const Framer::Decoded decoded(message);
    finished->on_reply(message.reply, message.body);
  }
  if (finished->finish_quietly()) finished = nullptr;
  return {};
}

bool Connection::is_listed(messaging::Token token) {
  const std::lock_guard lock(mutex_);
  return outstanding_.find(token) != nullptr;
}

/// True if the peer's message that it ends counts. In a datagram it may be forged, or have overtaken what came before
/// it: then it only spares a server the wait for more, and tells a client nothing.
bool Connection::heeds_end() const noexcept {
  return !link_.lossy() || (server_ != nullptr && under_way() == 0);
}

/// Whoever has read a client's connection to its end: what those are told who wait. Where the carrier has ended, no
/// CloseConnection came first, so it is not known whether requests were executed.
base::Error Connection::end_reading(const ReadEnd& end) noexcept {
  const base::Error error = end.why == ReadEnd::Why::broken ? explain_end(end.error) : end.error;
  if (error.code == Code::out_of_resources && framer_->short_of_memory() && !failed()) {
    tell_cut_for_memory(*this, input_.used());
  }
  const base::Error told = fail(error);
  framer_->clear();
  session_->forget_parts();
  return told;
}

/// With the mutex: gives up the reading role.
void Connection::stop_reading() noexcept {
  if (!input_.plenty()) framer_->shrink();
  reading_.end();
}

/// With the mutex: those who wait for this request need not help any longer.
void Connection::end_helping(AsyncReply& reply) noexcept {
  for (Sleeper* helper = std::exchange(reply.helpers_, nullptr); helper != nullptr;) {
    Sleeper& told = *std::exchange(helper, helper->next_helper);
    Reading::tell(told);
  }
}

/// With the mutex, after something has ended: if nobody reads, the next one shall. What is returned is for arm().
/// Nobody can be alone and using the framer while something is listed.
Arming Connection::choose_reader(Left left) noexcept {
  if (outstanding_.empty()) reading_.unshare();
  if (reading_.active() || failed_ || reading_.wake_one() || outstanding_.asynchronous() == 0) return Arming::none;
  const bool at_once = left == Left::more || (left == Left::unknown && left_in(*framer_) == Left::more);
  if (!reading_.arm(at_once)) return Arming::none;
  return at_once ? Arming::now : Arming::watch;
}

/// Makes a thread of the reactor read when octets arrive, or at once. With no lock: it is a system call.
void Connection::arm(Arming arming) noexcept try {
  if (arming == Arming::none) return;
  if (transport().handle() < 0) return read_apart();
  if (arming == Arming::watch) return watch();
  completions_->reactor().post([self = base::IntrusivePtr<Connection>(this)] { (void)self->read_for_async(); });
} catch (const std::bad_alloc&) {
  (void)fail(base::error(Stage::wait, Code::out_of_resources));
}

/// Tells the reactor what to wait for. If several threads do so at once, the last one may have been the first to look:
/// so each looks again.
void Connection::watch() noexcept {
  const auto wanted = [this] {
    return (reading_.armed() ? reactor::Events::readable : reactor::Events::none) |
           (posting_.wants_room() ? reactor::Events::writable : reactor::Events::none) |
           (posting_.wants_room() && !heard_end_ ? reactor::Events::peer_closed : reactor::Events::none);
  };
  const auto covers = [](reactor::Events told, reactor::Events now) { return (told | now) == told; };
  for (reactor::Events told = reactor::Events::none; !covers(told, wanted()) && !failed();) {
    told = wanted();
    if (auto status = tell_reactor(told); !status) {
      return (void)fail(base::error(Stage::wait, Code::out_of_resources, status.error().os_error));
    }
  }
}

base::Status Connection::tell_reactor(reactor::Events interest) noexcept {
  reactor::Reactor& reactor = completions_->reactor();
  if (registered_.load(std::memory_order_acquire)) [[likely]]
    return reactor.modify(*this, interest, reactor::Trigger::one_shot);
  auto told = reactor.add(base::IntrusivePtr<Connection>(this), transport().handle(), interest,
                          reactor::Trigger::one_shot, reactor::Promotion::by_handler);
  // Another thread may have been sooner.
  if (!told && told.error().code == Code::bad_argument) {
    told = reactor.modify(*this, interest, reactor::Trigger::one_shot);
  }
  bool failed = false;
  {
    const std::lock_guard lock(mutex_);
    registered_.store(true, std::memory_order_release);  // not before it is: others would modify what is not there yet
    failed = failed_;
  }
  if (failed) reactor.remove(*this);
  return told;
}

/// On a thread of the reactor, which waits for nothing here any more.
void Connection::on_client_event(reactor::Events events) noexcept {
  using reactor::Events;
  const Events ended = Events::error | Events::hangup;
  if (any(events, Events::writable | ended)) posting_.on_room();
  const bool read = any(events, Events::readable | Events::peer_closed | ended) && read_for_async();
  // It may be that no thread reads: what waits for such a peer to read would wait for ever.
  const bool closed = any(events, Events::peer_closed);
  if (closed) heard_end_ = true;
  // Nor does any for one that rests (resting.cpp), of which the reactor tells because its peer has ended.
  if (closed || (!read && any(events, Events::readable | ended) && idle())) (void)check_idle();
  // What it did not call for is still wanted.
  if (posting_.wants_room() || !any(events, Events::readable)) watch();
}

/// Reads for requests that no caller waits for: what has arrived, on a thread of the reactor.
struct Connection::Arrived {
  static bool takes(const Message&) noexcept { return false; }
  void on_finished(AsyncReply& reply) noexcept { finished.push(reply); }
  bool has_all() const noexcept { return receptions != 0 && connection.has_taken_all(*connection.framer_); }
  bool rests() const noexcept { return receptions > kMostReceptions; }
  Deadline until(const Framer&) noexcept {
    ++receptions;
    return Deadline::now();
  }

  static constexpr unsigned kMostReceptions = 32;  // then others have their turn
  Connection& connection;
  AsyncReplyList finished{};
  unsigned receptions = 0;
};

/// True if asking the carrier again would probably be in vain: should more have come, the reactor says so at once.
bool Connection::has_taken_all(const Framer& framer) const noexcept {
  return link_.largest_message() == 0 && !framer.in_message() && !framer.is_full() && !link_.transport().pending();
}

/// On a thread of the reactor: what has arrived is read and decoded here, then finished after the role is free. While
/// that is done, more arrives: it is looked for a few times, before the reactor is waited for. False if there is nobody
/// to read for, or another thread does.
bool Connection::read_for_async() noexcept {
  for (unsigned rounds = 0; rounds < kMostRounds; ++rounds) {
    if (!begin_for_async(rounds == 0)) return rounds != 0;
    Arrived reader{*this};
    end_for_async(read(*framer_, reader));
    if (reader.finished.empty()) return true;
    completions_->run(reader.finished);
  }
  return true;
}

/// `called`: the reactor has.
bool Connection::begin_for_async(bool called) noexcept {
  const std::lock_guard lock(mutex_);
  if (called) reading_.disarm();
  if (failed_ || reading_.active() || outstanding_.asynchronous() == 0) return false;
  reading_.begin();
  return true;
}

void Connection::end_for_async(ReadEnd end) noexcept {
  if (end.why == ReadEnd::Why::failed || end.why == ReadEnd::Why::broken) (void)end_reading(end);
  Arming arming = Arming::none;
  {
    const std::lock_guard lock(mutex_);
    stop_reading();
    arming = choose_reader(end.why == ReadEnd::Why::dry     ? Left::nothing
                           : end.why == ReadEnd::Why::rests ? Left::more
                                                            : Left::unknown);
  }
  arm(arming);
}

/// Reads while there are requests that no caller waits for, on a thread of its own.
struct Connection::Apart {
  static bool takes(const Message&) noexcept { return false; }
  void on_finished(AsyncReply& reply) const noexcept { connection.completions_->push(reply); }
  bool has_all() const noexcept {
    const std::lock_guard lock(connection.mutex_);
    return connection.outstanding_.asynchronous() == 0;
  }
  /// After a time-out there may be nothing left to wait for.
  Deadline until(const Framer&) const noexcept {
    const std::lock_guard lock(connection.mutex_);
    if (connection.outstanding_.asynchronous() == 0) return Deadline::now();
    return connection.timer_deadline_.expired() ? Deadline::after(kLateness) : connection.timer_deadline_;
  }

  static constexpr base::Duration kLateness = std::chrono::milliseconds(10);  // of the timer that gives them up
  Connection& connection;
};

/// For carriers that no reactor can wait for.
void Connection::read_apart() noexcept {
  const auto started = completions_->threads().start([self = base::IntrusivePtr<Connection>(this)] {
    if (!self->begin_for_async(true)) return;
    Apart reader{*self};
    ReadEnd end;
    do {
      end = self->read(*self->framer_, reader);
    } while (end.why == ReadEnd::Why::dry && !reader.has_all());
    self->end_for_async(end);
  });
  if (started) return;
  if (started.error().code == Code::out_of_resources) {
    CORBEL_LOG(log(), connection, warning, "a thread could not be started", {"wanted_for", "replies"}, {"peer", peer()},
               {"error", started.error()});
  }
  (void)fail(base::error(Stage::wait, Code::out_of_resources, started.error().os_error));
}

}  // namespace corbel::connection

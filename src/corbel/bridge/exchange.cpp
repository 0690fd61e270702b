// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/exchange.hpp"

#include <utility>

#include "corbel/bridge/refusal.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/attempts.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::bridge {

using base::Code;
using base::Deadline;
using base::Stage;
using corba::Completed;

namespace {

/// So many requests to one target may have taken longer: then no thread waits for the next.
constexpr std::uint32_t kFewLeft = 4;
/// Larger requests are not sent again, once the thread has left that read them.
constexpr std::size_t kMostKept = 64U << 10;

Deadline after(base::Duration limit, std::int64_t now) {
  return limit == base::Duration::zero() ? Deadline::none() : Deadline::after(limit, now);
}

/// True if a connection that was used before may have been at an end when the request came to it. It was certainly not
/// executed then: nothing whole of it has left, or the server has closed in order instead.
bool found_an_end(base::Error error) noexcept {
  if (error.stage != Stage::send && error.stage != Stage::wait) return false;
  switch (error.code) {
    case Code::timed_out:
    case Code::cancelled:
    case Code::protocol_error:  // the server does not want this request, on no connection
    case Code::certificate_refused:
      return false;
    default:
      return orb::Attempts::not_executed(error);
  }
}

/// A thread that is busy reaching a target.
class Sender {
 public:
  Sender(std::atomic<std::uint32_t>& senders, std::uint32_t most) : senders_(senders) {
    if (senders_.fetch_add(1, std::memory_order_relaxed) < most) return;
    senders_.fetch_sub(1, std::memory_order_relaxed);
    throw corba::system_failure("TRANSIENT", corba::vendor_minor(Stage::send, Code::out_of_resources), Completed::no,
                                "the bridge: too many threads are waiting to reach the server");
  }
  ~Sender() { senders_.fetch_sub(1, std::memory_order_relaxed); }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

 private:
  std::atomic<std::uint32_t>& senders_;
};

}  // namespace

Exchange::Exchange(Means& means, connection::Connection& client, TargetPtr target,
                   const messaging::IncomingRequest& request, const cdr::Decoder& body)
    : Owed(client, request.origin),
      means_(means),
      client_(&client),
      target_(std::move(target)),
      asked_(request, body, client.protocol().offers().service_contexts),
      transfer_(means, client, asked_, *target_) {}

Exchange::Exchange(Means& means, connection::Connection& client, TargetPtr target,
                   const messaging::IncomingLocateRequest& request)
    : Owed(client, request.origin),
      means_(means),
      client_(&client),
      target_(std::move(target)),
      asked_(request),
      transfer_(means, client, asked_, *target_) {}

void Exchange::begin() {
  begun_ = Deadline::clock_now();
  deadline = earlier(after(means_.settings.call_timeout, begun_), transfer_.limit());
  if (asked_.bridges() >= means_.settings.bridges) {
    throw corba::system_failure("IMP_LIMIT", corba::vendor_minor(Stage::dispatch, Code::too_large), Completed::no,
                                "the bridge: the request has passed " + std::to_string(asked_.bridges()) +
                                    " others; it may be that they lead in a circle");
  }
  if (asked_.wants_reply()) admit();
  go_on(std::nullopt);
}

/// Takes what it needs while it is under way.
void Exchange::admit() {
  if (!client_->defer_request()) {
    throw corba::system_failure("TRANSIENT", corba::minor::kTooManyDeferred, Completed::no,
                                "the bridge: too many requests of the connection wait for their answers");
  }
  paid_ = sizeof(Exchange);
  if (!means_.core.value_memory()->take(paid_)) {
    client_->end_deferred();
    throw corba::system_failure("NO_RESOURCES", corba::vendor_minor(Stage::decode, Code::no_value_memory),
                                Completed::no, "the bridge: requests under way take too much memory");
  }
  try {
    means_.pending.add(*this);
  } catch (...) {
    means_.core.value_memory()->give(paid_);
    client_->end_deferred();
    throw;
  }
}

void Exchange::cancel() noexcept {
  connection::ConnectionPtr server;
  messaging::Token sent = 0;
  if (!cancelled_.exchange(true)) means_.counters.cancelled.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    server = server_;
    sent = token;
  }
  if (server) server->cancel(*this, sent);
}

bool Exchange::is_wanted() const noexcept {
  return !cancelled_.load() && !client_->failed();
}

/// Until the request is under way and nobody waits for it here, or to the end.
void Exchange::go_on(Outcome outcome) noexcept {
  try {
    try {
      if (advance(outcome)) return;
    } catch (const corba::SystemFailure& failure) {
      refuse(&means_.core, means_.counters, *client_, asked_, failure);
    } catch (const std::bad_alloc&) {
      refuse(&means_.core, means_.counters, *client_, asked_,
             corba::system_failure("NO_MEMORY", 0, Completed::maybe, "the bridge has no memory left"));
    }
  } catch (...) {  // without memory for an answer
    client_->cut(base::error(Stage::send, Code::out_of_resources));
  }
  end();
}

/// True if finish() goes on with it. `outcome`: of the attempt that has been made.
bool Exchange::advance(Outcome outcome) {
  if (routes_ == nullptr) {
    auto routes = target_->routes(means_.core, transfer_.manner());
    if (!routes) throw orb::failure_of(routes.error(), "the bridge: the reference leads nowhere");
    routes_ = *std::move(routes);
  }
  for (;; outcome.reset()) {
    if (!outcome) {
      const base::Status sent = attempt();
      outcome = sent && asked_.wants_reply() ? wait() : Outcome(sent);
      if (!outcome) return true;
    }
    if (*outcome) {
      if (instead_ && is_wanted()) throw *instead_;
      return false;
    }
    if (server_ && server_->failed()) means_.core.cache().forget(way(), *server_);
    if (!is_wanted()) return false;
    choose_next(outcome->error());
  }
}

base::Status Exchange::attempt() {
  const Sender sender(target_->senders, means_.most_senders);
  {
    const std::lock_guard lock(mutex_);
    server_ = {};
  }
  if (!asked_.wants_reply() || means_.succession.used()) place_ = means_.succession.find(*client_, route());
  const std::int64_t now = std::exchange(first_, false) ? begun_ : Deadline::clock_now();
  const Deadline limit = earlier(deadline, after(means_.settings.connect_timeout, now));
  fresh_ = false;
  CORBEL_TRY(connection::ConnectionPtr server, means_.core.cache().acquire(way(), limit, fresh_, place_.follows));
  {
    const std::lock_guard lock(mutex_);
    server_ = std::move(server);
  }
  if (!asked_.wants_reply()) means_.succession.note_oneway(place_, *server_);
  waits_ = may_wait();
  return transfer_.send(
      *server_, route().object_key,
      [this](const messaging::OutgoingRequest& request, messaging::BodyWriter body) { return start(request, body); });
}

base::Status Exchange::start(const messaging::OutgoingRequest& request, messaging::BodyWriter body) {
  if (!asked_.wants_reply()) return server_->send_oneway(request, body, deadline);
  {
    const std::lock_guard lock(mutex_);
    over_ = false;
    token = server_->take_token();
    if (cancelled_.load()) return base::error(Stage::send, Code::cancelled);
  }
  error = {};
  base::IntrusivePtr<Exchange> until_finished(this);
  CORBEL_CHECK(server_->start(request, body, *this, waits_));
  (void)until_finished.detach();
  // Who cancelled it before it was listed has not found it.
  if (cancelled_.load()) server_->cancel(*this, token);
  return {};
}

/// Where more requests have come with this one, and where replies take long, they would wait for this thread.
bool Exchange::may_wait() const {
  if (means_.settings.in_place == base::Duration::zero()) return false;
  return here_ && target_->left.load(std::memory_order_relaxed) < kFewLeft && !client_->has_more_input();
}

/// What came of it, if that is known before this thread leaves.
Exchange::Outcome Exchange::wait() {
  if (waits_ && server_->help(*this, token, earlier(deadline, Deadline::after(means_.settings.in_place)))) {
    (void)base::IntrusivePtr<Exchange>::adopt(this);  // of start(): finish() is up to this thread
    return base::Status();
  }
  if (Outcome outcome = look(false)) return outcome;
  if (std::exchange(here_, false)) leave();
  return look(true);
}

Exchange::Outcome Exchange::look(bool leaves) {
  const std::lock_guard lock(mutex_);
  if (over_) return error.code == Code::none ? base::Status() : base::Status(error);
  if (leaves) {
    left_ = true;
    target_->left.fetch_add(1, std::memory_order_relaxed);
  }
  return std::nullopt;
}

/// The client's message goes with the thread that read it.
void Exchange::leave() noexcept try {
  const std::size_t octets = asked_.size();
  if (octets == 0 || octets > kMostKept || !means_.core.value_memory()->take(octets)) return asked_.let_go();
  paid_ += octets;
  asked_.keep(means_.core.limits());
} catch (const std::bad_alloc&) {
  asked_.let_go();
}

void Exchange::on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept {
  means_.succession.note_answer(place_);  // before the client may send what comes next
  if (is_wanted()) instead_ = transfer_.pass_back(*server_, reply, body);
}

void Exchange::finish() noexcept {
  const auto self = base::IntrusivePtr<Exchange>::adopt(this);  // of start()
  {
    const std::lock_guard lock(mutex_);
    if (!left_) {  // the thread that sent it is still there
      over_ = true;
      return;
    }
    left_ = false;
  }
  target_->left.fetch_sub(1, std::memory_order_relaxed);
  if (error.code == Code::none) return go_on(base::Status());
  reactor::ThreadPool::promote_follower();  // another connection may have to be made
  go_on(base::Status(error));
}

/// Where the request is sent next, of which nothing was executed. Throws if that is nowhere.
void Exchange::choose_next(base::Error why) {
  const bool may_repeat = !deadline.expired() && asked_.is_whole();
  if (may_repeat && server_ && !fresh_ && stale_ != kStale && found_an_end(why)) {
    ++stale_;
    // A server that closes one connection may just be closing all of them, and this side does not know it yet.
    if (!again_) again_.emplace(route()).key += "/again";
  } else if (may_repeat && route_ + 1 != routes_->size() && orb::Attempts::not_executed(why)) {
    ++route_;
    stale_ = 0;
    again_.reset();
  } else {
    give_up(why);
  }
}

void Exchange::give_up(base::Error why) const {
  const std::string where = route().endpoint->text();
  if (why.stage != Stage::encode) throw orb::failure_of(why, "the bridge: " + where);
  throw corba::system_failure("MARSHAL", corba::vendor_minor(Stage::encode, why.code), Completed::no,
                              "the bridge cannot pass the arguments on to " + where +
                                  " as they are: byte order, version, alignment or code set differ");
}

/// The last that the ORB is used for.
void Exchange::end() noexcept {
  {
    const std::lock_guard lock(mutex_);
    server_ = {};
  }
  if (!asked_.wants_reply()) return;
  means_.pending.remove(*this);
  means_.core.value_memory()->give(paid_);
  client_->end_deferred();
}

}  // namespace corbel::bridge

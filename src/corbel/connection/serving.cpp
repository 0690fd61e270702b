// SPDX-License-Identifier: Apache-2.0
// Server side of a connection: read, run, reply, on one thread.
#include <new>
#include <utility>

#include "corbel/base/probe.hpp"
#include "corbel/connection/reading_loop.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/connection/server.hpp"
#include "corbel/connection/serving_here.hpp"
#include "corbel/connection/telling.hpp"

namespace corbel::connection {

constinit thread_local Connection* detail::t_serving_here = nullptr;
constinit thread_local ShortRequests::Turn* ShortRequests::Turn::t_here = nullptr;

using base::Code;
using base::Deadline;
using base::Stage;
using detail::t_serving_here;

namespace {

constexpr unsigned kTurns = 32;  // messages and receptions

/// Requests that the thread runs, below each other; counted with each of them.
[[gnu::tls_model("initial-exec")]] constinit thread_local unsigned t_upcalls = 0;

thread_local const Framer* t_framer_here = nullptr;  // where it reads them from

/// How long a thread that has nothing else to do waits for octets.
Deadline patience(const Framer& framer, const policy::ServerLimits& limits) noexcept {
  const base::Duration limit = framer.in_message() ? limits.message : limits.idle;
  return limit == base::Duration::zero() ? Deadline::none() : Deadline::after(limit);
}

}  // namespace

bool Connection::in_upcall() noexcept {
  return t_upcalls != 0 || t_serving_here != nullptr;  // the latter also in place of a thread that waits
}

ServingHere::ServingHere(Connection* connection, const Framer* framer) noexcept
    : previous_(std::exchange(t_serving_here, connection)), previous_framer_(std::exchange(t_framer_here, framer)) {}

ServingHere::~ServingHere() {
  t_serving_here = previous_;
  t_framer_here = previous_framer_;
}

bool Connection::has_more_input() {
  const std::lock_guard lock(mutex_);  // another thread may take over what is unread
  return t_serving_here == this && t_framer_here != nullptr && t_framer_here->has_unread();
}

void Connection::set_server(Server* server) noexcept {
  server_ = server;
  link_.set_in_order(server != nullptr);
  const std::lock_guard lock(mutex_);
  if (server == nullptr) {  // it was not taken
    reading_.end();
    return reading_.unshare();
  }
  completions_ = &server->completions();
  // The side that connected has shaken hands.
  shakes_hands_.store(!is_opened_here() && transport().traits().shakes_hands, std::memory_order_release);
  if (!is_opened_here()) framer_.reset();  // the first of its threads makes one
  // Its threads read: a caller on this side gets its reply from them.
  reading_.share();
  reading_.begin();
}

/// A thread of the server's, which runs the requests it reads. `kApart`: it is the connection's own.
template <bool kApart>
struct Connection::Serving {
  static constexpr bool kServes = true;
  void run();
  bool leave(Framer& framer, const ReadEnd& end);
  /// False if the reader's part is over.
  [[gnu::always_inline]] bool serve(Framer& framer, Message& message) {
    ++served;
    answers = message.kind != messaging::Kind::request || message.request.response != messaging::Response::none;
    if constexpr (!kApart) {
      return connection.serve_request(framer, message);
    } else {
      const auto place = connection.server_->place();
      if (!place) connection.begin_no_more();  // it is the end, of which all connections are just being told
      return connection.serve_request(framer, message);
    }
  }
  void cancelled(const messaging::Origin& origin) const noexcept {
    connection.server_->handler().on_cancel(connection, origin);
  }
  /// A peer that does not take replies is not asked for more requests. A connection takes turns if others wait for a
  /// thread, or if it leaves messages open. The side that connected reads on: both might wait for the other to read.
  bool rests() noexcept {
    if (connection.keeps_replies_.load(std::memory_order_relaxed) && !connection.is_opened_here()) [[unlikely]]
      return true;
    if (connection.server_->starving()) [[unlikely]] {
      if (!kApart && connection.server_->called_away()) return true;
      ++turns;
    }
    return turns >= kTurns && !kApart;
  }
  static bool takes(const Message&) noexcept { return false; }
  void on_finished(AsyncReply& reply) const noexcept { connection.completions_->push(reply); }
  static constexpr bool has_all() noexcept { return false; }
  /// Who has one answer, and sent nothing beyond its request, seldom has another on its way: the reactor is going to be
  /// told to wait anyway, and tells of that, too.
  bool leaves(const Framer& framer) const noexcept {
    return !kApart && served == 1 && answers && !sticky && connection.has_taken_all(framer) &&
           !connection.heard_end_.load(std::memory_order_relaxed);
  }
  Deadline until(const Framer& framer) {
    if constexpr (kApart) return patience(framer, connection.server_->settings().limits);
    // Counted from the last whole message: a peer that sends drop by drop does not keep a thread.
    if (whole && sticky) stays_until = Deadline::after(connection.server_->settings().serving.sticky_idle);
    whole = false;
    // Nor does a peer that leaves messages open: their age is looked at where connections wait.
    const bool open = framer.has_open();
    if (open || !sticky) [[unlikely]]
      ++turns;
    return sticky && !open && !connection.server_->starving() ? stays_until : Deadline::now();
  }

  Connection& connection;
  bool sticky = false;
  bool whole = true;  ///< a whole message has come since the last wait
  unsigned turns = 0;
  unsigned served = 0;   ///< messages of the peer
  bool answers = false;  ///< the last of them
  Deadline stays_until = Deadline::now();
};

/// With the reading role: it may rest for long. Where a server's threads read, nobody else needs the framer, which this
/// thread hands on when it is done with it.
void Connection::give_back(Framer& framer) noexcept {
  link_.rest();
  if (server_ == nullptr || is_opened_here() || framer.in_message()) return framer.shrink();
  framer.rest();
  const std::lock_guard lock(mutex_);
  if (framer_.get() == &framer) framer_.reset();
}

/// For a server's thread: the framer that it is to read with; null if there is no memory for one.
base::IntrusivePtr<Framer> Connection::own_framer() noexcept try {
  const std::lock_guard lock(mutex_);
  if (framer_ == nullptr) {
    framer_ = new_framer();
    seen_upcalls_ = 0;
  }
  return framer_;
} catch (const std::bad_alloc&) {
  return nullptr;
}

template <bool kApart>
void Connection::Serving<kApart>::run() {
  Server& server = *connection.server_;
  if constexpr (!kApart) {
    if (connection.shakes_hands()) [[unlikely]]
      return server.await_turn(connection);
  }
  if (!server.begin_serving(connection, sticky)) return;
  ShortRequests::Turn turn(server.short_requests(), sticky);
  if constexpr (kApart) {
    server.release_sticky(std::exchange(sticky, false));
    if (connection.shakes_hands() && !connection.shake_hands()) return;
  }
  for (bool done = false; !done;) {
    base::IntrusivePtr<Framer> framer = connection.own_framer();
    if (framer == nullptr) [[unlikely]] {
      server.release_sticky(sticky);
      return connection.end_serving(base::error(Stage::wait, Code::out_of_resources), false);
    }
    const ReadEnd end = [&] {
      const ServingHere here(&connection, framer.get());
      return connection.read(*framer, *this);
    }();
    server.release_sticky(sticky);
    turn.end(served);
    done = leave(*framer, end);
    served = 0;
    Framer::hand_on(std::move(framer));
  }
}

/// False if the thread serves the connection on.
template <bool kApart>
bool Connection::Serving<kApart>::leave(Framer& framer, const ReadEnd& end) {
  Server& server = *connection.server_;
  switch (end.why) {
    case ReadEnd::Why::over:
      return true;  // another thread serves the connection now, or it ends
    case ReadEnd::Why::rests:
      if (!connection.input_.plenty()) connection.give_back(framer);
      return server.wait_for(connection, connection.left_in(framer), framer.oldest_part());
    case ReadEnd::Why::dry: {
      if constexpr (kApart) {
        server.leave(connection);
        connection.drain();
        return true;
      }
      const bool nothing = !sticky && (end.error.code == Code::would_block || framer.took_all());
      connection.give_back(framer);
      return server.wait_for(connection, nothing ? Left::nothing : Left::unknown, framer.oldest_part());
    }
    case ReadEnd::Why::broken:
    case ReadEnd::Why::failed:
      break;
  }
  if (end.error.code == Code::out_of_resources && framer.short_of_memory()) {
    server.wait_for_memory(connection, framer.oldest_part());
  } else {
    connection.end_serving(end.error, end.why == ReadEnd::Why::broken);
  }
  return true;
}

void Connection::on_event(reactor::Events events) noexcept try {
  if (server_ == nullptr) return on_client_event(events);
  // It comes with the last octets, and once.
  if (any(events, reactor::Events::peer_closed | reactor::Events::hangup | reactor::Events::error))
    heard_end_.store(true, std::memory_order_relaxed);
  if (keeps_replies()) send_backlog();
  if (transport().handle() >= 0) return Serving<false>{*this}.run();
  // A connection that has a thread of its own is read by that alone.
  if (events != reactor::Events::writable) Serving<true>{*this}.run();
} catch (const std::bad_alloc&) {  // nobody would be told when there is more
  end_serving(base::error(Stage::wait, Code::out_of_resources), false);
}

[[gnu::always_inline]] inline bool Connection::serve_request(Framer& framer, Message& message) {
  std::uint32_t running = begin_request();
  if (running == 0) [[unlikely]] {
    running = begin_request_at_end();
    if (running == 0) {
      server_->leave(*this);
      return false;
    }
  }
  framer.upcalls.store(framer.upcalls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  framer.owner.store(Framer::Owner::upcall, std::memory_order_release);
  // While slow requests run, the messages behind this one do not wait for the tick, unless this one turns out quick.
  std::int64_t handed_over = 0;
  if (running > 1 && expects_slow_.load(std::memory_order_relaxed) && hand_over()) [[unlikely]]
    handed_over = Deadline::clock_now();
  ++t_upcalls;
  run_request(message);
  framer.end_lent();
  --t_upcalls;
  if (handed_over != 0 && Deadline::clock_now() - handed_over < server_->settings().serving.slow_upcall.count())
    expects_slow_.store(false, std::memory_order_relaxed);
  auto expected = Framer::Owner::upcall;
  const bool mine = framer.owner.compare_exchange_strong(expected, Framer::Owner::reader, std::memory_order_acq_rel);
  end_request();
  return mine;
}

/// How many requests run now; 0 if no more are to be begun: what has been read is then not executed, and
/// CloseConnection says so.
std::uint32_t Connection::begin_request() noexcept {
  const std::uint32_t before = running_.fetch_add(1, std::memory_order_seq_cst);
  if (!draining_.load(std::memory_order_seq_cst)) [[likely]]
    return before + 1;
  end_request();
  return 0;
}

void Connection::end_request() noexcept {
  const std::uint32_t before = running_.fetch_sub(1, std::memory_order_seq_cst);
  // As many ran as may: another thread may read on now.
  if (before > 1 && before >= server_->most_requests()) [[unlikely]]
    (void)hand_over();
  if (draining_.load(std::memory_order_seq_cst)) [[unlikely]]
    end_if_drained();
}

/// Only replies are of interest any more. But the peer may not answer what this side waits for before it has an answer
/// itself: the adapter, which is closing, gives it one. 0 where nothing is waited for, or the peer is being told that
/// nothing more was executed: end_if_drained() looks at what runs with the same mutex.
std::uint32_t Connection::begin_request_at_end() {
  const std::uint32_t running = running_.fetch_add(1, std::memory_order_seq_cst) + 1;
  {
    const std::lock_guard lock(mutex_);
    if (!failed_ && !ended_idle_ && (is_opened_here() || calls() != 0)) return running;
  }
  end_request();
  return 0;
}

[[gnu::always_inline]] inline void Connection::run_request(Message& message) noexcept {
  const Framer::Decoded decoded(message);
  if (message.kind == messaging::Kind::request) [[likely]]
    return server_->handler().on_request(*this, message.request, message.body);
  if (message.kind == messaging::Kind::locate_request) {
    return server_->handler().on_locate_request(*this, message.locate);
  }
  try {
    (void)send_reply([&](cdr::Encoder& encoder) { session_->put_answer(encoder, message); });
  } catch (const std::bad_alloc&) {
    cut(base::error(Stage::send, Code::out_of_resources));  // CloseConnection would say that no request runs
  }
}

bool Connection::in_same_upcall() {
  const std::lock_guard lock(mutex_);
  if (framer_ == nullptr || framer_->owner.load(std::memory_order_acquire) != Framer::Owner::upcall) return false;
  const std::uint32_t upcalls = framer_->upcalls.load(std::memory_order_relaxed);
  return std::exchange(seen_upcalls_, upcalls) == upcalls;
}

void Connection::hand_over_slow_upcall() {
  if (hand_over()) expects_slow_.store(true, std::memory_order_relaxed);
}

/// True if the upcall of the reading thread goes on without the reading role. `must`: however many run.
bool Connection::hand_over(bool must) noexcept try {
  if (!must && running() >= server_->most_requests()) return false;
  Left left = Left::unknown;
  std::uint64_t part = 0;
  {
    const std::lock_guard lock(mutex_);
    if (framer_ == nullptr) return false;
    auto expected = Framer::Owner::upcall;
    if (!framer_->owner.compare_exchange_strong(expected, Framer::Owner::handed_over, std::memory_order_acq_rel))
      return false;
    base::IntrusivePtr<Framer> fresh = new_framer();
    fresh->take_over(*framer_);
    left = left_in(*fresh);
    part = fresh->oldest_part();
    framer_ = std::move(fresh);
    seen_upcalls_ = 0;
  }
  (void)server_->wait_for(*this, left, part);
  return true;
} catch (const std::bad_alloc&) {
  drain();  // no thread can take over what has been read
  return true;
}

std::size_t Connection::input_size() {
  return input_.paid();
}

void Connection::fail_input() noexcept {
  (void)fail(base::error(Stage::receive, Code::out_of_resources));
  const std::lock_guard lock(mutex_);
  if (framer_ != nullptr) framer_->clear();
  session_->forget_parts();
}

/// Ends the conversation because of `error`; a protocol violation is answered with MessageError first, an end without
/// an answer. `broken`: by the carrier, so that it is not known what became of requests of this side.
void Connection::end_serving(base::Error error, bool broken) noexcept {
  const base::Error for_others = broken ? explain_end(error) : error;
  if (error.code == Code::protocol_error) error.code = Code::closed;
  if (error.code == Code::malformed || error.code == Code::unsupported || error.code == Code::too_large ||
      error.code == Code::unknown_reply) {
    if (!link_.lossy()) {
      Link::Writing writing(link_, nullptr, Deadline::none());
      // With a backlog it would come into the middle of a reply.
      if (writing && backlog_.empty() && encodes([&] { return session_->put_error(writing.encoder()); })) {
        (void)transport().send(writing.encoder().segments(), Deadline::now());
      }
    }
    const std::lock_guard lock(mutex_);
    tell_refused(*this, error, framer_ != nullptr ? framer_->unread() : base::ConstByteSpan());
  }
  (void)fail(error, for_others);
  server_->forget(*this);
}

}  // namespace corbel::connection

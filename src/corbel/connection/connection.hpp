// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "corbel/base/deadline.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/connection/async_reply.hpp"
#include "corbel/connection/backlog.hpp"
#include "corbel/connection/caller.hpp"
#include "corbel/connection/connection_settings.hpp"  // and with it framer, oneway_queue, protocol, route
#include "corbel/connection/leaving.hpp"
#include "corbel/connection/lender.hpp"
#include "corbel/connection/link.hpp"
#include "corbel/connection/live_connections.hpp"
#include "corbel/connection/outstanding.hpp"
#include "corbel/connection/posting.hpp"
#include "corbel/connection/reading.hpp"
#include "corbel/connection/request_handler.hpp"
#include "corbel/connection/usage.hpp"
#include "corbel/reactor/event_handler.hpp"
#include "corbel/reactor/timer_queue.hpp"

namespace corbel::connection {

class Completions;
class Server;

using OnReply = base::FunctionRef<void(const messaging::IncomingReply& reply, cdr::Decoder& body)>;

/// One live conversation with a peer: a transport, a message protocol, and the threads that wait for something.
///
/// Client side: any number of threads call at once. A caller that is alone reads its own reply, on its own thread, in
/// place. With several, one of them reads and hands the others theirs. Replies to requests whose callers do not wait
/// (start) are read by any thread that calls, or else by the reactor's, behind `Completions`. Server side: a thread of
/// the Server reads a request, runs it and sends the reply itself. Sending is one message at a time, under the writer
/// token (the only lock held across a system call).
///
/// Counted; thread-safe. When it fails it stays failed: everybody waiting gets the error and the cache forgets it.
class Connection final : public reactor::EventHandler, private Link::Owner, private Posting::Owner {
 public:
  using Settings = ConnectionSettings;

  /// `settings`: not null; a server's connections share them. `installed`: what the carrier came of, if of an ORB's.
  Connection(std::unique_ptr<transport::Transport> transport, std::shared_ptr<const messaging::Protocol> protocol,
             std::shared_ptr<const Settings> settings, routing::TransportPtr installed = nullptr);
  Connection(std::unique_ptr<transport::Transport> transport, std::shared_ptr<const messaging::Protocol> protocol,
             const Settings& settings)
      : Connection(std::move(transport), std::move(protocol), std::make_shared<const Settings>(settings)) {}
  ~Connection() override;

  const messaging::Protocol& protocol() const noexcept { return *protocol_; }
  messaging::Session& session() noexcept { return *session_; }
  const messaging::Session& session() const noexcept { return *session_; }
  transport::Transport& transport() noexcept { return link_.transport(); }
  const base::Log& log() const noexcept { return *settings_->log; }
  Watchers* watchers() const noexcept { return settings_->watchers; }
  SocketHooks* socket_hooks() const noexcept { return settings_->socket_hooks; }
  const routing::TransportPtr& installed() const noexcept { return installed_; }

  // --- client side (calling.cpp) ---

  /// Takes the connection for a call if no other is under way: true, and call() must follow. Else the caller may look
  /// for another connection, or share this one by calling nevertheless.
  bool enter(Caller& caller) noexcept { return caller.reading = reading_.begin_alone(); }
  /// Sends a request and waits for its reply; `on_reply` runs on this thread with the reply in place. `caller` is used
  /// for one call. Its token and the code set context are filled in here. The stage of an error says how far it got:
  /// encode or send with nothing sent, wait.
  base::Status call(Caller& caller, const messaging::OutgoingRequest& request, messaging::BodyWriter body,
                    base::Deadline deadline, OnReply on_reply);
  /// The same for a caller that has not entered yet, alone or not.
  base::Status call(const messaging::OutgoingRequest& request, messaging::BodyWriter body, base::Deadline deadline,
                    OnReply on_reply) {
    Caller caller;
    (void)enter(caller);
    return call(caller, request, body, deadline, on_reply);
  }
  /// Sends a request that has no reply; returns when the transport has taken it.
  base::Status send_oneway(const messaging::OutgoingRequest& request, messaging::BodyWriter body,
                           base::Deadline deadline);
  /// As send_oneway(), and returns at once: what the transport does not take waits in a queue, or is dropped when that
  /// is full (Settings::oneways). The deadline is for OnewayOverflow::wait only. `buffering`: the message may be kept
  /// back there until one of these limits is reached, or something else is sent; not where both sides ask.
  base::Status post_oneway(const messaging::OutgoingRequest& request, messaging::BodyWriter body,
                           base::Deadline deadline, const policy::Buffering& buffering = {});
  /// Sends what waits, kept back or not taken, by the deadline. Fails with timed_out (the rest waits on) or as the
  /// connection does.
  base::Status flush_oneways(base::Deadline deadline);
  /// transport::Transport::lend(). Any thread.
  transport::LentMemory lend(std::size_t octets) noexcept { return transport().lend(octets); }
  /// Lets the session send what it has to say by itself, and read what the peer's session says. A courtesy: it never
  /// blocks, and its failure shows with the next request.
  void attend() noexcept;
  /// True while posted messages wait. Whatever is sent later goes behind them.
  bool has_backlog() const noexcept { return posting_.has_backlog(); }
  void tell_oneway_counters() const noexcept { posting_.tell_counters(); }
  bool needs_reactor() const noexcept { return posting_.needs_reactor(); }  ///< to send what waits, now or at its time
  // --- client side, asynchronous (asynchronous.cpp) ---

  /// What comes in may have to go for others, if this side alone asks. Before others know the connection.
  void share_input_memory();
  /// Becomes a connection whose asynchronous replies go to `completions`, which outlives it. Before start().
  void set_completions(Completions* completions) noexcept;
  /// For AsyncReply::token.
  messaging::Token take_token() {
    const messaging::Token next = session_->next_token();
    return session_->tokens_came_round() ? take_free_token(next) : next;
  }
  /// Sends a request and returns; `reply` is finished when its reply is there, its deadline has passed or the
  /// connection failed, possibly before this returns. It is not finished if this fails: stage encode or send, nothing
  /// whole was sent. With too many under way: out_of_resources (stage send).
  /// `helps`: the calling thread calls help() next, so that no other need be called to read.
  base::Status start(const messaging::OutgoingRequest& request, messaging::BodyWriter body, AsyncReply& reply,
                     bool helps = false);
  /// Waits with the calling thread until the request with the token, started here as `reply`, is no longer under way;
  /// reads the connection if no other thread does. True if it was this thread that read the reply: the caller must call
  /// finish(). `reply` is only compared, so it may be gone.
  bool help(const AsyncReply& reply, messaging::Token token, base::Deadline deadline);
  /// Threads of the reactor read from now on for the request with the token, started here as `reply`, though it was to
  /// be asked for (AsyncReply::expect_asker). `reply` is only compared.
  void attend(const AsyncReply& reply, messaging::Token token) noexcept;
  /// Gives up the request with the token, started here as `reply`, if it is under way, and tells the peer. `reply` is
  /// only compared.
  TakenBack take_back(const AsyncReply& reply, messaging::Token token) noexcept;
  /// The same, and it is finished with `cancelled`.
  void cancel(AsyncReply& reply, messaging::Token token) noexcept;
  /// Gives up all asynchronous requests, to be finished with `cancelled`, and ends if it is read for nothing else.
  void cancel_async(AsyncReplyList& cancelled) noexcept;
  void expire() noexcept;  ///< gives up the requests whose deadlines have passed, as the reactor's timer does
  void rest() noexcept;    ///< no call uses it for now: keeps no memory, and hears when the peer ends (resting.cpp)

  // --- client side, both ---

  std::size_t load();     ///< calls under way
  std::size_t waiting();  ///< threads that wait for what another one reads
  /// True if nothing was under way a moment ago and it had not failed. Without a lock, unlike load().
  bool idle() const noexcept { return reading_.idle() && !failed(); }
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }  ///< or has been closed
  /// False once it has failed, been closed or retired. An idle connection that was not used for a second is asked
  /// whether the peer has closed it meanwhile, so that calls are not lost on it. `now`: Deadline::clock_now().
  [[gnu::always_inline]] bool usable(std::int64_t now) {
    return !usage_.is_over() && (usage_.goes_on(now) || check_idle().ok());
  }
  /// No new calls are to begin on it: usable() says so. Those that do nevertheless are carried out.
  void retire() noexcept { usage_.end(); }
  /// Ends it in order as soon as nothing is under way, for which the calling thread waits until the deadline, and reads
  /// for callers that wait. True if it has ended; of a call that begins in that moment nothing is sent. One that serves
  /// is drained.
  bool end_when_idle(base::Deadline deadline) noexcept;
  /// It is about to be used, as far as unused_since() is concerned.
  void use(std::int64_t now) noexcept { usage_.use(now); }
  /// True if only the cache that asks holds it, unless `held`, nothing is under way, and it was not used since `time`.
  bool unused_since(std::int64_t time, bool held = false);
  std::int64_t last_used() const noexcept { return usage_.last(); }
  /// The reference that uses it may have no other one; is_bound_for_good(): one that did may still hold it.
  void bind_for_good() noexcept { usage_.bind_for_good(); }
  bool is_bound_for_good() const noexcept { return usage_.for_good(); }

  // --- server side (serving.cpp) ---

  /// Called by the server's reactor: reads and runs requests until there is nothing left to do here.
  void on_event(reactor::Events events) noexcept override;
  /// Becomes a connection of `server`, which outlives it.
  void set_server(Server* server) noexcept;
  /// True until hands have been shaken, if the carrier wants that: nothing can be said before.
  bool shakes_hands() const noexcept { return shakes_hands_.load(std::memory_order_acquire); }
  bool shake_hands() noexcept;  ///< goes on with that, as server.hpp has it; true when it is over
  /// For the thread that shakes hands: the peer has to take something first.
  bool wants_room() const noexcept { return shakes_hands() && link_.transport().wants_room(); }
  // What the next four send waits if the peer does not take it at once (sending.hpp has them).

  /// Sends the reply to a request that came here.
  inline base::Status reply(const messaging::Origin& origin, messaging::ReplyStatus status,
                            std::span<const messaging::ServiceContext> contexts, messaging::BodyWriter body);
  /// As reply(), with a body in the byte order that is not this machine's (Session::put_swapped_reply()).
  inline base::Status reply_swapped(const messaging::Origin& origin, messaging::ReplyStatus status,
                                    std::span<const messaging::ServiceContext> contexts, messaging::BodyWriter body);
  inline base::Status reply_locate(const messaging::Origin& origin, messaging::LocateStatus status,
                                   messaging::BodyWriter body);
  /// Sends what `encode` makes the session write.
  template <class Encode>
  [[gnu::always_inline]] inline base::Status send_reply(const Encode& encode);
  /// Replies wait until the peer takes them (replies.cpp); it is not read meanwhile.
  bool keeps_replies() const noexcept { return keeps_replies_.load(std::memory_order_seq_cst); }
  /// Ends the conversation without a word.
  void cut(base::Error error) noexcept;
  /// As cut(), if that gives memory back now: replies wait, and no other thread is sending.
  bool cut_backlog(base::Error error) noexcept;
  /// True if the upcall that was running when this was last asked still is.
  bool in_same_upcall();
  static bool in_upcall() noexcept;  ///< true if the calling thread runs a request
  /// Lets somebody else read the connection while an upcall runs: a servant that takes long must not keep other
  /// requests of the same peer waiting.
  void hand_over_slow_upcall();
  /// For the server, of a connection that no thread reads or will read: ends it and lets go of what has come of its
  /// next message.
  void fail_input() noexcept;
  std::size_t input_size();  ///< octets of memory that those take
  /// Begins no more requests. When those under way have been answered, or at once, the peer is told (CloseConnection)
  /// and the conversation ends.
  void drain() noexcept;
  /// Requests that were begun and have not ended, those that are yet to be answered included.
  std::uint32_t under_way() const noexcept { return running() + deferred_.load(std::memory_order_seq_cst); }
  /// The request that the calling thread runs will be answered later, and counts as under way until end_deferred().
  /// False if too many do (ServerLimits::deferred_of_connection).
  bool defer_request() noexcept;
  void end_deferred() noexcept;
  bool owes_answers() const noexcept { return deferred_.load(std::memory_order_seq_cst) != 0; }
  /// For the thread that runs a request of it: true if more of what the peer has sent is here already.
  bool has_more_input();

  // --- where both sides ask (both_ways.cpp) ---

  /// Which Offer its peer has been or will be told; 0: none. Set before other threads know the connection.
  std::uint64_t offered() const noexcept { return offered_; }
  void set_offered(std::uint64_t generation) noexcept { offered_ = generation; }
  /// Ends what this side asks, and the conversation: if it is served, as drain(), else as close().
  void end() noexcept;
  /// True if this process connected.
  bool is_opened_here() const noexcept { return settings_->side == messaging::Side::initiator; }
  /// What the peer lends it for; null if nothing.
  LenderPtr lender();
  /// Keeps it, which is told when the connection ends, unless there is one already: returns the one there is then. Null
  /// if the connection has ended.
  LenderPtr keep_lender(LenderPtr lender);
  /// True if there may be calls over it although nothing comes: it is not idle.
  bool is_wanted();
  bool asks();  ///< true if this side waits for replies, or may
  /// As drain(), but what this side asks goes on.
  void begin_no_more() noexcept;
  /// Ends all calls that this side has under way with the error.
  void end_calls(base::Error error) noexcept;

  // --- both ---

  /// Tells the peer (CloseConnection) and ends the conversation. Does not wait: what is being sent is cut off, and the
  /// peer learns no more than that.
  void close() noexcept;
  /// What the peer sent where a message should have begun, if that ended the connection: the first octets.
  std::string received_instead();
  /// "tcp://127.0.0.1:4000".
  const std::string& peer() const noexcept { return link_.peer(); }

  // For Server. Guarded by its mutex.
  LiveLinks live;
  Watched watched;  // for telling.hpp

 private:
  struct ReadEnd;
  template <bool kApart>
  struct Serving;
  class Role;
  struct OwnReply;
  struct IdleCheck;
  class Receiver;
  struct Arrived;
  struct Apart;
  struct Helping;
  struct LastCalls;

  /// Encodes and sends one message; nothing of it if the connection's other messages take too long. `caller`: waits for
  /// the reply; null if no thread does. `begin`: asked with the encoder before the first octet leaves, and may fail.
  template <class Encode, class Begin = std::nullptr_t>
  inline base::Status send(const Encode& encode, base::Deadline deadline, Caller* caller = nullptr, Begin begin = {});
  inline base::Error not_sent(base::Error error) noexcept;
  void give_back(Framer& framer) noexcept;
  base::IntrusivePtr<Framer> own_framer() noexcept;
  base::IntrusivePtr<Framer> new_framer();
  template <class Encode>
  [[gnu::always_inline]] inline base::Status send_or_keep(const Encode& encode);
  base::Status send_slowly(std::span<const cdr::Segment> data, std::size_t sent);
  base::Status send_among_replies(std::span<const cdr::Segment> data);
  bool takes_backlog();
  void send_backlog() noexcept;
  void step_aside(Caller& caller) noexcept override;
  inline base::Status begin(Caller& caller);
  base::Status join(Caller& caller);
  inline base::Status may_begin() const noexcept;
  inline base::Status await(Caller& caller, base::Deadline deadline, OnReply on_reply);
  base::Status wait_for_other(Caller& caller, base::Deadline deadline);
  [[gnu::noinline]] base::Status take_handed(const Caller& caller, OnReply on_reply) const;
  template <class Reader>
  ReadEnd read(Framer& framer, Reader& reader);
  base::Status deliver(Message& message, AsyncReply*& finished);
  inline void leave(Caller& caller) noexcept;
  void leave_shared(Caller& caller) noexcept;
  Arming choose_reader(Left left) noexcept;
  void arm(Arming arming) noexcept;
  void watch() noexcept override;
  base::Status tell_reactor(reactor::Events interest) noexcept;
  void on_client_event(reactor::Events events) noexcept;
  void give_up(Caller& caller) noexcept;
  void send_cancel(messaging::Token token) noexcept;
  void send_courtesy(base::FunctionRef<bool(cdr::Encoder&)> encode) noexcept;
  /// What to tell the caller: `error`, unless the connection had been closed by us.
  base::Error fail(base::Error error) noexcept;
  base::Error fail(base::Error error, base::Error for_others) noexcept;
  void give_back(UnderWayList requests, base::Error error, AsyncReplyList& orphans) noexcept;
  void finish(AsyncReplyList& orphans, base::Error error) noexcept;
  std::size_t calls() const noexcept;
  [[gnu::noinline, gnu::cold]] base::Status end_sending(Caller& caller, base::Error error, OnReply on_reply);
  base::Error fail_sending(base::Error error) noexcept override;
  base::Status take_rest(Caller& caller);
  base::Error end_reading(const ReadEnd& end) noexcept;
  bool is_listed(messaging::Token token);
  template <class Reader>
  bool is_half_answered(const Reader& reader);
  void stop_reading() noexcept;
  base::Status check_idle() override;
  base::Error why_failed();
  void after_fork() noexcept;
  inline base::Status list(AsyncReply& reply);
  void see_to_reading() noexcept;
  bool withdraw(messaging::Token token) noexcept;
  messaging::Token take_free_token(messaging::Token free);
  void set_timer(base::Deadline deadline);
  void give_up_async(AsyncReplyList& given_up, base::Code why) noexcept;
  base::Deadline take_off_async(AsyncReplyList& given_up, base::Code why) noexcept;
  static void end_helping(AsyncReply& reply) noexcept;
  void stop_helping(messaging::Token token, const Sleeper& helper) noexcept;
  bool read_for_async() noexcept;
  void read_apart() noexcept;
  bool begin_for_async(bool called) noexcept;
  bool has_taken_all(const Framer& framer) const noexcept;
  void end_for_async(ReadEnd end) noexcept;
  inline base::Result<std::size_t> receive(Framer& framer, base::Deadline deadline);
  /// Requests that a thread runs.
  std::uint32_t running() const noexcept { return running_.load(std::memory_order_seq_cst); }
  inline bool serve_request(Framer& framer, Message& message);
  inline void run_request(Message& message) noexcept;
  std::uint32_t begin_request() noexcept;
  std::uint32_t begin_request_at_end();
  bool hand_over(bool must = false) noexcept;
  void end_request() noexcept;
  void end_if_drained() noexcept;
  void end_later() noexcept;
  base::Status may_ask() const;
  void see_to_serving() noexcept;
  void end_when_sent(std::size_t unsent, base::Deadline until) noexcept;
  bool tell_close() noexcept;
  [[gnu::noinline, gnu::cold]] bool heeds_end() const noexcept;
  void end_serving(base::Error error, bool broken) noexcept;
  Left left_in(const Framer& framer) const noexcept;

  Link link_;
  const std::shared_ptr<const messaging::Protocol> protocol_;
  const std::shared_ptr<const Settings> settings_;
  const routing::TransportPtr installed_;
  InputAccount input_;
  std::unique_ptr<Receiver> receiver_;  // of one that was opened here
  const std::unique_ptr<messaging::Session> session_;
  Posting posting_;

  // With the link's token, like the session's put functions:
  Backlog backlog_;
  bool closed_by_us_ = false;

  Leaving leaving_;
  Reading reading_;  // see there for when the mutex guards it

  base::Mutex mutex_;                    // guards what follows up to usage_
  std::atomic<bool> failed_{false};      // written under the mutex
  std::atomic<bool> registered_{false};  // with the reactor
  bool ended_idle_ = false;              // nothing begins any more, and it is about to fail
  bool looks_ = false;  // the timer is set to see whether anybody reads for those that are to be asked for
  Outstanding outstanding_;
  base::Error failure_;
  std::unique_ptr<const std::string> instead_;
  LenderPtr lender_;
  base::IntrusivePtr<Framer> framer_;  // used by the thread that reads; a server's that rests has none
  base::Deadline timer_deadline_ = base::Deadline::none();
  reactor::TimerId timer_;
  std::uint32_t seen_upcalls_ = 0;  // what in_same_upcall() saw last

  Usage usage_;  // over: failed, or retired
  // Whoever begins a request raises the one and then looks at the other; drain() does the reverse: one of them sees.
  std::atomic<std::uint32_t> running_{0};
  std::atomic<std::uint32_t> deferred_{0};
  std::atomic<bool> heard_end_{false};  // the reactor has told that the peer sends no more
  std::atomic<bool> draining_{false};
  std::atomic<bool> shakes_hands_{false};   // server: not yet
  std::atomic<bool> ending_{false};         // drained: a thread closes it, or a timer will
  std::atomic<bool> expects_slow_{false};   // requests took long here: the next need not wait for the tick
  std::atomic<bool> keeps_replies_{false};  // written with the writer token
  std::atomic<bool> drops_{false};          // oneways, where both sides ask
  bool cut_unread_ = false;                 // with the writer token: it has been told
  Server* server_ = nullptr;
  Completions* completions_ = nullptr;
  std::uint64_t offered_ = 0;

  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<Connection*>(self)->after_fork(); }, this};
};

}  // namespace corbel::connection

// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/connection.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "corbel/connection/completions.hpp"
#include "corbel/connection/server.hpp"
#include "corbel/connection/telling.hpp"

namespace corbel::connection {

using base::Code;
using base::Stage;

namespace {

constexpr std::size_t kMostKept = 64;  // of what is no message

/// Or for want of it.
bool is_cut_for_memory(base::Error error) noexcept {
  return error.stage == Stage::receive && error.code == Code::out_of_resources;
}

messaging::SessionSettings session_settings(const Connection::Settings& settings, const transport::Traits& carrier,
                                            InputAccount& input, std::string_view peer) {
  messaging::SessionSettings session;
  session.side = settings.side;
  session.limits = settings.limits;
  session.version = settings.version;
  session.code_sets = settings.code_sets;
  session.first_token = settings.first_token;
  session.lossy = !carrier.reliable || !carrier.ordered;
  session.group_profile = carrier.group_profile;
  session.memory = &input;
  session.log = settings.log;
  session.peer = peer;
  return session;
}

}  // namespace

/// A connection whose replies take memory, as others see it that lack some. Outlived by it.
class Connection::Receiver final : public InputUser {
 public:
  explicit Receiver(Connection& connection) noexcept : connection_(connection) {}
  bool hold() noexcept override { return connection_.try_add_reference(); }
  void let_go() noexcept override { (void)ConnectionPtr::adopt(&connection_); }
  bool spare() noexcept override;
  std::int64_t oldest() override;
  void cut_oldest() override;

 private:
  bool empty() noexcept;

  Connection& connection_;
};

Connection::Connection(std::unique_ptr<transport::Transport> transport,
                       std::shared_ptr<const messaging::Protocol> protocol, std::shared_ptr<const Settings> settings,
                       routing::TransportPtr installed)
    : link_(std::move(transport), *this, static_cast<std::size_t>(settings->gather_threshold)),
      protocol_(std::move(protocol)),
      settings_(std::move(settings)),
      installed_(std::move(installed)),
      input_(settings_->input_memory),
      session_(protocol_->open(session_settings(*settings_, link_.transport().traits(), input_, peer()))),
      posting_(link_, *session_, *this, *this, *settings_),
      framer_(new_framer()) {
  if (link_.largest_message() != 0) backlog_.keep_messages();
}

/// With the reading role: gives back what no message is in.
bool Connection::Receiver::empty() noexcept {
  const std::size_t before = connection_.input_.paid();
  if (connection_.failed()) {
    connection_.framer_->clear();
    connection_.session_->forget_parts();
  } else {
    connection_.framer_->shrink();
  }
  return connection_.input_.paid() < before;
}

bool Connection::Receiver::spare() noexcept {
  if (connection_.input_.paid() == 0) return false;
  Caller nobody;
  if (connection_.enter(nobody)) {
    const bool emptied = empty();
    if (!connection_.reading_.end_alone()) connection_.leave_shared(nobody);
    return emptied;
  }
  const std::lock_guard lock(connection_.mutex_);
  return connection_.reading_.unused() && empty();
}

/// Of a message that has come in part: since when it has got no more memory. That of a call may be in a buffer that
/// others before it have left, and is not older than the call.
std::int64_t Connection::Receiver::oldest() {
  if (connection_.input_.paid() == 0) return kNone;
  const std::lock_guard lock(connection_.mutex_);
  if (connection_.failed_) return kLeaving;
  if (!connection_.framer_->wants_more() && connection_.session_->oldest_part() == 0) return kNone;
  const std::int64_t taken = connection_.input_.taken_at();
  const bool shared = !connection_.outstanding_.empty();
  return shared ? taken : std::max(taken, connection_.usage_.last());
}

/// Whoever reads it notices, and gives the memory back; if nobody does, it is given back here.
void Connection::Receiver::cut_oldest() {
  if (oldest() == kNone) return;  // the rest has come meanwhile
  tell_cut_for_memory(connection_, connection_.input_.used());
  (void)connection_.fail(base::error(Stage::receive, Code::out_of_resources));
  (void)spare();
}

void Connection::share_input_memory() {
  if (settings_->input_memory == nullptr) return;
  receiver_ = std::make_unique<Receiver>(*this);
  input_.set_user(receiver_.get());
  settings_->input_memory->join(*receiver_);
}

base::IntrusivePtr<Framer> Connection::new_framer() {
  return Framer::make(*session_, input_, link_.largest_message(), link_.lossy());
}

/// More: octets that were taken from the carrier's handle already, which says nothing more of them.
Left Connection::left_in(const Framer& framer) const noexcept {
  return framer.has_unread() || link_.transport().pending() ? Left::more : Left::unknown;
}

Connection::~Connection() {
  if (receiver_) settings_->input_memory->leave(*receiver_, false);
  // Where memory ran out on the way, nobody else has.
  if ((watched.told & (Watched::kOpened | Watched::kEnded)) == Watched::kOpened) [[unlikely]]
    tell_ended(*this, base::error(Stage::wait, Code::cancelled), server_ != nullptr);
}

void Connection::set_completions(Completions* completions) noexcept {
  completions_ = completions;
  posting_.set_reactor(completions != nullptr ? &completions->reactor() : nullptr);
}

/// In a child, connections are its parent's. Other threads may have held any lock, so none is taken here or later.
void Connection::after_fork() noexcept {
  add_reference();  // nor is it ever destroyed
  failure_ = base::error(Stage::send, Code::lost);
  failed_ = true;
  posting_.abandon();
  retire();
  transport().abandon();
}

base::Error Connection::why_failed() {
  const std::lock_guard lock(mutex_);
  return base::error(Stage::send, failure_.code, failure_.os_error);
}

base::Error Connection::fail(base::Error error) noexcept {
  // What became of a request that was sent whole is not known, whatever stopped another one's sending. Nor is it known
  // if the peer's word that it ends may be forged or have overtaken other messages.
  const bool unknown = error.stage == Stage::send || (link_.lossy() && error.code == Code::closed);
  return fail(error, unknown ? base::error(Stage::wait, Code::lost, error.os_error) : error);
}

/// With the mutex: gives them to the threads that wait or encode, the others into the list.
void Connection::give_back(UnderWayList requests, base::Error error, AsyncReplyList& orphans) noexcept {
  while (UnderWay* request = requests.pop()) {
    if (request->kind() != UnderWay::Kind::caller) {
      auto& reply = static_cast<AsyncReply&>(*request);
      end_helping(reply);
      if (reply.give_up(base::error(Stage::send, error.code, error.os_error))) {
        outstanding_.add(reply);  // its sender takes it off
      } else {
        orphans.push(reply);
      }
    } else {
      auto& caller = static_cast<Caller::Listed&>(*request);
      caller.error = error;
      Reading::tell(caller);
    }
  }
}

void Connection::finish(AsyncReplyList& orphans, base::Error error) noexcept {
  while (AsyncReply* reply = orphans.pop()) {
    reply->error = error;
    completions_->push(*reply);
  }
}

base::Error Connection::fail(base::Error error, base::Error for_others) noexcept {
  AsyncReplyList orphans;
  LenderPtr lender;
  bool registered = false;
  {
    const std::lock_guard lock(mutex_);
    // Who read it when it was ended here finds the carrier at its end.
    if (failed_) return failure_.code == Code::cancelled || is_cut_for_memory(failure_) ? failure_ : error;
    failure_ = error;
    if (error.code == Code::timed_out) failure_.code = Code::lost;  // those to come have time yet
    // Whoever found that the client's input makes no sense has been reading it: nobody else uses the framer.
    if (error.stage == Stage::receive && server_ == nullptr && !is_cut_for_memory(error)) try {
        const auto rest = framer_->unread();
        instead_ = std::make_unique<std::string>(base::as_text(rest.first(std::min(rest.size(), kMostKept))));
      } catch (const std::bad_alloc&) {  // the error says enough
      }
    failed_.store(true, std::memory_order_release);
    retire();
    give_back(outstanding_.take_all(), for_others, orphans);
    lender = std::move(lender_);
    registered = registered_;
    if (timer_deadline_ != base::Deadline::none()) (void)completions_->reactor().cancel(timer_);
  }
  transport().shutdown();
  tell_ended(*this, error, server_ != nullptr);
  posting_.end(error);
  if (registered) completions_->reactor().remove(*this);
  if (lender) lender->end();
  finish(orphans, for_others);
  return error;
}

bool Connection::unused_since(std::int64_t time, bool held) {
  return (held || reference_count() <= (registered_.load(std::memory_order_relaxed) ? 2U : 1U)) &&
         usage_.last() <= time && !has_backlog() && load() == 0;
}

std::string Connection::received_instead() {
  const std::lock_guard lock(mutex_);
  return instead_ != nullptr ? *instead_ : std::string();
}

void Connection::close() noexcept {
  if (failed_) return;
  (void)tell_close();
  (void)fail(base::error(Stage::wait, Code::cancelled));
  if (server_ != nullptr && is_opened_here()) server_->forget(*this);
}

/// False if another thread is sending, and the peer is therefore not told.
bool Connection::tell_close() noexcept {
  const std::unique_lock writer(link_.token(), std::try_to_lock);
  if (!writer) return failed();
  // Requests that were lost on the way, or are still on it, may have been executed: no orderly end can say otherwise.
  if (link_.lossy() && server_ != nullptr) return true;
  const bool between_messages = !failed_ && backlog_.empty() && posting_.drain(base::Deadline::now()).ok();
  if (!between_messages || closed_by_us_ || shakes_hands() ||
      !encodes([&] { return session_->put_close(link_.encoder()); })) {
    return true;
  }
  closed_by_us_ = true;
  (void)transport().send(link_.encoder().segments(), base::Deadline::now());
  return true;
}

}  // namespace corbel::connection

// SPDX-License-Identifier: Apache-2.0
// Connections over which both sides ask: what a side that serves one has to mind when it asks, too.
#include <algorithm>
#include <thread>

#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/lender.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/connection/server.hpp"
#include "corbel/connection/serving_here.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

/// A thread that has replied is back by then. Meanwhile it may be that nobody reads.
constexpr base::Duration kSoonBack = std::chrono::milliseconds(10);
constexpr base::Duration kLooksAgain = std::chrono::microseconds(50);

}  // namespace

Lender::Lender(Connection& connection)
    : scheme_(connection.peer().substr(0, connection.peer().find("://"))), connection_(&connection) {}

Lender::~Lender() = default;

bool Lender::add(std::string endpoint) {
  const std::lock_guard lock(mutex_);
  if (std::find(endpoints_.begin(), endpoints_.end(), endpoint) != endpoints_.end()) return true;
  if (endpoints_.size() >= kMostEndpoints) return false;
  endpoints_.push_back(std::move(endpoint));
  return true;
}

ConnectionPtr Lender::lends(std::string_view endpoint) const {
  const std::lock_guard lock(mutex_);
  if (connection_ == nullptr || connection_->failed()) return {};
  const bool lent = std::find(endpoints_.begin(), endpoints_.end(), endpoint) != endpoints_.end();
  return lent ? connection_ : ConnectionPtr();
}

void Lender::end() noexcept {
  ConnectionPtr ended;  // after the lock
  const std::lock_guard lock(mutex_);
  ended = std::move(connection_);
}

LenderPtr Connection::lender() {
  const std::lock_guard lock(mutex_);
  return lender_;
}

LenderPtr Connection::keep_lender(LenderPtr lender) {
  const std::lock_guard lock(mutex_);
  if (!failed_ && lender_ == nullptr) lender_ = std::move(lender);
  return lender_;
}

bool Connection::is_wanted() {
  if (failed()) return false;
  if (is_opened_here() || load() != 0) return true;
  const std::lock_guard lock(mutex_);
  return lender_ != nullptr && lender_.use_count() > 1;
}

bool Connection::asks() {
  const std::lock_guard lock(mutex_);
  return !failed_ && (is_opened_here() || calls() != 0);
}

/// The reply to a request that an upcall sends over its own connection has to be read by another thread, so one must be
/// left. A peer that makes upcalls ask much at once and answers nothing does not get all threads.
base::Status Connection::may_ask() const {
  if (server_ == nullptr || !in_upcall()) return {};
  const auto may = [&] { return running() <= server_->most_requests() && server_->has_spare_thread(); };
  if (may()) [[likely]]
    return {};
  about_to_wait_here();
  const Counted waits(server_->askers());
  for (const Deadline until = Deadline::after(kSoonBack); server_->expects_thread() && !until.expired();) {
    std::this_thread::sleep_for(kLooksAgain);
    if (may()) return {};
  }
  return base::error(Stage::send, Code::out_of_resources);
}

/// A request of this side is about to be sent, or has been. The thread that reads may be in an upcall, of the calling
/// thread even, and does not read the reply. And once no more requests are begun here, it may be that no thread reads
/// any longer.
void Connection::see_to_serving() noexcept try {
  if (server_ == nullptr) return;
  (void)hand_over(in_upcall());
  if (draining_.load(std::memory_order_seq_cst)) server_->read_on(*this);
} catch (const std::bad_alloc&) {
  (void)fail(base::error(Stage::wait, Code::out_of_resources));
}

void Connection::begin_no_more() noexcept {
  draining_.store(true, std::memory_order_seq_cst);
}

/// With the writer token: a request of the side that serves goes behind the replies that wait, and like them does not
/// keep its thread if the peer takes its time.
base::Status Connection::send_among_replies(std::span<const cdr::Segment> data) {
  const std::size_t limit = server_->settings().limits.reply_backlog;
  if (!backlog_.empty() && backlog_.size() + total_size(data) > limit) return not_sent(kBehindOthers);
  auto sent = send_slowly(data, 0);
  return sent ? sent : not_sent(sent.error());
}

void Connection::end_calls(base::Error error) noexcept {
  AsyncReplyList orphans;
  {
    const std::lock_guard lock(mutex_);
    ended_idle_ = true;  // nothing begins after this
    give_back(outstanding_.take_all(), error, orphans);
  }
  finish(orphans, error);
}

void Connection::end() noexcept {
  if (failed()) return;  // also after fork(), where its locks may be held by threads that are gone
  if (server_ == nullptr) return close();
  end_calls(base::error(Stage::wait, Code::cancelled));
  drain();
}

void Server::read_on(Connection& connection) {
  if (connection.transport().handle() < 0) return (void)serve_apart(ConnectionPtr(&connection));
  reactor_->post(ConnectionPtr(&connection), reactor::Events::readable);
}

base::Result<bool> Server::share(const ConnectionPtr& connection) {
  // A single thread may be waiting for the very reply that it would have to read.
  if (!pool_ || settings_.serving.threads <= 1) return false;
  connection->set_server(this);
  ConnectionPtr leaves;
  if (!list(*connection, leaves)) {
    connection->set_server(nullptr);
    return false;
  }
  if (leaves) dismiss(*leaves, "connection limit: the one idle longest makes room");
  if (auto watched = watch(connection); !watched)
    return base::error(Stage::connect, Code::out_of_resources, watched.error().os_error);
  return true;
}

void Server::end_calls() {
  with_all([](Connection& each) { each.end_calls(base::error(Stage::wait, Code::cancelled)); });
}

}  // namespace corbel::connection

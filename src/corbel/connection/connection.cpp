// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/connection.hpp"

#include <algorithm>
#include <utility>

#include "corbel/connection/completions.hpp"
#include "corbel/connection/telling.hpp"

namespace corbel::connection {

using base::Code;
using base::Stage;

namespace {

constexpr std::size_t kMostKept = 64;  // of what is no message

}  // namespace

Connection::Connection(std::unique_ptr<transport::Transport> transport,
                       std::shared_ptr<const messaging::Protocol> protocol, const Settings& settings)
    : link_(std::move(transport), *this),
      protocol_(std::move(protocol)),
      settings_(settings),
      code_sets_told_(!settings.code_sets.negotiated || settings.version.minor == 0),
      next_request_id_(settings.first_request_id),
      framer_(new Framer(*protocol_, settings.limits, settings.input_memory, link_.largest_message())),
      char_set_(settings.code_sets.for_char),
      // A protocol without service contexts is spoken by Corbel at both ends: UTF-16 without negotiation.
      wchar_set_(protocol_->has_service_contexts() ? settings.code_sets.for_wchar : cdr::CodeSet::utf_16) {
  if (link_.largest_message() != 0) backlog_.keep_messages();
}

Connection::~Connection() {
  delete oneways_.load();
}

/// In a child, connections are its parent's. Other threads may have held any lock, and none is taken here or later.
void Connection::after_fork() noexcept {
  add_reference();  // nor is it ever destroyed
  failure_ = base::error(Stage::send, Code::lost);
  failed_ = true;
  transport().abandon();
}

base::Error Connection::why_failed() {
  const std::lock_guard lock(mutex_);
  return base::error(Stage::send, failure_.code, failure_.os_error);
}

base::Error Connection::fail(base::Error error) noexcept {
  // Who has sent its request whole cannot know what became of it, whatever stopped another one's sending.
  const base::Error for_others =
      error.stage == Stage::send ? base::error(Stage::wait, Code::lost, error.os_error) : error;
  AsyncReplyList orphans;
  bool registered = false;
  {
    const std::lock_guard lock(mutex_);
    if (failed_) return failure_.code == Code::cancelled ? failure_ : error;
    failure_ = error;
    if (error.code == Code::timed_out) failure_.code = Code::lost;  // those to come have time yet
    // Whoever found that the client's input makes no sense has been reading it: nobody else uses the framer.
    if (error.stage == Stage::receive && server_ == nullptr) {
      const auto rest = framer_->unread();
      instead_ = base::as_text(rest.first(std::min(rest.size(), kMostKept)));
    }
    failed_.store(true, std::memory_order_release);
    UnderWayList requests = outstanding_.take_all();
    while (UnderWay* request = requests.pop()) {
      if (request->kind() == UnderWay::Kind::asynchronous) {
        auto& reply = static_cast<AsyncReply&>(*request);
        end_helping(reply);
        orphans.push(reply);
      } else {
        auto& caller = static_cast<Caller::Listed&>(*request);
        caller.error = for_others;
        Reading::tell(caller);
      }
    }
    registered = registered_;
    if (timer_deadline_ != base::Deadline::none()) (void)completions_->reactor().cancel(timer_);
  }
  transport().shutdown();
  tell_ended(*this, error, server_ != nullptr);
  if (OnewayQueue* queue = oneways_.load()) queue->clear();
  if (registered) completions_->reactor().remove(*this);
  while (AsyncReply* reply = orphans.pop()) {
    reply->error = for_others;
    completions_->push(*reply);
  }
  return error;
}

std::string Connection::received_instead() {
  const std::lock_guard lock(mutex_);
  return instead_;
}

void Connection::close() noexcept {
  if (failed_) return;
  tell_close();
  (void)fail(base::error(Stage::wait, Code::cancelled));
}

void Connection::tell_close() noexcept {
  const std::unique_lock writer(link_.token(), std::try_to_lock);
  if (failed_) return;
  // GIOP 1.0 and 1.1 let only servers say so (CORBA 3.3 part 2, 9.4.7).
  const bool between_messages =
      writer && backlog_.empty() && (oneways_.load() == nullptr || drain_oneways(base::Deadline::now()).ok());
  if (!between_messages || closed_by_us_ || (server_ == nullptr && settings_.version.minor < 2)) return;
  closed_by_us_ = true;
  cdr::Encoder& encoder = link_.encoder();
  encoder.reset(format(settings_.version.minor));
  protocol_->encode_control(encoder, messaging::MessageType::close_connection);
  (void)transport().send(encoder.segments(), base::Deadline::now());
}

}  // namespace corbel::connection

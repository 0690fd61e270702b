// SPDX-License-Identifier: Apache-2.0
// Server side of a connection: read, run, reply, on one thread.
#include "connection/server.hpp"
#include "corbel/base/probe.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

void Connection::on_event(reactor::Events) noexcept {
  if (server_ != nullptr) {
    serve();
  } else {
    read_for_async();
  }
}

void Connection::serve() {
  base::IntrusivePtr<Framer> framer;
  {
    const std::lock_guard lock(mutex_);
    framer = framer_;
  }
  const bool sticky = server_->begin_serving(*this);
  for (;;) {
    Message message;
    const auto next = framer->unread().empty() ? base::Result<bool>(false) : framer->next(message);
    if (!next) {
      server_->end_serving(*this, sticky);
      return end_serving(next.error());
    }
    if (*next) {
      if (serve_message(*framer, message)) continue;
      // Handed over (somebody else serves the connection now) or ended.
      if (framer->owner.load(std::memory_order_relaxed) == Framer::Owner::handed_over) {
        return server_->release_sticky(sticky);
      }
      return server_->end_serving(*this, sticky);
    }
    CORBEL_PROBE("wait and receive");
    auto received =
        receive(*framer, sticky ? Deadline::after(server_->settings().serving.sticky_idle) : Deadline::now());
    CORBEL_PROBE("framing");
    if (received) continue;
    server_->end_serving(*this, sticky);
    const Code code = received.error().code;
    if (code != Code::would_block && code != Code::timed_out) return end_serving(received.error());
    framer->shrink();
    return server_->wait_for(*this, false);
  }
}

/// False when this thread must leave the connection.
bool Connection::serve_message(Framer& framer, const Message& message) {
  switch (message.frame.type) {
    case messaging::MessageType::request: {
      framer.upcalls.fetch_add(1, std::memory_order_relaxed);
      framer.owner.store(Framer::Owner::upcall, std::memory_order_release);
      const bool good = take_request(message);
      auto expected = Framer::Owner::upcall;
      if (!framer.owner.compare_exchange_strong(expected, Framer::Owner::reader, std::memory_order_acq_rel))
        return false;
      if (!good) end_serving(base::error(Stage::receive, Code::malformed));
      return good;
    }
    case messaging::MessageType::locate_request:
      if (take_locate_request(message)) return true;
      break;
    case messaging::MessageType::cancel_request:
      return true;  // by the time it is read, the request it names has been answered
    case messaging::MessageType::close_connection:
    case messaging::MessageType::message_error:
      end_serving(base::error(Stage::receive, Code::closed));
      return false;
    default:
      break;
  }
  end_serving(base::error(Stage::receive, Code::malformed));
  return false;
}

bool Connection::take_request(const Message& message) {
  CORBEL_PROBE("request header");
  cdr::Decoder body;
  auto request = protocol_->decode_request(message.frame, message.octets, settings_.limits, body);
  if (!request) return false;
  body.set_joints(message.joints);
  server_->handler().on_request(*this, *request, message.frame.version.minor, body);
  return true;
}

bool Connection::take_locate_request(const Message& message) {
  auto request = protocol_->decode_locate_request(message.frame, message.octets, settings_.limits);
  if (!request) return false;
  server_->handler().on_locate_request(*this, *request, message.frame.version.minor);
  return true;
}

void Connection::set_code_sets(cdr::CodeSet for_char, cdr::CodeSet for_wchar) noexcept {
  char_set_.store(for_char, std::memory_order_relaxed);
  wchar_set_.store(for_wchar, std::memory_order_relaxed);
}

bool Connection::in_same_upcall() {
  const std::lock_guard lock(mutex_);
  if (framer_->owner.load(std::memory_order_acquire) != Framer::Owner::upcall) return false;
  const std::uint32_t upcalls = framer_->upcalls.load(std::memory_order_relaxed);
  return std::exchange(seen_upcalls, upcalls) == upcalls;
}

void Connection::hand_over_slow_upcall() {
  bool has_octets = false;
  {
    const std::lock_guard lock(mutex_);
    auto expected = Framer::Owner::upcall;
    if (!framer_->owner.compare_exchange_strong(expected, Framer::Owner::handed_over, std::memory_order_acq_rel))
      return;
    base::IntrusivePtr<Framer> fresh(new Framer(*protocol_, settings_.limits));
    fresh->take_over(*framer_);
    has_octets = !fresh->unread().empty();
    framer_ = std::move(fresh);
    seen_upcalls = 0;
  }
  server_->mark_unserved(*this);
  server_->wait_for(*this, has_octets);
}

/// Ends the conversation because of `error`; a protocol violation is answered with MessageError first.
void Connection::end_serving(base::Error error) noexcept {
  if (error.code == Code::malformed || error.code == Code::unsupported || error.code == Code::too_large) {
    (void)send(
        [&](cdr::Encoder& encoder) { protocol_->encode_control(encoder, messaging::MessageType::message_error); },
        format(protocol_->version().minor), Deadline::now());
  }
  (void)fail(error);
  server_->forget(*this);
}

}  // namespace corbel::connection

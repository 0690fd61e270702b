// SPDX-License-Identifier: Apache-2.0
// Server side of a connection: read, run, reply, on one thread.
#include "connection/server.hpp"
#include "connection/telling.hpp"
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
  bool sticky = false;
  if (!server_->begin_serving(*this, sticky)) return;
  base::IntrusivePtr<Framer> framer;
  {
    const std::lock_guard lock(mutex_);
    framer = framer_;
  }
  for (;;) {
    Message message;
    const auto next = framer->unread().empty() ? base::Result<bool>(false) : framer->next(message);
    if (!next) {
      server_->release_sticky(sticky);
      return end_serving(next.error());
    }
    if (*next) {
      if (serve_message(*framer, message)) continue;
      return server_->release_sticky(sticky);  // somebody else serves the connection now, or it ends
    }
    CORBEL_PROBE("wait and receive");
    const bool stays = sticky && !server_->starving();
    auto received =
        receive(*framer, stays ? Deadline::after(server_->settings().serving.sticky_idle) : Deadline::now());
    CORBEL_PROBE("framing");
    if (received) continue;
    server_->release_sticky(sticky);
    const Code code = received.error().code;
    if (code != Code::would_block && code != Code::timed_out) return end_serving(received.error());
    framer->shrink();
    return server_->wait_for(*this, false, framer->oldest_part());
  }
}

/// False when this thread must leave the connection: it was handed over, or ends.
bool Connection::serve_message(Framer& framer, const Message& message) {
  switch (message.frame.type) {
    case messaging::MessageType::request:
    case messaging::MessageType::locate_request:
      return serve_request(framer, message);
    case messaging::MessageType::cancel_request:
      // By the time it is read, the request it names has been answered, unless only a part of it has come.
      if (auto id = protocol_->decode_cancel_request(message.frame, message.octets)) {
        framer.drop(*id);
        return true;
      }
      break;
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

bool Connection::serve_request(Framer& framer, const Message& message) {
  if (!begin_request()) [[unlikely]]
    return false;
  framer.upcalls.store(framer.upcalls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  framer.owner.store(Framer::Owner::upcall, std::memory_order_release);
  const bool good =
      message.frame.type == messaging::MessageType::request ? take_request(message) : take_locate_request(message);
  auto expected = Framer::Owner::upcall;
  const bool mine = framer.owner.compare_exchange_strong(expected, Framer::Owner::reader, std::memory_order_acq_rel);
  end_request();
  if (!good && mine) [[unlikely]]
    end_serving(base::error(Stage::receive, Code::malformed));
  return good && mine;
}

/// False if no more requests are to be begun: what has been read is not executed, and CloseConnection says so.
bool Connection::begin_request() noexcept {
  under_way_.fetch_add(1, std::memory_order_seq_cst);
  if (!draining_.load(std::memory_order_seq_cst)) [[likely]]
    return true;
  end_request();
  return false;
}

void Connection::end_request() noexcept {
  under_way_.fetch_sub(1, std::memory_order_seq_cst);
  if (draining_.load(std::memory_order_seq_cst)) [[unlikely]]
    end_if_drained();
}

void Connection::drain() noexcept {
  draining_.store(true, std::memory_order_seq_cst);
  end_if_drained();
}

void Connection::end_if_drained() noexcept {
  if (under_way() != 0) return;
  close();
  server_->forget(*this);
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
  return std::exchange(seen_upcalls_, upcalls) == upcalls;
}

void Connection::hand_over_slow_upcall() {
  bool has_octets = false;
  std::uint64_t part = 0;
  {
    const std::lock_guard lock(mutex_);
    auto expected = Framer::Owner::upcall;
    if (!framer_->owner.compare_exchange_strong(expected, Framer::Owner::handed_over, std::memory_order_acq_rel))
      return;
    base::IntrusivePtr<Framer> fresh(new Framer(*protocol_, settings_.limits));
    fresh->take_over(*framer_);
    has_octets = !fresh->unread().empty();
    part = fresh->oldest_part();
    framer_ = std::move(fresh);
    seen_upcalls_ = 0;
  }
  server_->wait_for(*this, has_octets, part);
}

/// Ends the conversation because of `error`; a protocol violation is answered with MessageError first.
void Connection::end_serving(base::Error error) noexcept {
  if (error.code == Code::malformed || error.code == Code::unsupported || error.code == Code::too_large) {
    (void)send(
        [&](cdr::Encoder& encoder) { protocol_->encode_control(encoder, messaging::MessageType::message_error); },
        format(protocol_->version().minor), Deadline::now());
    const std::lock_guard lock(mutex_);
    tell_refused(*this, error, framer_->unread());
  }
  (void)fail(error);
  server_->forget(*this);
}

}  // namespace corbel::connection

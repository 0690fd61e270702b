// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/link.hpp"

#include <new>
#include <utility>

#include "corbel/base/spare.hpp"
#include "corbel/connection/caller.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr std::size_t kFirstCapacity = 752;  // with what belongs to it, what allocators give and take back fast

using SpareEncoder = base::Spare<std::unique_ptr<cdr::Encoder>>;

}  // namespace

Link::Link(std::unique_ptr<transport::Transport> transport, Owner& owner, std::size_t gather_threshold)
    : transport_(std::move(transport)),
      peer_(transport_->peer()),
      largest_message_(transport_->traits().largest_message),
      gather_threshold_(gather_threshold),
      lossy_(!transport_->traits().reliable || !transport_->traits().ordered),
      owner_(owner) {}

std::unique_ptr<cdr::Encoder> Link::make_encoder() {
  auto made = SpareEncoder::take();
  if (made == nullptr) made = std::make_unique<cdr::Encoder>(cdr::Format{}, kFirstCapacity);
  made->set_host(this);
  made->set_reference_threshold(gather_threshold_);
  return made;
}

void Link::rest() noexcept {
  if (!token_.try_lock()) return;
  std::unique_ptr<cdr::Encoder> encoder = std::move(encoder_);
  token_.unlock();
  if (encoder == nullptr || !encoder->is_small()) return;
  encoder->set_host(nullptr);
  SpareEncoder::give(std::move(encoder));
}

/// With the token, which it gives back if there is no memory.
cdr::Encoder* Link::begin_encoder() noexcept try {
  encoder_ = make_encoder();
  return encoder_.get();
} catch (const std::bad_alloc&) {
  token_.unlock();
  return nullptr;
}

base::Result<std::size_t> Link::send_some(std::span<const cdr::Segment> data) {
  CORBEL_PROBE("transport send");
  auto sent = transport_->send(data, Deadline::now());
  CORBEL_PROBE("after send");
  if (!sent && sent.error().code != Code::would_block) return broken_off(sent.error());
  return sent;
}

base::Error Link::broken_off(base::Error error) noexcept {
  if (error.code == Code::too_large) return base::error(Stage::encode, Code::too_large);
  transport_->shutdown();
  return base::error(Stage::send, error.code, error.os_error);
}

base::Result<std::size_t> Link::send_messages(base::ConstByteSpan octets, std::span<const std::uint32_t> sizes) {
  auto sent = transport_->send_messages(octets, sizes);
  if (!sent && sent.error().code != Code::would_block) return broken_off(sent.error());
  return sent;
}

/// Code of the application is about to run in the middle of a message that is being encoded. It may call out, also over
/// this connection, and take its time: no other thread may find the token taken because of that.
void Link::on_foreign_code(cdr::Encoder& encoder) noexcept {
  std::unique_ptr<cdr::Encoder> fresh;
  try {
    fresh = make_encoder();
  } catch (const std::bad_alloc&) {
    return;  // then it keeps the token
  }
  encoder.set_host(nullptr);
  (void)encoder_.release();  // the message's own until it has been sent (Writing)
  encoder_ = std::move(fresh);
  Caller* const caller = caller_;
  token_.unlock();
  let_others_read(caller);
}

/// A thread that reads, and is about to do something else, would keep others waiting for it.
void Link::let_others_read(Caller* caller) noexcept {
  if (caller != nullptr && caller->reading) owner_.step_aside(*caller);
}

/// Other threads may send for as long as their peer likes, and replies arrive meanwhile.
bool Link::wait_for_turn(Caller* caller, Deadline deadline) noexcept {
  let_others_read(caller);
  return token_.lock_until(deadline);
}

void Link::Writing::end_elsewhere() noexcept {
  if (how_ == How::back) link_.token_.unlock();
  delete encoder_;
}

}  // namespace corbel::connection

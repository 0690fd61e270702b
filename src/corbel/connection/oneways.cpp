// SPDX-License-Identifier: Apache-2.0
// Client side of a connection: requests without a reply. What becomes of those that wait is posting.hpp's.
#include <algorithm>
#include <thread>

#include "corbel/connection/connection.hpp"
#include "corbel/connection/sending.hpp"

namespace corbel::connection {

using base::Code;
using base::Deadline;

namespace {

constexpr base::Duration kBetweenLooks = std::chrono::milliseconds(1);

}  // namespace

base::Status Connection::send_oneway(const messaging::OutgoingRequest& request, messaging::BodyWriter body,
                                     Deadline deadline) {
  if (failed()) [[unlikely]]
    return why_failed();
  const messaging::Token token = session_->next_token();
  const auto encode = [&](cdr::Encoder& encoder) { session_->put_request(encoder, token, request, body); };
  auto sent = send(encode, deadline);
  if (!sent && !leaves_intact(sent.error())) return fail_sending(sent.error());
  if (session_->has_own()) [[unlikely]]
    attend();
  return sent;
}

base::Status Connection::post_oneway(const messaging::OutgoingRequest& request, messaging::BodyWriter body,
                                     Deadline deadline, const policy::Buffering& buffering) {
  if (failed()) [[unlikely]]
    return why_failed();
  if (server_ != nullptr) {  // where both sides ask, oneways wait with the replies
    auto sent = send_oneway(request, body, Deadline::none());
    if (sent) drops_.store(false, std::memory_order_relaxed);
    if (sent || sent.error() != kBehindOthers) return sent;
    if (settings_->oneway_counters != nullptr) ++settings_->oneway_counters->dropped;
    if (!drops_.exchange(true)) {
      CORBEL_LOG(log(), connection, warning, "oneway messages dropped", {"peer", peer()},
                 {"limit", "-ORBMaxReplyBacklog"});
    }
    return {};
  }
  const messaging::Token token = session_->next_token();
  const auto encode = [&](cdr::Encoder& encoder) { session_->put_request(encoder, token, request, body); };
  Posting::Left left{buffering, {}};
  const auto status = posting_.post_now(encode, left);
  if (session_->has_own()) [[unlikely]]
    attend();
  if (status) [[likely]]
    return {};
  if (status.error().code == Code::would_block) return posting_.post_later(encode, left, deadline);
  return leaves_intact(status.error()) ? status : base::Status(fail_sending(status.error()));
}

base::Status Connection::flush_oneways(Deadline deadline) {
  if (failed()) return why_failed();
  if (server_ == nullptr) return posting_.flush(deadline);
  // Where both sides ask, oneways wait among the replies, which the reactor sends.
  while (keeps_replies()) {
    if (failed()) return why_failed();
    if (deadline.expired()) return kBehindOthers;
    std::this_thread::sleep_for(std::min(kBetweenLooks, deadline.remaining()));
  }
  return {};
}

}  // namespace corbel::connection

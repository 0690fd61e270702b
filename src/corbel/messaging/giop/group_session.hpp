// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/messaging/giop/session.hpp"

namespace corbel::messaging::giop {

/// GIOP to and from groups (UIPMC): oneway requests alone, each of which says all that it takes to understand it. The
/// sender names the group by its profile. A listener hears many senders and trusts none, so that whatever else comes is
/// dropped.
class GroupSession final : public GiopSession {
 public:
  GroupSession(const Giop& codec, const SessionSettings& settings) noexcept
      : GiopSession(codec, settings), profile_tag_(settings.group_profile) {}

  base::Status take(base::ConstByteSpan octets, Incoming& incoming) override;
  /// `request.object_key` is the body of the group's profile. One that wants a reply fails with unsupported.
  void put_request(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) override;
  bool put_cancel(cdr::Encoder&, Token) override { return false; }
  bool put_close(cdr::Encoder&) override { return false; }
  bool put_error(cdr::Encoder&) override { return false; }
  void report(base::FunctionRef<void(const Figure&)> visit) const override {
    visit({"received", received_.load(std::memory_order_relaxed)});
    visit({"discarded", discarded_.load(std::memory_order_relaxed)});
  }

 private:
  void encode(cdr::Encoder& encoder, Token token, const OutgoingRequest& request, BodyWriter body) const;

  const std::uint32_t profile_tag_;
  std::atomic<std::uint64_t> received_{0};   // requests
  std::atomic<std::uint64_t> discarded_{0};  // what is none, or wants a reply
};

}  // namespace corbel::messaging::giop

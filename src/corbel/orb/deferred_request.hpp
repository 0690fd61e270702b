// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/base/bytes.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/connection/lender.hpp"
#include "corbel/orb/hooks.hpp"
#include "corbel/orb/pending_reply.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel::orb {

class Core;

/// A request that came over a connection and that is answered later, over the same.
class DeferredRequest final : public PendingReply {
 public:
  /// `expected`: its client waits for an answer. `seen`: what hooks know of it, which is moved from if it is deferred;
  /// null if they see nothing. Throws what refuses it, COMPLETED_NO.
  static corba::DeferredReplyPtr make(Core& core, connection::Connection& connection,
                                      const messaging::IncomingRequest& request, bool expected,
                                      std::span<const std::string_view> raises, std::size_t octets,
                                      ServerRequest* seen);
  /// For make().
  DeferredRequest(Core& core, connection::Connection& connection, const messaging::IncomingRequest& request,
                  bool expected, std::span<const std::string_view> raises);
  ~DeferredRequest() override;

 private:
  bool is_awaited() const noexcept override;
  void answer(base::FunctionRef<void(cdr::Encoder&)> results) override;
  void answer(std::exception_ptr exception) noexcept override;
  void give_up(bool ended) noexcept override;
  template <class Answer>
  void send(const Answer& answer);
  void finish() noexcept;
  /// What hooks know of the request, on the thread that they were told on.
  void keep(ServerRequest& seen);

  Core& core_;
  mutable base::Mutex mutex_;             // guards the next when who answers drops it, and for others
  connection::ConnectionPtr connection_;  // null when it has been answered
  // Only who answers changes these.
  messaging::IncomingRequest request_;
  std::unique_ptr<char[]> names_;  // operation and key
  std::unique_ptr<ServerRequest> seen_;
  const bool expected_;
  policy::UtcTime end_time_ = policy::kNever;
};

}  // namespace corbel::orb

// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/deferred_request.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/incoming_call.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/orb/seen_call.hpp"

namespace corbel::orb {
namespace {

/// A request of which no more is needed than what its answer needs.
class ResumedCall final : public IncomingCall {
 public:
  ResumedCall(Core& core, connection::Connection& connection, const messaging::IncomingRequest& request,
              cdr::Decoder& nothing) noexcept
      : IncomingCall(core, connection, request, nothing) {}
};

}  // namespace

corba::DeferredReplyPtr DeferredRequest::make(Core& core, connection::Connection& connection,
                                              const messaging::IncomingRequest& request, bool expected,
                                              std::span<const std::string_view> raises, std::size_t octets,
                                              ServerRequest* seen) {
  auto deferred = base::make_shared<DeferredRequest>(core, connection, request, expected, raises);
  if (!connection.defer_request()) {
    CORBEL_LOG(core.log(), server, warning, "request refused: too many of its connection wait for their answers",
               {"operation", request.operation}, {"peer", connection.peer()},
               {"limit", "-ORBMaxDeferredPerConnection"});
    corba::raise("TRANSIENT", corba::minor::kTooManyDeferred, kNo,
                 "too many requests of the connection wait for their answers");
  }
  try {
    if (seen != nullptr) deferred->keep(*seen);
    deferred->begin(deferred, octets + sizeof(DeferredRequest) + request.operation.size() + request.object_key.size());
  } catch (...) {
    if (deferred->seen_ != nullptr) {
      deferred->seen_->operation = request.operation;
      deferred->seen_->object_key = request.object_key;
      deferred->seen_->slots = seen->slots;
      *seen = std::move(*deferred->seen_);
    }
    connection.end_deferred();
    throw;
  }
  return deferred;
}

void DeferredRequest::keep(ServerRequest& seen) {
  seen_ = std::make_unique<ServerRequest>();
  *seen_ = std::move(seen);
  seen.slots = seen_->slots;  // NOLINT(bugprone-use-after-move): a new value; the thread leaves them by itself
  seen_->operation = request_.operation;
  seen_->object_key = request_.object_key;
  seen_->waits = nullptr;  // the thread's
  core_.hooks()->defer(*seen_);
}

DeferredRequest::DeferredRequest(Core& core, connection::Connection& connection,
                                 const messaging::IncomingRequest& request, bool expected,
                                 std::span<const std::string_view> raises)
    : PendingReply(core.deferrals(), &connection, request.origin, raises),
      core_(core),
      connection_(&connection),
      names_(new char[request.operation.size() + request.object_key.size()]),
      expected_(expected),
      end_time_(end_time(request.contexts)) {
  char* const key = std::copy(request.operation.begin(), request.operation.end(), names_.get());
  std::copy(request.object_key.begin(), request.object_key.end(), reinterpret_cast<base::Octet*>(key));
  request_.origin = request.origin;
  request_.response = request.response;
  request_.operation = {names_.get(), request.operation.size()};
  request_.object_key = {reinterpret_cast<const base::Octet*>(key), request.object_key.size()};
}

DeferredRequest::~DeferredRequest() = default;

bool DeferredRequest::is_awaited() const noexcept {
  if (!expected_ || is_cancelled()) return false;
  if (end_time_ != policy::kNever && policy::until(end_time_) == base::Duration::zero()) return false;
  const std::lock_guard lock(mutex_);
  return connection_ != nullptr && !connection_->failed();
}

template <class Answer>
void DeferredRequest::send(const Answer& answer) {
  if (all().left_behind()) return;  // the client is the parent's
  if (!is_awaited()) {
    CORBEL_LOG(log(), server, debug, "nobody waits for the answer any more", {"operation", request_.operation},
               {"key", request_.object_key}, {"peer", connection_->peer()});
    request_.response = messaging::Response::none;
  }
  cdr::Decoder nothing;
  const auto run = [&](auto& call) {
    call.set_raises(raises());
    answer(call);
  };
  if (seen_ != nullptr) {
    SeenCall call(core_, *connection_, request_, nothing, std::move(*seen_));
    run(call);
  } else {
    ResumedCall call(core_, *connection_, request_, nothing);
    run(call);
  }
  finish();
}

void DeferredRequest::finish() noexcept {
  connection_->end_deferred();
  {
    connection::ConnectionPtr last;  // it may go with this, and has to before its server may
    const std::lock_guard lock(mutex_);
    last = std::exchange(connection_, nullptr);
  }
  PendingReply::finish();
}

void DeferredRequest::answer(base::FunctionRef<void(cdr::Encoder&)> results) {
  send([&](auto& call) {
    try {
      call.reply(results);
    } catch (...) {
      call.reply_exception();
    }
  });
}

void DeferredRequest::answer(std::exception_ptr exception) noexcept {
  send([&](auto& call) {
    try {
      rethrow(exception);
    } catch (...) {
      call.reply_exception();
    }
  });
}

void DeferredRequest::give_up(bool ended) noexcept {
  if (!ended && expected_ && !all().left_behind() && is_awaited()) {
    CORBEL_LOG(log(), server, warning, "the servant has dropped a request without an answer",
               {"operation", request_.operation}, {"key", request_.object_key}, {"peer", connection_->peer()});
  }
  send([&](auto& call) {
    try {
      throw_never_answered(call.operation(), ended);
    } catch (...) {
      call.reply_exception();
    }
  });
}

// --- where requests become such ---

corba::DeferredReplyPtr IncomingCall::defer_seen(std::span<const std::string_view> raises, std::size_t octets,
                                                 ServerRequest* seen) {
  const bool expected = request_.response == messaging::Response::with_target && !replied_;
  // What was decoded is at least as large as what it was decoded from.
  const std::size_t came = arguments().remaining() + arguments().stream_position() + arguments().rest().size();
  auto deferred = DeferredRequest::make(core_, connection_, request_, expected, raises, octets + came, seen);
  replied_ = true;
  return deferred;
}

corba::DeferredReplyPtr IncomingCall::defer(std::span<const std::string_view> raises, std::size_t octets) {
  return defer_seen(raises, octets, nullptr);
}

corba::DeferredReplyPtr SeenCall::defer(std::span<const std::string_view> raises, std::size_t octets) {
  auto deferred = defer_seen(raises, octets, &seen_);
  over_ = true;
  return deferred;
}

}  // namespace corbel::orb

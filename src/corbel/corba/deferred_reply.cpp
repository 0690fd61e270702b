// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/deferred_reply.hpp"

#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace corbel::corba {

DeferredReply::~DeferredReply() = default;

DeferredReplyPtr ServerCall::defer(std::span<const std::string_view>, std::size_t) {
  return nullptr;
}

/// False if the ORB has ended and answered for the servant.
bool DeferredReply::claim_or_throw() {
  if (claim()) return true;
  if (state_.load(std::memory_order_acquire) == State::ended) return false;
  corba::raise("BAD_INV_ORDER", minor::kAnsweredBefore, Completed::no, "the request has been answered");
}

void DeferredReply::reply(base::FunctionRef<void(cdr::Encoder&)> results) {
  if (claim_or_throw()) answer(results);
}

void DeferredReply::raise(std::exception_ptr exception) {
  if (exception == nullptr) corba::raise("BAD_PARAM", minor::kAnswersAnother, Completed::no, "no exception was given");
  if (claim_or_throw()) answer(std::move(exception));
}

void DeferredReply::raise_thrown(std::exception_ptr exception) noexcept {
  claim() ? answer(std::move(exception)) : tell_lost(exception);
}

void DeferredReply::abandon() noexcept {
  if (claim()) give_up();
}

}  // namespace corbel::corba

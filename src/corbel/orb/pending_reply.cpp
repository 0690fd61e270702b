// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/pending_reply.hpp"

#include <string>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/exception_core.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/current_exception.hpp"

namespace corbel::orb {

void PendingReply::begin(base::SharedPtr<PendingReply> self, std::size_t octets) {
  if (!all_.memory().take(octets)) {
    corba::raise("NO_RESOURCES", corba::vendor_minor(base::Stage::decode, base::Code::no_value_memory),
                 corba::Completed::no, "requests that wait for their answers take too much memory");
  }
  octets_ = octets;
  adapter_ = &all_.adapter();
  hold_ = adapter_->hold();
  // From when it is listed on, the end of the ORB may answer it, on another thread.
  bool listed = false;
  try {
    listed = all_.add(std::move(self));
  } catch (...) {
    give_back();
    throw;
  }
  if (listed) return;
  give_back();
  corba::raise("TRANSIENT", corba::minor::kPoaDestroyed, corba::Completed::no, "the server is shutting down");
}

void PendingReply::give_back() noexcept {
  all_.memory().give(octets_);
  adapter_->release(hold_);
}

void PendingReply::finish() noexcept {
  // Goes last: its destructor is the application's.
  const corba::ServantCorePtr servant = std::move(hold_.servant);
  give_back();
  all_.remove(*this);
}

void PendingReply::end() noexcept {
  if (claim(true)) give_up(true);
}

// The servant is in an upcall, so the ORB is there.
void PendingReply::tell_lost(const std::exception_ptr& exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (...) {
    CORBEL_LOG(log(), server, warning, "a servant threw after it had answered the request",
               {"exception", what_was_thrown()});
  }
}

void PendingReply::rethrow(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const corba::SystemFailure& failure) {
    corba::raise(corba::SystemFailure(failure));
  } catch (const corba::UserFailure& failure) {
    corba::raise(corba::UserFailure(failure));
  } catch (const corba::SystemExceptionCore& thrown) {
    // The status of a call that the servant has made says nothing about what the servant has done before.
    if (!thrown.ended_own_call() || thrown._completed() != corba::Completed::no) throw;
    auto failure = corba::failure_of(thrown);
    failure.completed = corba::Completed::maybe;
    corba::raise(std::move(failure));
  }
}

void PendingReply::throw_never_answered(std::string_view operation, bool ended) const {
  corba::raise("NO_RESPONSE", corba::minor::kNeverAnswered, corba::Completed::maybe,
               (ended ? "the server ended before it had answered '" : "the servant never answered '") +
                   std::string(operation) + "'");
}

}  // namespace corbel::orb

// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/local_deferral.hpp"

#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/attempts.hpp"
#include "corbel/orb/error_map.hpp"

namespace corbel::orb {
namespace {

/// In a handler: what is handled, as the end of a call that has come so far.
std::exception_ptr handled_with(corba::Completed completed) noexcept {
  try {
    corba::rethrow_with(completed);
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

corba::DeferredReplyPtr LocalDeferral::make(Deferrals& all, std::string_view operation, bool expected,
                                            std::span<const std::string_view> raises, std::size_t octets) {
  auto deferral = base::make_shared<LocalDeferral>(all, operation, expected, raises);
  deferral->begin(deferral, octets + sizeof(LocalDeferral) + operation.size());
  return deferral;
}

// Its entry in the table of those that wait is found by nothing; the id spreads them.
LocalDeferral::LocalDeferral(Deferrals& all, std::string_view operation, bool expected,
                             std::span<const std::string_view> raises)
    : PendingReply(all, nullptr, {.id = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this) / 64)},
                   raises),
      operation_(operation),
      expected_(expected) {}

LocalDeferral::~LocalDeferral() = default;

void LocalDeferral::returned() {
  if (!expected_) return;
  throw AwaitHere{base::make_shared<AwaitHere::Waiter>(shared_from(this))};
}

bool LocalDeferral::is_awaited() const noexcept {
  const std::lock_guard lock(mutex_);
  return expected_ && state_ != State::left;
}

void LocalDeferral::give(State state, base::Bytes results, std::exception_ptr exception) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::pending) {
      state_ = state;
      results_ = std::move(results);
      exception_ = std::move(exception);
      changed_.notify_all();
    }
  }
  finish();
}

void LocalDeferral::answer(base::FunctionRef<void(cdr::Encoder&)> results) {
  std::exception_ptr failure;
  try {
    cdr::Encoder encoder;
    results(encoder);
    if (encoder.ok()) return give(State::results, encoder.to_bytes(), nullptr);
    orb::raise(encoder.error(), "results of operation '" + operation_ + "'");
  } catch (const std::bad_alloc&) {
    failure = corba::exception_of("NO_MEMORY", 0, corba::Completed::yes);
  } catch (...) {
    failure = handled_with(corba::Completed::yes);
  }
  answer(std::move(failure));
}

void LocalDeferral::answer(std::exception_ptr exception) noexcept {
  // This thread has none of it any more when the caller throws it.
  try {
    rethrow(exception);
  } catch (...) {
    exception = std::current_exception();
  }
  give(State::exception, {}, std::move(exception));
}

void LocalDeferral::give_up(bool ended) noexcept {
  if (!ended && expected_ && is_awaited()) {
    CORBEL_LOG(log(), server, warning, "the servant has dropped a request without an answer", {"operation", operation_},
               {"peer", kHere});
  }
  std::exception_ptr exception;
  try {
    throw_never_answered(operation_, ended);
  } catch (...) {
    exception = std::current_exception();
  }
  give(State::exception, {}, std::move(exception));
}

base::Bytes LocalDeferral::await(base::Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto answered = [this] { return state_ != State::pending; };
  if (deadline.is_none()) {
    changed_.wait(lock, answered);
  } else if (!changed_.wait_for(lock, deadline.remaining(), answered)) {
    state_ = State::left;
    corba::raise("TIMEOUT", corba::vendor_minor(base::Stage::wait, base::Code::timed_out), kMaybe,
                 "the servant has not answered '" + operation_ + "' in time");
  }
  if (state_ == State::exception) std::rethrow_exception(std::move(exception_));
  return std::move(results_);
}

void LocalDeferral::leave() noexcept {
  const std::lock_guard lock(mutex_);
  if (state_ == State::pending) state_ = State::left;
}

}  // namespace corbel::orb

// SPDX-License-Identifier: Apache-2.0
#include "corbel/interceptors/raised.hpp"

#include <new>
#include <string_view>

#include "corbel/base/thread_end.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/request.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"

namespace corbel::interceptors {

using CORBA::CompletionStatus;
using orb::Outcome;

namespace {

CompletionStatus completion_of(const std::exception_ptr& exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const CORBA::SystemException& system) {
    return system.completed();
  } catch (const CORBA::UserException&) {
    return CompletionStatus::COMPLETED_YES;
  } catch (...) {
    return CompletionStatus::COMPLETED_MAYBE;
  }
}

void set_exception(orb::HookedRequest& request, std::exception_ptr exception) noexcept {
  request.outcome = Outcome::exception;
  request.exception = std::move(exception);
}

}  // namespace

Ending ending_of(const orb::HookedRequest& request) noexcept {
  switch (request.outcome) {
    case Outcome::reply:
      return {CompletionStatus::COMPLETED_YES, MayForward::no};
    case Outcome::exception: {
      const CompletionStatus completed = completion_of(request.exception);
      return {completed, completed == CompletionStatus::COMPLETED_NO ? MayForward::yes : MayForward::no};
    }
    case Outcome::sent:  // and may have been executed
      return {CompletionStatus::COMPLETED_MAYBE, MayForward::no};
    default:
      return {CompletionStatus::COMPLETED_NO, MayForward::yes};
  }
}

void note_raised(orb::HookedRequest& request, CompletionStatus completed, MayForward may_forward) noexcept {
  try {
    base::rethrow_handled();
  } catch (const PortableInterceptor::ForwardRequest& forward) {
    const auto to = forward.forward();
    if (to == nullptr || to->_target() == nullptr) {
      return set_exception(request, std::make_exception_ptr(CORBA::INV_OBJREF(0, completed)));
    }
    if (may_forward == MayForward::no) {
      if (request.outcome != Outcome::exception && request.outcome != Outcome::sent) {
        set_exception(request, std::make_exception_ptr(CORBA::UNKNOWN(corba::minor::kInterceptorRaised, completed)));
      }
      return;
    }
    try {
      request.forward = to->_target()->ior();
      request.outcome = Outcome::forward;
    } catch (const std::bad_alloc&) {
      set_exception(request, std::make_exception_ptr(CORBA::NO_MEMORY(0, completed)));
    }
  } catch (CORBA::SystemException& exception) {
    exception.completed(completed);
    set_exception(request, std::current_exception());
  } catch (...) {
    set_exception(request, std::make_exception_ptr(CORBA::UNKNOWN(corba::minor::kInterceptorRaised, completed)));
  }
}

std::string id_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const CORBA::UnknownUserException& made) {  // of a request that was put together at run time
    return made.exception().type()->id();
  } catch (const CORBA::Exception& known) {
    return known._rep_id();
  } catch (...) {
    return CORBA::UNKNOWN()._rep_id();
  }
}

bool is_user_exception(const std::exception_ptr& exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const CORBA::UserException&) {
    return true;
  } catch (...) {
    return false;
  }
}

namespace {

/// The exception if the program has its TypeCode, else UNKNOWN (CORBA 3.3 part 1, 16.3.13).
void insert(CORBA::Any& any, const CORBA::UserException& user) {
  try {
    any <<= static_cast<const CORBA::Exception&>(user);
  } catch (const CORBA::BAD_TYPECODE&) {
    any <<= CORBA::UNKNOWN(corba::minor::kUnlistedUserException, CompletionStatus::COMPLETED_YES);
  }
}

}  // namespace

CORBA::Any any_of(const std::exception_ptr& exception) {
  CORBA::Any any;
  try {
    std::rethrow_exception(exception);
#define CORBEL_INSERT(NAME)           \
  }                                   \
  catch (const CORBA::NAME& system) { \
    any <<= system;
    CORBEL_SYSTEM_EXCEPTIONS(CORBEL_INSERT)
#undef CORBEL_INSERT
  } catch (const CORBA::UnknownUserException& made) {
    return made.exception();
  } catch (const CORBA::UserException& user) {
    insert(any, user);
  } catch (...) {
    any <<= CORBA::UNKNOWN(corba::minor::kUnlistedUserException, completion_of(exception));
  }
  return any;
}

}  // namespace corbel::interceptors

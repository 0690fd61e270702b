// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <optional>

#include "corbel/base/thread_end.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/attempts.hpp"
#include "corbel/orb/call_limits.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/hooks.hpp"
#include "corbel/orb/local_call.hpp"
#include "corbel/orb/local_deferral.hpp"

/// One attempt of a call at this ORB's own adapter, on the caller's thread; what follows from it is its caller's to do.
namespace corbel::orb {

/// From a handler, of what a servant threw that is no exception of CORBA's: tells the log, and throws what the caller
/// is told instead.
[[noreturn]] void throw_instead_of_foreign(Core& core, const base::Bytes& object_key, const LocalCall& call,
                                           const char* what);
/// The same, of a user exception that the operation does not declare.
[[noreturn]] void throw_instead_of(const corba::UserExceptionCore& undeclared, Core& core,
                                   const base::Bytes& object_key, const LocalCall& call);

/// Runs what may end in what a servant threw. Throws LocationForward, and what the caller is told.
template <class Run>
[[gnu::always_inline]] inline void run_told(Core& core, const base::Bytes& object_key, LocalCall& call,
                                            const Run& run) {
  try {
    run();
  } catch (const AwaitHere&) {
    throw;
  } catch (const LocationForward&) {
    throw;
  } catch (const corba::SystemExceptionCore&) {
    throw;
  } catch (const corba::UserExceptionCore& exception) {
    if (!call.lists(exception._rep_id())) throw_instead_of(exception, core, object_key, call);
    call.raise_as_expected(exception);
    throw;
  } catch (const std::bad_alloc&) {
    corba::raise_no_memory(0, kMaybe);
  } catch (const std::exception& exception) {
    throw_instead_of_foreign(core, object_key, call, exception.what());
  } catch (...) {
    if (base::handles_thread_end()) throw;  // the caller's thread
    throw_instead_of_foreign(core, object_key, call, "");
  }
}

/// Throws LocationForward, what the caller is told, and AwaitHere. `place`: if the reference remembers one.
[[gnu::always_inline]] inline void serve_here(Core& core, const base::Bytes& object_key, LocalCall& call,
                                              Place* place = nullptr) {
  run_told(
      core, object_key, call, [&]() __attribute__((always_inline)) {
        core.check_serves();
        if (place == nullptr) return core.adapter()->dispatch(object_key, call);
        if (!place->serve(call)) [[unlikely]]
          core.adapter()->dispatch_here(object_key, call, *place);
      });
}

/// The rest of a call that is answered later: waits, until the deadline. Throws what the caller is told.
void await_here(Core& core, const base::Bytes& object_key, LocalCall& call, const AwaitHere& awaited,
                base::Deadline deadline);

/// Nothing if the call is over; else a Forward, or the Refusal of an adapter that has begun nothing. Throws what the
/// caller is told: of a call that is not `told`, only that its arguments could not be marshalled. `limits`: of a
/// servant that has not begun, and of one that answers later.
std::optional<Attempts::Answer> ask_here(Core& core, const base::Bytes& object_key, const corba::Call& call, bool told,
                                         const CallLimits& limits);

/// As ask_here(), for a call that hooks see, after `client` was told of its begin; throws nothing, but notes in
/// `client` how it ended. A refusal ends it as an exception, too, unless the caller goes on.
std::optional<Attempts::Answer> ask_here_seen(Core& core, const base::Bytes& object_key, const corba::Call& call,
                                              bool told, const CallLimits& limits, ClientRequest& client);

/// The exception as the adapter's refusal, if another place may know better and nothing of the application has run.
Refusal refusal_of(const corba::SystemExceptionCore& exception);

}  // namespace corbel::orb

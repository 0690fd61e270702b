// SPDX-License-Identifier: Apache-2.0
// Default servants, servant activators and servant locators.
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/deferred_reply.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/object_adapter.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "corbel/poa/running.hpp"
#include "corbel/poa/upcall.hpp"

namespace corbel::poa {
namespace {

/// From a handler of what a servant manager threw instead of finding the servant. What is no exception of CORBA's is
/// one here, where it is known who threw it and that nothing was executed.
[[noreturn]] void throw_not_served(std::string_view who) {
  try {
    throw;
  } catch (const corba::SystemExceptionCore&) {
    throw;
  } catch (const corba::UserExceptionCore&) {
    throw;
  } catch (const std::bad_alloc&) {
    corba::raise_no_memory(0, kNo);
  } catch (const std::exception& other) {
    corba::raise("UNKNOWN", corba::minor::kForeignException, kNo,
                 std::string(who) + " threw " + orb::current_exception_type() + ": " + other.what());
  }
}

/// A call whose results wait for `before_results`, which may throw instead of them.
class LocatedCall final : public corba::ServerCall {
 public:
  LocatedCall(corba::ServerCall& call, base::FunctionRef<void()> before_results)
      : ServerCall(call.operation(), call.local_arguments() == nullptr ? &call.arguments() : nullptr,
                   call.local_arguments()),
        call_(call),
        before_results_(before_results) {}
  ~LocatedCall() { call_.set_raises(raises()); }
  LocatedCall(const LocatedCall&) = delete;
  LocatedCall& operator=(const LocatedCall&) = delete;

  /// Asked for every signature: the call itself knows that of its arguments.
  void use_octets(std::uint64_t served) override {
    call_.match(served);
    if (call_.local_arguments() == nullptr) set_octets(call_.arguments());
  }
  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override {
    before_results_();
    call_.reply(results);
  }
  corba::DeferredReplyPtr defer(std::span<const std::string_view> raises, std::size_t octets) override {
    return call_.defer(raises, octets);
  }
  void show_sender(base::FunctionRef<void(const RequestPeer&)> to) override { call_.show_sender(to); }
  base::Deadline begin_by() override { return call_.begin_by(); }

 private:
  corba::ServerCall& call_;
  base::FunctionRef<void()> before_results_;
};

ServantRef check_supplied(ServantRef servant) {
  if (servant == nullptr) {
    corba::raise("OBJ_ADAPTER", corba::minor::kNullServant, kNo, "the servant manager returned no servant");
  }
  return servant;
}

}  // namespace

ServantSourcePtr Poa::get_servant_manager() {
  require(policies_.use_servant_manager());
  const std::lock_guard lock(slot_.mutex);
  check_alive();
  return servant_source_;
}

void Poa::set_servant_manager(ServantSourcePtr source) {
  const std::lock_guard lock(slot_.mutex);
  check_alive();
  if (servant_source_ != nullptr) corba::raise("BAD_INV_ORDER", corba::minor::kServantManagerAlreadySet, kNo);
  servant_source_ = std::move(source);
}

ServantRef Poa::get_servant() {
  require(policies_.use_default_servant());
  const std::lock_guard lock(slot_.mutex);
  check_alive();
  if (default_servant_ == nullptr) raise(Refused::no_servant);
  return default_servant_;
}

/// What was set before goes after the lock: its destructor is the application's.
void Poa::set_servant(ServantRef servant) {
  require(policies_.use_default_servant());
  const std::lock_guard lock(slot_.mutex);
  check_alive();
  std::swap(default_servant_, servant);
}

/// With the mutex locked: serves a request for an object that is not in the map.
void Poa::serve_without_object(PoaLock& lock, base::ConstByteSpan object_id, corba::ServerCall& call) {
  if (policies_.use_default_servant()) {
    const ServantRef servant = default_servant_;
    if (servant == nullptr) corba::raise("OBJ_ADAPTER", corba::minor::kNoDefaultServant, kNo);
    Running running(*this, lock);
    return answered(call, [&] { run(object_id, *servant, call); });
  }
  if (!policies_.use_servant_manager()) {
    corba::raise("OBJECT_NOT_EXIST", corba::minor::kObjectNotActive, kNo, "POA '" + name_ + "' has no such object");
  }
  if (servant_source_ == nullptr) corba::raise("OBJ_ADAPTER", corba::minor::kNoServantManager, kNo);
  if (policies_.retain) {
    Running running(*this, lock);
    return answered(call, [&] {
      ActiveObject& object = incarnate(object_id, call);
      running.set_object(object);
      call.check_in_time();
      run(object.id, *object.servant, call);
    });
  }
  const auto locator = servant_source_;
  Running running(*this, lock);
  answered(call, [&] { serve_located(*locator, object_id, call); });
}

/// The object, made active by the servant activator unless another thread has meanwhile; one more request runs on it.
ActiveObject& Poa::incarnate(base::ConstByteSpan octets, corba::ServerCall& call) {
  const ObjectId object_id(octets.begin(), octets.end());
  const base::Deadline deadline = earlier(space_->hold_deadline(), call.begin_by());
  for (;;) {
    {
      std::unique_lock lock(slot_.mutex);
      const Left left = wait_until_left(lock, object_id, deadline);
      if (left == Left::would_wait_for_itself) {
        corba::raise("BAD_INV_ORDER", corba::minor::kWouldDeadlock, kNo,
                     "the object is being deactivated, and this request keeps that from ending");
      }
      if (left == Left::too_late) {
        if (!deadline.expired()) continue;  // the clock lags behind the wait
        call.check_in_time();
        corba::raise("TRANSIENT", corba::minor::kHeldTooLong, kNo,
                     "the object is being deactivated, and requests that run on it do not end");
      }
    }
    ActiveObject* object = nullptr;
    in_turn([&] { object = incarnate_in_turn(object_id, call); }, call);
    if (object != nullptr) return *object;
  }
}

/// Null if the object is leaving again.
ActiveObject* Poa::incarnate_in_turn(const ObjectId& object_id, corba::ServerCall& call) {
  take_turn(activator_turn_, call, "the servant activator");
  const HasTurn turn(*this, activator_turn_);
  const AroundUpcall around(*space_, AroundUpcall::In::request);
  ServantRef servant;  // goes after the lock: its destructor is the application's
  std::unique_lock lock(slot_.mutex);
  if (ActiveObject* object = objects_.find(object_id)) {
    if (object->state != ActiveObject::State::active) return nullptr;
    ++object->running;
    return object;
  }
  const auto activator = servant_source_;
  lock.unlock();
  try {
    servant = check_supplied(activator->incarnate(object_id, *this));
    lock.lock();
    return &add_incarnated(object_id, servant);
  } catch (const orb::LocationForward&) {
    throw;
  } catch (...) {
    CORBEL_LOG(space_->core().log(), poa, warning, "servant activator failed to incarnate", {"poa", name_},
               {"object", base::ConstByteSpan(object_id)}, {"exception", orb::what_was_thrown()});
    throw_not_served("the servant activator");
  }
}

ActiveObject& Poa::add_incarnated(const ObjectId& object_id, const ServantRef& servant) {
  const bool taken = policies_.unique_ids && objects_.count(servant.get()) != 0;
  if (taken || objects_.find(object_id) != nullptr) {
    corba::raise("OBJ_ADAPTER", corba::minor::kIncarnateViolatedPolicy, kNo,
                 "the servant activator returned a servant that incarnates another object, or activated "
                 "the object itself");
  }
  ActiveObject& object = objects_.add(object_id, servant);
  ++object.running;
  if (manager_->has_ended_objects()) [[unlikely]] {  // it comes too late to be among them
    object.state = ActiveObject::State::leaving;
    object.cleanup = true;
  }
  return object;
}

void Poa::serve_located(ServantSource& locator, base::ConstByteSpan octets, corba::ServerCall& call) {
  const ObjectId object_id(octets.begin(), octets.end());
  in_turn([&] { serve_located_in_turn(locator, object_id, call); }, call);
}

void Poa::serve_located_in_turn(ServantSource& locator, const ObjectId& object_id, corba::ServerCall& call) {
  const std::string operation(call.operation());
  const AroundUpcall around(*space_, AroundUpcall::In::request);
  void* cookie = nullptr;
  ServantRef servant;
  try {
    servant = check_supplied(locator.preinvoke(object_id, *this, operation, cookie));
  } catch (const orb::LocationForward&) {
    throw;
  } catch (...) {
    CORBEL_LOG(space_->core().log(), poa, warning, "servant locator failed", {"poa", name_},
               {"object", base::ConstByteSpan(object_id)}, {"exception", orb::what_was_thrown()});
    throw_not_served("the servant locator");
  }
  // Once, before the results leave; what it throws takes their place, and that of what the operation has thrown.
  bool over = false;
  const auto postinvoke_after = [&](corba::Completed done) {
    if (std::exchange(over, true)) return;
    try {
      locator.postinvoke(object_id, *this, operation, cookie, servant);
    } catch (...) {
      CORBEL_LOG(space_->log(), poa, warning, "postinvoke threw", {"poa", name_}, {"operation", operation},
                 {"exception", orb::what_was_thrown()});
      try {
        throw;
      } catch (const corba::SystemExceptionCore& exception) {
        if (exception._completed() != kNo) throw;
        auto failure = corba::failure_of(exception);
        failure.completed = done;
        corba::raise(std::move(failure));
      }
    }
  };
  const auto postinvoke = [&] { postinvoke_after(corba::Completed::yes); };
  try {
    call.check_in_time();
    LocatedCall located(call, postinvoke);
    run(object_id, *servant, located);
  } catch (...) {
    try {
      postinvoke_after(corba::Completed::maybe);
    } catch (...) {
      call.set_raises({});  // which may be the first exception's own
      throw;
    }
    throw;
  }
  postinvoke();
}

}  // namespace corbel::poa

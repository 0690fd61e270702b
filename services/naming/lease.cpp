// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "NamingLeases.hpp"
#include "corbel/mapping/with_policies.hpp"
#include "corbel_naming_lease.hpp"
#include "names.hpp"

namespace corbel::naming {
namespace {

using Clock = std::chrono::steady_clock;
using CosNaming::NamingContext;
using LeasingContext = CorbelNaming::LeasingContext;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

CorbelNaming::LeaseId random_lease() {
  std::random_device source;
  return (static_cast<CorbelNaming::LeaseId>(source()) << 31 | source()) | 1;
}

}  // namespace

/// What a Lease is.
class Lease::Keeper {
 public:
  Keeper(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::string& name, ObjectRef object, Options options)
      : object_(std::move(object)), options_(std::move(options)), lease_(random_lease()) {
    const auto parsed = parse_name(name);
    if (!parsed) throw std::invalid_argument("'" + name + "' is no name");
    if (object_ == nullptr) throw std::invalid_argument("a name cannot be bound to nil");
    if (options_.length.count() < 1) throw std::invalid_argument("a lease lasts a second at least");
    name_ = *parsed;
    ObjectRef service = options_.service;
    if (service == nullptr) service = orb->resolve_initial_references("NameService");
    context_ = IDL::traits<LeasingContext>::narrow(with_timeout(service, patience()));
    if (context_ == nullptr) throw LeaseRefused("the naming service knows no leases");
    // The narrowed reference has the patience of the one it was made of.
    if (const std::string why = bind(); !why.empty()) throw LeaseRefused(why);
    thread_ = std::jthread([this](const std::stop_token& stop) { keep(stop); });
  }
  ~Keeper() {
    thread_.request_stop();
    thread_.join();
    try {
      context_->release(name_, lease_);
    } catch (const CORBA::Exception&) {  // it was not ours any more, or ends by itself
    }
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  bool held() const {
    const std::lock_guard lock(mutex_);
    return held_ && Clock::now() < ends_;
  }
  std::chrono::seconds granted() const {
    const std::lock_guard lock(mutex_);
    return granted_;
  }

 private:
  std::chrono::milliseconds patience() const { return std::chrono::milliseconds(options_.length) / 3; }

  /// Empty if it is bound now, else why it is not. System exceptions pass through.
  std::string bind() {
    const Clock::time_point asked = Clock::now();
    const auto seconds = static_cast<std::uint32_t>(std::min<std::int64_t>(options_.length.count(), UINT32_MAX));
    try {
      note(asked, options_.replace ? context_->rebind_leased(name_, object_, lease_, seconds)
                                   : context_->bind_leased(name_, object_, lease_, seconds));
      return {};
    } catch (const NamingContext::AlreadyBound&) {
      return to_string(name_) + " is bound to something else";
    } catch (const CORBA::UserException& exception) {
      return to_string(name_) + " cannot be bound: " + exception._name();
    }
  }
  /// False if it is not there any more.
  bool renew() {
    const Clock::time_point asked = Clock::now();
    const auto seconds = static_cast<std::uint32_t>(std::min<std::int64_t>(options_.length.count(), UINT32_MAX));
    try {
      note(asked, context_->renew(name_, lease_, seconds));
      return true;
    } catch (const NamingContext::CannotProceed&) {  // a service on the way is away, and the name may be there still
      throw;
    } catch (const CORBA::UserException&) {
      return false;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {  // the context was lost
      return false;
    }
  }
  void note(Clock::time_point asked, std::uint32_t seconds) {
    const std::lock_guard lock(mutex_);
    granted_ = std::chrono::seconds(seconds);
    ends_ = asked + granted_;  // the service may have counted from then on
    held_ = true;
  }

  void keep(const std::stop_token& stop) {
    bool told = true;  // that it is held
    const auto tell = [&](bool held, const std::string& why) {
      if (held != told && options_.changed) options_.changed(held, why);
      told = held;
    };
    std::chrono::milliseconds pause = std::chrono::milliseconds(granted()) / 3;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        if (stopped_.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) return;
      }
      pause = std::chrono::milliseconds(granted()) / 3;
      try {
        if (!renew()) {
          const std::string why = bind();
          if (!why.empty()) lose();
          tell(why.empty(), why.empty() ? "it was bound again" : why);
        } else {
          tell(true, "it was renewed");
        }
      } catch (const CORBA::Exception& exception) {
        // The service is away. It may be back soon, and the name still there.
        pause = std::max(pause / 4, std::chrono::milliseconds(50));
        if (!held()) tell(false, exception.what());
      }
    }
  }
  void lose() {
    const std::lock_guard lock(mutex_);
    held_ = false;
  }

  const ObjectRef object_;
  const Options options_;
  const CorbelNaming::LeaseId lease_;
  CosNaming::Name name_;
  IDL::traits<LeasingContext>::ref_type context_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any stopped_;
  Clock::time_point ends_;
  std::chrono::seconds granted_{};
  bool held_ = false;

  std::jthread thread_;  // last: it uses the others
};

Lease::Lease(IDL::traits<CORBA::ORB>::ref_type orb, const std::string& name, ObjectRef object, Options options)
    : keeper_(std::make_unique<Keeper>(orb, name, std::move(object), std::move(options))) {}

Lease::Lease(IDL::traits<CORBA::ORB>::ref_type orb, const std::string& name, ObjectRef object)
    : Lease(std::move(orb), name, std::move(object), Options()) {}

Lease::~Lease() = default;

bool Lease::held() const {
  return keeper_->held();
}

std::chrono::seconds Lease::granted() const {
  return keeper_->granted();
}

}  // namespace corbel::naming

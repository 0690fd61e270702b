// SPDX-License-Identifier: Apache-2.0
#include "mutex.hpp"

#include <cerrno>
#include <ctime>

namespace corbel::real_time {
namespace {

constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
constexpr std::uint64_t kUnitsPerSecond = 10'000'000;
constexpr std::uint64_t kCentury = kUnitsPerSecond * 3600 * 24 * 36525;

timespec after(std::uint64_t units) {
  timespec when{};
  (void)::clock_gettime(CLOCK_REALTIME, &when);
  when.tv_sec += static_cast<time_t>(units / kUnitsPerSecond);
  when.tv_nsec += static_cast<long>(units % kUnitsPerSecond * 100);
  if (when.tv_nsec >= 1'000'000'000) {
    ++when.tv_sec;
    when.tv_nsec -= 1'000'000'000;
  }
  return when;
}

}  // namespace

InheritingMutex::InheritingMutex() {
  pthread_mutexattr_t attributes;
  int error = ::pthread_mutexattr_init(&attributes);
  if (error == 0) error = ::pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  if (error == 0) error = ::pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  if (error == 0) error = ::pthread_mutex_init(&mutex_, &attributes);
  (void)::pthread_mutexattr_destroy(&attributes);
  if (error != 0) throw CORBA::NO_RESOURCES(0, kNo, "the system has no mutex that inherits priorities");
}

InheritingMutex::~InheritingMutex() {
  (void)::pthread_mutex_destroy(&mutex_);
}

/// After an attempt to take it.
bool InheritingMutex::taken(int error) {
  if (error == EBUSY || error == ETIMEDOUT) return false;
  if (error == EDEADLK) throw CORBA::BAD_INV_ORDER(0, kNo, "the thread has locked this RTCORBA::Mutex already");
  if (error != 0) throw CORBA::NO_RESOURCES(0, kNo, "the RTCORBA::Mutex cannot be locked");
  if (!destroyed_.load(std::memory_order_acquire)) return true;
  (void)::pthread_mutex_unlock(&mutex_);
  throw CORBA::OBJECT_NOT_EXIST(0, kNo, "the RTCORBA::Mutex has been destroyed");
}

void InheritingMutex::lock() {
  (void)taken(::pthread_mutex_lock(&mutex_));
}

void InheritingMutex::unlock() {
  if (::pthread_mutex_unlock(&mutex_) == 0) return;
  throw CORBA::BAD_INV_ORDER(0, kNo, "the thread has not locked this RTCORBA::Mutex");
}

bool InheritingMutex::try_lock(TimeBase::TimeT max_wait) {
  if (max_wait == 0) return taken(::pthread_mutex_trylock(&mutex_));
  if (max_wait > kCentury) return taken(::pthread_mutex_lock(&mutex_));
  const timespec until = after(max_wait);
  return taken(::pthread_mutex_timedlock(&mutex_, &until));
}

NamedMutexes::Ref NamedMutexes::create(const std::string& name, bool& created) {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(name);
  created = found == all_.end();
  if (!created) return found->second;
  return all_.emplace(name, CORBA::make_reference<InheritingMutex>()).first->second;
}

NamedMutexes::Ref NamedMutexes::open(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(name);
  if (found == all_.end()) throw RTCORBA::RTORB::MutexNotFound();
  return found->second;
}

void NamedMutexes::forget(const Ref& mutex) {
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [&](const auto& one) { return one.second._shared() == mutex._shared(); });
}

}  // namespace corbel::real_time

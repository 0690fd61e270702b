// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/base/export.hpp"
#include "corbel/base/mutex.hpp"

/// What fork(2) does to a process that has threads and sockets. In the child there is one thread, and whatever another
/// one held or was changing at that moment stays as it was; descriptors are shared with the parent. So fork() waits
/// until every ForkMutex is free, and in the child it tells every ForkHook. It costs nothing until then. (vfork,
/// posix_spawn, system and popen run another program at once and do not come here.)
namespace corbel::base {

/// Another number in a child than in its parent.
CORBEL_API std::uint32_t process_generation() noexcept;

/// A Mutex that is free in the child of a fork(), and what it guards whole. Leaf-like: a thread that holds one must not
/// call fork(). Making and destroying one takes a lock of the process.
class CORBEL_API ForkMutex {
 public:
  ForkMutex();
  ~ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;

  void lock() noexcept { mutex_.lock(); }
  bool try_lock() noexcept { return mutex_.try_lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  friend class ForkRegistry;
  Mutex mutex_;
  ForkMutex* next_ = nullptr;
  ForkMutex* previous_ = nullptr;
};

/// Lets its owner act in the child of a fork(). The owner's last member: it must be whole whenever this exists. Making
/// and destroying one takes a lock of the process.
class CORBEL_API ForkHook {
 public:
  /// Calls `act(owner)` in the child, on its only thread, before fork() returns there. It may take no lock but a
  /// ForkMutex, and neither make nor destroy a ForkMutex or ForkHook.
  using Act = void (*)(void* owner) noexcept;
  ForkHook(Act act, void* owner);
  ~ForkHook();
  ForkHook(const ForkHook&) = delete;
  ForkHook& operator=(const ForkHook&) = delete;

 private:
  friend class ForkRegistry;
  const Act act_;
  void* const owner_;
  ForkHook* next_ = nullptr;
  ForkHook* previous_ = nullptr;
};

}  // namespace corbel::base

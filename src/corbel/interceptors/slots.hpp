// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "corbel/interceptors/portable_interceptor.hpp"

namespace corbel::interceptors {

/// The values of all slots, of a thread or of a request. Those at the end that were never set are left out.
using SlotValues = std::vector<CORBA::Any>;

/// What a thread has of one ORB. Used by that thread, or by one that borrows it meanwhile.
struct OfThread {
  SlotValues slots;
  const void* request = nullptr;     ///< whose slots these are; null: the thread's own
  bool borrowed = false;             ///< of a thread that waits
  std::vector<std::uint32_t> begun;  ///< while it is: requests whose servant has been found since
};

/// The slots of one ORB (CORBA 3.3 part 1, 16.4). Thread-safe once it is sealed.
class SlotArea {
 public:
  SlotArea();

  // While the ORB is being made, by one thread.
  PortableInterceptor::SlotId allocate() noexcept { return count_++; }
  void seal() noexcept { sealed_ = true; }

  bool sealed() const noexcept { return sealed_; }
  bool empty() const noexcept { return count_ == 0; }
  /// Throw InvalidSlot for what was not allocated.
  CORBA::Any get(const SlotValues& values, PortableInterceptor::SlotId id) const;
  void set(SlotValues& values, PortableInterceptor::SlotId id, const CORBA::Any& data) const;
  /// Of the calling thread. Not to be kept, unless the thread waits.
  OfThread& of_thread() const;
  /// The same, null if it has nothing.
  OfThread* find_thread() const noexcept;

 private:
  void check(PortableInterceptor::SlotId id) const;

  const std::uint64_t id_;  // no other area of the process has it
  PortableInterceptor::SlotId count_ = 0;
  bool sealed_ = false;
};

/// For Components::local_references: PICurrent.
CORBA::object_reference<CORBA::Object> make_current(corba::OrbContext& orb);

}  // namespace corbel::interceptors

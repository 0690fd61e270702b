// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "corbel/corba/object.hpp"
#include "corbel/transport/lent_memory.hpp"

/// Memory to be had before the data of a call are there, so that nobody has to copy them (docs/transports.md, "Lent
/// memory").
namespace corbel::orb {

/// Values of a sequence that will be sent as a `@view` argument: a movable owner of their memory, and a range, of which
/// a std::span is made as stubs take it. The values are not initialised; those of memory that another call was sent
/// from are still there.
///
/// If the memory is the carrier's (is_lent()), a servant views it in place, from the moment it is sent until its upcall
/// has ended: after a oneway, or an asynchronous call, let go of it or do not write to it. When this goes, others get
/// the memory as soon as the servant has done with it, too. It may outlive the reference and the ORB. As thread-safe as
/// a span.
template <class T>
class LentValues {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  LentValues() noexcept = default;
  LentValues(transport::LentMemory lent, std::unique_ptr<T[]> own, std::size_t size) noexcept
      : lent_(std::move(lent)), own_(std::move(own)), size_(size) {}
  LentValues(LentValues&& other) noexcept
      : lent_(std::move(other.lent_)), own_(std::move(other.own_)), size_(std::exchange(other.size_, 0)) {}
  LentValues& operator=(LentValues&& other) noexcept {
    lent_ = std::move(other.lent_);
    own_ = std::move(other.own_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  T* data() const noexcept { return lent_ ? reinterpret_cast<T*>(lent_.octets().data()) : own_.get(); }
  std::size_t size() const noexcept { return size_; }
  T* begin() const noexcept { return data(); }
  T* end() const noexcept { return data() + size_; }
  T& operator[](std::size_t at) const noexcept { return data()[at]; }
  /// False if it is ordinary memory, which is copied when it is sent.
  bool is_lent() const noexcept { return static_cast<bool>(lent_); }

 private:
  transport::LentMemory lent_;
  std::unique_ptr<T[]> own_;
  std::size_t size_ = 0;
};

/// Memory of the carrier by which calls of `object` leave at present, which are connected for that if they are not;
/// empty if it lends none, or none that is free. Prefer lend().
CORBEL_API transport::LentMemory lend_octets(const CORBA::object_reference<CORBA::Object>& object, std::size_t octets);

/// Memory for `count` values of T that calls of `object` will be sent: lent by the carrier where it does that (shared
/// memory, with -ORBShmLentMemory at both ends) and has so much free, else ordinary memory, as always in the child of a
/// fork(). Thread-safe. Throws INV_OBJREF for nil, what connecting throws, std::bad_alloc.
template <class T>
LentValues<T> lend(const CORBA::object_reference<CORBA::Object>& object, std::size_t count) {
  if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
  transport::LentMemory lent = lend_octets(object, count * sizeof(T));
  std::unique_ptr<T[]> own(lent ? nullptr : new T[count]);
  return {std::move(lent), std::move(own), count};
}

}  // namespace corbel::orb

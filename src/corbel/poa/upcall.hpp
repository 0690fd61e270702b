// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/base/bytes.hpp"
#include "corbel/corba/servant_core.hpp"

namespace corbel::poa {

class AdapterSpace;
class Poa;

/// The request that a thread is running: on its stack, chained to those it interrupted (calls to objects of the same
/// process). Used only by its own thread.
class Upcall {
 public:
  Upcall(Poa& poa, base::ConstByteSpan id, corba::ServantCore& servant) noexcept
      : poa_(poa), id_(id), servant_(servant), previous_(top()) {
    top() = this;
  }
  ~Upcall() { top() = previous_; }
  Upcall(const Upcall&) = delete;
  Upcall& operator=(const Upcall&) = delete;

  /// The innermost of the calling thread; nullptr outside of requests.
  static const Upcall* current() noexcept { return top(); }

  Poa& poa() const noexcept { return poa_; }
  base::ConstByteSpan id() const noexcept { return id_; }
  corba::ServantCore& servant() const noexcept { return servant_; }
  const Upcall* previous() const noexcept { return previous_; }

 private:
  static const Upcall*& top() noexcept {
    // Twice per request; where a shared library may be loaded at any time, the usual model is a function call each
    // time.
    [[gnu::tls_model("initial-exec")]] thread_local const Upcall* upcall = nullptr;
    return upcall;
  }

  Poa& poa_;
  const base::ConstByteSpan id_;
  corba::ServantCore& servant_;
  const Upcall* const previous_;
};

/// What a thread does for an adapter around upcalls, and what counts as a request there. Code of the application that
/// runs inside (servant managers, destructors of servants) may not wait for the end of the ORB; nor, in a request, for
/// that of other requests. Used only by its own thread.
class AroundUpcall {
 public:
  enum class In : std::uint8_t { request, ending };

  /// `ends`: the POA whose end, or whose object's, waits until this is over.
  AroundUpcall(const AdapterSpace& space, In in, Poa* ends = nullptr) noexcept
      : space_(space), in_(in), ends_(ends), previous_(top()) {
    top() = this;
  }
  ~AroundUpcall() { top() = previous_; }
  AroundUpcall(const AroundUpcall&) = delete;
  AroundUpcall& operator=(const AroundUpcall&) = delete;

  static const AroundUpcall* current() noexcept { return top(); }

  const AdapterSpace& space() const noexcept { return space_; }
  bool in_request() const noexcept { return in_ == In::request; }
  Poa* ends() const noexcept { return ends_; }
  const AroundUpcall* previous() const noexcept { return previous_; }

 private:
  static const AroundUpcall*& top() noexcept {
    thread_local const AroundUpcall* innermost = nullptr;
    return innermost;
  }

  const AdapterSpace& space_;
  const In in_;
  Poa* const ends_;
  const AroundUpcall* const previous_;
};

}  // namespace corbel::poa

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/bytes.hpp"
#include "corbel/poa/servant_managers.hpp"

namespace corbel::poa {

class Poa;

/// The request that a thread is running: on its stack, chained to those it interrupted (calls to objects of the same
/// process). Used only by its own thread.
class Upcall {
 public:
  Upcall(Poa& poa, base::ConstByteSpan id, PortableServer::Servant& servant) noexcept
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
  PortableServer::Servant& servant() const noexcept { return servant_; }
  const Upcall* previous() const noexcept { return previous_; }

 private:
  static const Upcall*& top() noexcept {
    // Twice per request; where a shared library may be loaded at any time, the usual model is a function call each time.
    [[gnu::tls_model("initial-exec")]] thread_local const Upcall* upcall = nullptr;
    return upcall;
  }

  Poa& poa_;
  const base::ConstByteSpan id_;
  PortableServer::Servant& servant_;
  const Upcall* const previous_;
};

}  // namespace corbel::poa

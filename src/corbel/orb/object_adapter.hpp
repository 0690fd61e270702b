// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/policy_core.hpp"
#include "corbel/corba/servant_core.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/orb/entrance.hpp"
#include "corbel/orb/peer_of.hpp"

namespace corbel::orb {

struct ServingHalf;
/// Of every adapter.
extern const ServingHalf kServingHalf;

/// Thrown by an adapter instead of running the upcall: the client shall ask the object at `ior`.
struct LocationForward {
  ior::Ior ior;
  bool permanent = false;
};

/// What an adapter knows of the object of a request.
struct ServedObject {
  base::Bytes object_id;
  base::Bytes adapter_id;
  std::vector<std::string> adapter_name;  ///< from below the root
  std::shared_ptr<const void> policies;   ///< the adapter's own
};

/// What the ORB core needs of object adapters; the poa room implements it. Thread-safe.
class ObjectAdapter {
 public:
  virtual ~ObjectAdapter() = default;

  /// Finds the object and serves the call on the calling thread. Throws CORBA exceptions and LocationForward.
  virtual void dispatch(base::ConstByteSpan object_key, corba::ServerCall& call) = 0;
  /// The same for a call of this process whose reference remembers the place. Tells it if later calls may take a
  /// shorter way.
  virtual void dispatch_here(base::ConstByteSpan object_key, corba::ServerCall& call, Place&) {
    dispatch(object_key, call);
  }
  /// The same for each member, of this ORB, of the group that the body of a UIPMC profile names. Throws
  /// OBJECT_NOT_EXIST if there is none, as an adapter without groups of its own does: nothing else is served to whoever
  /// can send to a group.
  virtual void dispatch_to_group(base::ConstByteSpan, corba::ServerCall&) {
    corba::raise("OBJECT_NOT_EXIST", corba::minor::kObjectNotActive, corba::Completed::no);
  }
  /// Returns if the object is here (as far as that can be known without an upcall); else throws OBJECT_NOT_EXIST,
  /// another CORBA exception, or LocationForward.
  virtual void locate(base::ConstByteSpan object_key) = 0;
  /// The same for a sender whom a request would be refused, perhaps; throws what that would.
  virtual void locate_for(base::ConstByteSpan object_key, [[maybe_unused]] Sender sender) { locate(object_key); }
  /// Throws OBJ_ADAPTER unless the object's adapter answers requests over connections that this process has opened
  /// (BiDirPolicy::BOTH), and as locate().
  virtual void check_both_ways(base::ConstByteSpan) {}
  /// True if only this process can have made the key (it names this run of the process).
  virtual bool made_here(base::ConstByteSpan object_key) const noexcept = 0;
  /// True if the calling thread is serving a request of this adapter, or does what shutdown() would wait for.
  virtual bool in_upcall() const noexcept { return false; }
  // For hooks: of the request that the calling thread runs, in an upcall.

  /// False, with nothing changed, if it runs none.
  virtual bool describe(ServedObject&) { return false; }
  /// The most derived interface's repository id; asks the servant, and throws what that throws.
  virtual std::string served_interface() { return {}; }
  virtual bool served_is_a(const std::string&) { return false; }
  /// The policy of the adapter of what describe() told of, of those that it was created with or has by default; null if
  /// it has none of the type. On any thread.
  virtual corba::PolicyCorePtr served_policy(const ServedObject&, [[maybe_unused]] std::uint32_t type) {
    return nullptr;
  }
  /// ServedObject::policies of the adapter that the key leads to, as it is now: null if it has not been made. Runs
  /// nothing of the application's. On any thread.
  virtual std::shared_ptr<const void> policies_at(base::ConstByteSpan) { return nullptr; }
  /// What keeps a request counted as running, and its servant; nothing by default.
  struct Hold {
    void* adapter = nullptr;
    void* object = nullptr;
    corba::ServantCorePtr servant = {};
  };
  /// Of the request that the calling thread runs, in an upcall: for its object and all that waits for requests to end,
  /// it goes on after its thread has left, until release(), which any thread may call.
  virtual Hold hold() noexcept { return {}; }
  virtual void release(const Hold&) noexcept {}
  /// Orderly end: new requests are refused, running ones finish; servants are etherealised. With `wait`, returns when
  /// that is done. False if some requests still run, with `wait` at the deadline.
  virtual bool shutdown(bool wait, base::Deadline deadline) = 0;
  /// What of the core serves with it, the same for all. Named by the constructor alone, so that the linker takes it
  /// only if there are adapters.
  const ServingHalf& serving_half() const noexcept { return *serving_half_; }

 private:
  const ServingHalf* const serving_half_ = &kServingHalf;
};

}  // namespace corbel::orb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "CosNaming.hpp"
#include "corbel/corbel.hpp"
#include "names.hpp"
#include "store.hpp"

namespace corbel::naming {

class Iterators;

/// Clients try one after the other; a reference is not to become long.
inline constexpr std::size_t kMostAddresses = 16;

struct ServiceLimits {
  NameLimits names;
  std::size_t list = 10'000;          ///< bindings in one answer, however many were asked for
  std::size_t list_octets = 1 << 20;  ///< of the names in one answer, about; it has one binding at least
  std::size_t iterators = 10'000;     ///< at the same time; beyond it the one unused for longest is gone
  std::chrono::milliseconds iterator_idle = std::chrono::minutes(10);  ///< unused for so long, an iterator is gone
  std::chrono::seconds lease = std::chrono::hours(24);                 ///< the longest that is granted
  int foreign_calls = 64;  ///< names followed into other services at the same time; half of the ORB's threads at most
};

/// The naming service: object adapters in an ORB, servants in these, and the store below them. Contexts are not active
/// objects: one servant serves them all, told by the object id which one is asked, so that a million of them cost no
/// memory. Made once per ORB; the store must outlive the ORB. Thread-safe.
class Service {
 public:
  using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
  using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;

  /// Makes the adapters below the root POA and activates that's manager, and registers the root context as the initial
  /// reference "NameService", so that corbaloc::host:port/NameService leads to it. Throws CORBA exceptions.
  Service(OrbRef orb, Store& store, ServiceLimits limits);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  IDL::traits<CosNaming::NamingContextExt>::ref_type root() { return reference(kRoot); }

  /// Where this process listens, as its references say.
  std::vector<Address> own_addresses();
  /// References to contexts that are made from now on say that these lead there, too, in this order behind the own
  /// ones. At most kMostAddresses of them.
  void set_addresses(std::vector<Address> addresses);

  // For the servants.

  Store& store() noexcept { return store_; }
  Iterators& iterators() noexcept { return *iterators_; }
  const ServiceLimits& limits() const noexcept { return limits_; }

  /// The context that the running request is for; throws OBJECT_NOT_EXIST for a reference that none of this store's
  /// has.
  ContextId current();
  /// A reference to a context of this store.
  IDL::traits<CosNaming::NamingContextExt>::ref_type reference(ContextId context);
  /// What a reference leads to, as the store keeps it. Throws BAD_PARAM for nil.
  Bound bound(const ObjectRef& object, CosNaming::BindingType type);
  /// The other way round.
  ObjectRef object(const Bound& bound);

  enum class Effect { none, change };

  /// Runs `call` with another service's context. What goes wrong on the way becomes CannotProceed, so that the client
  /// can go on by itself; what the context itself says is passed on. After a change that may have happened there is
  /// nothing to go on with: the client gets the system exception itself, which says so.
  template <class Call>
  auto proceed(const Bound& bound, const CosNaming::Name& rest, Effect effect, Call call) {
    const ContextRef context = IDL::traits<CosNaming::NamingContext>::unchecked_narrow(object(bound));
    const ForeignCall ticket(foreign_calls_);
    if (context == nullptr || ticket.number() > limits_.foreign_calls) {
      throw CosNaming::NamingContext::CannotProceed(context, rest);
    }
    try {
      return call(context, rest);
    } catch (const CORBA::SystemException& exception) {
      if (effect == Effect::change && exception.completed() != CORBA::COMPLETED_NO) throw;
      throw CosNaming::NamingContext::CannotProceed(context, rest);
    }
  }

 private:
  class ForeignCall {
   public:
    explicit ForeignCall(std::atomic<int>& count) noexcept : count_(count), number_(count.fetch_add(1) + 1) {}
    ~ForeignCall() { count_.fetch_sub(1); }
    ForeignCall(const ForeignCall&) = delete;
    ForeignCall& operator=(const ForeignCall&) = delete;
    int number() const noexcept { return number_; }

   private:
    std::atomic<int>& count_;
    const int number_;
  };

  PortableServer::ObjectId object_id(ContextId context) const;
  ObjectRef own_reference(ContextId context);
  std::string with_addresses(const std::string& reference, const std::vector<Address>& addresses) const;
  std::optional<ContextId> context_of(const ObjectRef& object) const;

  const OrbRef orb_;
  Store& store_;
  const ServiceLimits limits_;
  const std::string id_prefix_;  ///< of object ids: the store's identity
  PoaRef contexts_;
  IDL::traits<PortableServer::Current>::ref_type current_;
  std::unique_ptr<Iterators> iterators_;
  std::atomic<int> foreign_calls_ = 0;
  std::string key_prefix_;  ///< of object keys of contexts: what comes before the number

  std::mutex addresses_mutex_;  // guards what follows
  std::shared_ptr<const std::vector<Address>> addresses_;
};

}  // namespace corbel::naming

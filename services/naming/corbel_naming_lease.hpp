// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include <corbel/corbel.hpp>

/// Names that last as long as their server: bound with corbel-named for a while, and renewed as long as this lives.
///
///   corbel::naming::Lease lease(orb, "telescope/dome", dome);   // a name, and an object of this process
///
/// When the process ends, however that is, the name is unbound: at once by the destructor, else when the lease ends.
namespace corbel::naming {

/// The service knows no leases, or refuses the name: it is bound already, a context on the way is missing.
struct LeaseRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One name. A thread of its own renews it three times per length, and binds it again when the service has lost it.
/// Thread-safe.
class Lease {
 public:
  struct Options {
    std::chrono::seconds length{30};
    /// What others have bound to the name gives way. Else the name is waited for, should others have it when this one
    /// was lost.
    bool replace = false;
    /// The naming service; nil: the initial reference NameService. May be a context: names begin there.
    IDL::traits<CORBA::Object>::ref_type service{};
    /// Called when the name has been lost (false) and bound again (true), by the thread of this; may be empty. It may
    /// not throw. `why` is for people.
    std::function<void(bool held, const std::string& why)> changed{};
  };

  /// Binds the name, "ID.KIND/ID.KIND". The ORB must outlive this. Throws std::invalid_argument if that is no name or
  /// nil is to be bound, std::runtime_error if the service knows no leases, refuses the name (bound already, a context
  /// on the way is missing), and CORBA's system exceptions.
  Lease(IDL::traits<CORBA::ORB>::ref_type orb, const std::string& name, IDL::traits<CORBA::Object>::ref_type object,
        Options options);
  Lease(IDL::traits<CORBA::ORB>::ref_type orb, const std::string& name, IDL::traits<CORBA::Object>::ref_type object);
  /// Unbinds the name if it is still this one's. Waits for the service, but no longer than a third of the length.
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  /// True if the service has confirmed it, and it has not ended since.
  bool held() const;
  /// What the service grants: no more than it was asked for.
  std::chrono::seconds granted() const;

 private:
  class Keeper;
  const std::unique_ptr<Keeper> keeper_;
};

}  // namespace corbel::naming

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "connection/connection.hpp"
#include "connection/registry.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/object.hpp"
#include "corbel/ior/ior.hpp"

namespace corbel::orb {

class Core;

/// A remote object: the whole client algorithm. Thread-safe; shared by all stubs of a reference. Keeps the ORB in
/// memory, also when it has been destroyed.
class RemoteTarget final : public corba::Target, public base::SharedFromThis {
 public:
  RemoteTarget(Core& core, ior::Ior ior);

  void invoke(const corba::Call& call) override;
  void invoke_async(corba::AsyncCall& call) override;
  const ior::Ior& ior() const override { return ior_; }
  cdr::Context& context() const noexcept override;
  bool is_local() const noexcept override { return false; }

 private:
  friend class RemoteCall;

  /// A route with its connection: what calls use until it fails. Immutable.
  struct Binding : base::RefCounted {
    connection::Route route;
    connection::ConnectionPtr connection;
    bool fresh = false;      ///< made for the call that is being tried
    bool forwarded = false;  ///< leads where a location forward pointed
  };
  using BindingPtr = base::IntrusivePtr<const Binding>;
  /// What happened while one call was being tried.
  struct Attempt {
    unsigned retries = 0;
    unsigned forwards = 0;
    bool went_back = false;
    std::optional<ior::Ior> forward;
    std::optional<base::Error> bad_results;
  };

  BindingPtr bind(base::Deadline deadline, std::int64_t now);
  BindingPtr bind_anew(base::Deadline deadline);
  BindingPtr connect(const std::vector<connection::Route>& routes, bool forwarded, base::Deadline deadline,
                     base::Error& error, std::string& where);
  base::Deadline call_deadline(std::int64_t now) const;
  base::Status try_once(const Binding& binding, const corba::Call& call, base::Deadline deadline, Attempt& attempt);
  void on_reply(const corba::Call& call, const messaging::IncomingReply& reply, cdr::Decoder& body, Attempt& attempt);
  /// What came of an attempt that was answered: true if the call is over; otherwise it has to be tried again where the
  /// reply pointed. Throws if the answer makes no sense.
  bool settle(const Binding& binding, const corba::Operation& operation, Attempt& attempt);
  /// True if the call may be tried again; otherwise throws.
  bool recover(const Binding& binding, const corba::Operation& operation, base::Error error, base::Deadline deadline,
               Attempt& attempt);
  void drop(const Binding& binding);
  void forward_to(ior::Ior ior);
  bool back_to_original();

  Core& core_;
  const CORBA::object_reference<CORBA::ORB> orb_;  // owns core_
  const ior::Ior ior_;

  base::Mutex mutex_;  // guards what follows
  BindingPtr binding_;
  std::optional<ior::Ior> forward_;
};

}  // namespace corbel::orb

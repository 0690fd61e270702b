// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "corbel/base/fork.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/connection/registry.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/object.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/orb/attempts.hpp"

namespace corbel::orb {

class CallTrace;
class Core;

/// A remote object: the whole client algorithm (what is tried, in which order: Attempts). Thread-safe; shared by all
/// stubs of a reference. Keeps the ORB in memory, also when it has been destroyed.
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

  /// A place with its connection: what calls use until it fails. Immutable.
  struct Binding : base::RefCounted {
    PlacesPtr places;
    std::size_t at = 0;
    connection::ConnectionPtr connection;
    bool fresh = false;  ///< made for the call that is being tried
    const connection::Route& route() const noexcept { return (*places)[at].route; }
  };
  using BindingPtr = base::IntrusivePtr<const Binding>;

  void carry_out(const corba::Call& call);
  void invoke_traced(const corba::Call& call, const CallTrace& trace);
  /// For the log, after a call.
  void tell(const CallTrace& trace, const corba::Operation& operation, std::string_view outcome);
  BindingPtr bind(base::Deadline deadline, std::int64_t now, Attempts& attempts);
  BindingPtr connect(base::Deadline deadline, Attempts& attempts);
  void begin(Attempts& attempts, base::Deadline deadline);
  BindingPtr publish(connection::ConnectionPtr connection, bool fresh, const Attempts& attempts);
  base::Deadline call_deadline(std::int64_t now) const;
  base::Status try_once(const Binding& binding, const corba::Call& call, base::Deadline deadline, Attempts& attempts);
  void on_reply(const corba::Call& call, const messaging::IncomingReply& reply, cdr::Decoder& body, Attempts& attempts);
  void on_system_exception(const messaging::IncomingReply& reply, cdr::Decoder& body, Attempts& attempts);
  void on_forward(cdr::Decoder& body, Attempts& attempts);
  /// What came of an attempt that was answered with something else than results; returns if the call has to be tried
  /// again, else throws.
  void settle(const Binding& binding, const corba::Operation& operation, base::Deadline deadline, Attempts& attempts);
  /// What came of an attempt that was not answered; returns if the call has to be tried again, else throws.
  void recover(const Binding& binding, const corba::Operation& operation, base::Error error, base::Deadline deadline,
               Attempts& attempts);
  [[noreturn]] void give_up(base::Deadline deadline, Attempts& attempts);
  std::string spent(base::Deadline deadline) const;
  void drop(const Binding& binding);

  Core& core_;
  const CORBA::object_reference<CORBA::ORB> orb_;  // owns core_
  const ior::Ior ior_;

  base::ForkMutex mutex_;  // guards what follows
  BindingPtr binding_;
  PlacesPtr places_;  // where calls begin if there is no binding: the way that was found last
  std::size_t at_ = 0;
};

}  // namespace corbel::orb

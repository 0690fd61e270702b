// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corbel/corba/local_traits.hpp"
#include "corbel/corba/servant.hpp"

namespace PortableServer {
class ServantManager;
class ServantActivator;
class ServantLocator;
class AdapterActivator;
}  // namespace PortableServer

template <>
struct IDL::traits<PortableServer::ServantManager> : corbel::corba::LocalTraits<PortableServer::ServantManager> {};
template <>
struct IDL::traits<PortableServer::ServantActivator> : corbel::corba::LocalTraits<PortableServer::ServantActivator> {};
template <>
struct IDL::traits<PortableServer::ServantLocator> : corbel::corba::LocalTraits<PortableServer::ServantLocator> {};
template <>
struct IDL::traits<PortableServer::AdapterActivator> : corbel::corba::LocalTraits<PortableServer::AdapterActivator> {};
template <>
struct IDL::traits<PortableServer::POA> : corbel::corba::LocalTraits<PortableServer::POA> {};
template <>
struct IDL::traits<PortableServer::Servant> {
  using value_type = CORBA::servant_reference<PortableServer::Servant>;
  using ref_type = CORBA::servant_reference<PortableServer::Servant>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
};

/// What applications implement to supply servants and adapters on demand (CORBA 3.3 part 1, 15.3.3 to 15.3.7).
namespace PortableServer {

using ObjectId = std::vector<std::uint8_t>;

/// Thrown by servant managers: the client shall ask `forward_reference` instead.
class CORBEL_API ForwardRequest final : public CORBA::UserException {
 public:
  static constexpr const char* _id = "IDL:omg.org/PortableServer/ForwardRequest:1.0";

  ForwardRequest() = default;
  explicit ForwardRequest(IDL::traits<CORBA::Object>::ref_type reference) : reference_(std::move(reference)) {}
  void forward_reference(IDL::traits<CORBA::Object>::ref_type reference) { reference_ = std::move(reference); }
  IDL::traits<CORBA::Object>::ref_type forward_reference() const { return reference_; }

  [[noreturn]] void _raise() const override;
  const char* _rep_id() const noexcept override;
  const char* _name() const noexcept override;
  void _encode(corbel::cdr::Encoder& encoder) const override;

 private:
  IDL::traits<CORBA::Object>::ref_type reference_;
};

class CORBEL_API ServantManager : public virtual CORBA::LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableServer/ServantManager:1.0";

 protected:
  ServantManager() noexcept = default;
};

/// For RETAIN adapters: called once for an object that isn't active; the servant stays in the active object map.
/// incarnate and etherealize of one adapter never overlap.
class CORBEL_API ServantActivator : public virtual ServantManager {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableServer/ServantActivator:2.3";

  /// May throw ForwardRequest.
  virtual IDL::traits<Servant>::ref_type incarnate(const ObjectId& oid, IDL::traits<POA>::ref_type adapter) = 0;
  /// The object was deactivated and its last request has finished.
  virtual void etherealize(const ObjectId& oid, IDL::traits<POA>::ref_type adapter, IDL::traits<Servant>::ref_type serv,
                           bool cleanup_in_progress, bool remaining_activations) = 0;

 protected:
  ServantActivator() noexcept = default;
};

/// For NON_RETAIN adapters: called around every request, on its thread.
class CORBEL_API ServantLocator : public virtual ServantManager {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableServer/ServantLocator:1.0";
  /// Anything that preinvoke wants to hand to postinvoke.
  using Cookie = void*;

  /// May throw ForwardRequest.
  virtual IDL::traits<Servant>::ref_type preinvoke(const ObjectId& oid, IDL::traits<POA>::ref_type adapter,
                                                   const std::string& operation, Cookie& the_cookie) = 0;
  /// After the operation and before its results leave (CORBA 3.3, part 1, 15.3.7). What it throws, the client gets in
  /// their place, or in place of what the operation has thrown.
  virtual void postinvoke(const ObjectId& oid, IDL::traits<POA>::ref_type adapter, const std::string& operation,
                          Cookie the_cookie, IDL::traits<Servant>::ref_type the_servant) = 0;

 protected:
  ServantLocator() noexcept = default;
};

/// Creates missing child adapters while a request or find_POA waits for them.
class CORBEL_API AdapterActivator : public virtual CORBA::LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/PortableServer/AdapterActivator:2.3";

  /// True if it created the child `name` of `parent`.
  virtual bool unknown_adapter(IDL::traits<POA>::ref_type parent, const std::string& name) = 0;

 protected:
  AdapterActivator() noexcept = default;
};

}  // namespace PortableServer

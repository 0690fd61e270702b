// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corbel/corba/servant.hpp"
#include "corbel/dynamic/request.hpp"

namespace corbel::dynamic {
struct ServedValues;
}

namespace CORBA {

/// A request to a dynamic servant (CORBA 3.3 part 1, chapter 12). Good until invoke() returns; for one thread.
class CORBEL_API ServerRequest final : public LocalObject {
 public:
  const std::string& operation() const noexcept { return operation_; }
  /// Says which arguments the operation has, by their types and directions, and reads those that came. The list that is
  /// returned belongs to the request: put the values of inout and out arguments there. Throws BAD_INV_ORDER minor OMG 7
  /// the second time, and after set_result() or set_exception(); MARSHAL if the types do not fit what came.
  NVList& arguments(NVList list);
  /// Without it the operation returns void. Throws BAD_INV_ORDER minor OMG 9, COMPLETED_YES, the second time, after
  /// set_exception(), and before arguments() if any came.
  void set_result(const Any& value);
  /// A user or system exception, instead of results. Throws BAD_PARAM minor OMG 21, COMPLETED_YES for anything
  /// else.
  void set_exception(const Any& value);

  /// For DynamicImplementation.
  explicit ServerRequest(corbel::corba::ServerCall& call);
  void _reply();
  void _end() noexcept { call_ = nullptr; }

 private:
  corbel::corba::ServerCall* call_;
  const std::string operation_;
  const corbel::base::SharedPtr<corbel::dynamic::ServedValues> values_;  // of which interceptors may be told later
  bool has_arguments_ = false;
  bool has_result_ = false;
  std::optional<Any> exception_;
};

}  // namespace CORBA

namespace IDL {
template <>
struct traits<CORBA::ServerRequest> : corbel::corba::LocalTraits<CORBA::ServerRequest> {};
}  // namespace IDL

namespace PortableServer {

/// Base of servants that learn at run time what they are asked; also as default servant for objects of any interface.
class CORBEL_API DynamicImplementation : public Servant {
 public:
  /// Serves one request. Exceptions may also be thrown: system and user exceptions, which count as listed by the
  /// operation, and UnknownUserException for the exception that it holds.
  virtual void invoke(IDL::traits<CORBA::ServerRequest>::ref_type request) = 0;
  /// The most derived interface of the object; called for every object of `poa` that this serves.
  virtual std::string _primary_interface(const std::vector<std::uint8_t>& object_id,
                                         CORBA::object_reference<POA> poa) = 0;

  bool _dispatch(corbel::corba::ServerCall& call) final;
  std::span<const std::string_view> _interface_ids() const noexcept final;
  std::string _interface_of(corbel::base::ConstByteSpan object_id, const CORBA::object_reference<POA>& poa) final;
};

}  // namespace PortableServer

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/mapping/corba_types.hpp"
#include "corbel/mapping/value.hpp"

/// What makes the references of object adapters, for IORInterceptor_3_0 (portable_interceptor.hpp).
namespace PortableInterceptor {
class ObjectReferenceFactory;
class ObjectReferenceTemplate;
}  // namespace PortableInterceptor

template <>
struct IDL::traits<PortableInterceptor::ObjectReferenceFactory>
    : corbel::mapping::ValueTraits<PortableInterceptor::ObjectReferenceFactory, void, void> {};
template <>
struct IDL::traits<PortableInterceptor::ObjectReferenceTemplate>
    : corbel::mapping::ValueTraits<PortableInterceptor::ObjectReferenceTemplate, void, void> {};

namespace PortableInterceptor {

using ServerId = std::string;
using ORBId = std::string;
using AdapterName = std::vector<std::string>;
using ObjectId = CORBA::OctetSeq;

/// Makes the references of an adapter (16.5.3): its template, or what the application puts in its place
/// (IORInfo::current_factory). Stays in its process: sending one throws MARSHAL minor OMG 4. Thread-safe.
class CORBEL_API ObjectReferenceFactory : public virtual CORBA::ValueBase {
 public:
  static const corbel::corba::ValueType _static_type;

  /// A reference to the object with the id, of the type. What it throws, the operation of the POA throws that wanted
  /// it, and INV_OBJREF if it is nil or local. The object must be one that the adapter serves, or a reference that
  /// leads to it.
  virtual IDL::traits<CORBA::Object>::ref_type make_object(const std::string& repository_id, const ObjectId& id) = 0;

  const corbel::corba::ValueType& _value_type() const noexcept override;
  void _encode_state(corbel::cdr::Encoder& encoder) const override;
  void _decode_state(corbel::cdr::Decoder& decoder) override;

 protected:
  ObjectReferenceFactory() noexcept = default;
};

/// What an adapter makes its references by unless the application has another way (16.5.3). There is one for each, the
/// same in all calls that tell of the adapter. make_object() throws OBJECT_NOT_EXIST when the adapter is gone; the rest
/// can be asked at any time.
class CORBEL_API ObjectReferenceTemplate : public virtual ObjectReferenceFactory {
 public:
  static const corbel::corba::ValueType _static_type;

  /// As ServerRequestInfo has them.
  virtual ServerId server_id() = 0;
  virtual ORBId orb_id() = 0;
  /// Names of the adapter and those above, "RootPOA" first (16.5.2.1).
  virtual AdapterName adapter_name() = 0;

  const corbel::corba::ValueType& _value_type() const noexcept override;

 protected:
  ObjectReferenceTemplate() noexcept = default;
};
using ObjectReferenceTemplateSeq = std::vector<IDL::traits<ObjectReferenceTemplate>::ref_type>;

}  // namespace PortableInterceptor

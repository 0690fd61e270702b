// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/any.hpp"
#include "corbel/dynamic/library_types.hpp"
#include "corbel/mapping/corba_types.hpp"
#include "corbel/mapping/data_stream.hpp"

/// What orb.idl declares in module CORBA and has to do with Anys and TypeCodes; and the TypeCodes of what it declares.
namespace CORBA {

using AnySeq = std::vector<Any>;

namespace detail {
inline constexpr TypeCode k_AbstractBase{corbel::dynamic::TypeNode{
    .kind = TCKind::tk_abstract_interface, .id = "IDL:omg.org/CORBA/AbstractBase:1.0", .name = "AbstractBase"}};
}  // namespace detail
inline constexpr typecode_reference _tc_AbstractBase = TypeCode::_constant(detail::k_AbstractBase);

}  // namespace CORBA

CORBEL_LIBRARY_ENUM(CORBA, TCKind, "CORBA/TCKind", "TCKind", "tk_null", "tk_void", "tk_short", "tk_long", "tk_ushort",
                    "tk_ulong", "tk_float", "tk_double", "tk_boolean", "tk_char", "tk_octet", "tk_any", "tk_TypeCode",
                    "tk_Principal", "tk_objref", "tk_struct", "tk_union", "tk_enum", "tk_string", "tk_sequence",
                    "tk_array", "tk_alias", "tk_except", "tk_longlong", "tk_ulonglong", "tk_longdouble", "tk_wchar",
                    "tk_wstring", "tk_fixed", "tk_value", "tk_value_box", "tk_native", "tk_abstract_interface",
                    "tk_local_interface", "tk_component", "tk_home", "tk_event")

namespace corbel::dynamic {

namespace detail {
inline constexpr TypeMember kParameterModes[] = {{"PARAM_IN"}, {"PARAM_OUT"}, {"PARAM_INOUT"}};
inline constexpr TypeMember kSetOverrideTypes[] = {{"SET_OVERRIDE"}, {"ADD_OVERRIDE"}};
inline constexpr TypeMember kExceptionTypes[] = {{"NO_EXCEPTION"}, {"USER_EXCEPTION"}, {"SYSTEM_EXCEPTION"}};
}  // namespace detail

#define CORBEL_CORBA_ENUM(NAME, MEMBERS)                                                    \
  template <>                                                                               \
  struct TypeOf<CORBA::NAME> {                                                              \
    static constexpr CORBA::TypeCode code{TypeNode{.kind = CORBA::TCKind::tk_enum,          \
                                                   .id = "IDL:omg.org/CORBA/" #NAME ":1.0", \
                                                   .name = #NAME,                           \
                                                   .members = detail::MEMBERS}};            \
  };
CORBEL_CORBA_ENUM(ParameterMode, kParameterModes)
CORBEL_CORBA_ENUM(SetOverrideType, kSetOverrideTypes)
CORBEL_CORBA_ENUM(exception_type, kExceptionTypes)
#undef CORBEL_CORBA_ENUM
template <>
struct TypeOf<CORBA::object_reference<CORBA::AbstractBase>> {
  static constexpr const CORBA::TypeCode& code = CORBA::detail::k_AbstractBase;
};
template <>
struct TypeOf<CORBA::CompletionStatus> {
  static constexpr const CORBA::TypeCode& code = detail::kCompletion;
};

}  // namespace corbel::dynamic

namespace CORBA {

/// TypeCodes of the typedefs; the enums have theirs as TypeOf, too.
#define CORBEL_CORBA_ALIAS(NAME)                                                          \
  namespace detail {                                                                      \
  inline constexpr TypeCode k_##NAME{                                                     \
      corbel::dynamic::TypeNode{.kind = TCKind::tk_alias,                                 \
                                .id = "IDL:omg.org/CORBA/" #NAME ":1.0",                  \
                                .name = #NAME,                                            \
                                .content = &corbel::dynamic::TypeOf<CORBA::NAME>::code}}; \
  }                                                                                       \
  inline constexpr typecode_reference _tc_##NAME = TypeCode::_constant(detail::k_##NAME);
CORBEL_CORBA_ALIAS(Identifier)
CORBEL_CORBA_ALIAS(ScopedName)
CORBEL_CORBA_ALIAS(RepositoryId)
CORBEL_CORBA_ALIAS(VersionSpec)
CORBEL_CORBA_ALIAS(PolicyType)
CORBEL_CORBA_ALIAS(PolicyErrorCode)
CORBEL_CORBA_ALIAS(Visibility)
CORBEL_CORBA_ALIAS(ValueModifier)
CORBEL_CORBA_ALIAS(ServiceType)
CORBEL_CORBA_ALIAS(ServiceOption)
CORBEL_CORBA_ALIAS(ServiceDetailType)
CORBEL_CORBA_ALIAS(RepositoryIdSeq)
CORBEL_CORBA_ALIAS(PolicyTypeSeq)
CORBEL_CORBA_ALIAS(AnySeq)
CORBEL_CORBA_ALIAS(BooleanSeq)
CORBEL_CORBA_ALIAS(CharSeq)
CORBEL_CORBA_ALIAS(WCharSeq)
CORBEL_CORBA_ALIAS(OctetSeq)
CORBEL_CORBA_ALIAS(ShortSeq)
CORBEL_CORBA_ALIAS(UShortSeq)
CORBEL_CORBA_ALIAS(LongSeq)
CORBEL_CORBA_ALIAS(ULongSeq)
CORBEL_CORBA_ALIAS(LongLongSeq)
CORBEL_CORBA_ALIAS(ULongLongSeq)
CORBEL_CORBA_ALIAS(FloatSeq)
CORBEL_CORBA_ALIAS(DoubleSeq)
CORBEL_CORBA_ALIAS(LongDoubleSeq)
CORBEL_CORBA_ALIAS(StringSeq)
CORBEL_CORBA_ALIAS(WStringSeq)
CORBEL_CORBA_ALIAS(ServiceOptionSeq)
CORBEL_CORBA_ALIAS(ServiceDetailData)
#undef CORBEL_CORBA_ALIAS

}  // namespace CORBA

namespace corbel::dynamic {

namespace detail {
inline constexpr TypeMember kPolicyError[] = {{"reason", &CORBA::detail::k_PolicyErrorCode}};
inline constexpr TypeMember kInvalidPolicies[] = {{"indicies", &TypeOf<std::vector<std::uint16_t>>::code}};
inline constexpr TypeMember kBadFixedValue[] = {{"offset", &CORBA::detail::k_ulong}};
}  // namespace detail

#define CORBEL_CORBA_EXCEPTION(NAME)                                                                           \
  template <>                                                                                                  \
  struct TypeOf<CORBA::NAME> {                                                                                 \
    static constexpr CORBA::TypeCode code{TypeNode{                                                            \
        .kind = CORBA::TCKind::tk_except, .id = CORBA::NAME::_id, .name = #NAME, .members = detail::k##NAME}}; \
  };
CORBEL_CORBA_EXCEPTION(PolicyError)
CORBEL_CORBA_EXCEPTION(InvalidPolicies)
CORBEL_CORBA_EXCEPTION(BadFixedValue)
#undef CORBEL_CORBA_EXCEPTION

}  // namespace corbel::dynamic

CORBEL_LIBRARY_LOCAL_TYPE(CORBA::Policy, "IDL:omg.org/CORBA/Policy:1.0", "Policy")
CORBEL_LIBRARY_LOCAL_TYPE(CORBA::Current, "IDL:omg.org/CORBA/Current:1.0", "Current")
CORBEL_LIBRARY_LOCAL_TYPE(CORBA::PolicyManager, "IDL:omg.org/CORBA/PolicyManager:1.0", "PolicyManager")
CORBEL_LIBRARY_LOCAL_TYPE(CORBA::PolicyCurrent, "IDL:omg.org/CORBA/PolicyCurrent:1.0", "PolicyCurrent")
CORBEL_LIBRARY_ALIAS(CORBA, PolicyList, CORBA::PolicyList, "CORBA/PolicyList", "PolicyList")

namespace corbel::dynamic {

namespace detail {
inline constexpr TypeMember kServiceDetail[] = {{"service_detail_type", &CORBA::detail::k_ServiceDetailType},
                                                {"service_detail", &CORBA::detail::k_ServiceDetailData}};
}  // namespace detail
template <>
struct TypeOf<CORBA::ServiceDetail> {
  static constexpr CORBA::TypeCode code{TypeNode{.kind = CORBA::TCKind::tk_struct,
                                                 .id = "IDL:omg.org/CORBA/ServiceDetail:1.0",
                                                 .name = "ServiceDetail",
                                                 .members = detail::kServiceDetail}};
};

}  // namespace corbel::dynamic

CORBEL_LIBRARY_ALIAS(CORBA, ServiceDetailSeq, CORBA::ServiceDetailSeq, "CORBA/ServiceDetailSeq", "ServiceDetailSeq")

namespace corbel::dynamic {

namespace detail {
inline constexpr TypeMember kServiceInformation[] = {{"service_options", &CORBA::detail::k_ServiceOptionSeq},
                                                     {"service_details", &CORBA::detail::k_ServiceDetailSeq}};
}  // namespace detail
template <>
struct TypeOf<CORBA::ServiceInformation> {
  static constexpr CORBA::TypeCode code{TypeNode{.kind = CORBA::TCKind::tk_struct,
                                                 .id = "IDL:omg.org/CORBA/ServiceInformation:1.0",
                                                 .name = "ServiceInformation",
                                                 .members = detail::kServiceInformation}};
};

}  // namespace corbel::dynamic

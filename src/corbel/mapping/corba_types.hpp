// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "corbel/corba/policy.hpp"
#include "corbel/corba/service_information.hpp"
#include "corbel/mapping/codec.hpp"
#include "corbel/mapping/local.hpp"

/// What orb.idl declares in module CORBA, but for Anys and TypeCodes (corbel/dynamic/corba_types.hpp). Code generated
/// from IDL that uses any of it includes this.
namespace CORBA {

using Identifier = std::string;
using ScopedName = std::string;
using RepositoryId = std::string;
using RepositoryIdSeq = std::vector<RepositoryId>;
using VersionSpec = std::string;

using BooleanSeq = std::vector<bool>;
using CharSeq = std::vector<char>;
using WCharSeq = std::vector<wchar_t>;
using OctetSeq = std::vector<std::uint8_t>;
using ShortSeq = std::vector<std::int16_t>;
using UShortSeq = std::vector<std::uint16_t>;
using LongSeq = std::vector<std::int32_t>;
using ULongSeq = std::vector<std::uint32_t>;
using LongLongSeq = std::vector<std::int64_t>;
using ULongLongSeq = std::vector<std::uint64_t>;
using FloatSeq = std::vector<float>;
using DoubleSeq = std::vector<double>;
using LongDoubleSeq = std::vector<long double>;
using StringSeq = std::vector<std::string>;
using WStringSeq = std::vector<std::wstring>;

/// The IDL name of CompletionStatus.
using completion_status = CompletionStatus;
/// What a reply carries.
enum class exception_type : std::uint32_t { NO_EXCEPTION, USER_EXCEPTION, SYSTEM_EXCEPTION };
/// The direction of a parameter.
enum class ParameterMode : std::uint32_t { PARAM_IN, PARAM_OUT, PARAM_INOUT };

/// For streams of custom values: where a fixed-point number's text is wrong (CORBA 3.3 part 1, 9.3.7).
class CORBEL_API BadFixedValue final : public UserException {
 public:
  static constexpr const char* _id = "IDL:omg.org/CORBA/BadFixedValue:1.0";

  BadFixedValue() = default;
  explicit BadFixedValue(std::uint32_t offset) : offset_(offset) {}
  std::uint32_t offset() const noexcept { return offset_; }
  void offset(std::uint32_t offset) noexcept { offset_ = offset; }

  [[noreturn]] void _raise() const override;
  const char* _rep_id() const noexcept override;
  const char* _name() const noexcept override;
  void _encode(corbel::cdr::Encoder& encoder) const override;

 protected:
  void _info(std::string& text) const override;

 private:
  std::uint32_t offset_ = 0;
};

/// `CORBA::SetOverrideType::ADD_OVERRIDE`
CORBEL_API std::ostream& operator<<(std::ostream& stream, CompletionStatus value);
CORBEL_API std::ostream& operator<<(std::ostream& stream, exception_type value);
CORBEL_API std::ostream& operator<<(std::ostream& stream, ParameterMode value);
CORBEL_API std::ostream& operator<<(std::ostream& stream, SetOverrideType value);
/// `CORBA::ServiceDetail{service_detail_type=1,service_detail={0}}`
CORBEL_API std::ostream& operator<<(std::ostream& stream, const ServiceDetail& value);
CORBEL_API std::ostream& operator<<(std::ostream& stream, const ServiceInformation& value);

}  // namespace CORBA

namespace corbel::mapping {

template <>
struct Codec<CORBA::CompletionStatus> : EnumCodec<CORBA::CompletionStatus, 3> {};
template <>
struct Codec<CORBA::exception_type> : EnumCodec<CORBA::exception_type, 3> {};
template <>
struct Codec<CORBA::ParameterMode> : EnumCodec<CORBA::ParameterMode, 3> {};
template <>
struct Codec<CORBA::SetOverrideType> : EnumCodec<CORBA::SetOverrideType, 2> {};

template <>
struct Codec<CORBA::PolicyError> {
  static constexpr std::size_t kMinSize = 2;
  static void encode(cdr::Encoder& encoder, const CORBA::PolicyError& value) { encoder.put(value.reason()); }
  static void decode(cdr::Decoder& decoder, CORBA::PolicyError& value) { value.reason(decoder.get<std::int16_t>()); }
};
template <>
struct Codec<CORBA::BadFixedValue> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const CORBA::BadFixedValue& value) { encoder.put(value.offset()); }
  static void decode(cdr::Decoder& decoder, CORBA::BadFixedValue& value) { value.offset(decoder.get<std::uint32_t>()); }
};
template <>
struct Codec<CORBA::InvalidPolicies> {
  using Indices = CORBA::InvalidPolicies::Indices;
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const CORBA::InvalidPolicies& value) {
    Codec<Indices>::encode(encoder, value.indicies());
  }
  static void decode(cdr::Decoder& decoder, CORBA::InvalidPolicies& value) {
    Codec<Indices>::decode(decoder, value.indicies());
  }
};

template <>
struct Codec<CORBA::ServiceDetail> {
  static constexpr std::size_t kMinSize = 8;
  static void encode(cdr::Encoder& encoder, const CORBA::ServiceDetail& value) {
    encoder.put(value.service_detail_type());
    Codec<CORBA::ServiceDetailData>::encode(encoder, value.service_detail());
  }
  static void decode(cdr::Decoder& decoder, CORBA::ServiceDetail& value) {
    value.service_detail_type() = decoder.get<std::uint32_t>();
    Codec<CORBA::ServiceDetailData>::decode(decoder, value.service_detail());
  }
};
template <>
struct Codec<CORBA::ServiceInformation> {
  static constexpr std::size_t kMinSize = 8;
  static void encode(cdr::Encoder& encoder, const CORBA::ServiceInformation& value) {
    Codec<CORBA::ServiceOptionSeq>::encode(encoder, value.service_options());
    Codec<CORBA::ServiceDetailSeq>::encode(encoder, value.service_details());
  }
  static void decode(cdr::Decoder& decoder, CORBA::ServiceInformation& value) {
    Codec<CORBA::ServiceOptionSeq>::decode(decoder, value.service_options());
    Codec<CORBA::ServiceDetailSeq>::decode(decoder, value.service_details());
  }
};

template <>
struct Codec<CORBA::object_reference<CORBA::Policy>> : LocalCodec<CORBA::Policy> {};
template <>
struct Codec<CORBA::object_reference<CORBA::Current>> : LocalCodec<CORBA::Current> {};
template <>
struct Codec<CORBA::object_reference<CORBA::PolicyManager>> : LocalCodec<CORBA::PolicyManager> {};
template <>
struct Codec<CORBA::object_reference<CORBA::PolicyCurrent>> : LocalCodec<CORBA::PolicyCurrent> {};

}  // namespace corbel::mapping

namespace IDL {

#define CORBEL_CORBA_ENUM_TRAITS(NAME)                            \
  template <>                                                     \
  struct traits<CORBA::NAME> : common_byval_traits<CORBA::NAME> { \
    using underlying_type = std::uint32_t;                        \
    using bit_bound = std::integral_constant<std::uint8_t, 32>;   \
  };
CORBEL_CORBA_ENUM_TRAITS(CompletionStatus)
CORBEL_CORBA_ENUM_TRAITS(exception_type)
CORBEL_CORBA_ENUM_TRAITS(ParameterMode)
CORBEL_CORBA_ENUM_TRAITS(SetOverrideType)
#undef CORBEL_CORBA_ENUM_TRAITS
template <>
struct traits<CORBA::PolicyError> : common_traits<CORBA::PolicyError> {};
template <>
struct traits<CORBA::BadFixedValue> : common_traits<CORBA::BadFixedValue> {};
template <>
struct traits<CORBA::InvalidPolicies> : common_traits<CORBA::InvalidPolicies> {};
template <>
struct traits<CORBA::ServiceDetail> : common_traits<CORBA::ServiceDetail> {};
template <>
struct traits<CORBA::ServiceInformation> : common_traits<CORBA::ServiceInformation> {};

}  // namespace IDL

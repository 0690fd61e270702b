// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "corbel/corba/object.hpp"
#include "corbel/corba/servant.hpp"

/// Types of the OMG IDL-to-C++11 mapping 1.7 that IDL types map to, and their traits.
namespace IDL {

/// string<N>: a std::string whose bound is checked when it is marshalled.
template <std::uint32_t N>
class bounded_string : public std::string {
 public:
  using std::string::string;
  using bound = std::integral_constant<std::uint32_t, N>;
  bounded_string() = default;
  bounded_string(std::string text) : std::string(std::move(text)) {}
};

/// wstring<N>.
template <std::uint32_t N>
class bounded_wstring : public std::wstring {
 public:
  using std::wstring::wstring;
  using bound = std::integral_constant<std::uint32_t, N>;
  bounded_wstring() = default;
  bounded_wstring(std::wstring text) : std::wstring(std::move(text)) {}
};

/// sequence<T, N>: a std::vector whose bound is checked when it is marshalled.
template <class T, std::uint32_t N>
class bounded_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using bound = std::integral_constant<std::uint32_t, N>;
  bounded_vector() = default;
  bounded_vector(std::vector<T> elements) : std::vector<T>(std::move(elements)) {}
};

/// Traits of types passed by value: basic types, enums.
template <class T>
struct common_byval_traits : formatted_traits<T> {
  using value_type = T;
  using in_type = T;
  using out_type = T&;
  using inout_type = T&;
};
/// Traits of types passed by reference: strings, structs, unions, sequences, arrays, exceptions.
template <class T>
struct common_traits : formatted_traits<T> {
  using value_type = T;
  using in_type = const T&;
  using out_type = T&;
  using inout_type = T&;
};

#define CORBEL_BASIC_TRAITS(T) \
  template <>                  \
  struct traits<T> : common_byval_traits<T> {};
CORBEL_BASIC_TRAITS(bool)
CORBEL_BASIC_TRAITS(char)
CORBEL_BASIC_TRAITS(wchar_t)
CORBEL_BASIC_TRAITS(std::uint8_t)
CORBEL_BASIC_TRAITS(std::int8_t)
CORBEL_BASIC_TRAITS(std::int16_t)
CORBEL_BASIC_TRAITS(std::uint16_t)
CORBEL_BASIC_TRAITS(std::int32_t)
CORBEL_BASIC_TRAITS(std::uint32_t)
CORBEL_BASIC_TRAITS(std::int64_t)
CORBEL_BASIC_TRAITS(std::uint64_t)
CORBEL_BASIC_TRAITS(float)
CORBEL_BASIC_TRAITS(double)
CORBEL_BASIC_TRAITS(long double)
#undef CORBEL_BASIC_TRAITS

template <>
struct traits<std::string> : common_traits<std::string> {
  using is_bounded = std::false_type;
  using element_traits = traits<char>;
};
template <>
struct traits<std::wstring> : common_traits<std::wstring> {
  using is_bounded = std::false_type;
  using element_traits = traits<wchar_t>;
};
template <std::uint32_t N>
struct traits<bounded_string<N>> : common_traits<bounded_string<N>> {
  using is_bounded = std::true_type;
  using bound = std::integral_constant<std::uint32_t, N>;
  using element_traits = traits<char>;
};
template <std::uint32_t N>
struct traits<bounded_wstring<N>> : common_traits<bounded_wstring<N>> {
  using is_bounded = std::true_type;
  using bound = std::integral_constant<std::uint32_t, N>;
  using element_traits = traits<wchar_t>;
};
template <class T>
struct traits<std::vector<T>> : common_traits<std::vector<T>> {
  using is_bounded = std::false_type;
  using element_traits = traits<T>;
};
template <class T, std::uint32_t N>
struct traits<bounded_vector<T, N>> : common_traits<bounded_vector<T, N>> {
  using is_bounded = std::true_type;
  using bound = std::integral_constant<std::uint32_t, N>;
  using element_traits = traits<T>;
};

/// Arrays; an array of arrays has the dimensions of both, and the elements of the inner one.
template <class T, std::size_t N>
struct traits<std::array<T, N>> : common_traits<std::array<T, N>> {
  using dimensions = std::integral_constant<std::uint32_t, 1>;
  using element_traits = traits<T>;
};
template <class T, std::size_t M, std::size_t N>
struct traits<std::array<std::array<T, M>, N>> : common_traits<std::array<std::array<T, M>, N>> {
  using inner = traits<std::array<T, M>>;
  using dimensions = std::integral_constant<std::uint32_t, inner::dimensions::value + 1>;
  using element_traits = typename inner::element_traits;
};

}  // namespace IDL

namespace corbel::mapping {

/// An array all of whose elements, in all dimensions, are that value.
template <class Array, class T>
constexpr Array filled(const T& value) {
  Array array{};
  for (auto& element : array) {
    if constexpr (std::is_same_v<typename Array::value_type, T>) {
      element = value;
    } else {
      element = filled<typename Array::value_type>(value);
    }
  }
  return array;
}

/// Creates stubs, whose constructors are protected.
struct Access {
  template <class I>
  static CORBA::object_reference<I> make_stub(const corba::TargetPtr& target) {
    struct Stub final : I {};
    auto stub = base::make_shared<Stub>();
    stub->_bind(target);
    return CORBA::object_reference<I>(std::move(stub));
  }
};

/// Traits of an interface: reference types and narrow. I may be incomplete until a member is used.
template <class I>
struct InterfaceTraits : IDL::formatted_traits<CORBA::object_reference<I>> {
  using value_type = CORBA::object_reference<I>;
  using ref_type = CORBA::object_reference<I>;
  using weak_ref_type = CORBA::weak_object_reference<I>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using is_local = std::false_type;
  using is_abstract = std::false_type;

  /// The object as an I: nil if it is nil or no I. Asks the object (a remote call, which may throw) only if neither the
  /// stub nor the type id in the reference answers.
  static ref_type narrow(CORBA::object_reference<CORBA::Object> object) {
    if (object == nullptr) return nullptr;
    if (auto same = base::dynamic_pointer_cast<I>(object._shared())) return ref_type(std::move(same));
    if (object->_target() == nullptr || !object->_is_a(std::string(I::_interface_id))) return nullptr;
    return Access::make_stub<I>(object->_target());
  }
  /// Beyond the mapping: a stub without asking whether the object is an I.
  static ref_type unchecked_narrow(CORBA::object_reference<CORBA::Object> object) {
    if (object == nullptr || object->_target() == nullptr) return nullptr;
    return Access::make_stub<I>(object->_target());
  }
};

/// Traits of the servants of an interface; Skeleton is its generated skeleton class.
template <class Skeleton>
struct ServantTraits {
  using base_type = Skeleton;
  using ref_type = CORBA::servant_reference<Skeleton>;
  using weak_ref_type = CORBA::weak_servant_reference<Skeleton>;

  /// The servant as this interface's skeleton; nil if it is none.
  static ref_type narrow(const CORBA::servant_reference<PortableServer::Servant>& servant) {
    return ref_type(base::dynamic_pointer_cast<Skeleton>(servant._shared()));
  }
};

}  // namespace corbel::mapping

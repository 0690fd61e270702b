// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "corbel/corba/object.hpp"

namespace corbel::corba {

/// What is known of a valuetype at run time; a constant in the generated code.
struct ValueType {
  std::string_view id;
  std::span<const std::string_view> ids;  ///< itself and what it may be truncated to, the most derived first
  bool custom = false;
  /// Makes an empty value where no factory is registered; null if only the application can (it has operations).
  base::SharedPtr<CORBA::ValueBase> (*create)() = nullptr;
};

}  // namespace corbel::corba

namespace CORBA {

/// References to values are like those to objects: shared, nil by default.
template <class T>
using valuetype_reference = object_reference<T>;
template <class T>
using weak_valuetype_reference = weak_object_reference<T>;
/// And those to abstract interfaces, which lead to either.
template <class T>
using abstractbase_reference = object_reference<T>;
/// The older names of the traits of these references.
template <class T>
using valuetype_traits = IDL::traits<T>;
template <class T>
using abstractbase_traits = IDL::traits<T>;

/// Base of all valuetypes (OMG IDL-to-C++11 mapping 1.7, 6.18). Values are shared by references; graphs with cycles are
/// kept alive by them until one is broken. Arguments that came over the wire with cycles are freed when the operation
/// has returned, unless something in them was kept or changed. Not thread-safe: the ORB looks at them then.
class CORBEL_API ValueBase {
 public:
  using _ref_type = valuetype_reference<ValueBase>;

  virtual ~ValueBase();
  ValueBase& operator=(const ValueBase&) = delete;

  /// A copy of this value and all it refers to, shared and cyclic where this is. Throws MARSHAL if something in it
  /// cannot be marshalled, or has a type without a default factory: then the implementation overrides it.
  virtual valuetype_reference<ValueBase> _copy_value() const;

  /// For generated code and the ORB: the most derived valuetype.
  virtual const corbel::corba::ValueType& _value_type() const noexcept = 0;
  virtual void _encode_state(corbel::cdr::Encoder& encoder) const = 0;
  virtual void _decode_state(corbel::cdr::Decoder& decoder) = 0;
  /// Writes type and members.
  virtual void _print(std::ostream& stream) const;

 protected:
  ValueBase() noexcept = default;
  ValueBase(const ValueBase&) noexcept = default;
};

/// Makes the values of one type (OMG IDL-to-C++11 mapping 1.7, 6.18.8). Register it with ORB::register_value_factory.
/// Called from any thread.
class CORBEL_API ValueFactoryBase {
 public:
  virtual ~ValueFactoryBase();
  ValueFactoryBase(const ValueFactoryBase&) = delete;
  ValueFactoryBase& operator=(const ValueFactoryBase&) = delete;

  using _ref_type = valuetype_reference<ValueFactoryBase>;

  /// A value whose state is then read from a message.
  virtual valuetype_reference<ValueBase> create_for_unmarshal() = 0;
  /// The repository id of its valuetype, for register_value_factory; empty in factories that are not generated ones.
  /// Beyond the mapping; programs for TAOX11 use it.
  virtual std::string _obv_repository_id() const;

 protected:
  ValueFactoryBase() noexcept = default;
};

/// How a factory is passed on: the native type of the ORB's IDL.
using ValueFactory = object_reference<ValueFactoryBase>;

/// Base of what may be an object or a value: the abstract interfaces (OMG IDL-to-C++11 mapping 1.7, 6.19).
class CORBEL_API AbstractBase : public virtual corbel::base::SharedFromThis {
 public:
  virtual ~AbstractBase();
  AbstractBase& operator=(const AbstractBase&) = delete;

  /// The object; nil if it is a value.
  object_reference<Object> _to_object();
  /// The value; nil if it is an object.
  valuetype_reference<ValueBase> _to_value();

 protected:
  AbstractBase() noexcept = default;
  AbstractBase(const AbstractBase&) noexcept : SharedFromThis() {}
};

/// Type and members.
CORBEL_API std::ostream& operator<<(std::ostream& stream, const ValueBase& value);

}  // namespace CORBA

namespace corbel::corba {

/// Encodes a value, null too; `formal_id` is the type that the receiver expects, empty if any.
CORBEL_API void encode_value(cdr::Encoder& encoder, const CORBA::ValueBase* value, std::string_view formal_id);
/// Decodes a value, nil or shared with what was decoded before. `formal` is the expected type; its `create` makes
/// values of just that type if no factory is registered. The caller has to check whether the result is of the type.
CORBEL_API base::SharedPtr<CORBA::ValueBase> decode_value(cdr::Decoder& decoder, const ValueType& formal);
/// A value with its members, those of values in it only to some depth: graphs may have cycles.
CORBEL_API void print_value(std::ostream& stream, const CORBA::ValueBase& value);
/// A value of any type.
CORBEL_API extern const ValueType kAnyValue;
/// Encodes an object or value (CORBA 3.3 part 2, 9.3.7), null too.
CORBEL_API void encode_abstract(cdr::Encoder& encoder, const CORBA::AbstractBase* either);

}  // namespace corbel::corba

namespace IDL {
template <>
struct traits<CORBA::ValueBase> : formatted_traits<CORBA::valuetype_reference<CORBA::ValueBase>> {
  using value_type = CORBA::valuetype_reference<CORBA::ValueBase>;
  using ref_type = CORBA::valuetype_reference<CORBA::ValueBase>;
  using weak_ref_type = CORBA::weak_object_reference<CORBA::ValueBase>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using is_abstract = std::true_type;
  using is_truncatable = std::false_type;
  static ref_type narrow(ref_type value) { return value; }
};
template <>
struct traits<CORBA::ValueFactoryBase> {
  using value_type = CORBA::object_reference<CORBA::ValueFactoryBase>;
  using ref_type = CORBA::object_reference<CORBA::ValueFactoryBase>;
  using weak_ref_type = CORBA::weak_object_reference<CORBA::ValueFactoryBase>;
};
template <>
struct traits<CORBA::AbstractBase> {
  using value_type = CORBA::object_reference<CORBA::AbstractBase>;
  using ref_type = CORBA::object_reference<CORBA::AbstractBase>;
  using weak_ref_type = CORBA::weak_object_reference<CORBA::AbstractBase>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using is_local = std::false_type;
  using is_abstract = std::true_type;
  static ref_type narrow(ref_type either) { return either; }
};
}  // namespace IDL

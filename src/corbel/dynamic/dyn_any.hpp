// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "corbel/corba/local_traits.hpp"
#include "corbel/corba/value.hpp"
#include "corbel/dynamic/any.hpp"
#include "corbel/dynamic/named_value.hpp"

namespace corbel::dynamic {

/// How a value is passed in.
template <class T>
using Passed = std::conditional_t<std::is_arithmetic_v<T>, T, const T&>;

/// What the DynAnys of one value share. Components live and die with the outermost.
struct DynRoot {
  /// Most at the same time: each takes some 300 octets, and few octets of a stranger's may announce many.
  static constexpr std::size_t kMostParts = std::size_t{1} << 20;
  CORBA::object_reference<CORBA::ORB> orb;  // keeps context alive
  corba::OrbContext* context = nullptr;
  bool destroyed = false;
  bool truncated = false;  // a value had more state than its TypeCode tells of
  std::atomic<std::size_t> parts{0};
};
/// What a DynAny is made of.
struct DynPart {
  CORBA::typecode_reference type;
  CORBA::Any value;
  base::SharedPtr<DynRoot> root;
  bool outermost = false;
};

}  // namespace corbel::dynamic

/// Values taken apart and put together without knowing their type when compiling (CORBA 3.3 part 1, chapter 16.2).
namespace DynamicAny {

/// The local interfaces; and name of the operations, C++ type, kind: what insert_ and get_ exist for.
#define CORBEL_DYN_ANY_BASIC(X)             \
  X(boolean, bool, tk_boolean)              \
  X(octet, std::uint8_t, tk_octet)          \
  X(char, char, tk_char)                    \
  X(short, std::int16_t, tk_short)          \
  X(ushort, std::uint16_t, tk_ushort)       \
  X(long, std::int32_t, tk_long)            \
  X(ulong, std::uint32_t, tk_ulong)         \
  X(longlong, std::int64_t, tk_longlong)    \
  X(ulonglong, std::uint64_t, tk_ulonglong) \
  X(float, float, tk_float)                 \
  X(double, double, tk_double)              \
  X(longdouble, long double, tk_longdouble) \
  X(wchar, wchar_t, tk_wchar)
#define CORBEL_DYN_ANY_INTERFACES(X) \
  X(DynAny)                          \
  X(DynFixed)                        \
  X(DynEnum)                         \
  X(DynStruct)                       \
  X(DynUnion)                        \
  X(DynSequence)                     \
  X(DynArray)                        \
  X(DynValueCommon)                  \
  X(DynValue)                        \
  X(DynValueBox)                     \
  X(DynAnyFactory)
#define CORBEL_DYN_ANY_OTHER(X)                       \
  X(string, std::string, tk_string)                   \
  X(wstring, std::wstring, tk_wstring)                \
  X(any, CORBA::Any, tk_any)                          \
  X(typecode, CORBA::typecode_reference, tk_TypeCode) \
  X(reference, CORBA::object_reference<CORBA::Object>, tk_objref)

/// A value of any type, open for inspection and change. A struct, exception, union, sequence, array, valuetype or box
/// has components. These are DynAnys themselves, one of which may be the current one. insert_ and get_ work on this if
/// it holds such a value, else on the current component, and do not move on. Components are made when they are first
/// asked for. A value that is referred to several times in one Any is one DynAny that is a component several times.
///
/// Made by a DynAnyFactory; components stay part of the whole until the value is replaced (assign, from_any, set_).
/// After destroy() of the outermost everything throws OBJECT_NOT_EXIST; circles of values live until then. Not
/// thread-safe.
class CORBEL_API DynAny : public CORBA::LocalObject {
 public:
  using Ref = CORBA::object_reference<DynAny>;

  /// The operation, or the value that was passed, is for another type.
  class CORBEL_API TypeMismatch final : public corbel::corba::MemberlessException<TypeMismatch> {
   public:
    static constexpr const char* _id = "IDL:omg.org/DynamicAny/DynAny/TypeMismatch:1.0";
    static constexpr const char* _label = "TypeMismatch";
  };
  /// The value is no value of the type (too long, out of range), or there is no current component.
  class CORBEL_API InvalidValue final : public corbel::corba::MemberlessException<InvalidValue> {
   public:
    static constexpr const char* _id = "IDL:omg.org/DynamicAny/DynAny/InvalidValue:1.0";
    static constexpr const char* _label = "InvalidValue";
  };

  CORBA::typecode_reference type() const;
  /// Takes over the value of another; throws TypeMismatch if its type is not equivalent.
  void assign(const Ref& other);
  /// Throws TypeMismatch if the type is not equivalent, InvalidValue if the Any has a type but no value.
  void from_any(const CORBA::Any& value);
  CORBA::Any to_any();
  /// Equivalent types and equal values; positions do not matter.
  bool equal(const Ref& other);
  /// Ends the outermost DynAny with all components; does nothing on a component.
  void destroy();
  /// A new outermost DynAny with the same value.
  Ref copy();

#define CORBEL_DYN_ANY_ACCESS(NAME, TYPE, KIND)            \
  void insert_##NAME(corbel::dynamic::Passed<TYPE> value); \
  TYPE get_##NAME();
#define CORBEL_DYN_ANY_SEQUENCE(NAME, TYPE, KIND)           \
  void insert_##NAME##_seq(const std::vector<TYPE>& value); \
  std::vector<TYPE> get_##NAME##_seq();
  /// insert_x throws TypeMismatch if neither this nor the current component is an x, and InvalidValue if there is no
  /// current component or a string is too long for its type; get_x throws the same.
  CORBEL_DYN_ANY_BASIC(CORBEL_DYN_ANY_ACCESS)
  CORBEL_DYN_ANY_OTHER(CORBEL_DYN_ANY_ACCESS)
  /// The same for a sequence or array of x; throws InvalidValue if there are too many or, in an array, too few.
  CORBEL_DYN_ANY_BASIC(CORBEL_DYN_ANY_SEQUENCE)
#undef CORBEL_DYN_ANY_SEQUENCE
#undef CORBEL_DYN_ANY_ACCESS
  void insert_dyn_any(const Ref& value);
  Ref get_dyn_any();
  /// For valuetypes and boxes. insert_val throws InvalidValue if the value is of another type, get_val MARSHAL if no
  /// factory can make one.
  void insert_val(const CORBA::valuetype_reference<CORBA::ValueBase>& value);
  CORBA::valuetype_reference<CORBA::ValueBase> get_val();
  /// For abstract interfaces. insert_abstract throws InvalidValue for values: the TypeCode does not describe them.
  void insert_abstract(const CORBA::object_reference<CORBA::AbstractBase>& value);
  CORBA::object_reference<CORBA::AbstractBase> get_abstract();

  /// Makes component `index` the current one; false, with none current, if there is no such.
  bool seek(std::int32_t index);
  void rewind() {
    seek(0);
  }
  /// The next component, or the first if none was current; false, with none current, at the end.
  bool next() {
    return seek(position() + 1);
  }
  /// 0 for everything that is not made of components, such as numbers, strings and enums.
  std::uint32_t component_count();
  /// Nil if none is current; throws TypeMismatch if this cannot have components.
  Ref current_component();

  /// For the ORB.
  explicit DynAny(corbel::dynamic::DynPart part) noexcept;
  ~DynAny() override;
  void _encode(corbel::cdr::Encoder& out);
  /// Takes values in it apart; true if one has state that its TypeCode does not tell of.
  bool _truncates();

 protected:
  using Parts = std::vector<Ref>;

  const corbel::dynamic::TypeNode& node() const noexcept {
    return part_.type->_resolved()._node();
  }
  /// The components, made if need be; a union's as its discriminator says. A null value has none.
  Parts& parts();
  Ref make_part(const CORBA::TypeCode& type, CORBA::Any value) const;
  void check_room(std::size_t more) const;
  CORBA::Any default_value(const CORBA::TypeCode& type) const;
  /// The current component's index, -1 if there is none.
  std::int32_t position();
  std::size_t current();
  /// Replaces the value by one of the same type.
  void set(CORBA::Any value);
  void write(corbel::base::FunctionRef<void(corbel::cdr::Encoder&)> write);
  void read(corbel::base::FunctionRef<void(corbel::cdr::Decoder&)> read);
  /// The union's active member, -1 for none.
  std::int32_t active();
  /// True for a null valuetype or box.
  bool null();
  /// Replaces the value by one of `count` components, which are written.
  void write_whole(std::size_t count, corbel::base::FunctionRef<void(corbel::cdr::Encoder&)> components);

 private:
  class Expansion;

  bool has_parts() const noexcept;
  void check() const;
  void expand();
  void follow_discriminator();
  void release() noexcept;
  void put_whole(corbel::cdr::Encoder& out, std::size_t count,
                 corbel::base::FunctionRef<void(corbel::cdr::Encoder&)> components);
  template <class Fits>
  DynAny& target(const Fits& fits);
  DynAny& value_target(CORBA::TCKind kind);
  DynAny& elements_target(CORBA::TCKind kind);
  template <class T>
  void insert(CORBA::TCKind kind, const T& value);
  template <class T>
  T get(CORBA::TCKind kind);
  template <class T>
  void insert_elements(CORBA::TCKind kind, const std::vector<T>& value);
  template <class T>
  std::vector<T> get_elements(CORBA::TCKind kind);

  corbel::dynamic::DynPart part_;  // its value counts unless expanded_
  Parts parts_;
  bool expanded_ = false;
  bool null_ = false;  // counts if expanded_
  std::int32_t position_ = 0;
  std::int32_t active_ = -1;
};

class CORBEL_API DynFixed final : public DynAny {
 public:
  using DynAny::DynAny;
  std::string get_value();
  /// Takes "-12.50", with or without d. False if decimals were cut off; throws TypeMismatch if it is no number,
  /// InvalidValue if it has too many digits before the point.
  bool set_value(const std::string& value);
};

class CORBEL_API DynEnum final : public DynAny {
 public:
  using DynAny::DynAny;
  std::string get_as_string();
  /// Throws InvalidValue if there is no such enumerator; the other form, too.
  void set_as_string(const std::string& value);
  std::uint32_t get_as_ulong();
  void set_as_ulong(std::uint32_t value);
};

using FieldName = std::string;
using NameValuePair = NamedValue<CORBA::Any>;
using NameDynAnyPair = NamedValue<DynAny::Ref>;
using NameValuePairSeq = std::vector<NameValuePair>;
using NameDynAnyPairSeq = std::vector<NameDynAnyPair>;
using AnySeq = std::vector<CORBA::Any>;
using DynAnySeq = std::vector<DynAny::Ref>;

/// What has named members: structs, exceptions, valuetypes.
template <class Base>
class CORBEL_API DynMembers : public Base {
 public:
  using Base::Base;
  /// Throw TypeMismatch if the type has no members, InvalidValue if none is current.
  FieldName current_member_name();
  CORBA::TCKind current_member_kind();
  /// Throws InvalidValue if this is a null value.
  NameValuePairSeq get_members();
  /// All members in order. Throws TypeMismatch if a name (unless empty) or type is not the member's, InvalidValue if
  /// there are more or fewer; nothing is changed then.
  void set_members(const NameValuePairSeq& value);
  /// The components themselves.
  NameDynAnyPairSeq get_members_as_dyn_any();
  /// Copies; values that occur several times in them are shared again, and this one may be among them.
  void set_members_as_dyn_any(const NameDynAnyPairSeq& value);

 private:
  const corbel::dynamic::TypeMember& current_member();
};

/// Structs and exceptions.
class CORBEL_API DynStruct final : public DynMembers<DynAny> {
 public:
  using DynMembers<DynAny>::DynMembers;
};

/// What may be null: valuetypes and boxes, which begin so. A null one has no components.
class CORBEL_API DynValueCommon : public DynAny {
 public:
  using DynAny::DynAny;
  bool is_null() { return null(); }
  void set_to_null();
  /// Gives a null one the default of its members; does nothing to another.
  void set_to_value();
};

/// Members of the base come first. What a value has beyond its TypeCode, which may be that of a base, is truncated.
class CORBEL_API DynValue final : public DynMembers<DynValueCommon> {
 public:
  using DynMembers<DynValueCommon>::DynMembers;
};

/// Its one component is the boxed value.
class CORBEL_API DynValueBox final : public DynValueCommon {
 public:
  using DynValueCommon::DynValueCommon;
  /// Throw InvalidValue if the box is null.
  CORBA::Any get_boxed_value();
  DynAny::Ref get_boxed_value_as_dyn_any();
  /// Make it a box that is not null. Throw TypeMismatch if the value has another type.
  void set_boxed_value(const CORBA::Any& boxed);
  void set_boxed_value_as_dyn_any(const DynAny::Ref& boxed);
};

/// Component 0 is the discriminator, component 1 the active member, if any.
class CORBEL_API DynUnion final : public DynAny {
 public:
  using DynAny::DynAny;
  DynAny::Ref get_discriminator();
  /// A member that stays selected keeps its value, a newly selected one gets its type's default. The member becomes the
  /// current component, or the discriminator if there is none. Throws TypeMismatch.
  void set_discriminator(const DynAny::Ref& discriminator);
  /// Throws TypeMismatch if the union has no default member.
  void set_to_default_member();
  /// Throws TypeMismatch if every discriminator selects a member.
  void set_to_no_active_member();
  bool is_set_to_default_member();
  bool has_no_active_member() { return active() < 0; }
  CORBA::TCKind discriminator_kind() const { return node().content->kind(); }
  /// Throw InvalidValue if no member is active.
  DynAny::Ref member();
  FieldName member_name();
  CORBA::TCKind member_kind();

 private:
  const corbel::dynamic::TypeMember& active_member();
};

/// What sequences and arrays have in common.
class CORBEL_API DynElements : public DynAny {
 public:
  using DynAny::DynAny;
  AnySeq get_elements();
  /// Throws TypeMismatch if an element has another type, InvalidValue if there are too many or, in an array, too few.
  void set_elements(const AnySeq& value);
  /// The components themselves.
  DynAnySeq get_elements_as_dyn_any() { return parts(); }
  void set_elements_as_dyn_any(const DynAnySeq& value);
};

class CORBEL_API DynSequence final : public DynElements {
 public:
  using DynElements::DynElements;
  std::uint32_t get_length() { return component_count(); }
  /// New elements have the default of their type; if none was current, the first of them becomes so. Throws
  /// InvalidValue beyond the bound.
  void set_length(std::uint32_t length);
};

class CORBEL_API DynArray final : public DynElements {
 public:
  using DynElements::DynElements;
};

/// A value has state that its TypeCode, that of a base, does not tell of.
class CORBEL_API MustTruncate final : public corbel::corba::MemberlessException<MustTruncate> {
 public:
  static constexpr const char* _id = "IDL:omg.org/DynamicAny/MustTruncate:1.0";
  static constexpr const char* _label = "MustTruncate";
};

/// Makes DynAnys: `resolve_initial_references("DynAnyFactory")`. Thread-safe.
class CORBEL_API DynAnyFactory final : public CORBA::LocalObject {
 public:
  /// There are no DynAnys of such a type: Principal, native, local interfaces, eventtypes, and valuetypes that are
  /// abstract or custom, whose TypeCodes do not tell what is marshalled.
  class CORBEL_API InconsistentTypeCode final : public corbel::corba::MemberlessException<InconsistentTypeCode> {
   public:
    static constexpr const char* _id = "IDL:omg.org/DynamicAny/DynAnyFactory/InconsistentTypeCode:1.0";
    static constexpr const char* _label = "InconsistentTypeCode";
  };

  DynAny::Ref create_dyn_any(const CORBA::Any& value);
  /// With the type's default: zeros, empty strings and sequences, nil, null, the first enumerator, the first union
  /// member.
  DynAny::Ref create_dyn_any_from_type_code(const CORBA::typecode_reference& type);
  /// Takes the value apart at once; throws MustTruncate if it has more state than its TypeCode tells of.
  DynAny::Ref create_dyn_any_without_truncation(const CORBA::Any& value);
  DynAnySeq create_multiple_dyn_anys(const AnySeq& values, bool allow_truncate);
  AnySeq create_multiple_anys(const DynAnySeq& values);

  /// For the ORB.
  explicit DynAnyFactory(corbel::corba::OrbContext& orb) : orb_(orb.orb()), context_(orb) {}

 private:
  const CORBA::object_reference<CORBA::ORB> orb_;  // keeps context_ alive
  corbel::corba::OrbContext& context_;
};

}  // namespace DynamicAny

namespace IDL {
#define CORBEL_LOCAL_TRAITS(NAME) \
  template <>                     \
  struct traits<DynamicAny::NAME> : corbel::corba::LocalTraits<DynamicAny::NAME> {};
CORBEL_DYN_ANY_INTERFACES(CORBEL_LOCAL_TRAITS)
#undef CORBEL_LOCAL_TRAITS
}  // namespace IDL

namespace corbel::dynamic {

/// For Components::local_references.
CORBEL_API CORBA::object_reference<CORBA::Object> make_dyn_any_factory(corba::OrbContext& orb);

}  // namespace corbel::dynamic

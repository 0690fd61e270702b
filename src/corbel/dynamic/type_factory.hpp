// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/corba/local_traits.hpp"
#include "corbel/dynamic/any.hpp"

namespace CORBA {

namespace detail {
/// A member as the C++ of the interface repository's IDL has it.
template <class M>
concept RepositoryMember = requires(const M& member) {
  member.name();
  member.type();
};
}  // namespace detail

/// Makes TypeCodes at run time (CORBA 3.3 part 1, 8.11.3): `resolve_initial_references("TypeCodeFactory")` or
/// `CORBA::make_reference<CORBA::TypeCodeFactory>()`. Throws BAD_PARAM for names that are no identifiers or occur twice
/// (minors OMG 15 and 17), ids that are none (16), and BAD_TYPECODE for content that cannot be (2). Thread-safe.
class CORBEL_API TypeCodeFactory : public LocalObject {
 public:
  /// What types are made of. Without the type_def that those of the interface repository (InterfaceRepository.idl)
  /// have; lists of these are taken, too, and corbel/dynamic/type_members.hpp has them for who generates none.
  struct StructMember {
    std::string name;
    typecode_reference type;
  };
  struct UnionMember {
    std::string name;
    Any label;  ///< of the discriminator's type; an octet 0 for the default member
    typecode_reference type;
  };
  struct ValueMember {
    std::string name;
    typecode_reference type;
    Visibility access = PUBLIC_MEMBER;
  };
  using StructMemberSeq = std::vector<StructMember>;
  using UnionMemberSeq = std::vector<UnionMember>;
  using ValueMemberSeq = std::vector<ValueMember>;
  using EnumMemberSeq = std::vector<std::string>;

  typecode_reference create_struct_tc(const std::string& id, const std::string& name, const StructMemberSeq& members);
  typecode_reference create_union_tc(const std::string& id, const std::string& name,
                                     const typecode_reference& discriminator, const UnionMemberSeq& members);
  typecode_reference create_enum_tc(const std::string& id, const std::string& name, const EnumMemberSeq& members);
  typecode_reference create_alias_tc(const std::string& id, const std::string& name,
                                     const typecode_reference& original);
  typecode_reference create_exception_tc(const std::string& id, const std::string& name,
                                         const StructMemberSeq& members);
  typecode_reference create_interface_tc(const std::string& id, const std::string& name);
  typecode_reference create_abstract_interface_tc(const std::string& id, const std::string& name);
  typecode_reference create_local_interface_tc(const std::string& id, const std::string& name);
  typecode_reference create_component_tc(const std::string& id, const std::string& name);
  typecode_reference create_home_tc(const std::string& id, const std::string& name);
  typecode_reference create_native_tc(const std::string& id, const std::string& name);
  typecode_reference create_string_tc(std::uint32_t bound);
  typecode_reference create_wstring_tc(std::uint32_t bound);
  typecode_reference create_fixed_tc(std::uint16_t digits, std::int16_t scale);
  typecode_reference create_sequence_tc(std::uint32_t bound, const typecode_reference& element);
  typecode_reference create_array_tc(std::uint32_t length, const typecode_reference& element);
  typecode_reference create_value_tc(const std::string& id, const std::string& name, ValueModifier modifier,
                                     const typecode_reference& concrete_base, const ValueMemberSeq& members);
  typecode_reference create_event_tc(const std::string& id, const std::string& name, ValueModifier modifier,
                                     const typecode_reference& concrete_base, const ValueMemberSeq& members);
  typecode_reference create_value_box_tc(const std::string& id, const std::string& name,
                                         const typecode_reference& boxed);
  /// Stands for the struct, union or value with this id while that is being made; usable only in its parts, all
  /// else throws BAD_TYPECODE (minor OMG 1).
  typecode_reference create_recursive_tc(const std::string& id);

  template <class M>
  requires detail::RepositoryMember<M> typecode_reference create_struct_tc(const std::string& id,
                                                                           const std::string& name,
                                                                           const std::vector<M>& members) {
    return create_struct_tc(id, name, _structs_of(members));
  }
  template <class M>
  requires detail::RepositoryMember<M> typecode_reference create_exception_tc(const std::string& id,
                                                                              const std::string& name,
                                                                              const std::vector<M>& members) {
    return create_exception_tc(id, name, _structs_of(members));
  }
  template <class M>
  requires detail::RepositoryMember<M> typecode_reference create_union_tc(const std::string& id,
                                                                          const std::string& name,
                                                                          const typecode_reference& discriminator,
                                                                          const std::vector<M>& members) {
    UnionMemberSeq own;
    for (const auto& member : members) own.push_back({member.name(), member.label(), member.type()});
    return create_union_tc(id, name, discriminator, own);
  }
  template <class M>
  requires detail::RepositoryMember<M> typecode_reference create_value_tc(const std::string& id,
                                                                          const std::string& name,
                                                                          ValueModifier modifier,
                                                                          const typecode_reference& concrete_base,
                                                                          const std::vector<M>& members) {
    return create_value_tc(id, name, modifier, concrete_base, _values_of(members));
  }
  template <class M>
  requires detail::RepositoryMember<M> typecode_reference create_event_tc(const std::string& id,
                                                                          const std::string& name,
                                                                          ValueModifier modifier,
                                                                          const typecode_reference& concrete_base,
                                                                          const std::vector<M>& members) {
    return create_event_tc(id, name, modifier, concrete_base, _values_of(members));
  }

 private:
  template <class M>
  static ValueMemberSeq _values_of(const std::vector<M>& members) {
    ValueMemberSeq own;
    for (const auto& member : members) own.push_back({member.name(), member.type(), member.access()});
    return own;
  }
  template <class M>
  static StructMemberSeq _structs_of(const std::vector<M>& members) {
    StructMemberSeq own;
    for (const auto& member : members) own.push_back({member.name(), member.type()});
    return own;
  }
};

}  // namespace CORBA

template <>
struct IDL::traits<CORBA::TypeCodeFactory> : corbel::corba::LocalTraits<CORBA::TypeCodeFactory> {};

namespace corbel::dynamic {
/// For ORB_init: the initial reference "TypeCodeFactory".
CORBEL_API CORBA::object_reference<CORBA::Object> make_type_code_factory(corba::OrbContext& orb);
}  // namespace corbel::dynamic

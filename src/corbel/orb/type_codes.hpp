// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corbel/corba/object.hpp"
#include "corbel/corba/servant.hpp"

namespace CORBA {

class TypeCode;
class TypeCodeFactory;

/// The operations of the ORB that make TypeCodes (CORBA 3.3 part 1, 8.11.3): those of CORBA::TypeCodeFactory, whose
/// header, corbel/dynamic/type_factory.hpp, has to be included where they are called. Parameters and exceptions are
/// its.
class TypeCodeOperations {
 public:
  using TypeCodeRef = object_reference<TypeCode>;

  template <class Types = TypeCodeFactory, class M>
  requires requires(const M& member) { member.name(); }
  TypeCodeRef create_struct_tc(const std::string& id, const std::string& name, const std::vector<M>& members) {
    return make_reference<Types>()->create_struct_tc(id, name, members);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_struct_tc(const std::string& id, const std::string& name,
                               const typename Types::StructMemberSeq& members) {
    return make_reference<Types>()->create_struct_tc(id, name, members);
  }
  template <class Types = TypeCodeFactory, class M>
  requires requires(const M& member) { member.name(); }
  TypeCodeRef create_union_tc(const std::string& id, const std::string& name, const TypeCodeRef& discriminator,
                              const std::vector<M>& members) {
    return make_reference<Types>()->create_union_tc(id, name, discriminator, members);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_union_tc(const std::string& id, const std::string& name, const TypeCodeRef& discriminator,
                              const typename Types::UnionMemberSeq& members) {
    return make_reference<Types>()->create_union_tc(id, name, discriminator, members);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_enum_tc(const std::string& id, const std::string& name,
                             const typename Types::EnumMemberSeq& members) {
    return make_reference<Types>()->create_enum_tc(id, name, members);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_alias_tc(const std::string& id, const std::string& name, const TypeCodeRef& original) {
    return make_reference<Types>()->create_alias_tc(id, name, original);
  }
  template <class Types = TypeCodeFactory, class M>
  requires requires(const M& member) { member.name(); }
  TypeCodeRef create_exception_tc(const std::string& id, const std::string& name, const std::vector<M>& members) {
    return make_reference<Types>()->create_exception_tc(id, name, members);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_exception_tc(const std::string& id, const std::string& name,
                                  const typename Types::StructMemberSeq& members) {
    return make_reference<Types>()->create_exception_tc(id, name, members);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_interface_tc(const std::string& id, const std::string& name) {
    return make_reference<Types>()->create_interface_tc(id, name);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_abstract_interface_tc(const std::string& id, const std::string& name) {
    return make_reference<Types>()->create_abstract_interface_tc(id, name);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_local_interface_tc(const std::string& id, const std::string& name) {
    return make_reference<Types>()->create_local_interface_tc(id, name);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_component_tc(const std::string& id, const std::string& name) {
    return make_reference<Types>()->create_component_tc(id, name);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_home_tc(const std::string& id, const std::string& name) {
    return make_reference<Types>()->create_home_tc(id, name);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_native_tc(const std::string& id, const std::string& name) {
    return make_reference<Types>()->create_native_tc(id, name);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_string_tc(std::uint32_t bound) {
    return make_reference<Types>()->create_string_tc(bound);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_wstring_tc(std::uint32_t bound) {
    return make_reference<Types>()->create_wstring_tc(bound);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_fixed_tc(std::uint16_t digits, std::int16_t scale) {
    return make_reference<Types>()->create_fixed_tc(digits, scale);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_sequence_tc(std::uint32_t bound, const TypeCodeRef& element) {
    return make_reference<Types>()->create_sequence_tc(bound, element);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_array_tc(std::uint32_t length, const TypeCodeRef& element) {
    return make_reference<Types>()->create_array_tc(length, element);
  }
  template <class Types = TypeCodeFactory, class M>
  requires requires(const M& member) { member.name(); }
  TypeCodeRef create_value_tc(const std::string& id, const std::string& name, std::int16_t modifier,
                              const TypeCodeRef& concrete_base, const std::vector<M>& members) {
    return make_reference<Types>()->create_value_tc(id, name, modifier, concrete_base, members);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_value_tc(const std::string& id, const std::string& name, std::int16_t modifier,
                              const TypeCodeRef& concrete_base, const typename Types::ValueMemberSeq& members) {
    return make_reference<Types>()->create_value_tc(id, name, modifier, concrete_base, members);
  }
  template <class Types = TypeCodeFactory, class M>
  requires requires(const M& member) { member.name(); }
  TypeCodeRef create_event_tc(const std::string& id, const std::string& name, std::int16_t modifier,
                              const TypeCodeRef& concrete_base, const std::vector<M>& members) {
    return make_reference<Types>()->create_event_tc(id, name, modifier, concrete_base, members);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_event_tc(const std::string& id, const std::string& name, std::int16_t modifier,
                              const TypeCodeRef& concrete_base, const typename Types::ValueMemberSeq& members) {
    return make_reference<Types>()->create_event_tc(id, name, modifier, concrete_base, members);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_value_box_tc(const std::string& id, const std::string& name, const TypeCodeRef& boxed) {
    return make_reference<Types>()->create_value_box_tc(id, name, boxed);
  }
  template <class Types = TypeCodeFactory>
  TypeCodeRef create_recursive_tc(const std::string& id) {
    return make_reference<Types>()->create_recursive_tc(id);
  }

 protected:
  TypeCodeOperations() = default;
  ~TypeCodeOperations() = default;
};

}  // namespace CORBA

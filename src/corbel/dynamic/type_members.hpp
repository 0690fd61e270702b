// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "corbel/dynamic/type_factory.hpp"

/// What TypeCodes are made of as the interface repository has it (CORBA 3.3 part 1, 14.7.1), for programs that generate
/// nothing of InterfaceRepository.idl, whose C++ has types of the same names: do not include both. That is why they are
/// in a namespace of their own, too.
namespace CORBA {

class IDLType;

inline namespace type_members {

#define CORBEL_MEMBER(TYPE, NAME) \
  void NAME(TYPE value) {         \
    NAME##_ = std::move(value);   \
  }                               \
  const TYPE& NAME() const {      \
    return NAME##_;               \
  }                               \
  TYPE& NAME() {                  \
    return NAME##_;               \
  }

/// A member of a struct or exception. The type_def is ignored: make_struct_tc and its kin need the TypeCode.
class StructMember {
 public:
  StructMember() = default;
  explicit StructMember(std::string name, typecode_reference type, object_reference<IDLType> = nullptr)
      : name_(std::move(name)), type_(std::move(type)) {}
  CORBEL_MEMBER(std::string, name)
  CORBEL_MEMBER(typecode_reference, type)
  operator TypeCodeFactory::StructMember() const { return {name_, type_}; }

 private:
  std::string name_;
  typecode_reference type_;
};

/// A member of a union: the label is of the discriminator's type, or an octet 0 for the default member.
class UnionMember {
 public:
  UnionMember() = default;
  explicit UnionMember(std::string name, Any label, typecode_reference type, object_reference<IDLType> = nullptr)
      : name_(std::move(name)), label_(std::move(label)), type_(std::move(type)) {}
  CORBEL_MEMBER(std::string, name)
  CORBEL_MEMBER(Any, label)
  CORBEL_MEMBER(typecode_reference, type)
  operator TypeCodeFactory::UnionMember() const { return {name_, label_, type_}; }

 private:
  std::string name_;
  Any label_;
  typecode_reference type_;
};

/// State of a valuetype. Of its place in a repository nothing is kept: TypeCodes have none of it.
class ValueMember {
 public:
  ValueMember() = default;
  explicit ValueMember(std::string name, const std::string& /*id*/, const std::string& /*defined_in*/,
                       const std::string& /*version*/, typecode_reference type, object_reference<IDLType> /*type_def*/,
                       Visibility access)
      : name_(std::move(name)), type_(std::move(type)), access_(access) {}
  CORBEL_MEMBER(std::string, name)
  CORBEL_MEMBER(typecode_reference, type)
  void access(Visibility value) { access_ = value; }
  Visibility access() const { return access_; }
  operator TypeCodeFactory::ValueMember() const { return {name_, type_, access_}; }

 private:
  std::string name_;
  typecode_reference type_;
  Visibility access_ = PUBLIC_MEMBER;
};

#undef CORBEL_MEMBER

using StructMemberSeq = std::vector<StructMember>;
using UnionMemberSeq = std::vector<UnionMember>;
using ValueMemberSeq = std::vector<ValueMember>;
using EnumMemberSeq = TypeCodeFactory::EnumMemberSeq;

}  // namespace type_members
}  // namespace CORBA

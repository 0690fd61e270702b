// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "comments.hpp"
#include "corbel/corbel.hpp"
#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "corbel/idl/front/front.hpp"
#include "texts.hpp"

namespace corbel::tool {

/// What is given to a command that declares types.
struct Files {
  std::vector<std::string> idl;
  std::vector<std::string> include_dirs;
  std::string repository = {};  ///< the reference of an interface repository or of an InterfaceDef; empty: none
  bool comments = false;        ///< what comments in the files say is wanted, too
};

/// What IDL files or an interface repository declare, and the TypeCodes of it. Owns the models.
class Types {
 public:
  /// Compiles the files, and adds `described` if there is one. What is wrong with the files goes to standard error;
  /// throws std::runtime_error if one is of no use.
  Types(const Files& files, IDL::traits<DynamicAny::DynAnyFactory>::ref_type values,
        std::unique_ptr<idl::model::Model> described = nullptr);

  /// Takes what was declared elsewhere.
  void add(std::unique_ptr<idl::model::Model> model);

  /// The interface with this repository id or scoped name ("M::I"); null if none is declared.
  const idl::model::Interface* find_interface(std::string_view id_or_name) const;
  /// The bitmask or bitset whose values are of this type; null if it is something else.
  const idl::model::Declaration* bits(const CORBA::TypeCode& type) const;
  /// All interfaces that are defined, in order.
  const std::vector<const idl::model::Interface*>& interfaces() const noexcept { return interfaces_; }
  const Comments& comments() const noexcept { return comments_; }

  /// Throws std::runtime_error for types that have no TypeCode (natives). Maps are sequences of a nameless struct,
  /// optional members nameless unions over boolean, bitmasks and bitsets aliases of integers: as generated code
  /// describes them.
  CORBA::typecode_reference type_code(const idl::model::Type& type);
  CORBA::typecode_reference type_code(const idl::model::Exception& exception);
  /// Those of the valuetypes that are declared, boxes included, but without what is abstract or has none.
  std::vector<CORBA::typecode_reference> value_types();
  /// The TypeCode of a name as IDL writes it: "long", "sequence<string>", "M::S", "M::S[2]"; nil if that is none. What
  /// is declared may be named as its repository id is, too.
  CORBA::typecode_reference named(std::string_view name);
  /// The name by which named() finds the type, if the IDL declares it.
  std::string name_of(const CORBA::TypeCode& type) const { return type_name(type, &names_); }

 private:
  struct Made;
  /// What a TypeCode has inside: to which of the types being made it refers (places in open_), and how many parts that
  /// are copied for each type around it, as what refers so is. What was added already is there once.
  struct Inside {
    std::set<std::size_t> open = {};
    std::size_t parts = 1;
    std::set<const void*> added = {};
    void add(const Made& made);
  };
  struct Made {
    CORBA::typecode_reference code;
    Inside inside = {};
  };

  void collect(const idl::model::Contents& contents);
  const idl::model::Declaration* find_declared(std::string_view name) const;
  CORBA::typecode_reference named_array(std::string_view name);
  CORBA::typecode_reference named_sequence(std::string_view name);
  Made make(const idl::model::Type& type);
  Made make_declared(const idl::model::Declaration& declaration);
  Made make_new(const idl::model::Declaration& declaration);
  CORBA::Any label(const idl::model::Type& type, const CORBA::typecode_reference& code, const idl::model::Value& value);
  Made make_union(const idl::model::Union& declared);
  Made make_member(const idl::model::Member& member);
  Made make_value(const idl::model::ValueType& declared);
  CORBA::TypeCodeFactory::StructMemberSeq members(const std::vector<const idl::model::Member*>& all, Inside& inside);

  std::vector<std::unique_ptr<idl::model::Model>> models_;
  Comments comments_;
  std::vector<const idl::model::Interface*> interfaces_;
  std::map<std::string, const idl::model::Declaration*, std::less<>> by_name_;
  std::map<std::string, const idl::model::Declaration*, std::less<>> by_id_;  ///< by the name in their repository ids
  TypeNames names_;
  std::map<std::string, const idl::model::Declaration*, std::less<>> bits_;  ///< bitmasks and bitsets, by repository id
  std::map<const idl::model::Declaration*, CORBA::typecode_reference> made_;
  std::vector<const idl::model::Declaration*> open_;       ///< structs, unions and values that are being made
  std::map<const idl::model::Declaration*, Made> inside_;  ///< good as long as what they refer to is being made
  std::size_t copied_ = 0;                                 ///< parts, for all that was made
  int depth_ = 0;                                          ///< of declarations that are being made
  CORBA::TypeCodeFactory factory_;
  IDL::traits<DynamicAny::DynAnyFactory>::ref_type values_;
};

/// What can be called, of this interface and those that it inherits.
struct Callable {
  const idl::model::Operation* operation = nullptr;
  const idl::model::Attribute* attribute = nullptr;
};
/// The operation or attribute of that name; both null if there is none.
Callable find_callable(const idl::model::Interface& interface, std::string_view name);
/// The interface itself and all it inherits.
std::vector<const idl::model::Interface*> with_ancestors(const idl::model::Interface& interface);

/// Where Corbel's own renderings of OMG IDL are; empty if nowhere.
std::string shipped_idl();

}  // namespace corbel::tool

// SPDX-License-Identifier: Apache-2.0
// Values of IDL types as JSON. Numbers of 64 bits keep all digits; what JSON cannot say is text: fixed, the
// floating-point values that are no numbers, references (stringified), wide strings (UTF-8). A sequence of octets is a
// text in base64, and may be given as an array of numbers or as {"file": PATH}. A struct, exception or valuetype is an
// object with its members, a null value null; a union an object with its member and, where several labels select that,
// "discriminator"; an enum its enumerator's name; a bitmask an array of its flags' names, a bitset an object; a map an
// object where its keys are texts, else an array of {"key": ..., "value": ...}; an optional member its value or null;
// an Any {"type": NAME, "value": ...}. A valuetype that occurs again is
// {"same_as": PATH} there, with the names and indices that lead to its first place, such as "/next/more/0"; the
// outermost one is "/". That is written only, never read: `replay` leaves such calls out, `mock` cannot answer so.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "corbel/corbel.hpp"
#include "corbel/dynamic/dyn_any.hpp"
#include "texts.hpp"
#include "types.hpp"

namespace corbel::tool {

using Json = nlohmann::ordered_json;

/// An object has two members of one name, of which JSON does not say which one counts (RFC 8259, 4).
struct RepeatedMember : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws RepeatedMember, and std::runtime_error if this is no JSON, or nested too deeply for what walks over it.
Json parse_json(const std::string& text);

class JsonValues {
 public:
  /// Whether {"file": PATH} stands for the octets of the file: only where the user wrote the JSON.
  enum class Paths : bool { refused, read };

  JsonValues(IDL::traits<CORBA::ORB>::ref_type orb, IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory,
             Types& types, Paths paths)
      : orb_(std::move(orb)), factory_(std::move(factory)), types_(types), paths_(paths) {}

  /// Throws std::runtime_error if the value is nested too deeply, or has more parts than a reader could want.
  Json to_json(const CORBA::Any& value);
  /// Throws std::runtime_error saying where in the value what is wrong; `where` names the whole.
  CORBA::Any from_json(const Json& json, const CORBA::typecode_reference& type, const std::string& where);
  /// The type as it is named in the JSON of an any.
  std::string name_of(const CORBA::TypeCode& type) const { return types_.name_of(type); }

 private:
  using Ref = DynamicAny::DynAny::Ref;

  /// On the way through a value, which comes from strangers: values share others, and lead to themselves.
  struct Walk {
    std::map<const DynamicAny::DynAny*, std::string> met;  ///< valuetypes, and where
    std::string path;
    std::size_t left = 1'000'000;  ///< parts that may yet come
    int depth = 0;
  };

  Json to_json(const CORBA::Any& value, Walk& walk);
  Json value_of(const Ref& dynamic, Walk& walk);
  Json part_of(const Ref& dynamic, const std::string& name, Walk& walk);
  Json members_of(const Ref& dynamic, Walk& walk);
  Json elements_of(const Ref& dynamic, Walk& walk);
  static Json bits_of(const Ref& dynamic, const idl::model::Declaration& declared);
  void set(const Ref& dynamic, const Json& json, const std::string& where);
  bool set_basic(const Ref& dynamic, CORBA::TCKind kind, const Json& json, const std::string& where);
  void set_members(const Ref& dynamic, const Json& json, const std::string& where);
  void set_union(const Ref& dynamic, const Json& json, const std::string& where);
  void set_elements(const Ref& dynamic, const Json& json, const std::string& where);
  static void set_bits(const Ref& dynamic, const idl::model::Declaration& declared, const Json& json,
                       const std::string& where);
  void set_optional(const Ref& dynamic, const Json& json, const std::string& where);
  void set_any(const Ref& dynamic, const Json& json, const std::string& where);

  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory_;
  Types& types_;
  Paths paths_;
};

}  // namespace corbel::tool

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "corbel/idl/back/back_end.hpp"
#include "corbel/idl/back/cpp11/layout.hpp"
#include "corbel/idl/back/cpp11/method.hpp"
#include "corbel/idl/back/cpp11/names.hpp"
#include "corbel/idl/back/cpp11/signature.hpp"
#include "corbel/idl/back/cpp11/types.hpp"
#include "corbel/idl/back/cpp11/writer.hpp"
#include "corbel/idl/model/model.hpp"

/// One function per construct and file; docs/generated-code.md says what each of them writes. All of them expect only
/// definitions of the main file.
namespace corbel::idl::back::cpp11 {

/// What the emit functions share while the six files of one model are being written.
struct Emitter {
  explicit Emitter(const model::Model& m) : model(m), names(m) {}

  const model::Model& model;
  Names names;
  Layouts layouts;
  Signatures signatures{names};
  Writer header;
  Writer source;
  Writer server_header;
  Writer server_source;
  Writer any_header;
  /// Members of structs that hold sequences of types that were not complete yet; behind all definitions in the header.
  Writer late;
  std::set<const model::Declaration*> complete;  ///< structs and unions whose definition has been written
  Writer any_source;
  std::set<std::string> library_headers;  ///< of the library's declarations that the main file uses
  bool futures = false;                   ///< async_ operations are wanted
  bool amh = false;                       ///< skeletons of servants that answer later are, too
  bool stubs = false;                     ///< no skeletons but those of reply handlers are
  Dispatch dispatch = Dispatch::hashed;

  /// "_kEcho_echo", unique in the file even if `A::b_c` meets `A_b::c`, or an operation `get_a` the attribute `a`: the
  /// suffixes "get_a" and "_get_a".
  const std::string& constant(const model::Interface& owner, const std::string& suffix) {
    auto& name = constants_[{&owner, suffix}];
    if (!name.empty()) return name;
    name = "_k" + names.own(owner) + (suffix.starts_with('_') ? "" : "_") + suffix;
    while (!taken_.insert(name).second) name += "_2";
    return name;
  }

 private:
  std::map<std::pair<const model::Interface*, std::string>, std::string> constants_;
  std::set<std::string> taken_;
};

/// A data member as C++ sees it.
struct Field {
  const model::Type* type;
  std::string accessor;
  std::string storage;
  std::string spelled;  ///< type, as seen from inside the class
  bool by_value;
  bool optional = false;
  bool external = false;
  std::string initial = {};  ///< @default or @default_literal as a C++ expression
};
/// The member's type from that of its value: @external and @optional wrap it.
std::string spell_member(const std::string& type, const Field& field);
/// The initial value of a member of the type, if `{}` does not make it: an enumerator, or arrays of it; else empty.
std::string default_value(const Emitter& e, const model::Type& type);
std::vector<Field> fields_of(const Emitter& e, const model::Struct& structure);
/// A field's accessors; the setters only declared if they are to be defined later.
void emit_accessors(Writer& out, const Field& field, bool late = false);

void emit_default_constructor(Emitter& e, const model::Declaration& declaration);

// Header.
/// Everything that it includes.
void write_header_top(Emitter& e);

// Header: definitions.
void define_constant(Emitter& e, const model::Constant& constant);
void define_enum(Emitter& e, const model::Enum& enumeration);
void define_struct(Emitter& e, const model::Struct& structure);
void define_union(Emitter& e, const model::Union& u);
void define_bitmask(Emitter& e, const model::Bitmask& mask);
void define_bitset(Emitter& e, const model::Bitset& bits);
void define_interface(Emitter& e, const model::Interface& interface);
void define_local_interface(Emitter& e, const model::Interface& interface);
void define_abstract_interface(Emitter& e, const model::Interface& interface);
void define_value(Emitter& e, const model::ValueType& value);
void define_value_box(Emitter& e, const model::ValueBox& box);
/// `_traits_type`, `_ref_type` and `_weak_ref_type`, which code for other implementations of the mapping uses.
void declare_aliases(Writer& out, const Emitter& e, const model::Declaration& declaration);
/// Its own state.
std::vector<Field> state_fields(const Emitter& e, const model::ValueType& value);
/// Whether the class with the state is all that a value needs: it has no operations, not even inherited ones.
bool is_default_creatable(const model::ValueType& value);
/// What replaces a native type that is declared inside an interface; the name that the user defines.
std::string native_name(const Emitter& e, const model::Native& native);
/// Any of these, with what is declared inside; modules are left to the caller.
void define(Emitter& e, const model::Declaration& declaration);
void define_contents(Emitter& e, const model::Contents& contents);
/// Declares operator<< for a type and all types inside it.
void declare_streaming(Emitter& e, const model::Declaration& declaration);

// Header: what the library knows about the type.
/// Traits of references, which everything else may need; right after the forward declarations.
void emit_interface_traits(Emitter& e, const model::Interface& interface);
/// The same, where something included may have declared the interface before.
void emit_traits_unless_declared(Emitter& e, const model::Interface& interface);
/// The traits of an interface that is only declared.
void emit_declared_traits(Emitter& e, const model::Interface& interface);
/// For code that was compiled where these interfaces were declared only; at the end, where they are complete.
void emit_known_codecs(Emitter& e);
void emit_value_traits(Emitter& e, const model::ValueType& value);
void emit_value_box_traits(Emitter& e, const model::ValueBox& box);
void emit_traits(Emitter& e, const model::Declaration& declaration);
void emit_codec(Emitter& e, const model::Declaration& declaration);

// Source.
void implement_streaming(Emitter& e, const model::Declaration& declaration);
void implement_exception(Emitter& e, const model::Exception& exception);
void implement_union(Emitter& e, const model::Union& u);
void implement_codec(Emitter& e, const model::Declaration& declaration);
void declare_operations(Emitter& e, const model::Interface& interface);
void implement_stub(Emitter& e, const model::Interface& interface);
void implement_abstract_stub(Emitter& e, const model::Interface& interface);
void implement_abstract(Emitter& e, const model::Interface& interface);
void implement_value(Emitter& e, const model::ValueType& value);
void implement_value_box(Emitter& e, const model::ValueBox& box);
/// Whether `_is_a` finds a local interface by its id, without a virtual function that says so, and a class may
/// implement it beside others. Not if it has bases with stubs, which have that function.
bool is_known_by_id(const model::Interface& interface);
/// `_static_is_a` by the interface's own id and those of its bases.
void implement_is_a(Emitter& e, const model::Interface& interface);

// Asynchronous forms.
/// Whether a future of the header gives a std::tuple.
bool has_several_results(const Emitter& e);
void declare_async_methods(Emitter& e, const model::Interface& interface);
void implement_async_methods(Emitter& e, const model::Interface& interface);
void emit_amic_traits(Emitter& e, const model::Interface& interface);
void emit_poller_traits(Emitter& e, const model::ValueType& poller);
void define_poller(Emitter& e, const model::ValueType& poller);
void implement_poller(Emitter& e, const model::ValueType& poller);

// Server files.
void define_skeleton(Emitter& e, const model::Interface& interface);
void emit_servant_traits(Emitter& e, const model::Interface& interface);
/// Skeleton and traits of a value that may be a servant, in a namespace of its own.
void emit_value_skeleton(Emitter& e, const model::ValueType& value);
void emit_operation_table(Emitter& e, const model::Interface& interface);
void implement_skeleton(Emitter& e, const model::Interface& interface);

// Server files: servants that answer later.
void define_deferring_skeleton(Emitter& e, const model::Interface& interface);
void emit_amh_traits(Emitter& e, const model::Interface& interface);
void emit_deferred_operation_table(Emitter& e, const model::Interface& interface);
void implement_deferring_skeleton(Emitter& e, const model::Interface& interface);

std::vector<Method> methods_of(const model::Interface& interface);
/// The constant that describes a method to the ORB: "_kEcho_echo".
const std::string& operation_constant(Emitter& e, const Method& method);
/// What a request says: the operation's name or, with Dispatch::indexed, its number.
std::string called_name(const Emitter& e, const Method& method);
/// The class of a skeleton's table of operations.
const char* operations_type(const Emitter& e);
std::vector<Method> methods_in(const model::Contents& contents, const model::Interface* interface);
/// Its own, and those of abstract bases, for which there is no class to inherit them from.
std::vector<Method> stub_methods_of(const model::Interface& interface);
/// Where the method is among those that the function gives for the interface.
std::size_t place_of(std::vector<Method> (*methods_of_one)(const model::Interface&), const model::Interface& one,
                     const Method& method);
/// `return call<R>(*this, kI_f, in(a));`
Writer::Piece stub_call(Emitter& e, const Method& method);
/// Those of stub_methods_of first, then those of the bases, each once.
std::vector<Method> all_methods_of(const model::Interface& interface);
/// "(const std::string& message, std::int32_t& count)" as single items; unnamed for a pointer to member.
std::vector<std::string> parameter_list(const Emitter& e, const Method& method, bool with_names);
/// "corbel::mapping::View<std::string_view, 8>"; empty if it is no view.
std::string view_kind(const Emitter& e, const model::Parameter& p);
std::string parameter_name(const model::Parameter& p);

/// Names of enumerators or flags, for printing.
void stream_bitmask(Emitter& e, const model::Bitmask& mask);
void stream_bitset(Emitter& e, const model::Bitset& bits);
/// "std::uint16_t" for a number of bits.
std::string holder_of(unsigned bits);
/// The integer behind an enum class; signed if an enumerator has a negative value.
std::string underlying_type(const model::Enum& enumeration);
/// Every field of a bitset, those of the base first.
std::vector<const model::Bitfield*> all_fields(const model::Bitset& bits);

// Any files.
/// Declares and defines the TypeCodes of the main file.
void write_any_files(Emitter& e, const std::string& stem);

/// "sub/other_any.hpp" from "sub/other.idl" and "_any.hpp".
std::string header_for(const std::string& spelling, const std::string& ending);
/// The included IDL files whose generated headers ours includes: all but those for which the library has all the C++.
std::vector<const model::File*> included_files(const model::Model& model);
/// What of the library a header with TypeCodes includes for the types that the IDL has.
std::set<std::string> type_code_headers(const model::Model& model);
/// Types declared inside this declaration, if it can hold any.
const model::Contents* inner_contents(const model::Declaration& declaration);

}  // namespace corbel::idl::back::cpp11

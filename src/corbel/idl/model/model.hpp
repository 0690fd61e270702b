// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/idl/model/types.hpp"

/// What an IDL file means, free of any target language. The front end builds a Model and checks it completely, passes
/// (idl/passes) work in what is implied, and back ends get it const. Every pointer refers into the Model that owns both
/// ends.
///
/// What holds what: Model::contents and Module::contents hold every kind of declaration but enumerators, members and
/// parameters. Interface and ValueType contents hold types, constants, exceptions, attributes, operations and (values)
/// factories. Struct, Exception and Union contents hold the types declared inside them. `contents_of` gives the
/// contents of any of these, `for_each_type` the types that one declaration itself mentions; together they reach
/// everything. `typeid`, `typeprefix` and pragmas have been worked into the repository ids, `import` and constant
/// expressions into what they stand for; the standard annotations are fields beside the list of all annotations.
namespace corbel::idl::model {

enum class DeclarationKind : std::uint8_t {
  module_,
  forward,
  constant,
  alias,
  enum_,
  enumerator,
  struct_,
  union_,
  exception,
  interface_,
  attribute,
  operation,
  value,
  value_box,
  factory,
  native,
  bitset,
  bitmask,
  annotation,
};

struct AnnotationType;

/// `@name`, `@name(value)` or `@name(a = 1, b = 2)` as it was applied.
struct Annotation {
  struct Argument {
    std::string name;  ///< "value" for the short form
    Value value;
  };
  std::string name;                             ///< scoped name without `@`: "optional", "M::mine"
  std::vector<Argument> arguments;              ///< as given; defaults are in `declaration`
  const AnnotationType* declaration = nullptr;  ///< of a user's own annotation; null for standard and unknown ones
  Location where;

  /// The argument of that name; null if it was not given.
  const Value* find(std::string_view argument = "value") const noexcept;
};
using Annotations = std::vector<Annotation>;

/// The annotation of that name in the list; null if none.
const Annotation* find(const Annotations& annotations, std::string_view name) noexcept;

/// Anything with a scoped name. `name` has lost the escaping underscore.
struct Declaration {
  explicit Declaration(DeclarationKind k) : kind(k) {}
  Declaration(const Declaration&) = delete;
  Declaration& operator=(const Declaration&) = delete;
  virtual ~Declaration() = default;

  const DeclarationKind kind;
  std::string name;
  const Declaration* scope = nullptr;  ///< the declaration around it; null at file level
  std::string repository_id;           ///< empty for enumerators, factories, annotations and forward declarations
  Annotations annotations{};           ///< all that stand before it, in order
  Location where;
  bool in_main_file = true;  ///< false for what came in through #include: known, but no code is emitted for it
};

using Contents = std::vector<const Declaration*>;

/// `"M::I::f"`, or the parts joined by another separator.
std::string scoped_name(const Declaration& declaration, std::string_view separator = "::");

/// One opening of a module; a reopened module is several of these.
struct Module : Declaration {
  static constexpr auto kKind = DeclarationKind::module_;
  Module() : Declaration(kKind) {}
  Contents contents;  ///< in order of declaration
};

/// `interface I;`, `struct S;`, `union U;` or `valuetype V;`
struct Forward : Declaration {
  static constexpr auto kKind = DeclarationKind::forward;
  Forward() : Declaration(kKind) {}
  const Declaration* target = nullptr;  ///< Interface, Struct, Union or ValueType; its `defined` tells if it follows
};

struct Enum;

struct Enumerator : Declaration {
  static constexpr auto kKind = DeclarationKind::enumerator;
  Enumerator() : Declaration(kKind) {}
  const Enum* owner = nullptr;
  std::uint32_t ordinal = 0;  ///< position in the list: what CDR sends
  std::int64_t value = 0;     ///< @value, else one more than the enumerator before (0 for the first)
};

/// Enumerators live in the scope around the enum; they do not appear in that scope's contents.
struct Enum : Declaration {
  static constexpr auto kKind = DeclarationKind::enum_;
  Enum() : Declaration(kKind) {}
  std::vector<const Enumerator*> enumerators;   ///< at least one
  std::uint16_t bit_bound = 32;                 ///< @bit_bound, 1 to 32
  bool has_values = false;                      ///< some enumerator has @value
  const Enumerator* default_literal = nullptr;  ///< @default_literal; null if none
};

struct Constant : Declaration {
  static constexpr auto kKind = DeclarationKind::constant;
  Constant() : Declaration(kKind) {}
  const Type* type = nullptr;
  Value value;
};

struct Alias : Declaration {
  static constexpr auto kKind = DeclarationKind::alias;
  Alias() : Declaration(kKind) {}
  const Type* aliased = nullptr;
  Value default_value{};  ///< @default, its own or that of the alias it names, fitted to the type; monostate if none
};

/// A member of a struct, exception, union or value.
struct Member {
  std::string name;
  const Type* type = nullptr;
  Location where;
  Annotations annotations{};
  bool optional = false;              ///< @optional
  bool key = false;                   ///< @key
  bool external = false;              ///< @external: reached through a pointer
  bool is_public = true;              ///< value state: false if private
  std::optional<std::uint32_t> id{};  ///< @id
  Value default_value{};              ///< @default, its own or its type's, fitted to the type; monostate if none
};

/// @final, @appendable, @mutable or @extensibility.
enum class Extensibility : std::uint8_t { unspecified, final_, appendable, mutable_ };

/// A struct and, with its own kind, an exception.
struct Struct : Declaration {
  static constexpr auto kKind = DeclarationKind::struct_;
  explicit Struct(DeclarationKind k = kKind) : Declaration(k) {}
  const Struct* base = nullptr;  ///< `struct S : Base`; its members come before these, on the wire too
  Contents contents;             ///< types declared inside, in order
  std::vector<Member> members;   ///< own ones; may be empty
  Extensibility extensibility = Extensibility::unspecified;
  bool nested = false;   ///< @nested: never sent as a topic of its own
  bool defined = false;  ///< false while only forward declared
};

struct Exception : Struct {
  static constexpr auto kKind = DeclarationKind::exception;
  Exception() : Struct(kKind) {}
};

struct UnionCase {
  std::vector<Value> labels;  ///< empty if only `default`
  bool is_default = false;
  Member member;
};

struct Union : Declaration {
  static constexpr auto kKind = DeclarationKind::union_;
  Union() : Declaration(kKind) {}
  const Type* discriminator = nullptr;
  Annotations discriminator_annotations;  ///< `switch (@key long)`
  Contents contents;
  std::vector<UnionCase> cases;
  bool covers_all_labels = false;  ///< the labels name every value of the discriminator, so there is no default
  Value default_label;  ///< unless covers_all_labels: the first value (enumerator order, from 0 up) that no label names
  bool defined = false;
};

enum class Direction : std::uint8_t { in, out, inout };

struct Parameter {
  Direction direction = Direction::in;
  std::string name;
  const Type* type = nullptr;
  Location where;
  Annotations annotations{};
  bool view = false;    ///< @view on it, its operation or interface: servants read the string or sequence in place
  bool shared = false;  ///< @shared on it: servants are given, or give, a std::shared_ptr
};

struct Attribute : Declaration {
  static constexpr auto kKind = DeclarationKind::attribute;
  Attribute() : Declaration(kKind) {}
  bool readonly = false;
  const Type* type = nullptr;
  std::vector<const Exception*> get_raises;
  std::vector<const Exception*> set_raises;
};

struct Operation : Declaration {
  static constexpr auto kKind = DeclarationKind::operation;
  Operation() : Declaration(kKind) {}
  bool oneway = false;  ///< `oneway` or @oneway
  bool ami = false;     ///< @ami on it or its interface: asynchronous forms are wanted
  const Type* result = nullptr;
  bool shared = false;  ///< @shared on it: servants return a std::shared_ptr
  std::vector<Parameter> parameters;
  std::vector<const Exception*> raises;
  std::vector<std::string> contexts;  ///< names and patterns ending in `*`
  /// Of a reply handler's operation that tells of failures: what they may be. Else null.
  const std::vector<const Exception*>* tells = nullptr;
};

/// What the asynchronous forms of an operation, or of an attribute's get or set, are called.
struct AsyncNames {
  std::string reply;     ///< of the handler: "echo", "get_level"
  std::string fail;      ///< of the handler: "echo_excep"
  std::string send;      ///< "sendc_echo", "sendc_get_level"
  std::string future;    ///< "async_echo"
  std::string poll;      ///< of the poller: "echo", "get_level"
  std::string polled;    ///< "sendp_echo"
  bool handled = false;  ///< the reply handler has `reply` and `fail`
};

struct ValueType;

struct Interface : Declaration {
  static constexpr auto kKind = DeclarationKind::interface_;
  Interface() : Declaration(kKind) {}
  bool is_abstract = false;
  bool is_local = false;
  std::vector<const Interface*> bases;      ///< as written
  std::vector<const Interface*> ancestors;  ///< every direct and indirect base once, depth first, left to right
  Contents contents;
  bool defined = false;
  const Interface* reply_handler = nullptr;       ///< the implied AMI_<name>Handler; null if not asked for
  bool is_implied = false;                        ///< this is one
  const Interface* answered = nullptr;            ///< of an implied one: the interface whose replies it takes
  const ValueType* poller = nullptr;              ///< the implied AMI_<name>Poller; null if not asked for
  std::map<std::string, AsyncNames> async_names;  ///< by wire name ("echo", "_get_level"); empty if not asked for
};

/// `valuetype`: concrete, abstract or custom.
struct ValueType : Declaration {
  static constexpr auto kKind = DeclarationKind::value;
  ValueType() : Declaration(kKind) {}
  bool is_abstract = false;
  bool is_custom = false;
  bool is_truncatable = false;               ///< to its concrete base
  const ValueType* concrete_base = nullptr;  ///< the stateful base, also bases[0]; null if none
  std::vector<const ValueType*> bases;       ///< as written: at most one concrete one, which comes first
  std::vector<const ValueType*> ancestors;   ///< every direct and indirect base once, depth first, left to right
  std::vector<const Interface*> supports;    ///< as written: at most one that is not abstract, which comes first
  std::vector<Member> state;                 ///< own members in wire order; those of concrete_base come before
  Contents contents;                         ///< types, constants, attributes, operations and factories
  bool defined = false;
  const Interface* polled = nullptr;  ///< of an implied poller: the interface whose replies it has
};

/// `valuetype V T;`
struct ValueBox : Declaration {
  static constexpr auto kKind = DeclarationKind::value_box;
  ValueBox() : Declaration(kKind) {}
  const Type* boxed = nullptr;  ///< never a value type itself
};

/// `factory f(in T a) raises (E);` in a value.
struct Factory : Declaration {
  static constexpr auto kKind = DeclarationKind::factory;
  Factory() : Declaration(kKind) {}
  std::vector<Parameter> parameters;  ///< all `in`
  std::vector<const Exception*> raises;
};

struct Native : Declaration {
  static constexpr auto kKind = DeclarationKind::native;
  Native() : Declaration(kKind) {}
};

struct Bitfield {
  std::string name;            ///< empty: padding
  std::uint16_t width = 0;     ///< bits, 1 to 64
  std::uint16_t position = 0;  ///< of the lowest bit, those of the base included
  const Type* type = nullptr;  ///< as written, else the smallest of boolean, octet, ushort, ulong, ulonglong that fits
  Location where;
  Annotations annotations{};
};

/// Whether its type is one with negative values: then its highest bit is its sign.
bool is_signed(const Bitfield& field) noexcept;

struct Bitset : Declaration {
  static constexpr auto kKind = DeclarationKind::bitset;
  Bitset() : Declaration(kKind) {}
  const Bitset* base = nullptr;
  std::vector<Bitfield> fields;  ///< own ones
  std::uint16_t width = 0;       ///< bits, those of the base included, at most 64
};

struct BitFlag {
  std::string name;
  std::uint16_t position = 0;  ///< @position, else one more than the flag before
  Location where;
  Annotations annotations{};
};

struct Bitmask : Declaration {
  static constexpr auto kKind = DeclarationKind::bitmask;
  Bitmask() : Declaration(kKind) {}
  std::uint16_t bit_bound = 32;  ///< @bit_bound, 1 to 64
  std::vector<BitFlag> flags;    ///< at least one
};

/// `@annotation name { type member default value; };`
struct AnnotationType : Declaration {
  static constexpr auto kKind = DeclarationKind::annotation;
  AnnotationType() : Declaration(kKind) {}
  Contents contents;            ///< enums, typedefs and constants declared inside
  std::vector<Member> members;  ///< `default_value` is set where there is a default
};

/// The declaration as a T if it is one, else null.
template <class T>
const T* as(const Declaration* declaration) noexcept {
  return declaration != nullptr && declaration->kind == T::kKind ? static_cast<const T*>(declaration) : nullptr;
}

struct File {
  std::string path;      ///< as the preprocessor opened it
  std::string spelling;  ///< path relative to the folder it was found through: what an #include directive would say
  bool direct = false;   ///< included by the main file itself
  bool shipped = false;  ///< one of Corbel's own renderings of OMG IDL, found in its idl folder
};

/// One compiled IDL file. Owns all declarations and types below.
class Model {
 public:
  std::vector<File> files;  ///< [0] is the main file
  Contents contents;        ///< file level, in order, included definitions too

  template <class T>
  T* make() {
    auto owned = std::make_unique<T>();
    T* raw = owned.get();
    declarations_.push_back(std::move(owned));
    return raw;
  }
  const Type* add(Type type) {
    types_.push_back(std::make_unique<Type>(std::move(type)));
    return types_.back().get();
  }

 private:
  std::vector<std::unique_ptr<Declaration>> declarations_;
  std::vector<std::unique_ptr<Type>> types_;
};

/// The type behind any chain of typedefs; never of kind alias.
const Type& resolve(const Type& type) noexcept;
/// What is declared inside a module, interface, value, struct, exception, union or annotation; null for anything else.
const Contents* contents_of(const Declaration& declaration) noexcept;
/// Every declaration in the contents, what is inside one after it.
void for_all(const Contents& contents, const std::function<void(const Declaration&)>& visit);
/// Every type that the declaration itself writes: of members, parameters, results, constants, labels, not of what is
/// declared inside. Elements and keys are reached through the Type.
void for_each_type(const Declaration& declaration, const std::function<void(const Type&)>& visit);
/// Members on the wire: those of the base structs first.
std::vector<const Member*> all_members(const Struct& structure);
/// State on the wire: that of the concrete bases first.
std::vector<const Member*> all_state(const ValueType& value);
/// "struct", "abstract valuetype", "operation": for messages.
std::string_view kind_name(const Declaration& declaration) noexcept;
/// IDL spelling for messages: "unsigned long", "sequence<M::S, 4>".
std::string spelling(const Type& type);

}  // namespace corbel::idl::model

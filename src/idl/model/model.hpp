// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What an IDL file means, free of any target language. The front end builds a Model, checks it completely and hands it
/// out const; back ends only read. Every pointer refers into the Model that owns both ends.
namespace corbel::idl::model {

/// A place in a source file; line and column count from 1, columns in octets.
struct Location {
  std::uint32_t file = 0;  ///< index into Model::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class TypeKind : std::uint8_t {
  void_,
  boolean,
  char_,
  wchar,
  octet,
  short_,
  ushort,
  long_,
  ulong,
  longlong,
  ulonglong,
  float_,
  double_,
  string,
  wstring,
  object,
  sequence,
  array,
  alias,
  enum_,
  struct_,
  union_,
  interface_,
};

struct Declaration;

/// A type as it is used. Which fields count depends on `kind`.
struct Type {
  TypeKind kind;
  std::uint64_t bound = 0;                   ///< string, wstring, sequence: 0 is unbounded
  const Type* element = nullptr;             ///< sequence, array
  std::vector<std::uint64_t> dimensions;     ///< array: at least one, outermost first
  const Declaration* declaration = nullptr;  ///< alias, enum_, struct_, union_, interface_
};

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
};

/// Anything with a scoped name. `name` has lost the escaping underscore.
struct Declaration {
  explicit Declaration(DeclarationKind k) : kind(k) {}
  Declaration(const Declaration&) = delete;
  Declaration& operator=(const Declaration&) = delete;
  virtual ~Declaration() = default;

  const DeclarationKind kind;
  std::string name;
  const Declaration* scope = nullptr;  ///< the declaration around it; null at file level
  std::string repository_id;           ///< empty for enumerators and forward declarations
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

/// `interface I;`, `struct S;` or `union U;`
struct Forward : Declaration {
  static constexpr auto kKind = DeclarationKind::forward;
  Forward() : Declaration(kKind) {}
  const Declaration* target = nullptr;  ///< the Interface, Struct or Union; `defined` there tells whether it follows
};

struct Enum;

struct Enumerator : Declaration {
  static constexpr auto kKind = DeclarationKind::enumerator;
  Enumerator() : Declaration(kKind) {}
  const Enum* owner = nullptr;
  std::uint32_t ordinal = 0;
};

/// Enumerators live in the scope around the enum; they do not appear in that scope's contents.
struct Enum : Declaration {
  static constexpr auto kKind = DeclarationKind::enum_;
  Enum() : Declaration(kKind) {}
  std::vector<const Enumerator*> enumerators;  ///< at least one
};

/// A constant's value. Signed integer types hold int64, unsigned ones and octet uint64, char and wchar char32_t, float
/// and double double, wstring one char32_t per wide character.
using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, char32_t, std::string,
                           std::u32string, const Enumerator*>;

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
};

struct Member {
  std::string name;
  const Type* type = nullptr;
  Location where;
};

/// A struct and, with its own kind, an exception.
struct Struct : Declaration {
  static constexpr auto kKind = DeclarationKind::struct_;
  explicit Struct(DeclarationKind k = kKind) : Declaration(k) {}
  Contents contents;  ///< types declared inside, in order
  std::vector<Member> members;
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
  bool oneway = false;
  const Type* result = nullptr;
  std::vector<Parameter> parameters;
  std::vector<const Exception*> raises;
};

struct Interface : Declaration {
  static constexpr auto kKind = DeclarationKind::interface_;
  Interface() : Declaration(kKind) {}
  std::vector<const Interface*> bases;      ///< as written
  std::vector<const Interface*> ancestors;  ///< every direct and indirect base once, depth first, left to right
  Contents contents;
  bool defined = false;
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
/// IDL spelling for messages: "unsigned long", "sequence<M::S, 4>".
std::string spelling(const Type& type);

}  // namespace corbel::idl::model

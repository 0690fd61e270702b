// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "corbel/idl/front/annotations.hpp"
#include "corbel/idl/front/decimal.hpp"
#include "corbel/idl/front/diagnostics.hpp"
#include "corbel/idl/front/evaluated.hpp"
#include "corbel/idl/front/fold.hpp"
#include "corbel/idl/front/lexer.hpp"
#include "corbel/idl/front/options.hpp"
#include "corbel/idl/front/repository_ids.hpp"
#include "corbel/idl/front/scope.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::front {

/// What stands before `interface` or `valuetype`.
struct Modifiers {
  bool abstract = false;
  bool local = false;
  bool custom = false;
  Span where{};  ///< of the modifier
};

/// Recursive descent over one preprocessed file: IDL declares before it uses, so one pass resolves, checks and builds
/// the model. After a syntax error the parser is in panic: no token matches any more, every function falls through to
/// the nearest statement loop, and that one skips to the next `;` or `}`. One parser per file; not thread-safe.
class Parser {
 public:
  Parser(const Source& source, Diagnostics& diagnostics, const Options& options);

  /// The model, complete only if no error was reported.
  std::unique_ptr<model::Model> run();

 private:
  /// Where a type is written; decides what may stand there.
  enum class Use : std::uint8_t { member, alias, box, element, parameter, result, attribute, constant };
  /// What a list of parameters belongs to.
  enum class ParameterRules : std::uint8_t { operation, oneway, factory };
  struct TypePrefix {
    std::string text;
    Span where;
  };
  struct Name {
    std::string_view text;
    Span where;
  };
  struct ScopedName {
    bool absolute = false;
    std::vector<Names::Part> parts;
    Span where;
  };
  /// The declarations made while it lives go into `scope` and `contents`.
  struct Inside {
    Inside(Parser& inside_of, Scope& scope, model::Contents* contents);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    Parser& parser;
    const model::Declaration* const owner;
    Inside* const outer;
    model::Contents* const outer_contents;
    RepositoryIds::Prefix outer_prefix;
  };
  class Nesting;
  class Replay;

  // cursor.cpp: tokens, expectations, recovery
  const Token& current();
  Kind kind();
  bool at(Kind k) { return kind() == k; }
  bool at_word(std::string_view later_keyword);
  Token take();
  bool accept(Kind k);
  bool expect(Kind k, std::string_view context);
  void expect_semicolon(std::string_view after);
  void fail(Id id, std::string text);
  void recover();
  void skip_balanced(Kind open, Kind close);
  std::optional<Name> parse_new_name(std::string_view what);
  std::optional<ScopedName> parse_scoped_name();
  void parse_body(void (Parser::*statement)(), std::string_view what);
  void follow_marker(const Token& marker);

  // parse_definitions.cpp
  void parse_definition();
  bool parse_modified_definition();
  bool parse_common_definition();
  bool parse_word_definition();
  void parse_module();
  void check_reopening(model::Module& module, const Entry& first, Span where);
  void parse_constant();
  void parse_typedef();
  void parse_exception();
  static bool may_be_constant(model::TypeKind kind) noexcept;
  template <class T>
  T* make(const Name& name);
  void add(const model::Declaration* declaration);
  void finish_forwards();

  // parse_types.cpp
  const model::Type* parse_type(Use use);
  const model::Type* parse_integer_type();
  const model::Type* parse_string_type(model::TypeKind kind);
  const model::Type* parse_element();
  const model::Type* parse_sequence();
  const model::Type* parse_named_type(Use use);
  std::optional<const model::Type*> parse_word_type(Use use);
  const model::Type* type_code_named(const ScopedName& name);
  const model::Type* parse_constructed(Use use);
  static bool may_be_anonymous(Use use) noexcept;
  const model::Type* refuse_anonymous(Span where, std::string_view what);
  bool check_locality(const model::Type& type, Use use, Span where);
  const model::Declaration* local_part(const model::Type& type);
  const model::Type* type_of(const Entry& entry, const ScopedName& name, Use use);
  const model::Type* check_use(const model::Type* type, Use use, Span where);
  const model::Type* parse_array_sizes(const model::Type* element);
  const model::Type* basic(model::TypeKind kind) const { return basics_[static_cast<std::size_t>(kind)]; }
  bool accept_template_close();
  void limit_depth(const model::Declaration& declaration, const std::vector<const model::Type*>& parts, Span where);

  // parse_structures.cpp
  const model::Type* parse_struct();
  void parse_struct_base(model::Struct& structure, Scope& scope);
  const model::Type* parse_enum();
  void parse_enumerators(model::Enum& e);
  void set_enumerator_value(model::Enum& e, model::Enumerator& enumerator, const std::vector<Applied>& applied);
  void parse_member();
  void parse_members(model::Struct& structure);
  void parse_member_list(std::vector<model::Member>& members, const std::vector<Applied>& applied, bool is_public);
  model::Member make_member(const Name& name, const model::Type* type);
  template <class T>
  T* begin_structure(const Name& name, Entry*& entry, const Modifiers& modifiers = {});
  template <class T>
  void set_modifiers(T& target, const Modifiers& modifiers, bool first, Span where, Span earlier);

  // parse_unions.cpp
  const model::Type* parse_union();
  const model::Type* parse_discriminator();
  void parse_union_case();
  void parse_label(model::UnionCase& union_case);
  void finish_union(model::Union& u);

  // parse_interfaces.cpp
  void parse_interface(const Modifiers& modifiers);
  void parse_bases(model::Interface& interface, Scope& scope);
  void add_base(model::Interface& interface, Scope& scope, const ScopedName& name);
  bool may_inherit(bool defined, bool itself, const Entry& entry, Span where);
  void inherit(Scope& scope, Scope& base, Span where);
  template <class T>
  static void adopt(std::vector<T*>& list, T* one, const std::vector<T*>& above);
  void check_inherited_clashes(const std::string& name, Scope& scope, Span where);
  void parse_export();
  void parse_export_after_annotations();
  template <class T>
  void forward_declare(const Name& name, const Modifiers& modifiers = {});

  // parse_operations.cpp
  void parse_attribute();
  void parse_attribute_raises(std::vector<model::Attribute*>& attributes, Span second_name);
  void parse_operation();
  void parse_operation_clauses(model::Operation& operation);
  std::vector<model::Parameter> parse_parameters(ParameterRules rules, bool view);
  model::Direction parse_direction(ParameterRules rules);
  void set_view(model::Parameter& parameter, const std::vector<Applied>& applied, bool view);
  void set_shared(model::Parameter& parameter, const std::vector<Applied>& applied);
  std::vector<const model::Exception*> parse_raises();
  std::vector<std::string> parse_contexts();

  // parse_values.cpp
  void parse_value(const Modifiers& modifiers);
  void parse_value_box(const Name& name, const Modifiers& modifiers, const std::vector<Applied>& applied);
  void parse_value_bases(model::ValueType& value, Scope& scope, const Modifiers& modifiers);
  void add_value_base(model::ValueType& value, Scope& scope, const ScopedName& name);
  void parse_supports(model::ValueType& value, Scope& scope);
  void parse_value_element();
  void parse_state();
  void parse_factory();
  void parse_native();

  // parse_extended.cpp
  void need_idl4(Span where, std::string_view construct);
  const model::Type* parse_fixed_type(Use use);
  std::optional<std::uint64_t> parse_bounded(std::string_view what, std::uint64_t lowest, std::uint64_t highest, Id id);
  const model::Type* parse_map(Use use);
  void parse_bitset();
  void parse_bitset_base(model::Bitset& bitset, Scope& scope);
  void parse_bitfield();
  void add_bitfield(model::Bitfield field, Span where);
  void parse_bitmask();
  void parse_flags(model::Bitmask& bitmask);
  void leave_list();

  // parse_annotations.cpp
  bool parse_annotations();
  void parse_applied_annotations();
  void parse_type_annotations();
  void parse_annotation(Span sign);
  std::optional<ScopedName> parse_annotation_name();
  bool is_before_type(const ScopedName& annotation);
  const model::AnnotationType* find_annotation_type(const ScopedName& name);
  bool at_named_argument();
  void parse_annotation_arguments(Applied& one);
  void parse_annotation_argument(Applied& one, std::string name, Span where);
  model::Value parse_annotation_word(const AnnotationParameter& parameter);
  void check_annotation_arguments(const Applied& one);
  std::vector<Applied> take_applied(Target target);
  model::Annotations annotations_of(const std::vector<Applied>& applied);
  std::optional<std::uint32_t> annotated_number(const std::vector<Applied>& applied, std::string_view name,
                                                std::uint32_t lowest, std::uint32_t highest);
  void apply(model::Struct& structure, const std::vector<Applied>& applied);
  void apply(model::Member& member, const std::vector<Applied>& applied);
  model::Value checked_default(const std::vector<Applied>& applied, const model::Type& type);

  // check_member_ids.cpp
  using IdentifiedMember = std::pair<const model::Member*, std::optional<std::uint32_t>>;
  void check_member_ids(const std::vector<IdentifiedMember>& members, Span where);
  void check_member_ids(const model::Struct& structure, Span where);
  void check_member_ids(const model::Union& u, Span where);
  void check_member_ids(const model::ValueType& value, Span where);

  void parse_annotation_type();
  void parse_annotation_member();

  // parse_identities.cpp
  std::optional<std::string> parse_identity_text(std::string_view after);
  void parse_typeid();
  void parse_typeprefix();
  void set_type_prefix(const Entry& entry, const std::string& prefix, Span where);
  void use_type_prefix(const model::Declaration& owner, const std::string& prefix);
  void renew_ids(const Entry& entry);
  void parse_import();
  void finish_imports();

  // parse_constants.cpp
  model::Value parse_constant_value(const model::Type& type);
  std::optional<std::uint64_t> parse_positive(std::string_view what);
  Evaluated parse_expression(std::size_t level);
  Evaluated parse_unary();
  Evaluated parse_primary();
  Evaluated parse_literal();
  Evaluated parse_named_constant();
  std::optional<Kind> accept_operator(std::size_t level);

  // parse_pragmas.cpp
  void parse_pragma(const Token& pragma);
  void pragma_prefix(const Token& pragma, std::string_view rest);
  const model::Declaration* prefix_scope();
  void pragma_version(const Token& pragma, std::string_view rest);
  void pragma_id(const Token& pragma, std::string_view rest);
  void pragma_ami(const Token& pragma, std::string_view rest);
  void finish_pragmas();
  void set_id(model::Declaration& declaration, std::string_view id, Span where);
  model::Declaration* find_for_pragma(const Token& pragma, std::string_view name);

  // parse_templates.cpp: template modules and their instances
  /// What a template module is to be given.
  struct Formal {
    enum class Sort : std::uint8_t { type, interface_, value, structure, union_, exception, enum_, sequence, constant };
    Sort sort = Sort::type;
    Name name;
    Span type{};            ///< constant: where its type is written
    std::string element{};  ///< sequence: the formal parameter that is its element; empty for any
  };
  struct Template {
    std::string name;
    std::vector<Formal> formals;
    Span body{};              ///< from behind its brace; its text is read again for each instance
    Scope* scope = nullptr;   ///< where it is declared: names in it mean what they mean there
    std::uint32_t depth = 0;  ///< how many #includes deep
    bool is_correct = false;
  };
  void parse_template_or_instance(const Name& name, const std::vector<Applied>& applied);
  bool at_formal();
  void parse_template(const Name& name);
  bool parse_formals(Template& made);
  std::optional<Formal> parse_formal(const Template& made);
  const Template* find_template(const ScopedName& name);
  void give_up_instance();
  void parse_scoped_instance(std::vector<Names::Part> first, const std::vector<Applied>& applied);
  void parse_instance(const ScopedName& what, const std::vector<Applied>& applied);
  void instantiate(const Template& from, const Name& name, Scope& formals, const std::vector<Applied>& applied);
  void parse_alias();
  bool check_count(const Template& from, const ScopedName& what, std::size_t given);
  bool is_in_main_file(Span where) const;

  // parse_template_arguments.cpp
  /// What a parameter's name stands for in an instance.
  struct Bound {
    const model::Declaration* declaration = nullptr;
    Scope* inner = nullptr;
  };
  bool parse_actuals(const Template& from, const ScopedName& what, Scope& formals);
  std::optional<Bound> parse_actual(const Template& from, const Formal& formal, Scope& formals);
  std::optional<Bound> parse_actual_type(const Formal& formal, Scope& formals);
  std::optional<Bound> parse_actual_declaration(const Formal& formal);
  std::optional<Bound> parse_actual_constant(const Template& from, const Formal& formal, Scope& formals);
  std::nullopt_t refuse_actual(const Formal& formal, Span where, std::string_view wanted, const std::string& given);

  // parse_unsupported.cpp: components
  bool skip_unsupported_definition();
  void report_unsupported(Span where, std::string_view construct);
  void skip_unsupported_declaration(std::string_view construct);

  /// A forward declaration that waits for its definition.
  struct Pending {
    std::string name;
    Span where;
    std::optional<Span> used;  ///< the first use
    bool in_main_file = true;
  };
  void note_use(const model::Declaration* declaration, Span where);
  void check_file_of(const Pending& pending, const Name& definition);

  const Source& source_;
  Diagnostics& diagnostics_;
  const Options& options_;
  Lexer lexer_;
  Names names_;
  RepositoryIds ids_;
  std::unique_ptr<model::Model> model_;
  model::Contents* contents_;
  Inside* inside_ = nullptr;  ///< the innermost
  std::vector<const model::Type*> basics_;
  std::unordered_map<const model::Declaration*, const model::Type*> types_;
  std::unordered_map<const model::Declaration*, model::Declaration*> writable_;
  std::map<const model::Declaration*, Pending> pending_;
  std::set<const model::Declaration*> open_structures_;
  std::unordered_map<const model::Declaration*, unsigned> type_depths_;

  std::unordered_map<const Entry*, Template> templates_;
  const Template* template_ = nullptr;  ///< whose body is read for the first time
  std::optional<bool> instance_in_main_file_;
  std::size_t replayed_ = 0;  ///< octets of text that instances have read again

  std::optional<Token> current_;
  std::uint32_t previous_end_ = 0;
  bool panic_ = false;
  bool abandoned_ = false;  ///< nothing more is read: nested too deeply
  unsigned depth_ = 0;
  unsigned template_depth_ = 0;  ///< inside < >, where `>>` closes twice
  std::size_t annotated_ = 0;    ///< annotations in the model so far
  std::size_t inherited_ = 0;    ///< declarations that interfaces have inherited so far
  std::size_t file_depth_ = 0;
  model::TypeKind target_kind_ = model::TypeKind::long_;  ///< what the constant expression at hand is for
  model::Struct* struct_ = nullptr;                       ///< whose members are being parsed
  model::Union* union_ = nullptr;
  model::ValueType* value_ = nullptr;
  model::Bitset* bitset_ = nullptr;
  model::AnnotationType* annotation_ = nullptr;
  const model::Interface* interface_ = nullptr;  ///< whose body is being parsed
  bool view_ = false;                            ///< that interface or value has @view
  bool ami_ = false;                             ///< or @ami
  std::vector<Applied> applied_;                 ///< annotations that wait for what they stand before
  std::unordered_map<const model::Declaration*, TypePrefix> type_prefixes_;
  std::unordered_map<const model::Declaration*, const model::Declaration*> local_parts_;
  std::vector<ScopedName> imports_;
  std::set<std::string> ami_pragmas_;  ///< interfaces that #pragma corba_ami names
  std::map<model::Value, Span> labels_;
};

/// Counts nesting while it lives; past the limit the parser gives up on the file.
class Parser::Nesting {
 public:
  explicit Nesting(Parser& parser);
  ~Nesting() { --parser_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  Parser& parser_;
};

template <class T>
T* Parser::make(const Name& name) {
  T* declaration = model_->make<T>();
  declaration->name = name.text;
  declaration->scope = names_.current().owner();
  const auto position = source_.position(name.where.offset);
  declaration->where = {position.file, position.line, position.column};
  declaration->in_main_file = is_in_main_file(name.where);
  declaration->repository_id = ids_.make(*declaration);
  writable_[declaration] = declaration;
  return declaration;
}

}  // namespace corbel::idl::front

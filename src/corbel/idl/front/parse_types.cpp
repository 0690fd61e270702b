// SPDX-License-Identifier: Apache-2.0
// Types as they are used: basic types, strings, sequences, arrays, names.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {
namespace {

using model::DeclarationKind;
using model::TypeKind;

constexpr unsigned kMaxTypeDepth = 400;
constexpr std::size_t kMaxDimensions = 64;

/// The types that are one keyword and nothing more.
std::optional<TypeKind> one_word_type(Kind kind) {
  switch (kind) {
    case Kind::kw_float:
      return TypeKind::float_;
    case Kind::kw_double:
      return TypeKind::double_;
    case Kind::kw_char:
      return TypeKind::char_;
    case Kind::kw_wchar:
      return TypeKind::wchar;
    case Kind::kw_boolean:
      return TypeKind::boolean;
    case Kind::kw_octet:
      return TypeKind::octet;
    case Kind::kw_object:
      return TypeKind::object;
    case Kind::kw_any:
      return TypeKind::any;
    case Kind::kw_valuebase:
      return TypeKind::value_base;
    default:
      return std::nullopt;
  }
}

/// The undefined struct or union that a type would need the size of, if any.
const model::Declaration* incomplete_part(const model::Type& type, bool through_sequences) {
  const model::Type* current = &resolve(type);
  const auto holds = [=](TypeKind kind) {
    return kind == TypeKind::array || (through_sequences && (kind == TypeKind::sequence || kind == TypeKind::map));
  };
  while (holds(current->kind)) {
    current = &resolve(*current->element);
  }
  if (current->kind == TypeKind::struct_ && !model::as<model::Struct>(current->declaration)->defined) {
    return current->declaration;
  }
  if (current->kind == TypeKind::union_ && !model::as<model::Union>(current->declaration)->defined) {
    return current->declaration;
  }
  return nullptr;
}

}  // namespace

/// Annotations before the type of a declaration that has begun with a word, `typedef @a T x`: they are the
/// declaration's, as those before it are (IDL 4.2, 7.4.15.2), which still wait.
void Parser::parse_type_annotations() {
  if (!at(Kind::at)) return;
  std::vector<Applied> all = std::exchange(applied_, {});
  parse_applied_annotations();
  std::move(applied_.begin(), applied_.end(), std::back_inserter(all));
  applied_ = std::move(all);
}

/// True if the `::` here stands apart from the name of an annotation: it begins the type, `@key ::M::T x`.
bool Parser::is_before_type(const ScopedName& annotation) {
  if (!at(Kind::scope) || current().span.offset == previous_end_) return false;
  const auto& parts = annotation.parts;
  if (parts.size() == 1 && !annotation.absolute && find_standard_annotation(parts[0].name) != nullptr) return true;
  return names_.find_annotation(annotation.absolute, parts) != nullptr;
}

/// A type in the given place. Null if there is none or it may not stand here; that has then been reported.
const model::Type* Parser::parse_type(Use use) {
  const Nesting nesting(*this);
  const Span where = panic_ || abandoned_ ? Span{} : current().span;
  if (const auto word = one_word_type(kind())) {
    take();
    return basic(*word);
  }
  switch (kind()) {
    case Kind::kw_void:
      take();
      if (use == Use::result || use == Use::constant) return basic(TypeKind::void_);
      diagnostics_.report(Id::void_misuse, where, "'void' is for operation results only");
      return nullptr;
    case Kind::kw_short:
    case Kind::kw_long:
    case Kind::kw_unsigned:
      return parse_integer_type();
    case Kind::kw_fixed:
      return parse_fixed_type(use);
    case Kind::kw_string:
      take();
      return parse_string_type(TypeKind::string);
    case Kind::kw_wstring:
      take();
      return parse_string_type(TypeKind::wstring);
    case Kind::kw_sequence: {
      const model::Type* type = parse_sequence();
      if (type != nullptr && !may_be_anonymous(use)) return refuse_anonymous(where, "sequence");
      return type;
    }
    case Kind::kw_struct:
    case Kind::kw_union:
    case Kind::kw_enum:
      return parse_constructed(use);
    case Kind::identifier:
    case Kind::scope:
      return parse_named_type(use);
    default:
      fail(Id::bad_type, "expected a type");
      return nullptr;
  }
}

bool Parser::may_be_anonymous(Use use) noexcept {
  return use == Use::member || use == Use::alias || use == Use::box || use == Use::element;
}

const model::Type* Parser::refuse_anonymous(Span where, std::string_view what) {
  diagnostics_.report(Id::anonymous_type, where,
                      "an anonymous " + std::string(what) + " cannot stand here; give it a name with typedef");
  return nullptr;
}

const model::Type* Parser::parse_integer_type() {
  const bool is_unsigned = accept(Kind::kw_unsigned);
  if (accept(Kind::kw_short)) return basic(is_unsigned ? TypeKind::ushort : TypeKind::short_);
  if (!at(Kind::kw_long)) {
    fail(Id::bad_type, "expected 'short' or 'long' after 'unsigned'");
    return nullptr;
  }
  take();
  if (accept(Kind::kw_long)) return basic(is_unsigned ? TypeKind::ulonglong : TypeKind::longlong);
  if (!is_unsigned && accept(Kind::kw_double)) return basic(TypeKind::long_double);
  return basic(is_unsigned ? TypeKind::ulong : TypeKind::long_);
}

const model::Type* Parser::parse_string_type(TypeKind kind) {
  if (!accept(Kind::less)) return basic(kind);
  ++template_depth_;
  const auto bound = parse_positive("string bound");
  --template_depth_;
  if (!accept_template_close() || !bound) return nullptr;
  return model_->add({kind, *bound, nullptr, {}, nullptr});
}

bool Parser::accept_template_close() {
  return expect(Kind::greater, "to close the type's parameters");
}

/// The annotations before it mean nothing to what is made of the model, which has none for types.
const model::Type* Parser::parse_element() {
  std::vector<Applied> waiting = std::exchange(applied_, {});
  parse_applied_annotations();
  take_applied(Target::element);
  applied_ = std::move(waiting);
  return parse_type(Use::element);
}

const model::Type* Parser::parse_sequence() {
  take();
  if (!expect(Kind::less, "after 'sequence'")) return nullptr;
  ++template_depth_;
  const model::Type* element = parse_element();
  std::optional<std::uint64_t> bound = 0;
  if (accept(Kind::comma)) bound = parse_positive("sequence bound");
  --template_depth_;
  if (!accept_template_close() || element == nullptr || !bound) return nullptr;
  return model_->add({TypeKind::sequence, *bound, element, {}, nullptr});
}

const model::Type* Parser::parse_constructed(Use use) {
  const Span where = current().span;
  const Kind what = kind();
  const model::Type* type = what == Kind::kw_struct  ? parse_struct()
                            : what == Kind::kw_union ? parse_union()
                                                     : parse_enum();
  if (use == Use::member || use == Use::alias || use == Use::box) {
    if (type != nullptr) check_use(type, use, where);
    return type;
  }
  diagnostics_.report(Id::anonymous_type, where, "a type cannot be defined here; define it before");
  return nullptr;
}

const model::Type* Parser::parse_named_type(Use use) {
  if (const auto type = parse_word_type(use)) return *type;
  const auto name = parse_scoped_name();
  if (!name) return nullptr;
  if (const model::Type* type_code = type_code_named(*name)) return type_code;
  const Entry* entry = names_.resolve(name->absolute, name->parts);
  return entry == nullptr ? nullptr : type_of(*entry, *name, use);
}

/// `int8` to `uint64` and `map`, which are names in old IDL. Nothing if something else stands here.
std::optional<const model::Type*> Parser::parse_word_type(Use use) {
  static constexpr std::array<std::pair<std::string_view, TypeKind>, 8> kIntegers = {{{"int8", TypeKind::int8},
                                                                                      {"uint8", TypeKind::uint8},
                                                                                      {"int16", TypeKind::short_},
                                                                                      {"uint16", TypeKind::ushort},
                                                                                      {"int32", TypeKind::long_},
                                                                                      {"uint32", TypeKind::ulong},
                                                                                      {"int64", TypeKind::longlong},
                                                                                      {"uint64", TypeKind::ulonglong}}};
  if (!at(Kind::identifier) || !current().later_keyword || names_.is_declared(current().text)) return std::nullopt;
  if (current().text == "map") return parse_map(use);
  for (const auto& [word, kind] : kIntegers) {
    if (current().text != word) continue;
    need_idl4(take().span, quote(word));
    return basic(kind);
  }
  return std::nullopt;
}

/// CORBA::TypeCode is known without a declaration; orb.idl may declare it as an interface.
const model::Type* Parser::type_code_named(const ScopedName& name) {
  if (name.parts.back().name != "TypeCode" || name.parts.size() > 2) return nullptr;
  bool inside = false;
  for (Scope* scope = &names_.current(); scope->parent() != nullptr; scope = scope->parent()) {
    inside = scope->name() == "CORBA" && scope->parent()->parent() == nullptr;
  }
  if (name.parts.size() == 1 ? !inside || name.absolute : name.parts[0].name != "CORBA") return nullptr;
  Entry* module = names_.file_scope().find("corba");
  const Entry* declared = module == nullptr || module->inner == nullptr ? nullptr : module->inner->find("typecode");
  if (declared != nullptr && declared->how == Entry::How::declared &&
      model::as<model::Interface>(declared->declaration) == nullptr) {
    return nullptr;
  }
  if (declared != nullptr) pending_.erase(declared->declaration);
  return basic(TypeKind::type_code);
}

const model::Type* Parser::type_of(const Entry& entry, const ScopedName& name, Use use) {
  if (entry.how == Entry::How::unsupported) return nullptr;
  const auto found = types_.find(entry.declaration);
  if (found != types_.end()) return check_use(found->second, use, name.where);
  const bool exception = model::as<model::Exception>(entry.declaration) != nullptr;
  diagnostics_
      .report(exception ? Id::exception_as_type : Id::wrong_kind, name.where,
              exception ? "exception " + quote(entry.name) + " cannot be used as a type"
                        : describe(entry) + " is not a type" +
                              (name.absolute || name.parts.size() > 1 ? "" : names_.hidden_by(entry, entry.name)))
      .note(entry.where, "declared here");
  return nullptr;
}

/// The type itself if it may be used like this as far as it is known by now, else null.
const model::Type* Parser::check_use(const model::Type* type, Use use, Span where) {
  const model::Type& real = resolve(*type);
  note_use(real.declaration, where);
  if (!check_locality(*type, use, where)) return nullptr;
  if (use == Use::element) {
    const auto* target = incomplete_part(*type, false);
    if (target != nullptr && real.kind != TypeKind::array && open_structures_.contains(target) &&
        type->kind != TypeKind::alias) {
      diagnostics_.report(Id::recursive_anonymous, where,
                          "an anonymous sequence in a recursive type is deprecated; forward declare " +
                              quote(target->name) + " and name the sequence with typedef");
    }
    return type;
  }
  const bool in_operation = use == Use::parameter || use == Use::result || use == Use::attribute;
  const auto* target = incomplete_part(*type, in_operation);
  if (target == nullptr) return type;
  const auto pending = pending_.find(target);
  note_use(target, where);
  if (open_structures_.contains(target)) {
    diagnostics_.report(Id::recursion, where,
                        quote(target->name) + " contains itself; only a sequence may hold the type being defined");
  } else {
    auto report = diagnostics_.report(Id::incomplete, where, quote(target->name) + " is used before it is defined");
    if (pending != pending_.end()) report.note(pending->second.where, "forward declared here");
  }
  return nullptr;
}

/// Natives and local objects cannot leave their process.
bool Parser::check_locality(const model::Type& type, Use use, Span where) {
  const TypeKind kind = resolve(type).kind;
  const bool in_operation = use == Use::parameter || use == Use::result;
  // CORBA::AbstractBase is only written as one; it is sent as abstract interfaces are.
  if (kind == TypeKind::native && scoped_name(*resolve(type).declaration) != "CORBA::AbstractBase") {
    const bool in_exception = struct_ != nullptr && struct_->kind == DeclarationKind::exception;
    if (!in_operation && !(use == Use::member && in_exception)) {
      diagnostics_.report(Id::native_misuse, where,
                          "native type " + quote(spelling(type)) +
                              " may be used for parameters, results and members of exceptions only");
      return false;
    }
    if (in_operation && interface_ != nullptr && !interface_->is_local) {
      diagnostics_.report(Id::native_remote, where,
                          "native type " + quote(spelling(type)) + " cannot be sent; make the interface local");
    }
    return true;
  }
  if (interface_ == nullptr || interface_->is_local || (!in_operation && use != Use::attribute)) return true;
  const model::Declaration* local = local_part(type);
  if (local == nullptr) return true;
  diagnostics_.report(Id::local_misuse, where,
                      "local interface " + quote(local->name) + " cannot be sent; only local interfaces may use it");
  return false;
}

/// The local interface that a type is or holds; null if none. Remembered for what is defined completely.
const model::Declaration* Parser::local_part(const model::Type& type) {
  if (type.element != nullptr) return local_part(*type.element);
  if (const auto* interface = model::as<model::Interface>(type.declaration)) {
    return interface->is_local ? interface : nullptr;
  }
  const TypeKind kind = type.kind;
  if (kind != TypeKind::alias && kind != TypeKind::struct_ && kind != TypeKind::union_) return nullptr;
  const auto [known, added] = local_parts_.try_emplace(type.declaration, nullptr);
  if (!added) return known->second;
  const model::Declaration* found = nullptr;
  for_each_type(*type.declaration, [&](const model::Type& part) {
    if (found == nullptr) found = local_part(part);
  });
  return local_parts_[type.declaration] = found;
}

/// Remembers how deep a type is made of others: code that walks types recursively must be able to rely on an end.
void Parser::limit_depth(const model::Declaration& declaration, const std::vector<const model::Type*>& parts,
                         Span where) {
  unsigned deepest = 0;
  for (const model::Type* part : parts) {
    unsigned depth = 0;
    for (; part != nullptr; part = part->element) {
      const auto known = type_depths_.find(part->declaration);
      depth += known == type_depths_.end() ? 1 : known->second;
    }
    deepest = std::max(deepest, depth);
  }
  type_depths_[&declaration] = deepest + 1;
  if (deepest < kMaxTypeDepth || abandoned_) return;
  diagnostics_.report(Id::too_deep, where,
                      "a type made of types made of types, more than " + std::to_string(kMaxTypeDepth) + " deep");
  panic_ = abandoned_ = true;
}

/// `[n][m]...` after a declarator; the element itself if there are none.
const model::Type* Parser::parse_array_sizes(const model::Type* element) {
  std::vector<std::uint64_t> sizes;
  const Span where = current().span;
  bool valid = true;
  while (accept(Kind::left_bracket)) {
    const unsigned outer_templates = std::exchange(template_depth_, 0);
    const auto size = parse_positive("array size");
    template_depth_ = outer_templates;
    valid = expect(Kind::right_bracket, "after the array size") && size && valid;
    if (!size) continue;
    sizes.push_back(*size);
    if (sizes.size() != kMaxDimensions + 1) continue;
    diagnostics_.report(Id::too_complex, where,
                        "an array of more than " + std::to_string(kMaxDimensions) + " dimensions");
    valid = false;
  }
  if (!valid || element == nullptr) return nullptr;
  if (sizes.empty()) return element;
  return model_->add({TypeKind::array, 0, element, std::move(sizes), nullptr});
}

}  // namespace corbel::idl::front

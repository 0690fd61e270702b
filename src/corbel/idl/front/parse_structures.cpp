// SPDX-License-Identifier: Apache-2.0
// Structs, exceptions' members, enums.
#include "corbel/idl/front/parser.hpp"

#include "corbel/idl/front/structures.hpp"
#include "corbel/idl/model/member_ids.hpp"

namespace corbel::idl::front {

using model::TypeKind;

void Parser::apply(model::Struct& structure, const std::vector<Applied>& applied) {
  structure.annotations = annotations_of(applied);
  structure.nested = is_on(applied, "nested");
  const Applied* seen = nullptr;
  const auto set = [&](std::string_view name, std::string_view word, model::Extensibility extensibility) {
    const Applied* one = find(applied, name);
    if (one == nullptr) return;
    const model::Value* value = one->annotation.find();
    if (!word.empty() && (value == nullptr || *value != model::Value(std::string(word)))) return;
    if (seen != nullptr) {
      diagnostics_.report(Id::annotation_conflict, one->where, "the extensibility is given twice")
          .note(seen->where, "first given here");
    }
    seen = one;
    structure.extensibility = extensibility;
  };
  set("final", "", model::Extensibility::final_);
  set("appendable", "", model::Extensibility::appendable);
  set("mutable", "", model::Extensibility::mutable_);
  set("extensibility", "FINAL", model::Extensibility::final_);
  set("extensibility", "APPENDABLE", model::Extensibility::appendable);
  set("extensibility", "MUTABLE", model::Extensibility::mutable_);
}

void Parser::apply(model::Member& member, const std::vector<Applied>& applied) {
  member.annotations = annotations_of(applied);
  member.optional = is_on(applied, "optional");
  member.key = is_on(applied, "key");
  member.external = is_on(applied, "external");
  member.id = annotated_number(applied, "id", 0, model::kLargestMemberId);
  if (member.optional && member.key) {
    diagnostics_.report(Id::annotation_conflict, find(applied, "optional")->where, "a key member cannot be optional");
  }
  if (member.type == nullptr) return;
  member.default_value = checked_default(applied, *member.type);
  // What may be absent is so at first, whatever its type says.
  const auto* alias = as<model::Alias>(member.type->declaration);
  if (alias == nullptr || member.optional || member.external || find(applied, "default") != nullptr) return;
  member.default_value = alias->default_value;
}

const model::Type* Parser::parse_struct() {
  std::vector<Applied> applied = std::exchange(applied_, {});
  take();
  const auto name = parse_new_name("a struct");
  if (!name) return nullptr;
  std::swap(applied, applied_);
  if (at(Kind::semicolon)) {
    forward_declare<model::Struct>(*name);
    return nullptr;
  }
  applied = take_applied(Target::structure);
  Entry* entry = nullptr;
  auto* structure = begin_structure<model::Struct>(*name, entry);
  Scope& scope = names_.open(Scope::Sort::structure, name->text, structure);
  if (entry != nullptr) entry->inner = &scope;
  apply(*structure, applied);
  if (at(Kind::colon)) parse_struct_base(*structure, scope);
  if (!expect(Kind::left_brace, "to open struct " + quote(name->text))) return nullptr;
  const std::size_t errors = diagnostics_.errors();
  open_structures_.insert(structure);
  {
    const Inside inside(*this, scope, &structure->contents);
    parse_members(*structure);
  }
  open_structures_.erase(structure);
  structure->defined = true;
  std::vector<const model::Type*> parts;
  for (const auto& member : structure->members) parts.push_back(member.type);
  if (structure->base != nullptr) parts.push_back(types_[structure->base]);
  limit_depth(*structure, parts, name->where);
  check_member_ids(*structure, name->where);
  if (structure->members.empty() && structure->base == nullptr && errors == diagnostics_.errors()) {
    const bool allowed = options_.idl_version >= 4;
    diagnostics_.report(
        allowed ? Id::empty_struct : Id::empty_body, name->where,
        "struct " + quote(name->text) + " has no members" + (allowed ? ", which only IDL 4 allows" : ""));
  }
  add(structure);
  return types_[structure];
}

void Parser::parse_members(model::Struct& structure) {
  model::Struct* outer = std::exchange(struct_, &structure);
  parse_body(&Parser::parse_member, quote(structure.name));
  struct_ = outer;
}

void Parser::parse_struct_base(model::Struct& structure, Scope& scope) {
  need_idl4(take().span, "struct inheritance");
  const auto name = parse_scoped_name();
  if (!name) return;
  const Entry* entry = names_.resolve(name->absolute, name->parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return;
  const auto* base = model::as<model::Struct>(entry->declaration);
  if (base == nullptr) {
    diagnostics_.report(Id::wrong_kind, name->where, describe(*entry) + " is not a struct")
        .note(entry->where, "declared here");
    return;
  }
  if (!may_inherit(base->defined, base == &structure, *entry, name->where) || entry->inner == nullptr) return;
  structure.base = base;
  inherit(scope, *entry->inner, name->where);
}

void Parser::parse_member() {
  const Nesting nesting(*this);
  parse_applied_annotations();
  parse_member_list(struct_->members, take_applied(Target::member), true);
}

/// `type name, name[3];`
void Parser::parse_member_list(std::vector<model::Member>& members, const std::vector<Applied>& applied,
                               bool is_public) {
  const model::Type* type = parse_type(Use::member);
  do {
    const auto name = parse_new_name("a member");
    if (!name) return;
    model::Member member = make_member(*name, parse_array_sizes(type));
    names_.declare(name->text, name->where, Entry::How::member, nullptr);
    member.is_public = is_public;
    apply(member, applied);
    members.push_back(std::move(member));
  } while (accept(Kind::comma));
  expect_semicolon("member");
}

model::Member Parser::make_member(const Name& name, const model::Type* type) {
  const auto position = source_.position(name.where.offset);
  return {std::string(name.text), type, {position.file, position.line, position.column}};
}

const model::Type* Parser::parse_enum() {
  const std::vector<Applied> applied = take_applied(Target::enumeration);
  take();
  const auto name = parse_new_name("an enum");
  if (!name) return nullptr;
  auto* e = make<model::Enum>(*name);
  e->annotations = annotations_of(applied);
  e->bit_bound = static_cast<std::uint16_t>(annotated_number(applied, "bit_bound", 1, 32).value_or(32));
  types_[e] = model_->add({TypeKind::enum_, 0, nullptr, {}, e});
  names_.declare(name->text, name->where, Entry::How::declared, e);
  if (!expect(Kind::left_brace, "to open enum " + quote(name->text))) return nullptr;
  if (at(Kind::right_brace)) {
    diagnostics_.report(Id::empty_body, name->where, "enum " + quote(name->text) + " has no enumerators");
  } else {
    parse_enumerators(*e);
  }
  leave_list();
  expect(Kind::right_brace, "at the end of enum " + quote(name->text));
  add(e);
  return types_[e];
}

void Parser::parse_enumerators(model::Enum& e) {
  do {
    parse_applied_annotations();
    const std::vector<Applied> applied = take_applied(Target::enumerator);
    const auto label = parse_new_name("an enumerator");
    if (!label) return;
    auto* enumerator = make<model::Enumerator>(*label);
    enumerator->repository_id.clear();
    enumerator->annotations = annotations_of(applied);
    enumerator->owner = &e;
    enumerator->ordinal = static_cast<std::uint32_t>(e.enumerators.size());
    set_enumerator_value(e, *enumerator, applied);
    if (const Applied* literal = find(applied, "default_literal")) {
      if (e.default_literal != nullptr) {
        diagnostics_.report(Id::annotation_conflict, literal->where, "an enum has at most one default literal");
      }
      e.default_literal = enumerator;
    }
    e.enumerators.push_back(enumerator);
    names_.declare(label->text, label->where, Entry::How::declared, enumerator);
  } while (accept(Kind::comma));
}

/// @value, or one more than the enumerator before; within @bit_bound and increasing.
void Parser::set_enumerator_value(model::Enum& e, model::Enumerator& enumerator, const std::vector<Applied>& applied) {
  const bool first = e.enumerators.empty();
  enumerator.value = first ? 0 : e.enumerators.back()->value + 1;
  const Applied* given = find(applied, "value");
  Span where = given == nullptr ? Span{} : given->where;
  if (given != nullptr && !given->values.empty()) {
    e.has_values = true;
    where = given->value_spans[0];
    const auto* integer = std::get_if<Integer>(&given->values[0]);
    if (integer == nullptr || *integer < INT32_MIN || *integer > UINT32_MAX) {
      if (is_unknown(given->values[0])) return;
      diagnostics_.report(Id::annotation_argument, where, "the value of an enumerator is an integer of 32 bits");
      return;
    }
    if (!first && *integer < enumerator.value) {
      diagnostics_.report(Id::annotation_argument, where, "the values of enumerators increase");
      return;
    }
    enumerator.value = static_cast<std::int64_t>(*integer);
  }
  if (enumerator.value >> e.bit_bound == 0 || enumerator.value < 0) return;
  if (given == nullptr)
    where = {previous_end_ - static_cast<std::uint32_t>(enumerator.name.size()),
             static_cast<std::uint32_t>(enumerator.name.size())};
  diagnostics_.report(Id::bad_bits, where,
                      std::to_string(enumerator.value) + " does not fit in the " + std::to_string(e.bit_bound) +
                          " bits of enum " + quote(e.name));
}

}  // namespace corbel::idl::front

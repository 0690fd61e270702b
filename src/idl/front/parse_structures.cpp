// SPDX-License-Identifier: Apache-2.0
// Structs, exceptions' members, enums.
#include "idl/front/parser.hpp"

#include "idl/front/structures.hpp"

namespace corbel::idl::front {

using model::TypeKind;

const model::Type* Parser::parse_struct() {
  take();
  const auto name = parse_new_name("a struct");
  if (!name) return nullptr;
  if (at(Kind::semicolon)) {
    forward_declare<model::Struct>(*name);
    return nullptr;
  }
  Entry* entry = nullptr;
  auto* structure = begin_structure<model::Struct>(*name, entry);
  Scope& scope = names_.open(Scope::Sort::structure, name->text, structure);
  if (entry != nullptr) entry->inner = &scope;
  if (at(Kind::colon)) {
    report_unsupported(take().span, "struct inheritance");
    parse_scoped_name();
  }
  if (!expect(Kind::left_brace, "to open struct " + quoted(name->text))) return nullptr;
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
  limit_depth(*structure, parts, name->where);
  if (structure->members.empty() && errors == diagnostics_.errors()) {
    diagnostics_.report(Id::empty_body, name->where, "struct " + quoted(name->text) + " has no members");
  }
  add(structure);
  return types_[structure];
}

void Parser::parse_members(model::Struct& structure) {
  model::Struct* outer = std::exchange(struct_, &structure);
  parse_body(&Parser::parse_member, quoted(structure.name));
  struct_ = outer;
}

void Parser::parse_member() {
  const Nesting nesting(*this);
  skip_annotations();
  model::Struct& structure = *struct_;
  const model::Type* type = parse_type(Use::member);
  do {
    const auto name = parse_new_name("a member");
    if (!name) return;
    const model::Type* declared = parse_array_sizes(type);
    names_.declare(name->text, name->where, Entry::How::member, nullptr);
    const auto position = source_.position(name->where.offset);
    structure.members.push_back({std::string(name->text), declared, {position.file, position.line, position.column}});
  } while (accept(Kind::comma));
  expect_semicolon("member");
}

const model::Type* Parser::parse_enum() {
  take();
  const auto name = parse_new_name("an enum");
  if (!name) return nullptr;
  auto* e = make<model::Enum>(*name);
  types_[e] = model_->add({TypeKind::enum_, 0, nullptr, {}, e});
  names_.declare(name->text, name->where, Entry::How::declared, e);
  if (!expect(Kind::left_brace, "to open enum " + quoted(name->text))) return nullptr;
  if (at(Kind::right_brace)) {
    diagnostics_.report(Id::empty_body, name->where, "enum " + quoted(name->text) + " has no enumerators");
  } else {
    do {
      skip_annotations();
      const auto label = parse_new_name("an enumerator");
      if (!label) break;
      auto* enumerator = make<model::Enumerator>(*label);
      enumerator->repository_id.clear();
      enumerator->owner = e;
      enumerator->ordinal = static_cast<std::uint32_t>(e->enumerators.size());
      e->enumerators.push_back(enumerator);
      names_.declare(label->text, label->where, Entry::How::declared, enumerator);
    } while (accept(Kind::comma));
  }
  if (panic_) {  // a broken enumerator list ends at its brace, not at the next semicolon
    panic_ = false;
    while (!at(Kind::right_brace) && !at(Kind::semicolon) && !at(Kind::end)) take();
  }
  expect(Kind::right_brace, "at the end of enum " + quoted(name->text));
  add(e);
  return types_[e];
}

}  // namespace corbel::idl::front

// SPDX-License-Identifier: Apache-2.0
// Unions and their labels.
#include <algorithm>

#include "corbel/idl/front/structures.hpp"

namespace corbel::idl::front {
namespace {

using model::TypeKind;

/// How many values a discriminator type has; 0 for "more than any union lists".
std::size_t value_count(const model::Type& type) {
  switch (type.kind) {
    case TypeKind::boolean:
      return 2;
    case TypeKind::char_:
    case TypeKind::octet:
    case TypeKind::int8:
    case TypeKind::uint8:
      return 256;
    case TypeKind::short_:
    case TypeKind::ushort:
    case TypeKind::wchar:
      return 65536;
    case TypeKind::enum_:
      return model::as<model::Enum>(type.declaration)->enumerators.size();
    default:
      return 0;
  }
}

/// The n-th value in the order in which a default label is looked for: declaration order, or from 0 up and, for short,
/// on from the lowest.
model::Value nth_value(const model::Type& type, std::uint64_t n) {
  switch (type.kind) {
    case TypeKind::boolean:
      return n != 0;
    case TypeKind::char_:
    case TypeKind::wchar:
      return static_cast<char32_t>(n);
    case TypeKind::int8:
      return static_cast<std::int64_t>(static_cast<std::int8_t>(n));
    case TypeKind::enum_:
      return model::as<model::Enum>(type.declaration)->enumerators[n];
    case TypeKind::short_:
      return static_cast<std::int64_t>(static_cast<std::int16_t>(n));
    case TypeKind::long_:
    case TypeKind::longlong:
      return static_cast<std::int64_t>(n);
    default:
      return n;
  }
}

}  // namespace

const model::Type* Parser::parse_union() {
  std::vector<Applied> applied = std::exchange(applied_, {});
  take();
  const auto name = parse_new_name("a union");
  if (!name) return nullptr;
  std::swap(applied, applied_);
  if (at(Kind::semicolon)) {
    forward_declare<model::Union>(*name);
    return nullptr;
  }
  applied = take_applied(Target::union_);
  Entry* entry = nullptr;
  auto* u = begin_structure<model::Union>(*name, entry);
  u->annotations = annotations_of(applied);
  Scope& scope = names_.open(Scope::Sort::structure, name->text, u);
  if (entry != nullptr) entry->inner = &scope;
  open_structures_.insert(u);
  {
    const Inside inside(*this, scope, &u->contents);
    if (expect(Kind::kw_switch, "after the name of the union") && expect(Kind::left_paren, "after 'switch'")) {
      parse_applied_annotations();
      u->discriminator_annotations = annotations_of(take_applied(Target::discriminator));
      u->discriminator = parse_discriminator();
      expect(Kind::right_paren, "after the discriminator type");
    }
    model::Union* outer = std::exchange(union_, u);
    auto outer_labels = std::exchange(labels_, {});
    if (expect(Kind::left_brace, "to open union " + quote(name->text))) {
      const std::size_t errors = diagnostics_.errors();
      parse_body(&Parser::parse_union_case, "union " + quote(name->text));
      if (u->cases.empty() && errors == diagnostics_.errors()) {
        diagnostics_.report(Id::empty_body, name->where, "union " + quote(name->text) + " has no members");
      }
    }
    if (u->discriminator != nullptr) finish_union(*u);
    union_ = outer;
    labels_ = std::move(outer_labels);
  }
  open_structures_.erase(u);
  u->defined = true;
  std::vector<const model::Type*> parts;
  for (const auto& c : u->cases) parts.push_back(c.member.type);
  limit_depth(*u, parts, name->where);
  check_member_ids(*u, name->where);
  add(u);
  return types_[u];
}

const model::Type* Parser::parse_discriminator() {
  const Span where = panic_ || abandoned_ ? Span{} : current().span;
  const model::Type* type = at(Kind::kw_enum) ? parse_enum() : parse_type(Use::result);
  if (type == nullptr) return nullptr;
  const model::Type& real = resolve(*type);
  if (real.kind == TypeKind::octet || real.kind == TypeKind::wchar) {
    need_idl4(where, quote(spelling(real)) + " as discriminator");
    return type;
  }
  const bool allowed = integer_range(real.kind).highest > 0 || real.kind == TypeKind::boolean ||
                       real.kind == TypeKind::char_ || real.kind == TypeKind::enum_;
  if (allowed) return type;
  diagnostics_.report(
      Id::bad_discriminator, where,
      "a discriminator is an integer, octet, char, wchar, boolean or enum, not " + quote(spelling(*type)));
  return nullptr;
}

void Parser::parse_union_case() {
  const Nesting nesting(*this);
  parse_applied_annotations();
  std::vector<Applied> applied = take_applied(Target::union_case);
  model::Union& u = *union_;
  model::UnionCase union_case;
  while (at(Kind::kw_case) || at(Kind::kw_default)) parse_label(union_case);
  if (union_case.labels.empty() && !union_case.is_default && !panic_) {
    fail(Id::expected, "expected 'case' or 'default'");
    return;
  }
  parse_applied_annotations();
  for (Applied& one : take_applied(Target::union_case)) applied.push_back(std::move(one));
  const model::Type* type = parse_type(Use::member);
  const auto name = parse_new_name("a union member");
  if (!name) return;
  union_case.member = make_member(*name, parse_array_sizes(type));
  apply(union_case.member, applied);
  names_.declare(name->text, name->where, Entry::How::member, nullptr);
  u.cases.push_back(std::move(union_case));
  expect_semicolon("union member");
}

void Parser::parse_label(model::UnionCase& union_case) {
  const Token keyword = take();
  if (keyword.kind == Kind::kw_default) {
    const bool repeated = union_case.is_default || std::any_of(union_->cases.begin(), union_->cases.end(),
                                                               [](const auto& c) { return c.is_default; });
    if (repeated) diagnostics_.report(Id::duplicate_default, keyword.span, "a union has at most one 'default'");
    union_case.is_default = true;
  } else {
    Span where = panic_ || abandoned_ ? keyword.span : current().span;
    if (union_->discriminator == nullptr) {
      parse_expression(0);
      union_case.labels.emplace_back();
    } else {
      model::Value value = parse_constant_value(*union_->discriminator);
      where.length = std::max(previous_end_, where.offset + 1) - where.offset;
      if (!std::holds_alternative<std::monostate>(value)) {
        const auto [earlier, added] = labels_.try_emplace(value, where);
        if (!added) {
          diagnostics_.report(Id::duplicate_label, where, "this label is already taken")
              .note(earlier->second, "first used here");
        }
      }
      union_case.labels.push_back(std::move(value));
    }
  }
  expect(Kind::colon, "after the label");
}

/// Which label, if any, is left for the default.
void Parser::finish_union(model::Union& u) {
  const model::Type& type = resolve(*u.discriminator);
  u.covers_all_labels = value_count(type) != 0 && labels_.size() == value_count(type);
  if (u.covers_all_labels) {
    const auto with_default = std::find_if(u.cases.begin(), u.cases.end(), [](const auto& c) { return c.is_default; });
    if (with_default != u.cases.end() && !with_default->labels.empty()) {
      with_default->is_default = false;  // selected by labels all the same
    } else if (with_default != u.cases.end()) {
      diagnostics_.report(Id::superfluous_default, names_.current().find(folded(with_default->member.name))->where,
                          "the labels already name every value of " + quote(spelling(*u.discriminator)) +
                              ", so nothing is left for 'default'");
    }
    return;
  }
  // After errors an enum may have no enumerators, or fewer than the labels that were accepted.
  const std::size_t count = type.kind == TypeKind::enum_ ? value_count(type) : SIZE_MAX;
  std::uint64_t n = 0;
  while (n < count && labels_.contains(nth_value(type, n))) ++n;
  if (n < count) u.default_label = nth_value(type, n);
}

}  // namespace corbel::idl::front

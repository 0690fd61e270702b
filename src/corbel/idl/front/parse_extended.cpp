// SPDX-License-Identifier: Apache-2.0
// fixed, and the extended data types of IDL 4: maps, bitsets, bitmasks.
#include <algorithm>
#include <set>

#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {
namespace {

using model::TypeKind;

constexpr std::uint16_t kMaxBits = 64;

/// How many bits a bitfield of this type may have; 0 if the type cannot be a bitfield's.
std::uint16_t bits_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::boolean:
      return 1;
    case TypeKind::octet:
    case TypeKind::int8:
    case TypeKind::uint8:
      return 8;
    case TypeKind::short_:
    case TypeKind::ushort:
      return 16;
    case TypeKind::long_:
    case TypeKind::ulong:
      return 32;
    case TypeKind::longlong:
    case TypeKind::ulonglong:
      return 64;
    default:
      return 0;
  }
}

TypeKind smallest_for(std::uint64_t width) {
  return width == 1    ? TypeKind::boolean
         : width <= 8  ? TypeKind::octet
         : width <= 16 ? TypeKind::ushort
         : width <= 32 ? TypeKind::ulong
                       : TypeKind::ulonglong;
}

bool may_be_key(TypeKind kind) {
  return (kind > TypeKind::void_ && kind <= TypeKind::wstring) || kind == TypeKind::fixed || kind == TypeKind::enum_;
}

}  // namespace

/// A construct that OMG IDL has only since version 4.
void Parser::need_idl4(Span where, std::string_view construct) {
  if (options_.idl_version >= 4) return;
  std::string text(construct);
  text += construct.ends_with('s') ? " are" : " is";
  diagnostics_.report(Id::needs_idl4, where, text + " part of IDL 4 only; compile with --idl=4");
}

/// `fixed<digits, scale>`; in a constant, `fixed` alone.
const model::Type* Parser::parse_fixed_type(Use use) {
  const Span where = take().span;
  if (!at(Kind::less) && use == Use::constant) return basic(TypeKind::fixed);
  if (!expect(Kind::less, "after 'fixed'")) return nullptr;
  ++template_depth_;
  const auto digits = parse_bounded("number of digits", 1, kMaxFixedDigits, Id::bad_fixed);
  expect(Kind::comma, "before the scale");
  const auto scale = parse_bounded("scale", 0, kMaxFixedDigits, Id::bad_fixed);
  --template_depth_;
  if (!accept_template_close() || !digits || !scale) return nullptr;
  if (*scale > *digits) {
    diagnostics_.report(
        Id::bad_fixed, where,
        "the scale " + std::to_string(*scale) + " is larger than the number of digits, " + std::to_string(*digits));
    return nullptr;
  }
  if (!may_be_anonymous(use)) return refuse_anonymous(where, "fixed-point type");
  model::Type type{TypeKind::fixed, 0, nullptr, {}, nullptr};
  type.digits = static_cast<std::uint16_t>(*digits);
  type.scale = static_cast<std::uint16_t>(*scale);
  return model_->add(std::move(type));
}

/// A constant expression from `lowest` to `highest`; nothing, and a report, if it is something else.
std::optional<std::uint64_t> Parser::parse_bounded(std::string_view what, std::uint64_t lowest, std::uint64_t highest,
                                                   Id id) {
  Span where = panic_ || abandoned_ ? Span{} : current().span;
  const Evaluated value = parse_expression(0);
  if (panic_ || is_unknown(value)) return std::nullopt;
  where.length = std::max(previous_end_, where.offset + 1) - where.offset;
  const auto* integer = std::get_if<Integer>(&value);
  if (integer != nullptr && *integer >= lowest && *integer <= highest) return static_cast<std::uint64_t>(*integer);
  diagnostics_.report(integer == nullptr ? Id::type_mismatch : id, where,
                      "the " + std::string(what) + " must be an integer from " + std::to_string(lowest) + " to " +
                          std::to_string(highest) + ", not " +
                          (integer == nullptr ? std::string(describe(value)) : to_string(*integer)));
  return std::nullopt;
}

const model::Type* Parser::parse_map(Use use) {
  const Span where = take().span;
  need_idl4(where, "'map'");
  if (!expect(Kind::less, "after 'map'")) return nullptr;
  ++template_depth_;
  const Span key_where = panic_ || abandoned_ ? Span{} : current().span;
  const model::Type* key = parse_element();
  expect(Kind::comma, "before the type of the map's values");
  const model::Type* element = parse_element();
  std::optional<std::uint64_t> bound = 0;
  if (accept(Kind::comma)) bound = parse_positive("map bound");
  --template_depth_;
  if (!accept_template_close() || key == nullptr || element == nullptr || !bound) return nullptr;
  if (!may_be_key(resolve(*key).kind)) {
    diagnostics_.report(Id::bad_map_key, key_where,
                        quote(spelling(*key)) + " has no order that all programs share and cannot be a map's key");
    return nullptr;
  }
  if (!may_be_anonymous(use)) return refuse_anonymous(where, "map");
  model::Type type{TypeKind::map, *bound, element, {}, nullptr};
  type.key = key;
  return model_->add(std::move(type));
}

void Parser::parse_bitset() {
  const std::vector<Applied> applied = take_applied(Target::bitset);
  need_idl4(take().span, "bitsets");
  const auto name = parse_new_name("a bitset");
  if (!name) return;
  auto* bitset = make<model::Bitset>(*name);
  bitset->annotations = annotations_of(applied);
  Entry* entry = names_.declare(name->text, name->where, Entry::How::declared, bitset);
  Scope& scope = names_.open(Scope::Sort::bits, name->text, bitset);
  if (accept(Kind::colon)) parse_bitset_base(*bitset, scope);
  if (!expect(Kind::left_brace, "to open bitset " + quote(name->text))) return;
  {
    const Inside inside(*this, scope, contents_);
    auto* outer = std::exchange(bitset_, bitset);
    parse_body(&Parser::parse_bitfield, "bitset " + quote(name->text));
    bitset_ = outer;
  }
  types_[bitset] = model_->add({TypeKind::bitset, 0, nullptr, {}, bitset});
  if (entry != nullptr) entry->inner = &scope;
  add(bitset);
  expect_semicolon("bitset");
}

void Parser::parse_bitset_base(model::Bitset& bitset, Scope& scope) {
  const auto name = parse_scoped_name();
  if (!name) return;
  const Entry* entry = names_.resolve(name->absolute, name->parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return;
  bitset.base = model::as<model::Bitset>(entry->declaration);
  if (bitset.base == nullptr || bitset.base == &bitset) {
    diagnostics_
        .report(Id::wrong_kind, name->where,
                "a bitset inherits from a bitset defined before, not from " + describe(*entry))
        .note(entry->where, "declared here");
    bitset.base = nullptr;
    return;
  }
  bitset.width = bitset.base->width;
  if (entry->inner != nullptr) inherit(scope, *entry->inner, name->where);
}

/// `bitfield<width[, type]> name...;`, without a name for padding.
void Parser::parse_bitfield() {
  const Nesting nesting(*this);
  parse_applied_annotations();
  const std::vector<Applied> applied = take_applied(Target::bitfield);
  if (!at_word("bitfield")) return fail(Id::expected, "expected 'bitfield'");
  const Span where = take().span;
  if (!expect(Kind::less, "after 'bitfield'")) return;
  ++template_depth_;
  const auto width = parse_bounded("width of a bitfield", 1, kMaxBits, Id::bad_bits);
  const model::Type* type = nullptr;
  if (accept(Kind::comma)) type = parse_type(Use::element);
  --template_depth_;
  if (!accept_template_close()) return;
  if (width && type != nullptr && *width > bits_of(resolve(*type).kind)) {
    diagnostics_.report(Id::bad_bits, where,
                        quote(spelling(*type)) + " cannot hold " + std::to_string(*width) + " bits");
  }
  model::Bitfield field;
  field.width = static_cast<std::uint16_t>(width.value_or(1));
  field.type = type != nullptr ? type : basic(smallest_for(field.width));
  field.annotations = annotations_of(applied);
  bool named = false;
  while (at(Kind::identifier)) {
    const auto name = parse_new_name("a bitfield");
    names_.declare(name->text, name->where, Entry::How::member, nullptr);
    field.name = name->text;
    add_bitfield(field, name->where);
    named = true;
    accept(Kind::comma);
  }
  if (!named) add_bitfield(field, where);
  expect_semicolon("bitfield");
}

void Parser::add_bitfield(model::Bitfield field, Span where) {
  const auto position = source_.position(where.offset);
  field.where = {position.file, position.line, position.column};
  field.position = bitset_->width;
  if (bitset_->width + field.width > kMaxBits) {
    diagnostics_.report(Id::bad_bits, where, "a bitset has at most 64 bits, those of its base included");
    return;
  }
  bitset_->width = static_cast<std::uint16_t>(bitset_->width + field.width);
  bitset_->fields.push_back(std::move(field));
}

void Parser::parse_bitmask() {
  const std::vector<Applied> applied = take_applied(Target::bitmask);
  need_idl4(take().span, "bitmasks");
  const auto name = parse_new_name("a bitmask");
  if (!name) return;
  auto* bitmask = make<model::Bitmask>(*name);
  bitmask->annotations = annotations_of(applied);
  bitmask->bit_bound = static_cast<std::uint16_t>(annotated_number(applied, "bit_bound", 1, kMaxBits).value_or(32));
  types_[bitmask] = model_->add({TypeKind::bitmask, 0, nullptr, {}, bitmask});
  names_.declare(name->text, name->where, Entry::How::declared, bitmask);
  if (!expect(Kind::left_brace, "to open bitmask " + quote(name->text))) return;
  if (at(Kind::right_brace)) {
    diagnostics_.report(Id::empty_body, name->where, "bitmask " + quote(name->text) + " has no flags");
  } else {
    const Inside inside(*this, names_.open(Scope::Sort::bits, name->text, bitmask), contents_);
    parse_flags(*bitmask);
  }
  leave_list();
  expect(Kind::right_brace, "at the end of bitmask " + quote(name->text));
  add(bitmask);
  expect_semicolon("bitmask");
}

void Parser::parse_flags(model::Bitmask& bitmask) {
  std::set<std::uint32_t> taken;
  std::uint32_t next = 0;
  do {
    parse_applied_annotations();
    const std::vector<Applied> applied = take_applied(Target::flag);
    const auto name = parse_new_name("a flag");
    if (!name) return;
    names_.declare(name->text, name->where, Entry::How::member, nullptr);
    const auto given = annotated_number(applied, "position", 0, bitmask.bit_bound - 1U);
    const std::uint32_t position = given.value_or(next);
    next = position + 1;
    if (position >= bitmask.bit_bound) {
      diagnostics_.report(
          Id::bad_bits, name->where,
          "flag " + quote(name->text) + " is beyond the mask's " + std::to_string(bitmask.bit_bound) + " bits");
    } else if (!taken.insert(position).second) {
      diagnostics_.report(Id::bad_bits, name->where, "position " + std::to_string(position) + " is already taken");
    }
    const auto place = source_.position(name->where.offset);
    bitmask.flags.push_back({std::string(name->text),
                             static_cast<std::uint16_t>(position),
                             {place.file, place.line, place.column},
                             annotations_of(applied)});
  } while (accept(Kind::comma));
}

/// A broken list of enumerators or flags ends at its brace, not at the next semicolon.
void Parser::leave_list() {
  if (!panic_) return;
  panic_ = false;
  while (!at(Kind::right_brace) && !at(Kind::semicolon) && !at(Kind::end)) take();
}

}  // namespace corbel::idl::front

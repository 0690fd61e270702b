// SPDX-License-Identifier: Apache-2.0
// typeid, typeprefix, import.
#include <algorithm>

#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {

/// The text after typeid and typeprefix.
std::optional<std::string> Parser::parse_identity_text(std::string_view after) {
  if (!at(Kind::string)) {
    fail(Id::expected, "expected a string after " + std::string(after));
    return std::nullopt;
  }
  const Evaluated text = parse_literal();
  return std::get<std::string>(text);
}

/// `typeid Name "id"`.
void Parser::parse_typeid() {
  take_applied(Target::other);
  const Span start = take().span;
  const auto name = parse_scoped_name();
  if (!name) return;
  const auto id = parse_identity_text("the name");
  if (!id) return;
  const Span where{start.offset, previous_end_ - start.offset};
  expect_semicolon("typeid");
  const Entry* entry = names_.resolve(name->absolute, name->parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return;
  const auto found = writable_.find(entry->declaration);
  if (found == writable_.end()) {
    diagnostics_.report(Id::wrong_kind, name->where, describe(*entry) + " has no repository id");
    return;
  }
  model::Declaration& declaration = *found->second;
  if (const Span* fixed = ids_.fixed_at(declaration)) {
    diagnostics_
        .report(Id::id_conflict, where,
                "the repository id of " + quote(declaration.name) + " is already " + quote(declaration.repository_id))
        .note(*fixed, "set here");
    return;
  }
  set_id(declaration, *id, where);
}

/// `typeprefix Scope "prefix"`: for everything that the scope holds and will hold.
void Parser::parse_typeprefix() {
  take_applied(Target::other);
  const Span start = take().span;
  const auto name = parse_scoped_name();
  if (!name) return;
  const auto prefix = parse_identity_text("the name of the scope");
  if (!prefix) return;
  const Span where{start.offset, previous_end_ - start.offset};
  expect_semicolon("typeprefix");
  if (!is_valid_prefix(*prefix)) {
    diagnostics_.report(Id::bad_pragma, where, "a prefix is made of letters, digits, '.', '-', '_' and inner '/'");
    return;
  }
  const Entry* entry = names_.resolve(name->absolute, name->parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return;
  if (entry->declaration == nullptr || contents_of(*entry->declaration) == nullptr) {
    diagnostics_.report(Id::misplaced_identity, name->where, describe(*entry) + " does not hold declarations")
        .note(entry->where, "declared here");
    return;
  }
  set_type_prefix(*entry, *prefix, where);
  use_type_prefix(*entry->declaration, *prefix);
}

/// From here on, if this is inside `owner`: scopes between that have a prefix of their own keep it.
void Parser::use_type_prefix(const model::Declaration& owner, const std::string& prefix) {
  bool here = true;
  std::vector<Inside*> between;
  for (Inside* at = inside_; at != nullptr; at = at->outer) {
    if (at->owner == &owner) {
      if (here) ids_.set_prefix({prefix});
      for (Inside* inner : between) inner->outer_prefix = {prefix};
      return;
    }
    if (type_prefixes_.contains(at->owner)) {
      here = false;
      between.clear();
    }
    between.push_back(at);
  }
}

void Parser::set_type_prefix(const Entry& entry, const std::string& prefix, Span where) {
  const auto [known, added] = type_prefixes_.try_emplace(entry.declaration, TypePrefix{prefix, where});
  if (!added) {
    if (known->second.text == prefix) return;
    diagnostics_
        .report(Id::id_conflict, where,
                "the prefix of " + quote(entry.name) + " is already " + quote(known->second.text))
        .note(known->second.where, "set here");
    return;
  }
  const RepositoryIds::Prefix outer = ids_.prefix();
  ids_.set_prefix({prefix});
  renew_ids(entry);
  ids_.set_prefix(outer);
}

/// Repository ids by the prefix in force, for a declaration and all that it holds by now and that has no other prefix.
void Parser::renew_ids(const Entry& entry) {
  model::Declaration& declaration = *writable_[entry.declaration];
  if (!declaration.repository_id.empty() && ids_.fixed_at(declaration) == nullptr) {
    declaration.repository_id = ids_.make(declaration);
  }
  if (entry.inner == nullptr) return;
  for (const Entry* inner : entry.inner->declared()) {
    if (!type_prefixes_.contains(inner->declaration)) renew_ids(*inner);
  }
}

/// `import Name` or `import "file or id"`: what it names must be known by the end of the file.
void Parser::parse_import() {
  const Span start = take().span;
  if (options_.idl_version < 4 && !contents_->empty()) {
    diagnostics_.report(Id::late_import, start, "imports come before all definitions");
  }
  if (at(Kind::string)) {
    take();
    return expect_semicolon("import");
  }
  const auto name = parse_scoped_name();
  if (!name) return;
  imports_.push_back(*name);
  expect_semicolon("import");
}

void Parser::finish_imports() {
  for (auto& name : imports_) names_.resolve(true, name.parts);
}

}  // namespace corbel::idl::front

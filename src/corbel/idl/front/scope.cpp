// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/scope.hpp"

#include <algorithm>
#include <unordered_set>

#include "corbel/idl/front/token.hpp"

namespace corbel::idl::front {
namespace {

using model::DeclarationKind;

constexpr std::size_t kMaxCandidates = 5000;

const Entry kSilent{"", Entry::How::unsupported, nullptr, {}, nullptr, nullptr};

/// Types of C++ and Java, and what IDL has instead.
struct Foreign {
  std::string_view name;
  std::string_view idl;
};
constexpr Foreign kForeign[] = {
    {"int", "long"},
    {"bool", "boolean"},
    {"byte", "octet"},
    {"vector", "sequence"},
    {"size_t", "unsigned long long"},
    {"int8_t", "int8"},
    {"int16_t", "short"},
    {"int32_t", "long"},
    {"int64_t", "long long"},
    {"uint8_t", "octet"},
    {"uint16_t", "unsigned short"},
    {"uint32_t", "unsigned long"},
    {"uint64_t", "unsigned long long"},
};

/// What a derived interface, value or struct may not declare again.
bool is_inherited_for_good(const Entry& entry) {
  if (entry.how == Entry::How::member) return true;
  return entry.declaration != nullptr && (entry.declaration->kind == DeclarationKind::operation ||
                                          entry.declaration->kind == DeclarationKind::attribute);
}

bool is_value(const Entry& entry) {
  return entry.how == Entry::How::declared && entry.declaration != nullptr &&
         (entry.declaration->kind == DeclarationKind::constant ||
          entry.declaration->kind == DeclarationKind::enumerator);
}

std::string_view kind_name(const Entry& entry) {
  if (entry.how == Entry::How::template_) return "template module";
  if (entry.declaration == nullptr) return entry.how == Entry::How::member ? "member or parameter" : "name";
  return kind_name(*entry.declaration);
}

/// Entries of the bases that a lookup in `scope` would find, nearest first on every path, each once.
void collect_inherited(Scope& scope, const std::string& key, std::unordered_set<Scope*>& visited,
                       std::vector<const Entry*>& found) {
  for (Scope* base : scope.bases) {
    if (!visited.insert(base).second) continue;
    const Entry* entry = base->find(key);
    if (entry == nullptr || entry->how == Entry::How::introduced) {
      collect_inherited(*base, key, visited, found);
    } else if (std::find(found.begin(), found.end(), entry) == found.end()) {
      found.push_back(entry);
    }
  }
}

}  // namespace

std::string describe(const Entry& entry) {
  return std::string(kind_name(entry)) + " " + quote(entry.name);
}

Entry* Scope::find(const std::string& folded_name) noexcept {
  const auto found = entries_.find(folded_name);
  return found == entries_.end() ? nullptr : found->second.get();
}

Entry& Scope::add(const std::string& folded_name, Entry entry) {
  auto& slot = entries_[folded_name];
  slot = std::make_unique<Entry>(std::move(entry));
  return *slot;
}

std::vector<const Entry*> Scope::declared() const {
  std::vector<const Entry*> all;
  for (const auto& [key, entry] : entries_) {
    if (entry->how == Entry::How::declared && entry->declaration != nullptr) all.push_back(entry.get());
  }
  return all;
}

std::vector<const Entry*> Scope::inherited_for_good() const {
  std::vector<const Entry*> all;
  for (const auto& [key, entry] : entries_) {
    if (is_inherited_for_good(*entry)) all.push_back(entry.get());
  }
  std::sort(all.begin(), all.end(), [](const Entry* a, const Entry* b) { return a->where.offset < b->where.offset; });
  return all;
}

void Scope::append_names(std::vector<std::string_view>& names) const {
  for (const auto& [key, entry] : entries_) {
    if (names.size() >= kMaxCandidates) return;
    if (entry->how != Entry::How::introduced && !entry->name.starts_with('@')) names.push_back(entry->name);
  }
}

Names::Names(Diagnostics& diagnostics) : diagnostics_(diagnostics) {
  scopes_.push_back(std::make_unique<Scope>(Scope::Sort::file, "", nullptr, nullptr));
  file_ = current_ = scopes_.back().get();
}

Scope& Names::open(Scope::Sort sort, std::string_view name, const model::Declaration* owner) {
  scopes_.push_back(std::make_unique<Scope>(sort, name, current_, owner));
  by_owner_.try_emplace(owner, scopes_.back().get());
  return *scopes_.back();
}

Scope* Names::scope_of(const model::Declaration& owner) noexcept {
  const auto found = by_owner_.find(&owner);
  return found == by_owner_.end() ? nullptr : found->second;
}

const Entry* Names::real(const Entry* entry) noexcept {
  return entry != nullptr && entry->how == Entry::How::introduced ? entry->origin : entry;
}

Entry* Names::declare(std::string_view name, Span where, Entry::How how, const model::Declaration* declaration) {
  if (clashes(name, where)) return nullptr;
  return &current_->add(folded(name), {std::string(name), how, declaration, where, nullptr, nullptr});
}

bool Names::clashes(std::string_view name, Span where) {
  const std::string key = folded(name);
  const bool may_repeat = current_->sort() == Scope::Sort::operation || current_->sort() == Scope::Sort::bits;
  if (!may_repeat && current_->parent() != nullptr && key == folded(current_->name())) {
    const bool member = current_->sort() == Scope::Sort::structure && name != current_->name();
    diagnostics_.report(member ? Id::nearly_enclosing_name : Id::enclosing_name, where,
                        member ? quote(name) + " differs from the name of what it is a member of only in case"
                               : quote(name) + " is already the name of the scope that it would be a direct member of");
    if (!member) return true;
  }
  if (const Entry* existing = current_->find(key)) {
    const Entry* origin = real(existing);
    if (existing->how != Entry::How::introduced && diagnostics_.report_inclusion(existing->where, where)) return true;
    if (existing->how == Entry::How::introduced) {
      diagnostics_
          .report(Id::introduced_clash, where,
                  quote(name) + " cannot be declared here: this scope already uses " + describe(*origin))
          .note(existing->where, origin->declaration == nullptr
                                     ? "first used here"
                                     : "first used here; as " + quote("::" + model::scoped_name(*origin->declaration)) +
                                           " it would leave the name free")
          .note(origin->where, "declared here");
    } else {
      const bool same = existing->name == name;
      diagnostics_
          .report(same ? Id::redefinition : Id::case_clash, where,
                  same ? "redefinition of " + quote(name)
                       : quote(name) + " differs from " + describe(*existing) + " only in case")
          .note(existing->where, describe(*existing) + " first declared here");
    }
    return true;
  }
  return clashes_with_bases(name, key, where);
}

bool Names::clashes_with_bases(std::string_view name, const std::string& key, Span where) {
  for (Scope* base : current_->ancestors) {
    const Entry* inherited = base->find(key);
    if (inherited == nullptr || !is_inherited_for_good(*inherited)) continue;
    diagnostics_
        .report(Id::inherited_redefinition, where,
                quote(name) + " redefines " + describe(*inherited) + " inherited from " + quote(base->name()))
        .note(inherited->where, "declared here");
    return true;
  }
  return false;
}

const Entry* Names::find_in(Scope& scope, const Part& part, const std::string& key) {
  std::unordered_set<Scope*> visited;
  std::vector<const Entry*> found;
  if (!scope.bases.empty()) collect_inherited(scope, key, visited, found);
  if (found.empty()) return nullptr;
  if (found.size() > 1) {
    auto report = diagnostics_.report(Id::ambiguous, part.where,
                                      quote(part.name) + " is ambiguous: it is inherited from several interfaces");
    for (const Entry* entry : found) report.note(entry->where, describe(*entry) + " declared here");
    return &kSilent;
  }
  return found.front();
}

const Entry* Names::find_annotation(bool absolute, const std::vector<Part>& parts) {
  const Part& last = parts.back();
  const std::string key = "@" + folded(last.name);
  const auto matching = [&](const Entry* entry) { return entry != nullptr && entry->name.substr(1) == last.name; };
  if (parts.size() == 1) {
    for (Scope* scope = absolute ? file_ : current_; scope != nullptr; scope = scope->parent()) {
      if (const Entry* entry = scope->find(key); matching(entry)) return entry;
    }
    return nullptr;
  }
  const Entry* outer = resolve(absolute, {parts.begin(), parts.end() - 1});
  const Entry* entry = outer == nullptr || outer->inner == nullptr ? nullptr : outer->inner->find(key);
  return matching(entry) ? entry : nullptr;
}

bool Names::is_declared(std::string_view name) {
  const std::string key = folded(name);
  for (Scope* scope = current_; scope != nullptr; scope = scope->parent()) {
    std::unordered_set<Scope*> visited;
    std::vector<const Entry*> found;
    collect_inherited(*scope, key, visited, found);
    if (scope->find(key) != nullptr || !found.empty()) return true;
  }
  return false;
}

const Entry* Names::find_outward(const Part& part) {
  const std::string key = folded(part.name);
  const Entry* first = first_ == nullptr ? nullptr : first_->find(key);
  if (first != nullptr && is_value(*first)) return first;
  for (Scope* scope = current_; scope != nullptr; scope = scope->parent()) {
    if (const Entry* own = scope->find(key)) return real(own);
    if (const Entry* inherited = find_in(*scope, part, key)) return inherited;
  }
  return nullptr;
}

std::string Names::hidden_by(const Entry& found, std::string_view name) const {
  const std::string key = folded(name);
  for (Scope* scope = current_; scope != nullptr; scope = scope->parent()) {
    const Entry* entry = real(scope->find(key));
    if (entry == nullptr || entry == &found || entry->name != name || entry->declaration == nullptr) continue;
    return "; it hides " + describe(*entry) + ": write " + quote("::" + model::scoped_name(*entry->declaration));
  }
  return {};
}

bool Names::check_case(const Entry& entry, const Part& part, bool outward) {
  if (entry.name == part.name) return true;
  const std::string hidden = outward ? hidden_by(entry, part.name) : "";
  diagnostics_
      .report(
          Id::case_use, part.where,
          quote(part.name) + " differs in case from " +
              (hidden.empty() ? "its declaration; did you mean " + quote(entry.name) + "?" : describe(entry) + hidden))
      .note(entry.where, "declared here");
  return false;
}

void Names::introduce(const Entry& entry, const Part& part) {
  if (entry.how == Entry::How::unsupported || entry.is_formal || !introducing_) return;
  const std::string key = folded(part.name);
  for (Scope* scope = current_; scope != nullptr && scope->find(key) == nullptr; scope = scope->parent()) {
    scope->add(key, {entry.name, Entry::How::introduced, entry.declaration, part.where, entry.inner, &entry});
    // A name used in a struct or operation is introduced into the scopes around it too, but not into a module.
    const bool inner = scope->sort() == Scope::Sort::structure || scope->sort() == Scope::Sort::operation;
    const Scope::Sort outer = inner ? scope->parent()->sort() : Scope::Sort::file;
    if (outer == Scope::Sort::module_ || outer == Scope::Sort::file) break;
  }
}

void Names::report_undeclared(const Part& part, Scope& from, bool outward) {
  if (match_keyword(part.name).how == KeywordMatch::How::other_case) return;  // the lexer has complained
  std::vector<std::string_view> candidates;
  if (outward && first_ != nullptr) first_->append_names(candidates);
  for (Scope* scope = &from; scope != nullptr; scope = outward ? scope->parent() : nullptr) {
    scope->append_names(candidates);
  }
  if (outward) append_keywords(candidates);
  const auto* foreign = std::find_if(std::begin(kForeign), std::end(kForeign),
                                     [&](const Foreign& type) { return type.name == part.name; });
  const std::string_view guess =
      outward && foreign != std::end(kForeign) ? foreign->idl : closest(part.name, candidates);
  std::string text = quote(part.name) + " is not declared";
  if (!outward)
    text = "there is no " + quote(part.name) + " in " + (from.name().empty() ? "the file scope" : quote(from.name()));
  if (outward && part.name == "CORBA") {
    text += "; #include <orb.idl> declares it";
  } else if (!guess.empty()) {
    text += "; did you mean " + quote(guess) + "?";
  }
  diagnostics_.report(Id::undeclared, part.where, std::move(text));
}

const Entry* Names::resolve(bool absolute, const std::vector<Part>& parts) {
  Scope* scope = file_;
  const Entry* entry = nullptr;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const bool outward = i == 0 && !absolute;
    if (outward) {
      entry = find_outward(part);
    } else {
      const std::string key = folded(part.name);
      entry = scope->find(key);
      if (entry != nullptr && entry->how == Entry::How::introduced) entry = nullptr;
      if (entry == nullptr) entry = find_in(*scope, part, key);
    }
    if (entry == nullptr) {
      report_undeclared(part, outward ? *current_ : *scope, outward);
      return nullptr;
    }
    if (entry->how == Entry::How::unsupported) return entry;
    if (!check_case(*entry, part, outward)) return &kSilent;
    if (outward) introduce(*entry, part);
    if (i + 1 == parts.size()) break;
    if (entry->inner == nullptr) {
      const bool is_enum = entry->declaration != nullptr && entry->declaration->kind == DeclarationKind::enum_;
      diagnostics_
          .report(Id::not_a_scope, part.where,
                  describe(*entry) + " is not a scope" +
                      (is_enum   ? "; enumerators belong to the scope around their enum"
                       : outward ? hidden_by(*entry, part.name)
                                 : ""))
          .note(entry->where, "declared here");
      return nullptr;
    }
    scope = entry->inner;
  }
  return entry;
}

}  // namespace corbel::idl::front

// SPDX-License-Identifier: Apache-2.0
// #pragma prefix, version, ID and corba_ami. Other pragmas belong to other tools and are ignored.
#include <algorithm>

#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// Cuts the next word off; a quoted text is one word.
std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
  if (rest.starts_with('"')) end = std::min(rest.find('"', 1), rest.size() - 1) + 1;
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kBlanks) == std::string_view::npos;
}

std::optional<std::string_view> unquote(std::string_view word) {
  if (word.size() < 2 || !word.starts_with('"') || !word.ends_with('"')) return std::nullopt;
  return word.substr(1, word.size() - 2);
}

bool is_version(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.size() <= 5 &&
           std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return dot != std::string_view::npos && digits(text.substr(0, dot)) && digits(text.substr(dot + 1));
}

bool is_repository_id(std::string_view id) {
  const std::size_t colon = id.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  return !id.starts_with("IDL:") || is_version(id.substr(std::min(id.rfind(':'), id.size() - 1) + 1));
}

}  // namespace

void Parser::parse_pragma(const Token& pragma) {
  std::string_view rest = pragma.text;
  const std::string_view what = next_word(rest);
  if (what == "prefix") pragma_prefix(pragma, rest);
  if (what == "version") pragma_version(pragma, rest);
  if (what == "ID") pragma_id(pragma, rest);
  if (what == "corba_ami") pragma_ami(pragma, rest);
}

/// `#pragma corba_ami "M::I"`, as TAOX11 has it: the same as @ami before the interface, wherever that is.
void Parser::pragma_ami(const Token& pragma, std::string_view rest) {
  auto name = unquote(next_word(rest));
  if (!name || name->empty() || !is_blank(rest)) {
    diagnostics_.report(Id::bad_pragma, pragma.span, "expected '#pragma corba_ami \"Module::Interface\"'");
    return;
  }
  if (name->starts_with("::")) name->remove_prefix(2);
  ami_pragmas_.emplace(*name);
}

void Parser::finish_pragmas() {
  if (ami_pragmas_.empty()) return;
  model::for_all(model_->contents, [&](const model::Declaration& found) {
    const auto* interface = model::as<model::Interface>(&found);
    if (interface == nullptr || !ami_pragmas_.contains(scoped_name(found))) return;
    const auto writable = writable_.find(interface);
    if (writable == writable_.end() || find(interface->annotations, "ami") != nullptr) return;
    model::Annotation& ami = writable->second->annotations.emplace_back();
    ami.name = "ami";
    ami.where = interface->where;
  });
}

void Parser::pragma_prefix(const Token& pragma, std::string_view rest) {
  const auto prefix = unquote(next_word(rest));
  if (!prefix || !is_blank(rest) || !is_valid_prefix(*prefix)) {
    diagnostics_.report(
        Id::bad_pragma, pragma.span,
        "expected '#pragma prefix \"text\"', the text made of letters, digits, '.', '-', '_' and inner '/'");
    return;
  }
  ids_.set_prefix({std::string(*prefix), prefix_scope()});
}

/// What a prefix that is set here stands for. In template modules no scope: their instances would share their ids.
const model::Declaration* Parser::prefix_scope() {
  return instance_in_main_file_ ? nullptr : names_.current().owner();
}

/// The declaration that a pragma names, looked up from the current scope.
model::Declaration* Parser::find_for_pragma(const Token& pragma, std::string_view name) {
  std::vector<Names::Part> parts;
  const bool absolute = name.starts_with("::");
  if (absolute) name.remove_prefix(2);
  while (true) {
    const std::size_t end = std::min(name.find("::"), name.size());
    std::string_view part = name.substr(0, end);
    if (part.starts_with('_')) part.remove_prefix(1);
    const auto offset = static_cast<std::uint32_t>(part.data() - source_.text().data());
    parts.push_back({part, {offset, static_cast<std::uint32_t>(part.size())}});
    if (end == name.size()) break;
    name.remove_prefix(end + 2);
  }
  const Entry* entry = names_.resolve(absolute, parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return nullptr;
  const auto found = writable_.find(entry->declaration);
  if (found != writable_.end()) return found->second;
  diagnostics_.report(Id::wrong_kind, pragma.span, describe(*entry) + " has no repository id");
  return nullptr;
}

void Parser::pragma_version(const Token& pragma, std::string_view rest) {
  const std::string_view name = next_word(rest);
  const std::string_view version = next_word(rest);
  if (name.empty() || !is_version(version) || !is_blank(rest)) {
    diagnostics_.report(Id::bad_pragma, pragma.span, "expected '#pragma version name major.minor'");
    return;
  }
  model::Declaration* declaration = find_for_pragma(pragma, name);
  if (declaration == nullptr) return;
  const std::string& id = declaration->repository_id;
  std::string changed = id.substr(0, id.rfind(':') + 1) + std::string(version);
  const Span* fixed = ids_.fixed_at(*declaration);
  if (fixed != nullptr && changed != id) {
    diagnostics_
        .report(Id::id_conflict, pragma.span,
                "the repository id of " + quote(declaration->name) + " is already " + quote(id))
        .note(*fixed, "set here");
    return;
  }
  declaration->repository_id = std::move(changed);
  ids_.fix(*declaration, pragma.span);
}

void Parser::pragma_id(const Token& pragma, std::string_view rest) {
  const std::string_view name = next_word(rest);
  const auto id = unquote(next_word(rest));
  if (name.empty() || !id || id->empty() || !is_blank(rest)) {
    diagnostics_.report(Id::bad_pragma, pragma.span, "expected '#pragma ID name \"format:text\"'");
    return;
  }
  model::Declaration* declaration = find_for_pragma(pragma, name);
  if (declaration == nullptr) return;
  const Span* fixed = ids_.fixed_at(*declaration);
  if (fixed != nullptr && *id != declaration->repository_id) {
    diagnostics_
        .report(Id::id_conflict, pragma.span,
                "the repository id of " + quote(declaration->name) + " is already " + quote(declaration->repository_id))
        .note(*fixed, "set here");
    return;
  }
  set_id(*declaration, *id, pragma.span);
}

void Parser::set_id(model::Declaration& declaration, std::string_view id, Span where) {
  if (!is_repository_id(id)) {
    diagnostics_.report(Id::odd_repository_id, where,
                        quote(id) + " does not look like a repository id such as 'IDL:name:1.0'");
  }
  declaration.repository_id = id;
  ids_.fix(declaration, where);
}

}  // namespace corbel::idl::front

// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/repository_ids.hpp"

#include <algorithm>
#include <utility>

namespace corbel::idl::front {

std::string RepositoryIds::make(const model::Declaration& declaration) const {
  std::string id = declaration.name;
  for (const auto* d = declaration.scope; d != nullptr && d != prefix_.scope; d = d->scope) id = d->name + "/" + id;
  return "IDL:" + (prefix_.text.empty() ? "" : prefix_.text + "/") + id + ":1.0";
}

void RepositoryIds::enter_file(const model::Declaration* scope) {
  outer_prefixes_.push_back(std::exchange(prefix_, {{}, scope}));
}

void RepositoryIds::leave_file() {
  if (outer_prefixes_.empty()) return;
  prefix_ = std::move(outer_prefixes_.back());
  outer_prefixes_.pop_back();
}

const Span* RepositoryIds::fixed_at(const model::Declaration& declaration) const {
  const auto found = fixed_.find(&declaration);
  return found == fixed_.end() ? nullptr : &found->second;
}

bool is_valid_prefix(std::string_view prefix) noexcept {
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == '/';
  };
  return std::all_of(prefix.begin(), prefix.end(), legal) && !prefix.starts_with('/') && !prefix.ends_with('/');
}

}  // namespace corbel::idl::front

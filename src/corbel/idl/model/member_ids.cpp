// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/model/member_ids.hpp"

#include "corbel/idl/model/md5.hpp"

namespace corbel::idl::model {
namespace {

bool hashes_names(const Declaration& scope) {
  for (const Declaration* d = &scope; d != nullptr; d = d->scope) {
    const Annotation* autoid = find(d->annotations, "autoid");
    if (autoid == nullptr) continue;
    const Value* kind = autoid->find();
    const auto* word = kind == nullptr ? nullptr : std::get_if<std::string>(kind);
    return word == nullptr || *word == "HASH";  // the default of the argument
  }
  return false;
}

}  // namespace

std::uint32_t hashed_member_id(std::string_view name) {
  const auto digest = md5(name);
  std::uint32_t id = 0;
  for (unsigned i = 0; i < 4; ++i) id |= std::uint32_t{digest[i]} << (i * 8);
  return id & kLargestMemberId;
}

std::optional<std::uint32_t> fixed_member_id(const Declaration& scope, const Member& member) {
  if (member.id) return member.id;
  if (const Annotation* hashid = find(member.annotations, "hashid")) {
    const Value* text = hashid->find();
    const auto* name = text == nullptr ? nullptr : std::get_if<std::string>(text);
    return hashed_member_id(name == nullptr || name->empty() ? member.name : *name);
  }
  if (hashes_names(scope)) return hashed_member_id(member.name);
  return std::nullopt;
}

std::vector<std::optional<std::uint32_t>> member_ids(const Struct& structure) {
  std::vector<const Struct*> bases;
  for (const Struct* s = &structure; s != nullptr; s = s->base) bases.push_back(s);
  std::optional<std::uint32_t> next = 0;
  std::vector<std::optional<std::uint32_t>> ids;
  for (auto base = bases.rbegin(); base != bases.rend(); ++base) {
    ids.clear();
    for (const Member& member : (*base)->members) {
      const auto fixed = fixed_member_id(**base, member);
      ids.push_back(fixed ? fixed : next);
      next = ids.back() && *ids.back() < kLargestMemberId ? std::optional(*ids.back() + 1) : std::nullopt;
    }
  }
  return ids;
}

}  // namespace corbel::idl::model

// SPDX-License-Identifier: Apache-2.0
// No two members of a type have the same id, however each came to its own.
#include <map>

#include "corbel/idl/front/parser.hpp"
#include "corbel/idl/model/member_ids.hpp"

namespace corbel::idl::front {

void Parser::check_member_ids(const std::vector<IdentifiedMember>& members, Span where) {
  std::map<std::uint32_t, const model::Member*> seen;
  for (const auto& [member, id] : members) {
    if (!id) continue;
    const auto [other, is_new] = seen.emplace(*id, member);
    if (is_new) continue;
    diagnostics_.report(Id::annotation_conflict, where,
                        "members " + quote(other->second->name) + " and " + quote(member->name) + " both have the id " +
                            std::to_string(*id) + "; give one of them another @id");
  }
}

void Parser::check_member_ids(const model::Struct& structure, Span where) {
  std::vector<IdentifiedMember> members;
  for (const model::Struct* s = &structure; s != nullptr; s = s->base) {
    const auto ids = model::member_ids(*s);
    for (std::size_t i = 0; i < ids.size(); ++i) members.emplace_back(&s->members[i], ids[i]);
  }
  check_member_ids(members, where);
  for (const auto& [member, id] : members) {
    if (id) continue;
    diagnostics_.report(Id::annotation_conflict, where,
                        "no id is left for member " + quote(member->name) + ": the one before has the largest");
    return;
  }
}

void Parser::check_member_ids(const model::Union& u, Span where) {
  std::vector<IdentifiedMember> members;
  for (const auto& c : u.cases) members.emplace_back(&c.member, model::fixed_member_id(u, c.member));
  check_member_ids(members, where);
}

void Parser::check_member_ids(const model::ValueType& value, Span where) {
  std::vector<IdentifiedMember> members;
  for (const model::ValueType* v = &value; v != nullptr; v = v->concrete_base) {
    for (const auto& member : v->state) members.emplace_back(&member, model::fixed_member_id(*v, member));
  }
  check_member_ids(members, where);
}

}  // namespace corbel::idl::front

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/any.hpp"

/// A type that contains itself, as generated code would have it.
namespace corbel::dynamic::test {

struct Node {
  std::vector<Node> kids;
};

/// So many of them inside each other.
inline Node nested(int levels) {
  Node node;
  for (int i = 1; i < levels; ++i) {
    Node outer;
    outer.kids.push_back(std::move(node));
    node = std::move(outer);
  }
  return node;
}

inline int depth_of(const Node& node) {
  int depth = 1;
  for (const Node* at = &node; !at->kids.empty(); at = &at->kids.front()) ++depth;
  return depth;
}

extern const CORBA::TypeCode kNodes;
inline const TypeMember kNodeMembers[] = {{"kids", &kNodes}};
inline const CORBA::TypeCode kNode{
    TypeNode{.kind = CORBA::TCKind::tk_struct, .id = "IDL:test/Node:1.0", .name = "Node", .members = kNodeMembers}};
inline const CORBA::TypeCode kNodes{TypeNode{.kind = CORBA::TCKind::tk_sequence, .content = &kNode}};

}  // namespace corbel::dynamic::test

template <>
struct corbel::dynamic::TypeOf<corbel::dynamic::test::Node> {
  static constexpr const CORBA::TypeCode& code = corbel::dynamic::test::kNode;
};

template <>
struct corbel::mapping::Codec<corbel::dynamic::test::Node> {
  static constexpr std::size_t kMinSize = 4;
  static void encode(cdr::Encoder& encoder, const dynamic::test::Node& value);
  static void decode(cdr::Decoder& decoder, dynamic::test::Node& value);
};

inline void corbel::mapping::Codec<corbel::dynamic::test::Node>::encode(cdr::Encoder& encoder,
                                                                        const dynamic::test::Node& value) {
  Codec<std::vector<dynamic::test::Node>>::encode(encoder, value.kids);
}
inline void corbel::mapping::Codec<corbel::dynamic::test::Node>::decode(cdr::Decoder& decoder,
                                                                        dynamic::test::Node& value) {
  if (!decoder.enter()) return;
  Codec<std::vector<dynamic::test::Node>>::decode(decoder, value.kids);
  decoder.leave();
}

// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/value_graph.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace corbel::corba {
namespace {

using base::Bytes;

constexpr std::string_view kIds[] = {"IDL:test/Link:1.0"};
constexpr std::string_view kCustomIds[] = {"IDL:test/CustomLink:1.0"};

/// A value that refers to any number of others of its type.
struct Link final : public virtual CORBA::ValueBase {
  static const ValueType kType;
  static const ValueType kCustom;
  static constexpr std::int32_t kNone = -1;
  static int alive;

  explicit Link(const ValueType& its = kType) : type(its) { ++alive; }
  ~Link() override { --alive; }
  const ValueType& _value_type() const noexcept override { return type; }
  void _encode_state(cdr::Encoder& encoder) const override {
    encoder.put(number);
    encoder.put_count(links.size());
    for (const auto& link : links) encode_value(encoder, link.get(), type.id);
  }
  void _decode_state(cdr::Decoder& decoder) override {
    if (!decoder.ok() && number == cannot_be_emptied) throw number;
    number = decoder.get<std::int32_t>();
    links.clear();
    std::vector<base::SharedPtr<Link>> read(decoder.take_count(4, sizeof(links[0])));
    for (auto& link : read) link = base::dynamic_pointer_cast<Link>(decode_value(decoder, type));
    if (decoder.ok() || !keeps_only_what_is_whole) links = std::move(read);
  }

  static inline bool keeps_only_what_is_whole = false;
  static inline std::int32_t cannot_be_emptied = kNone;
  const ValueType& type;
  std::int32_t number = 0;
  std::vector<base::SharedPtr<Link>> links;
};
int Link::alive = 0;
const ValueType Link::kType{kIds[0], kIds, false,
                            [] { return base::SharedPtr<CORBA::ValueBase>(base::make_shared<Link>()); }};
const ValueType Link::kCustom{kCustomIds[0], kCustomIds, true,
                              [] { return base::SharedPtr<CORBA::ValueBase>(base::make_shared<Link>(kCustom)); }};

using Ref = base::SharedPtr<Link>;

Ref link(std::int32_t number, const ValueType& type = Link::kType) {
  auto made = base::make_shared<Link>(type);
  made->number = number;
  return made;
}

/// A parent with children that know it.
Bytes family(std::int32_t children, const ValueType& type = Link::kType) {
  const Ref parent = link(0, type);
  for (std::int32_t i = 1; i <= children; ++i) {
    parent->links.push_back(link(i, type));
    parent->links.back()->links.push_back(parent);
  }
  cdr::Encoder encoder;
  encode_value(encoder, parent.get(), type.id);
  for (const auto& child : parent->links) child->links.clear();
  EXPECT_TRUE(encoder.ok());
  return encoder.to_bytes();
}

/// As an operation would be called with it.
void call(const Bytes& octets, base::FunctionRef<void(const Ref&)> servant, const ValueType& type = Link::kType) {
  cdr::Decoder decoder(octets, {});
  const Ref argument = base::dynamic_pointer_cast<Link>(decode_value(decoder, type));
  if (decoder.ok()) servant(argument);
}

TEST(ValueGraph, CirclesThatNobodyKeepsEndWithTheirMessage) {
  const Bytes octets = family(3);
  ASSERT_EQ(Link::alive, 0);
  for (int i = 0; i < 10'000; ++i) {
    call(octets, [](const Ref& parent) {
      ASSERT_EQ(Link::alive, 4);
      EXPECT_EQ(parent->links[2]->links[0], parent);
    });
    ASSERT_EQ(Link::alive, 0);
  }
}

TEST(ValueGraph, CirclesOfAMessageThatCannotBeReadEndWithIt) {
  const Bytes octets = family(3);
  for (const bool strict : {false, true}) {
    Link::keeps_only_what_is_whole = strict;
    for (std::size_t size = 0; size < octets.size(); ++size) {
      call(Bytes(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size)), [](const Ref&) { FAIL(); });
      ASSERT_EQ(Link::alive, 0) << size << (strict ? " with parts that were read and not kept" : "");
    }
  }
  Link::keeps_only_what_is_whole = false;
}

TEST(ValueGraph, CirclesOfCustomValuesThatCannotBeReadEndWithTheirMessage) {
  const Bytes octets = family(3, Link::kCustom);
  for (const std::int32_t stubborn : {Link::kNone, 0}) {
    Link::cannot_be_emptied = stubborn;
    for (std::size_t size = 0; size < octets.size(); ++size) {
      const Bytes part(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
      call(
          part, [](const Ref&) { FAIL(); }, Link::kCustom);
      ASSERT_EQ(Link::alive, 0) << size << (stubborn == 0 ? " with a value that cannot be emptied" : "");
    }
  }
  Link::cannot_be_emptied = Link::kNone;
}

TEST(ValueGraph, CirclesOfCustomValuesThatWereReadStayWhole) {
  Link* parent = nullptr;  // known to some custom value in a way of its own
  call(
      family(1, Link::kCustom), [&](const Ref& argument) { parent = argument.get(); }, Link::kCustom);
  ASSERT_EQ(Link::alive, 2);
  auto children = std::move(parent->links);
  ASSERT_EQ(children.size(), 1U);
  EXPECT_EQ(children[0]->links[0].get(), parent);
  children.clear();
  EXPECT_EQ(Link::alive, 0);
}

TEST(ValueGraph, WhatIsKeptStaysWhole) {
  Ref kept;
  call(family(3), [&](const Ref& parent) { kept = parent->links[1]; });
  EXPECT_EQ(Link::alive, 4);
  EXPECT_EQ(kept->number, 2);
  ASSERT_EQ(kept->links.size(), 1U);
  const Ref parent = kept->links[0];
  ASSERT_EQ(parent->links.size(), 3U);
  EXPECT_EQ(parent->links[1], kept);
  EXPECT_EQ(parent->links[2]->links[0], parent);
  for (const auto& child : parent->links) child->links.clear();
}

TEST(ValueGraph, WhatWasTakenOutStaysWhole) {
  Ref taken;
  call(family(2), [&](const Ref& parent) { taken = std::move(parent->links[0]); });
  ASSERT_EQ(Link::alive, 3);
  EXPECT_EQ(taken->number, 1);
  ASSERT_EQ(taken->links.size(), 1U);
  EXPECT_EQ(taken->links[0]->links[1]->number, 2);
  taken->links[0]->links.clear();
  taken->links.clear();
  taken.reset();
  EXPECT_EQ(Link::alive, 0);
}

TEST(ValueGraph, OneOfTwoCirclesMayBeKept) {
  cdr::Encoder encoder;
  const Bytes one = family(1);
  // Two values of a message, each by itself: positions differ, and so do the indirections.
  encoder.copy_octets(one.data(), one.size());
  encoder.copy_octets(one.data(), one.size());
  const Bytes octets = encoder.to_bytes();
  Ref kept;
  {
    cdr::Decoder decoder(octets, {});
    const auto read = [&] { return base::dynamic_pointer_cast<Link>(decode_value(decoder, Link::kType)); };
    const Ref first = read();
    kept = read();
    ASSERT_TRUE(decoder.ok());
    EXPECT_EQ(Link::alive, 4);
  }
  EXPECT_EQ(Link::alive, 2);
  EXPECT_EQ(kept->links[0]->links[0], kept);
  kept->links.clear();
  kept.reset();
  EXPECT_EQ(Link::alive, 0);
}

TEST(ValueGraph, ChainsAsLongAsAMessageNeedNoDeepStack) {
  // A list of values, each of which refers to the one before.
  constexpr std::size_t kLinks = 300'000;
  cdr::Encoder out;
  out.put(std::uint32_t{0x7fffff00});
  out.put(std::int32_t{0});
  out.put_count(kLinks);
  std::size_t before = 0;
  for (std::size_t i = 0; i < kLinks; ++i) {
    const std::size_t here = out.position();
    out.put(std::uint32_t{0x7fffff00});
    out.put(std::int32_t{1});
    out.put_count(i == 0 ? 0 : 1);
    if (i > 0) {
      out.put(std::uint32_t{0xffffffff});
      out.put(static_cast<std::int32_t>(before) - static_cast<std::int32_t>(out.position()));
    }
    before = here;
  }
  Ref last;
  call(out.to_bytes(), [&](const Ref& list) { last = list->links.back(); });
  EXPECT_EQ(Link::alive, static_cast<int>(kLinks));
  last.reset();
  EXPECT_EQ(Link::alive, 0);
}

}  // namespace
}  // namespace corbel::corba

// SPDX-License-Identifier: Apache-2.0
// Values as omniORB and JacORB have sent them: read, written, read again.
#include <gtest/gtest.h>

#include <corbel/ior/ior.hpp>
#include <corbel/mapping/print.hpp>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "golden_any.hpp"
#include "support/plain_context.hpp"

namespace {

template <class V>
using Ref = typename IDL::traits<V>::ref_type;
using corbel::base::Bytes;
using corbel::cdr::Decoder;
using corbel::cdr::Encoder;

class Factories final : public corbel::test::PlainContext {
 public:
  CORBA::object_reference<CORBA::ValueFactoryBase> find_value_factory(std::string_view id) override {
    if (id == Golden::Derived::_value_id) return CORBA::make_reference<Golden::Derived_init>();
    if (id == Golden::Leaf::_value_id) return CORBA::make_reference<Golden::Leaf_init>();
    if (id == Golden::ThingV::_value_id) return CORBA::make_reference<Golden::ThingV_init>();
    return nullptr;
  }
};

/// What values say; the second time around a circle only the number.
std::string text_of(const Ref<Golden::Base>& value) {
  return value == nullptr ? "nil" : corbel::mapping::to_text(*value);
}
std::string text_of(const Ref<Golden::Ring>& ring) {
  return std::to_string(ring->n()) + std::to_string(ring->next()->n()) + (ring->next()->next() == ring ? " ring" : "");
}
std::string text_of(const Ref<Golden::BoxedStr>& box) {
  return box->_value();
}
std::string text_of(const Ref<Golden::BoxedLongs>& box) {
  return std::to_string(box->_value().size());
}
std::string text_of(const Ref<Golden::Thing>& thing) {
  return thing == nullptr ? "nil" : corbel::mapping::to_text(*thing->_to_value());
}
std::string text_of(const CORBA::Any& any) {
  Ref<Golden::Base> value;
  return (any >>= value) ? text_of(value) : "something else";
}

/// Circles keep themselves alive until they are opened.
void open_circle(const auto&) {}
void open_circle(const Ref<Golden::Ring>& ring) {
  ring->next(nullptr);
}

using Coder = std::function<std::string(Decoder&, Encoder&)>;
/// Reads parameters of these types, writes them, and says what they were.
template <class... T>
std::string parameters(Decoder& decoder, Encoder& encoder) {
  std::string text;
  const auto one = [&](auto value) {
    corbel::mapping::Codec<decltype(value)>::decode(decoder, value);
    if (!decoder.ok()) return;
    corbel::mapping::Codec<decltype(value)>::encode(encoder, value);
    text += (text.empty() ? "" : " ") + text_of(value);
    open_circle(value);
  };
  (one(T{}), ...);
  return decoder.ok() ? text : "failed: " + std::string(to_string(decoder.error().code));
}

struct Case {
  const char* file;
  const char* name;
  Coder coder;
  const char* text;
};
using Golden::Base;

const char* const kDerived = "Golden::Derived{a=1,s=\"d\",extra=5,link=Golden::Base{a=2,s=\"link\"}}";
const char* const kShared = "Golden::Base{a=1,s=\"sh\"} Golden::Base{a=1,s=\"sh\"} Golden::Base{a=2,s=\"other\"}";
const Coder kThree = &parameters<Ref<Base>, Ref<Base>, Ref<Base>>;
const Coder kBoxes = &parameters<Ref<Golden::BoxedStr>, Ref<Golden::BoxedLongs>>;
const Case kCases[] = {
    {"omniorb_giop12", "value.03.c2s.Request", &parameters<Ref<Base>>, "Golden::Base{a=11,s=\"base\"}"},
    {"omniorb_giop12", "value_derived.03.c2s.Request", &parameters<Ref<Base>>, kDerived},
    {"omniorb_giop12", "value_derived.04.s2c.Reply", &parameters<Ref<Base>>, kDerived},
    {"omniorb_giop12", "value_leaf.03.c2s.Request", &parameters<Ref<Base>>, "Golden::Leaf{a=1,s=\"leaf\",d=1.5}"},
    {"omniorb_giop12", "value_null.03.c2s.Request", &parameters<Ref<Base>>, "nil"},
    {"omniorb_giop12", "value_shared.03.c2s.Request", kThree, kShared},
    {"omniorb_giop12", "ring.03.c2s.Request", &parameters<Ref<Golden::Ring>>, "12 ring"},
    {"omniorb_giop12", "boxed.03.c2s.Request", kBoxes, "box 2"},
    {"omniorb_giop12", "abs_nil.03.c2s.Request", &parameters<Ref<Golden::Thing>>, "nil"},
    {"omniorb_giop12", "abs_val.03.c2s.Request", &parameters<Ref<Golden::Thing>>, "Golden::ThingV{n=3}"},
    {"omniorb_giop12", "any_value.03.c2s.Request", &parameters<CORBA::Any>, "Golden::Base{a=1,s=\"v\"}"},
    {"omniorb_giop12_truncation", "value_derived.04.s2c.Reply", &parameters<Ref<Base>>, "Golden::Base{a=1,s=\"d\"}"},
    {"jacorb_giop12", "value.01.c2s.Request", &parameters<Ref<Base>>, "Golden::Base{a=11,s=\"base\"}"},
    {"jacorb_giop12", "value_derived.01.c2s.Request", &parameters<Ref<Base>>, kDerived},
    {"jacorb_giop12", "value_null.01.c2s.Request", &parameters<Ref<Base>>, "nil"},
    {"jacorb_giop12", "value_shared.01.c2s.Request", kThree, kShared},
    {"jacorb_giop12", "ring.01.c2s.Request", &parameters<Ref<Golden::Ring>>, "12 ring"},
    {"jacorb_giop12", "boxed.01.c2s.Request", kBoxes, "box 2"},
    {"jacorb_giop12", "abs_val.01.c2s.Request", &parameters<Ref<Golden::Thing>>, "Golden::ThingV{n=3}"},
};

nlohmann::json find_record(const Case& wanted) {
  std::ifstream file(std::string(CORBEL_GOLDEN_VECTORS) + "/" + wanted.file + ".json");
  const std::string name = std::string(wanted.file) + "." + wanted.name;
  const nlohmann::json all = nlohmann::json::parse(file);
  for (const auto& record : all.is_array() ? all : all.front()) {
    if (record.value("name", "") == name) return record;
  }
  return {};
}

Bytes message_of(const nlohmann::json& record) {
  const std::string hex = record["hex"];
  Bytes octets;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    octets.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return octets;
}

TEST(GoldenValues, AreReadWrittenAndReadAgain) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(std::string(one.file) + " " + one.name);
    const nlohmann::json record = find_record(one);
    ASSERT_TRUE(record.is_object());
    const Bytes message = message_of(record);
    Factories factories;
    const bool little = (message[6] & 1) != 0;
    Decoder decoder(message, {.little_endian = little}, {}, record["decoded"]["body_offset"]);
    decoder.set_context(&factories);
    Encoder encoder({.little_endian = !little});
    EXPECT_EQ(one.coder(decoder, encoder), one.text);
    EXPECT_EQ(decoder.remaining(), 0U);
    const Bytes ours = encoder.to_bytes();
    Decoder again(ours, {.little_endian = !little});
    again.set_context(&factories);
    Encoder ignored;
    EXPECT_EQ(one.coder(again, ignored), one.text);
    EXPECT_EQ(again.remaining(), 0U);
  }
}

}  // namespace

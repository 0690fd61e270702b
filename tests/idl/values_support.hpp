// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <corbel/ior/ior.hpp>
#include <corbel/mapping/print.hpp>
#include <map>
#include <string>

#include "coded.hpp"
#include "support/plain_context.hpp"
#include "values_any.hpp"
#include "values_server.hpp"

/// What the tests of generated valuetypes share.
namespace values_test {

using corbel::base::Bytes;
using corbel::base::Code;
using corbel::mapping::to_text;
using idl_test::octets_of;
template <class V>
using Ref = typename IDL::traits<V>::ref_type;

/// An ORB as far as values need one.
class Factories final : public corbel::test::PlainContext {
 public:
  CORBA::object_reference<CORBA::ValueFactoryBase> find_value_factory(std::string_view id) override {
    const auto found = known.find(id);
    return found == known.end() ? nullptr : found->second;
  }
  template <class V>
  Factories& with() {
    known[std::string(V::_value_id)] = CORBA::make_reference<typename IDL::traits<V>::factory_type>();
    return *this;
  }

  std::map<std::string, CORBA::object_reference<CORBA::ValueFactoryBase>, std::less<>> known;
};

/// The value, and what went wrong.
template <class T>
T read(const Bytes& octets, corbel::cdr::Context* context, bool little, Code& code) {
  corbel::cdr::Decoder decoder(octets, {.little_endian = little});
  decoder.set_context(context);
  T value{};
  corbel::mapping::Codec<T>::decode(decoder, value);
  code = decoder.ok() ? Code::none : decoder.error().code;
  EXPECT_TRUE(!decoder.ok() || decoder.remaining() == 0);
  return value;
}
template <class T>
T back_from(const Bytes& octets, corbel::cdr::Context* context = nullptr, bool little = false) {
  Code code = Code::none;
  T value = read<T>(octets, context, little, code);
  EXPECT_EQ(code, Code::none) << to_string(code);
  return value;
}
template <class T>
Code failure(const Bytes& octets, corbel::cdr::Context* context = nullptr, bool little = false) {
  Code code = Code::none;
  (void)read<T>(octets, context, little, code);
  return code;
}

template <class V, class... Arguments>
Ref<V> make(Arguments&&... arguments) {
  return CORBA::make_reference<typename IDL::traits<V>::obv_type>(std::forward<Arguments>(arguments)...);
}

inline Bytes from_hex(std::string_view hex) {
  Bytes octets;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    octets.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return octets;
}

}  // namespace values_test

// SPDX-License-Identifier: Apache-2.0
// The streams of custom valuetypes, by the names that the standard gives their operations.
#include "corbel/mapping/data_stream.hpp"

#include "corbel/dynamic/type_of_fixed.hpp"
#include "corbel/mapping/corba_types.hpp"
#include "support.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::Any;

template <class T>
Any in_any(const T& value) {
  Any any;
  any <<= value;
  return any;
}

/// What `write` writes, for `read`, in both byte orders.
template <class Write, class Read>
void pass(const Write& write, const Read& read) {
  for (const bool little : {false, true}) {
    cdr::Encoder encoder({.little_endian = little});
    write(*CORBA::make_reference<CORBA::DataOutputStream>(encoder));
    ASSERT_TRUE(encoder.ok());
    const base::Bytes octets = encoder.to_bytes();
    cdr::Decoder decoder(octets, {.little_endian = little});
    read(*CORBA::make_reference<CORBA::DataInputStream>(decoder));
    EXPECT_TRUE(decoder.ok());
    EXPECT_EQ(decoder.remaining(), 0U);
  }
}

TEST(DataStreams, PassAnysTypeCodesAndFixed) {
  using Price = IDL::Fixed<5, 2>;
  const std::vector<Any> prices{in_any(1), in_any(Price(std::string("123.45"))), in_any(Price(std::string("-6.7")))};
  pass(
      [&](CORBA::DataOutputStream& out) {
        out.write_any(in_any(std::string("text")));
        out.write_TypeCode(CORBA::_tc_string);
        out.write_fixed(prices[1]);
        out.write_fixed_array(prices, 1, 2);
        out.write_any_array(prices, 0, 2);
        EXPECT_THROW(out.write_fixed(prices[0]), CORBA::BadFixedValue);
        EXPECT_THROW(out.write_fixed_array(prices, 0, 2), CORBA::BadFixedValue);
        EXPECT_THROW(out.write_any_array(prices, 2, 2), CORBA::BAD_PARAM);
        EXPECT_THROW(out.write_any_array(prices, 4, 0), CORBA::BAD_PARAM);
        EXPECT_THROW(out.write_fixed_array(prices, 1, 0xffffffffU), CORBA::BAD_PARAM);
      },
      [&](CORBA::DataInputStream& in) {
        EXPECT_EQ(in.read_any(), in_any(std::string("text")));
        EXPECT_TRUE(in.read_TypeCode()->equal(CORBA::_tc_string));
        EXPECT_THROW(in.read_fixed(32, 0), CORBA::BAD_PARAM);
        EXPECT_EQ(in.read_fixed(5, 2), prices[1]);
        std::vector<Any> anys(1);
        in.read_fixed_array(anys, 1, 2, 5, 2);
        EXPECT_EQ(anys, (std::vector<Any>{Any(), prices[1], prices[2]}));
        EXPECT_THROW(in.read_any_array(anys, 4, 0), CORBA::BAD_PARAM);
        in.read_any_array(anys, 0, 2);
        EXPECT_EQ(anys, (std::vector<Any>{prices[0], prices[1], prices[2]}));
      });
}

TEST(DataStreams, PassArrays){
#define EXPECT_PASSES(NAME, TYPE)                                                        \
  {                                                                                      \
    const std::vector<TYPE> sent{TYPE(1), TYPE(0), TYPE(1), TYPE(1)};                    \
    pass(                                                                                \
        [&](CORBA::DataOutputStream& out) {                                              \
          out.write_octet(9);                                                            \
          out.write_##NAME##_array(sent, 1, 2);                                          \
          out.write_##NAME##_array(sent, 4, 0);                                          \
          EXPECT_THROW(out.write_##NAME##_array(sent, 3, 2), CORBA::BAD_PARAM) << #NAME; \
        },                                                                               \
        [&](CORBA::DataInputStream& in) {                                                \
          std::vector<TYPE> got{TYPE(1)};                                                \
          EXPECT_EQ(in.read_octet(), 9);                                                 \
          EXPECT_THROW(in.read_##NAME##_array(got, 2, 2), CORBA::BAD_PARAM) << #NAME;    \
          in.read_##NAME##_array(got, 1, 2);                                             \
          EXPECT_EQ(got, (std::vector<TYPE>{TYPE(1), TYPE(0), TYPE(1)})) << #NAME;       \
        });                                                                              \
  }
    CORBEL_DATA_ARRAYS(EXPECT_PASSES)
#undef EXPECT_PASSES
}

TEST(DataStreams, MakeNoRoomForWhatIsNotThere) {
  const base::Bytes octets(64);
  const auto expect_refused = [&](const auto& read) {
    cdr::Decoder decoder(octets, {});
    CORBA::DataInputStream in(decoder);
    EXPECT_EQ(read(in), 0U);
    EXPECT_FALSE(decoder.ok());
  };
  expect_refused([](CORBA::DataInputStream& in) {
    std::vector<double> numbers;
    in.read_double_array(numbers, 0, 0xffffffffU);
    return numbers.capacity();
  });
  expect_refused([](CORBA::DataInputStream& in) {
    std::vector<Any> anys;
    in.read_any_array(anys, 0, 17);
    return anys.capacity();
  });
  expect_refused([](CORBA::DataInputStream& in) {
    std::vector<Any> anys;
    in.read_fixed_array(anys, 0, 0xffffffffU, 5, 2);
    return anys.capacity();
  });
}

}  // namespace
}  // namespace corbel::dynamic

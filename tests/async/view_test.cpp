// SPDX-License-Identifier: Apache-2.0
// Parameters with @view are read where they lie in the message: no copy, no allocation.
#include <numeric>

#include "corbel/cdr/encoder.hpp"
#include "support.hpp"
#include "view_server.hpp"

namespace corbel::async_test {
namespace {

class Reader : public virtual CORBA::servant_traits<Views::Reader>::base_type {
 public:
  std::int32_t text(std::string_view value) override { return see(value.data(), value.size()); }
  double sum(std::span<const double> values) override {
    see(values.data(), values.size());
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  std::int32_t total(std::span<const std::int32_t> values, std::span<const std::uint8_t> few) override {
    see(values.data(), values.size());
    return std::accumulate(values.begin(), values.end(), std::accumulate(few.begin(), few.end(), 0));
  }
  std::int32_t products(std::span<const Views::Point> values) override {
    std::int32_t total = see(values.data(), 0);
    for (const auto& point : values) total += point.x() * point.y();
    return total;
  }
  std::int32_t wide(const std::wstring& value) override { return static_cast<std::int32_t>(value.size()); }
  std::int32_t names(std::span<const char> letters, std::int32_t number, std::string& both) override {
    both.append(letters.begin(), letters.end());
    return number;
  }
  void forget(std::string_view) override {}

  const void* seen = nullptr;

 private:
  std::int32_t see(const void* data, std::size_t size) {
    seen = data;
    return static_cast<std::int32_t>(size);
  }
};

/// A request as it comes in: octets and a decoder at its arguments.
class Request final : public corba::ServerCall {
 public:
  Request(std::string_view operation, cdr::Decoder& arguments) : ServerCall(operation, &arguments, nullptr) {}
  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override {
    cdr::Encoder encoder{cdr::Format{}};
    results(encoder);
    octets = encoder.to_bytes();
  }
  template <class T>
  T result() const {
    return cdr::Decoder(octets, cdr::Format{}).get<T>();
  }
  base::Bytes octets;
};

base::Bytes encode_doubles(cdr::Format format, std::size_t gap) {
  cdr::Encoder encoder(format);
  for (std::size_t i = 0; i < gap; ++i) encoder.put(std::uint8_t{0});
  encoder.put_count(3);
  for (const double value : {1.5, 2.5, 3.0}) encoder.put(value);
  return encoder.to_bytes();
}

bool within(const void* pointer, const base::Bytes& octets) {
  return pointer >= octets.data() && pointer < octets.data() + octets.size();
}

TEST(View, LiesInTheMessageIfByteOrderAndAlignmentAllow) {
  const auto reader = CORBA::make_reference<Reader>();
  const base::Bytes octets = encode_doubles({}, 0);
  cdr::Decoder decoder(octets, {});
  Request request("sum", decoder);
  ASSERT_TRUE(reader->_dispatch(request));
  EXPECT_EQ(request.result<double>(), 7.0);
  EXPECT_TRUE(within(reader->seen, octets));
}

TEST(View, IsOfACopyInTheOtherByteOrder) {
  const auto reader = CORBA::make_reference<Reader>();
  cdr::Format other;
  other.little_endian = !other.little_endian;
  const base::Bytes octets = encode_doubles(other, 0);
  cdr::Decoder decoder(octets, other);
  Request request("sum", decoder);
  ASSERT_TRUE(reader->_dispatch(request));
  EXPECT_EQ(request.result<double>(), 7.0);
  EXPECT_FALSE(within(reader->seen, octets));
}

TEST(View, IsOfACopyIfTheMessageBeganAtAnOddAddress) {
  const auto reader = CORBA::make_reference<Reader>();
  const base::Bytes octets = encode_doubles({}, 0);
  base::Bytes shifted(1, 0);
  shifted.insert(shifted.end(), octets.begin(), octets.end());
  cdr::Decoder decoder(base::ConstByteSpan(shifted).subspan(1), {});
  Request request("sum", decoder);
  ASSERT_TRUE(reader->_dispatch(request));
  EXPECT_EQ(request.result<double>(), 7.0);
  EXPECT_FALSE(within(reader->seen, shifted));
}

TEST(View, RefusesWhatTheMessageDoesNotHave) {
  const auto reader = CORBA::make_reference<Reader>();
  const base::Bytes octets = encode_doubles({}, 0);
  for (std::size_t size = 0; size < octets.size(); ++size) {
    cdr::Decoder decoder(base::ConstByteSpan(octets).first(size), {});
    Request request("sum", decoder);
    EXPECT_THROW(reader->_dispatch(request), CORBA::MARSHAL) << size;
  }
}

TEST(View, OfALargeStringCostsTheServerNoAllocation) {
  const auto reader = CORBA::make_reference<Reader>();
  cdr::Encoder encoder{cdr::Format{}};
  const std::string text(100'000, 'x');  // the encoder refers to it
  encoder.put_string(text);
  const base::Bytes octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, {});
  struct Silent final : corba::ServerCall {
    explicit Silent(cdr::Decoder& arguments) : ServerCall("text", &arguments, nullptr) {}
    void reply(base::FunctionRef<void(cdr::Encoder&)>) override {}
  } request(decoder);
  const std::size_t before = test::allocations_of_all();
  ASSERT_TRUE(reader->_dispatch(request));
  EXPECT_EQ(test::allocations_of_all(), before);
  EXPECT_TRUE(within(reader->seen, octets));
}

TEST(View, IsWhatClientsPassToo) {
  const auto server = make_orb("views", {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const auto client = make_orb("reading");
  const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<Reader>();
  const auto local = IDL::traits<Views::Reader>::narrow(root->servant_to_reference(servant));
  const auto remote = IDL::traits<Views::Reader>::narrow(client->string_to_object(server->object_to_string(local)));
  const std::vector<double> values = {1, 2, 3.5};
  const std::array<std::uint8_t, 2> few = {1, 2};
  for (const auto& reader : {remote, local}) {
    EXPECT_EQ(reader->text("literal"), 7);
    EXPECT_EQ(reader->text(std::string(50'000, 's')), 50'000);
    EXPECT_EQ(reader->sum(values), 6.5);
    EXPECT_EQ(reader->total(std::vector<std::int32_t>{1, 2, 3}, few), 9);
    if (reader == remote) {  // a collocated call marshals nothing
      EXPECT_THROW(reader->total({}, std::vector<std::uint8_t>(5)), CORBA::BAD_PARAM);
    }
    const std::vector<Views::Point> points = {Views::Point(1, 2), Views::Point(3, 4)};
    EXPECT_EQ(reader->products(points), 14);
    EXPECT_EQ(reader->wide(L"wide"), 4);
    std::string both = "a";
    EXPECT_EQ(reader->names(std::string("bc"), 3, both), 3);
    EXPECT_EQ(both, "abc");
    reader->forget("gone");
    EXPECT_EQ(reader->async_sum(values).get(), 6.5);
    EXPECT_EQ(std::get<1>(reader->async_names(std::string("yz"), 3, "x").get()), "xyz");
  }
  client->destroy();
  server->destroy();
}

}  // namespace
}  // namespace corbel::async_test
